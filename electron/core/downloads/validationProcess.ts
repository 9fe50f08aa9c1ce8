/** Entry of the guarded process that reads files nobody validated yet. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import { taskError } from '#core/threads/taskError.ts'
import type { FileToValidate, ValidationTask } from './guardedValidation.ts'
import { packedFile, type PackedResult } from './packedValidation.ts'
import { checkTable, validateParquet } from './verifyFile.ts'

function validate({ path, ...options }: FileToValidate): PackedResult {
  try {
    return packedFile(validateParquet(path, options))
  } catch (thrown) {
    return taskError(thrown)
  }
}

answerGuarded<ValidationTask, PackedResult[]>((task) => {
  if (!('columns' in task)) return task.map(validate)
  checkTable(task)
  return []
})
