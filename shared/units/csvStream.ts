export const LINE_FEED = 10
export const RETURN = 13
const QUOTE = 34

/** Separators in common use. */
const separators = [',', ';', '\t', '|'] as const

/** Detects the separator of a line: the one that occurs most often outside of quotes, or a comma. */
function separatorIn(line: string): string {
  const bare = line.slice(0, 10_000).replace(/"[^"]*"/g, '')
  const count = (separator: string) => bare.split(separator).length
  return separators.reduce((best, each) => (count(each) > count(best) ? each : best), ',')
}

/** A line that may precede the header: empty, a comment, or `sep=;`, by which Excel names the separator. */
const lineAboveHeadPattern = /^(?:[ \t]*|#[^\r\n]*|"?sep=([^"\r\n])"?[,;|\t ]*)(?:\r\n|\n|\r)/i
/** Number of characters after which an unfinished line counts as the complete header. */
const LONGEST_HEAD = 1_000_000

/**
 * Splits text that arrives in chunks into rows of cells (RFC 4180): quoted cells may contain separators, quotes and
 * line breaks; lines end in CR LF, LF or CR. Empty lines, and comments above the header, are skipped.
 */
export class CsvStream {
  #row: string[] = []
  /** Text of the current cell so far, from earlier chunks or from before a doubled quote. */
  #cell = ''
  #isQuoted = false
  /** True if the cell so far ends with a closing quote, which another quote would turn into a doubled one. */
  #isClosed = false
  #pending = 0
  /** Character code of the separator; 0 until the header has decided it. */
  #separator = 0
  /** Text received so far, until the header is complete. */
  #above = ''
  /** True if the previous chunk ended in CR, which an LF may follow. */
  #endedInReturn = false
  /** Number of the current line, counted from 1. */
  #line = 1
  /** Number of the line on which the current row starts. */
  #rowLine = 1
  readonly #onRow: (cells: string[], line: number) => void

  /** @param onRow receives each row with the number of the line on which it starts */
  constructor(onRow: (cells: string[], line: number) => void) {
    this.#onRow = onRow
  }

  /** Number of characters in the unfinished row, approximately. */
  get pending(): number {
    return this.#pending
  }

  /** Character code of the separator; 0 until the header has decided it. */
  get separator(): number {
    return this.#separator
  }

  /** True if the next text begins a row. */
  get isBetweenRows(): boolean {
    return this.#separator !== 0 && !this.#isQuoted && !this.#isClosed && this.#cell === '' && this.#row.length === 0
  }

  /** Number of the line that the next text begins or continues. */
  get line(): number {
    return this.#line
  }

  /** Counts a line that was read elsewhere, between rows. */
  passLine(): void {
    this.#rowLine = ++this.#line
    this.#endedInReturn = false
  }

  push(text: string): void {
    this.#pending += text.length
    if (this.#separator !== 0) return this.#split(text)
    this.#above += text
    const head = this.#head(false)
    if (head !== null) this.#split(head)
  }

  /**
   * Ends the text.
   * @returns the unfinished row and its line if a quote was never closed
   */
  end(): { cells: string[]; line: number } | null {
    if (this.#separator === 0) this.#split(this.#head(true) ?? '')
    if (this.#isQuoted) return { cells: [...this.#row, this.#cell], line: this.#rowLine }
    if (this.#cell !== '' || this.#row.length > 0) this.#endCell(this.#cell, true)
    return null
  }

  /**
   * Skips the lines above the header and detects the separator.
   * @returns the text from the header on; null if it is incomplete
   */
  #head(isEnd: boolean): string | null {
    if (this.#line === 1 && this.#above.startsWith('\uFEFF')) this.#above = this.#above.slice(1)
    /** Separator that a line above the header names, such as `sep=;`. */
    let namedSeparator: string | undefined
    let at = 0
    for (;;) {
      const found = lineAboveHeadPattern.exec(this.#above.slice(at, at + LONGEST_HEAD))
      if (!found || (found[1] !== undefined && at > 0)) break
      namedSeparator ??= found[1]
      at += found[0].length
    }
    const line = /^[^\r\n]*/.exec(this.#above.slice(at))![0]
    // A line ending may be split between chunks, and the header is complete only with its line ending.
    if (!isEnd && line.length < LONGEST_HEAD && at + line.length + 1 >= this.#above.length) return null
    const lineEndings = this.#above.slice(0, at).match(/\r\n|\n|\r/g)?.length ?? 0
    this.#line += lineEndings
    this.#rowLine = this.#line
    this.#separator = (namedSeparator ?? separatorIn(line)).charCodeAt(0)
    const head = this.#above.slice(at)
    this.#above = ''
    return head
  }

  #split(text: string): void {
    const separator = this.#separator
    let from = 0
    /** Index of the last CR; an LF right after it belongs to the same line ending. */
    let returnAt = this.#endedInReturn ? -1 : -2
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === LINE_FEED && returnAt === at - 1) {
        if (!this.#isQuoted) from = at + 1
        continue
      }
      const isLineEnd = code === LINE_FEED || code === RETURN
      if (isLineEnd) this.#line++
      if (code === RETURN) returnAt = at
      if (this.#isQuoted) {
        if (code !== QUOTE) continue
        this.#cell += text.slice(from, at)
        this.#isQuoted = false
        this.#isClosed = true
        from = at + 1
      } else if (code === separator || isLineEnd) {
        this.#endCell(this.#cell + text.slice(from, at), isLineEnd)
        from = at + 1
      } else if (code === QUOTE && at === from && (this.#isClosed || this.#cell === '')) {
        if (this.#isClosed) this.#cell += '"'
        this.#isQuoted = true
        from = at + 1
      }
    }
    if (text.length > 0) this.#endedInReturn = returnAt === text.length - 1
    if (from === text.length) return
    this.#cell += text.slice(from)
    this.#isClosed = false
  }

  #endCell(cell: string, isLast: boolean): void {
    this.#cell = ''
    this.#isClosed = false
    this.#row.push(cell)
    if (!isLast) return
    const row = this.#row
    const line = this.#rowLine
    this.#row = []
    this.#pending = 0
    this.#rowLine = this.#line
    if (row.length > 1 || row[0] !== '') this.#onRow(row, line)
  }
}
