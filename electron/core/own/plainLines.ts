import { type CsvStream, LINE_FEED, RETURN } from '#shared/units/csvStream.ts'

/** Takes a line of bytes without its ending; false to have it read as text. */
type TakeLine = (bytes: Buffer, from: number, to: number, line: number) => boolean

/** Cuts the bytes of a text file in UTF-8 into lines; those that nobody takes go to a stream of text. */
export class PlainLines {
  readonly #rows: CsvStream
  readonly #decoder: InstanceType<typeof TextDecoder>
  /** Bytes of an unfinished line. */
  #rest = Buffer.alloc(0)
  /** True if the beginning of the current line went to the stream. */
  #isInLine = false

  constructor(rows: CsvStream, decoder: InstanceType<typeof TextDecoder>) {
    this.#rows = rows
    this.#decoder = decoder
  }

  push(part: Buffer, take: TakeLine): void {
    const bytes = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part])
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; from = end + 1, end = bytes.indexOf(LINE_FEED, from)) {
      if (!this.#isInLine && this.#rows.isBetweenRows) {
        const to = end > from && bytes[end - 1] === RETURN ? end - 1 : end
        if (to === from || take(bytes, from, to, this.#rows.line)) {
          this.#rows.passLine()
          continue
        }
      }
      this.#toText(bytes.subarray(from, end + 1))
      this.#isInLine = false
    }
    // Without any line feed, lines end otherwise.
    if (from === 0) {
      this.#toText(bytes)
      this.#isInLine = true
      from = bytes.length
    }
    this.#rest = Buffer.from(bytes.subarray(from))
  }

  /** Hands over the last line, if it has no ending. */
  end(): void {
    if (this.#rest.length > 0) this.#toText(this.#rest)
  }

  #toText(bytes: Uint8Array): void {
    this.#rows.push(this.#decoder.decode(bytes, { stream: true }))
  }
}
