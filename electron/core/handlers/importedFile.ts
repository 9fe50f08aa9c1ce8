import { AppError } from '#shared/contract/errors.ts'
import { firstProblems } from '#shared/units/firstProblems.ts'

/** Returns what was read of an imported file, or throws what is wrong with it. */
export function importedFile<Read extends object>(read: Read | { problems: readonly string[] }): Read {
  if (!('problems' in read)) return read
  throw new AppError('bad-input', `Nothing was imported: ${firstProblems(read.problems).join('; ')}.`)
}
