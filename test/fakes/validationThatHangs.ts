/** Runs a guarded process that validates as the real one does, but hangs or ends at files whose name says so. */
import { basename } from 'node:path'
import type { ValidationResult, ValidationTask } from '#core/downloads/guardedValidation.ts'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import { taskError } from '#core/threads/taskError.ts'

answerGuarded<ValidationTask, ValidationResult[]>((task) =>
  ('columns' in task ? [{ path: task.path }] : task).map(({ path, ...options }) => {
    const name = basename(path)
    for (; name.startsWith('hangs'););
    if (name.startsWith('ends')) process.abort()
    try {
      return { validated: validateParquet(path, options) }
    } catch (thrown) {
      return taskError(thrown)
    }
  }),
)
