const LINE_FEED = 10
const QUOTE = 34
const COMMA = 44

/** Splits streamed text into rows of cells by RFC 4180. Text comes in parts; empty lines are skipped. */
export class CsvStream {
  #row: string[] = []
  /** Text of the cell that has begun, from earlier parts or from before a doubled quote. */
  #cell = ''
  #isQuoted = false
  /** The cell so far ends with its closing quote, which a further quote makes a doubled one. */
  #isClosed = false
  #pending = 0
  readonly #onRow: (cells: string[]) => void

  constructor(onRow: (cells: string[]) => void) {
    this.#onRow = onRow
  }

  /** Characters of the row that has begun, to the size of a part. */
  get pending(): number {
    return this.#pending
  }

  push(text: string): void {
    this.#pending += text.length
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#isQuoted) {
        if (code !== QUOTE) continue
        this.#cell += text.slice(from, at)
        this.#isQuoted = false
        this.#isClosed = true
        from = at + 1
      } else if (code === COMMA || code === LINE_FEED) {
        this.#endCell(this.#cell + text.slice(from, at), code === LINE_FEED)
        from = at + 1
      } else if (code === QUOTE && at === from && (this.#isClosed || this.#cell === '')) {
        if (this.#isClosed) this.#cell += '"'
        this.#isQuoted = true
        from = at + 1
      }
    }
    if (from === text.length) return
    this.#cell += text.slice(from)
    this.#isClosed = false
  }

  /** Ends the text; returns false where a quote was never closed. */
  end(): boolean {
    if (this.#isQuoted) return false
    if (this.#cell !== '' || this.#row.length > 0) this.#endCell(this.#cell, true)
    return true
  }

  #endCell(cell: string, isLast: boolean): void {
    this.#cell = ''
    this.#isClosed = false
    this.#row.push(isLast && cell.endsWith('\r') ? cell.slice(0, -1) : cell)
    if (!isLast) return
    const row = this.#row
    this.#row = []
    this.#pending = 0
    if (row.length > 1 || row[0] !== '') this.#onRow(row)
  }
}
