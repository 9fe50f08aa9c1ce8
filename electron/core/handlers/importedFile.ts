import { AppError } from '#shared/contract/errors.ts'
import { firstProblems } from '#shared/units/firstProblems.ts'

interface Refused {
  problems: string[]
}

/** Returns what was read of an imported file, or throws what is wrong with it. */
export function importedFile<Read extends object>(read: Read | Refused): Exclude<Read, Refused> {
  if (!('problems' in read)) return read as Exclude<Read, Refused>
  throw new AppError('bad-input', `Nothing was imported: ${firstProblems(read.problems as string[]).join('; ')}.`)
}
