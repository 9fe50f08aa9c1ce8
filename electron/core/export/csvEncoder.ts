import { AppError } from '#shared/contract/errors.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { csvCellOf, type CsvTextMode } from '#shared/units/csvCell.ts'
import type { ExportColumn, RowEncoder } from './exportTask.ts'
import { createCsvRows, type CsvRows } from './csvRows.ts'
import { LONGEST_NUMBER, writeNumber } from './numberBytes.ts'

const COMMA = 44
const LINE_FEED = 10
/**
 * Number of encoded bytes passed on at a time, because the text of all rows together would take several times the
 * memory of their values.
 */
const PIECE_BYTES = 4 << 20
/** Maximum number of bytes of a cell with its comma; for texts, their own length is added per cell. */
const MOST_CELL_BYTES = { number: LONGEST_NUMBER + 1, time: 36, text: 1 }

/**
 * Writes CSV as RFC 4180 describes: times in ISO with the zone's offset, numbers with all digits, missing values empty.
 */
export class CsvEncoder implements RowEncoder {
  private readonly columns: readonly ExportColumn[]
  private readonly writeTime: (timeMs: number) => string
  private readonly textCell: (text: string) => string
  /** Encodes rows in WebAssembly; null if that is not allowed. */
  private readonly fastRows: CsvRows | null
  private buffer = Buffer.alloc(0)
  private position = 0

  constructor(columns: readonly ExportColumn[], { zone, text }: { zone: string; text: CsvTextMode }) {
    this.columns = columns
    this.textCell = csvCellOf(text)
    this.writeTime = timeFormatter(zone)
    const texts = { time: zone === 'UTC' ? null : this.writeTime, text: this.textCell }
    this.fastRows = createCsvRows(texts, this.writeTime)
  }

  head(): Uint8Array {
    return Uint8Array.from(
      Buffer.from(`${['time', ...this.columns.map(({ label }) => this.textCell(label))].join(',')}\n`),
    )
  }

  rows(frame: Frame, buffers: SharedArrayBuffer[] = []): Uint8Array[] {
    return this.fastRows?.encode(frame, buffers) ?? this.slowRows(frame)
  }

  private slowRows({ rows, columns: [time, ...columns] }: Frame): Uint8Array[] {
    const cells = columns.map((column) => (column.kind === 'text' ? column.dictionary.map(this.textCell) : null))
    const width = columns.reduce((sum, { kind }) => sum + MOST_CELL_BYTES[kind], MOST_CELL_BYTES.time)
    const pieces: Uint8Array[] = []
    for (let row = 0; row < rows; row++) {
      this.reserve(width)
      this.writeAscii(this.writeTime(time.values[row]))
      for (let index = 0; index < columns.length; index++) {
        const { buffer } = this
        buffer[this.position++] = COMMA
        const { kind, valid, values } = columns[index]
        if (valid !== null && valid[row] === 0) continue
        if (kind === 'number') this.position = writeNumber(values, row, buffer, this.position)
        else if (kind === 'time') this.writeAscii(this.writeTime(values[row]))
        else this.writeText(cells[index]![values[row]], width)
      }
      this.buffer[this.position++] = LINE_FEED
      if (this.position >= PIECE_BYTES || row === rows - 1) pieces.push(this.takeBytes())
    }
    return pieces
  }

  end(): Uint8Array {
    return new Uint8Array(0)
  }

  /** Copies the bytes written so far, for transfer to another thread, and keeps the buffer for the next piece. */
  private takeBytes(): Uint8Array {
    const piece = new Uint8Array(this.buffer.subarray(0, this.position))
    this.position = 0
    return piece
  }

  private writeAscii(text: string): void {
    const { buffer } = this
    let { position } = this
    for (let index = 0; index < text.length; index++) buffer[position++] = text.charCodeAt(index)
    this.position = position
  }

  private writeText(cell: string, width: number): void {
    this.reserve(cell.length * 3 + width)
    this.position += this.buffer.write(cell, this.position)
  }

  private reserve(bytes: number): void {
    if (this.position + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(1 << 20, (this.position + bytes) * 2))
    this.buffer.copy(larger, 0, 0, this.position)
    this.buffer = larger
  }
}

const MS_PER_QUARTER_HOUR = 900_000

/**
 * Returns a function that writes times in ISO with the offset of a zone: `2026-08-01T12:00:00.000Z`, `…+02:00`; with
 * microseconds if there are any.
 */
export function timeFormatter(zone: string): (timeMs: number) => string {
  if (zone === 'UTC') return (timeMs) => `${isoDigits(timeMs)}Z`
  const offsetOf = offsetFinder(zone)
  return (timeMs) => {
    const offsetMs = offsetOf(timeMs)
    return isoDigits(timeMs + offsetMs) + offsetText(offsetMs)
  }
}

/** Start of the day written last and its text, cached because the times of a file are in order. */
let dayMs = NaN
let dayText = ''

function isoDigits(timeMs: number): string {
  const micros = Math.round((timeMs - Math.floor(timeMs)) * 1000)
  const wholeMs = Math.floor(timeMs) + (micros === 1000 ? 1 : 0)
  const startMs = Math.floor(wholeMs / MS_PER_DAY) * MS_PER_DAY
  if (startMs !== dayMs) {
    dayText = new Date(startMs).toISOString().slice(0, -13)
    dayMs = startMs
  }
  const msOfDay = wholeMs - startMs
  const hours = twoDigits[Math.floor(msOfDay / 3_600_000)]
  const minutes = twoDigits[Math.floor(msOfDay / 60_000) % 60]
  const seconds = twoDigits[Math.floor(msOfDay / 1000) % 60]
  const digits = `${dayText}${hours}:${minutes}:${seconds}.${threeDigits(msOfDay % 1000)}`
  return micros % 1000 === 0 ? digits : digits + threeDigits(micros)
}

const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const threeDigits = (value: number) => String(value).padStart(3, '0')

/**
 * Returns a function that looks up a zone's offset once per quarter of an hour, because offsets change only at
 * quarters.
 */
function offsetFinder(zone: string): (timeMs: number) => number {
  const format = formatOf(zone)
  let quarter = NaN
  let offsetMs = 0
  return (timeMs) => {
    const quarterOfTime = Math.floor(timeMs / MS_PER_QUARTER_HOUR)
    if (quarterOfTime !== quarter) {
      quarter = quarterOfTime
      const parts = format.formatToParts(quarterOfTime * MS_PER_QUARTER_HOUR)
      offsetMs = parseOffset(parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT')
    }
    return offsetMs
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch (cause) {
    throw new AppError('bad-input', `“${zone}” is not a time zone.`, { cause })
  }
}

function parseOffset(text: string): number {
  const match = /^GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text)
  if (!match) return 0
  const ms = Number(match[2]) * 3_600_000 + Number(match[3]) * 60_000 + Number(match[4] ?? 0) * 1000
  return match[1] === '-' ? -ms : ms
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(Math.trunc(offsetMs / 60_000))
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}`
}
