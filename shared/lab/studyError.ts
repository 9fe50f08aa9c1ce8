import { cutWords } from '#shared/units/cutWords.ts'

/** Error of an invalid study; the message names the field. */
export class StudyError extends Error {
  readonly field: string
  /** Field to which the message compares this one, if any. */
  readonly comparedWith: string | null

  constructor(field: string, problem: string, comparedWith: string | null = null) {
    super(`${field}: ${cutWords(problem)}`)
    this.name = 'StudyError'
    this.field = field
    this.comparedWith = comparedWith
  }

  /** Recreates an error that arrived from a thread as text. */
  static withMessage(field: string, message: string): StudyError {
    return new StudyError(field, message.slice(`${field}: `.length))
  }
}
