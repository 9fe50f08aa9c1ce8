import { usageText } from './text/messages.ts'
import { chooseText } from './text/terminalTexts.ts'
import { nearest } from './suggest.ts'

/** A usage error: the program prints its message and exits with status 2. */
export class UsageError extends Error {}

/** A usage error for all options that are missing, each with its placeholder; the program adds an example. */
export class MissingOptions extends UsageError {
  readonly options: readonly string[]
  /** What else may be chosen, in a sentence. */
  hint: string | null = null

  constructor(options: readonly string[]) {
    super(chooseText.optionsMissing(options))
    this.options = options
  }
}

/** Builds the error for an unknown name; its message suggests the nearest known name. */
export function unknownNameError(kind: string, typed: string, known: readonly string[]): UsageError {
  const suggestion = nearest(typed, known)
  return new UsageError(usageText.unknown(kind, typed, suggestion))
}

const numberOf = (text: string): string => /^\d*/.exec(text)?.[0] ?? ''

/** Builds the error for a value outside a short list; the message names the nearest value, or all of them. */
export function unknownValueError(kind: string, typed: string, values: readonly string[]): UsageError {
  const suggestion = nearest(typed, values)
  // A number, also one with a unit, is never treated as a misspelling of another number.
  if (suggestion !== null && numberOf(suggestion) === numberOf(typed)) return unknownNameError(kind, typed, values)
  return new UsageError(usageText.unknownOf(kind, typed, values))
}
