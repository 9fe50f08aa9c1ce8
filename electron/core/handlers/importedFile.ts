import { AppError } from '#shared/contract/errors.ts'
import { firstProblems } from '#shared/units/firstProblems.ts'

interface Refusal {
  problems: string[]
}

/** Returns the content of an imported file; throws `bad-input` with the first problems if there are any. */
export function importedFile<Read extends object>(read: Read | Refusal): Exclude<Read, Refusal> {
  if (!('problems' in read)) return read as Exclude<Read, Refusal>
  throw new AppError('bad-input', `Nothing was imported: ${firstProblems(read.problems as string[]).join('; ')}.`)
}
