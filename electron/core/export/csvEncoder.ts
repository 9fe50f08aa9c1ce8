import type { Frame } from '#shared/contract/frame.ts'
import { csvCell } from '#shared/units/csvCell.ts'
import type { ExportColumn } from './exportTask.ts'
import { LONGEST_NUMBER, writeNumber } from './numberBytes.ts'
import type { RowEncoder } from './rowEncoder.ts'
import { zonedTimes } from './zonedTimes.ts'

const COMMA = 44
const CARRIAGE_RETURN = 13
const LINE_FEED = 10
/**
 * Number of encoded bytes that are handed on at once, because a whole part would take several times the memory of its
 * values.
 */
const PIECE_BYTES = 4 << 20
/** Bytes that a cell takes at most, with its comma; a text asks for its own. */
const LONGEST = { number: LONGEST_NUMBER + 1, time: 36, text: 1 }

/** RFC 4180: times in ISO with the zone's offset, numbers with all their digits, missing empty. */
export class CsvEncoder implements RowEncoder {
  private readonly columns: readonly ExportColumn[]
  private readonly writeTime: (timeMs: number) => string
  private buffer = Buffer.alloc(0)
  private at = 0

  constructor(columns: readonly ExportColumn[], zone: string) {
    this.columns = columns
    this.writeTime = zonedTimes(zone)
  }

  head(): Uint8Array {
    return Uint8Array.from(Buffer.from(`${['time', ...this.columns.map(({ label }) => csvCell(label))].join(',')}\r\n`))
  }

  rows({ rows, columns: [time, ...columns] }: Frame): Uint8Array[] {
    const cells = columns.map((column) => (column.kind === 'text' ? column.dictionary.map(csvCell) : null))
    const width = columns.reduce((sum, { kind }) => sum + LONGEST[kind], LONGEST.time)
    const pieces: Uint8Array[] = []
    for (let row = 0; row < rows; row++) {
      this.reserve(width)
      this.ascii(this.writeTime(time.values[row]))
      for (let index = 0; index < columns.length; index++) {
        const { buffer } = this
        buffer[this.at++] = COMMA
        const { kind, valid, values } = columns[index]
        if (valid !== null && valid[row] === 0) continue
        if (kind === 'number') this.at = writeNumber(values, row, buffer, this.at)
        else if (kind === 'time') this.ascii(this.writeTime(values[row]))
        else this.text(cells[index]![values[row]], width)
      }
      this.buffer[this.at++] = CARRIAGE_RETURN
      this.buffer[this.at++] = LINE_FEED
      if (this.at >= PIECE_BYTES || row === rows - 1) pieces.push(this.taken())
    }
    return pieces
  }

  end(): Uint8Array {
    return new Uint8Array(0)
  }

  /** A copy of just what was written moves to the other thread; the buffer stays for the next piece. */
  private taken(): Uint8Array {
    const piece = new Uint8Array(this.buffer.subarray(0, this.at))
    this.at = 0
    return piece
  }

  private ascii(text: string): void {
    const { buffer } = this
    let { at } = this
    for (let index = 0; index < text.length; index++) buffer[at++] = text.charCodeAt(index)
    this.at = at
  }

  private text(cell: string, width: number): void {
    this.reserve(cell.length * 3 + width)
    this.at += this.buffer.write(cell, this.at)
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(1 << 20, (this.at + bytes) * 2))
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
  }
}
