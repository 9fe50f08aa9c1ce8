import { cutWords } from '#shared/units/cutWords.ts'

/** Error of a formula with its position: `start` (inclusive) and `end` (exclusive) are offsets in the text. */
export class FormulaError extends Error {
  readonly start: number
  readonly end: number

  constructor(message: string, { start, end }: { start: number; end: number }) {
    super(cutWords(message))
    this.name = 'FormulaError'
    this.start = start
    this.end = end
  }
}
