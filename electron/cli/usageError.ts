import { nearest } from './suggest.ts'

/** What was typed cannot be meant; the program ends with status 2. */
export class UsageError extends Error {}

/** `what` was typed but is not one of `known`. */
export function unknownWord(what: string, typed: string, known: readonly string[]): UsageError {
  const meant = nearest(typed, known)
  return new UsageError(`Unknown ${what} “${typed.slice(0, 60)}”.${meant ? ` Did you mean “${meant}”?` : ''}`)
}

/** `typed` is not one of the few values an option or an argument may have; where none is near, all of them are named. */
export function unknownValue(what: string, typed: string, values: readonly string[]): UsageError {
  // Another number is no misspelling.
  if (!/^\d+$/.test(typed) && nearest(typed, values)) return unknownWord(what, typed, values)
  return new UsageError(`Unknown ${what} “${typed.slice(0, 60)}”. One of: ${values.join(', ')}.`)
}
