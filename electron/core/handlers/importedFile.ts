import { AppError } from '#shared/contract/errors.ts'
import { firstProblems } from '#shared/units/firstProblems.ts'

interface Refused {
  problems: string[]
}

/** Returns the content of an imported file, or throws its problem as an error. */
export function importedFile<Read extends object>(read: Read | Refused): Exclude<Read, Refused> {
  if (!('problems' in read)) return read as Exclude<Read, Refused>
  throw new AppError('bad-input', `Nothing was imported: ${firstProblems(read.problems as string[]).join('; ')}.`)
}
