/** Entry of the guarded process that reads unvalidated files. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import { taskError } from '#core/threads/taskError.ts'
import type { FileToValidate, ValidationResult, ValidationTask } from './guardedValidation.ts'
import { fileDifference } from './fileDifference.ts'
import { checkTable, validateParquet } from './verifyFile.ts'

function validate({ path, before, ...options }: FileToValidate): ValidationResult {
  try {
    const validated = validateParquet(path, options)
    return { validated: before === undefined ? validated : { ...validated, difference: differenceOf(before, path) } }
  } catch (thrown) {
    return taskError(thrown)
  }
}

/** Compares two files, if the earlier one can still be read: a file that comes in is not refused for its sake. */
function differenceOf(before: string, path: string): string | null {
  try {
    return fileDifference(before, path)
  } catch {
    return null
  }
}

answerGuarded<ValidationTask, ValidationResult[]>((task) => {
  if (!('columns' in task)) return task.map(validate)
  checkTable(task)
  return []
})
