/** What is wrong with a formula and where: `start` (included) to `end` (not) are places in its text. */
export class FormulaError extends Error {
  readonly start: number
  readonly end: number

  constructor(message: string, { start, end }: { start: number; end: number }) {
    super(message)
    this.name = 'FormulaError'
    this.start = start
    this.end = end
  }
}
