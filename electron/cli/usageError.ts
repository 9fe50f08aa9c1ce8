import { nearest } from './suggest.ts'

/** What was typed cannot be meant; the program ends with status 2. */
export class UsageError extends Error {}

/** `what` was typed but is not one of `known`. */
export function unknownWord(what: string, typed: string, known: readonly string[]): UsageError {
  const meant = nearest(typed, known)
  return new UsageError(`Unknown ${what} “${typed.slice(0, 60)}”.${meant ? ` Did you mean “${meant}”?` : ''}`)
}
