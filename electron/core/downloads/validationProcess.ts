/** Entry of the guarded process that reads unvalidated files. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import { taskError } from '#core/threads/taskError.ts'
import type { FileToValidate, ValidationResult, ValidationTask } from './guardedValidation.ts'
import { checkTable, validateParquet } from './verifyFile.ts'

function validate({ path, ...options }: FileToValidate): ValidationResult {
  try {
    return { validated: validateParquet(path, options) }
  } catch (thrown) {
    return taskError(thrown)
  }
}

answerGuarded<ValidationTask, ValidationResult[]>((task) => {
  if (!('columns' in task)) return task.map(validate)
  checkTable(task)
  return []
})
