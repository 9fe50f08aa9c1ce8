import { createReadStream } from 'node:fs'
import { type LongRows, PanelError } from '#shared/lab/panel.ts'
import { parseInstant } from '#shared/lab/studyRange.ts'
import { parseDay } from '#shared/time.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { CsvStream } from '#shared/units/csvStream.ts'
import { checkHeader, isValueColumn, refuseTooManyRows } from './panelHeader.ts'

/** A list of numbers that grows by doubling. */
class NumberList {
  #values = new Float64Array(1024)
  #count = 0

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(2 * this.#count)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = value
  }

  values(): Float64Array {
    return this.#values.subarray(0, this.#count)
  }
}

const wholeNumber = /^-?\d+$/
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const noNumber = /^[+-]?(?:nan|null|inf|infinity)$/i
const utcOffset = /\+00:00$/

/** Reads whole milliseconds, or an instant such as `2026-03-01T12:00Z`; null where the text is neither. */
export function parsePanelTime(text: string): number | null {
  if (wholeNumber.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : null
  if (parseDay(text) !== null) return null
  return parseInstant(text.replace(utcOffset, 'Z').replace(/^(.{10}) /, '$1T'))
}

const memberTexts: Readonly<Record<string, 0 | 1>> = { true: 1, '1': 1, false: 0, '0': 0, '': 0, null: 0 }

/** Collects the rows of a CSV panel; only the columns that are asked for are read. */
class CsvPanel {
  readonly #wanted: ReadonlySet<string>
  #header: string[] | null = null
  #rows = 0
  #timeAt = -1
  #symbolAt = -1
  #memberAt = -1
  readonly #times = new NumberList()
  readonly #symbols = new NumberList()
  readonly #members = new NumberList()
  readonly #codes = new Map<string, number>()
  /** Numeric columns by the place of their cell. */
  readonly #columns = new Map<number, NumberList>()
  readonly #others = new Set<string>()

  constructor(columns: readonly string[]) {
    this.#wanted = new Set(columns)
  }

  add(cells: string[]): void {
    if (this.#header === null) return this.#readHeader(cells)
    this.#rows++
    if (this.#rows % CHECKED_ROWS === 0) refuseTooManyRows(this.#rows, this.#columns.size)
    if (cells.length !== this.#header.length) {
      const time = cells[this.#timeAt] ?? ''
      const named = time === '' ? '' : ` (time ${time})`
      throw new PanelError(
        `row ${this.#rows}${named} has ${plainPlural(cells.length, 'cell')}; the header has ${this.#header.length}.`,
      )
    }
    this.#times.add(this.#time(cells[this.#timeAt]))
    this.#symbols.add(this.#symbol(cells[this.#symbolAt], cells[this.#timeAt]))
    if (this.#memberAt >= 0) this.#members.add(this.#member(cells[this.#memberAt]))
    for (const [at, list] of this.#columns) this.#number(cells[at], at, list)
  }

  #readHeader(cells: string[]): void {
    checkHeader(cells)
    this.#header = cells
    this.#timeAt = cells.indexOf('time')
    this.#symbolAt = cells.indexOf('symbol')
    this.#memberAt = cells.indexOf('member')
    cells.forEach((name, at) => {
      if (isValueColumn(name) && this.#wanted.has(name)) this.#columns.set(at, new NumberList())
    })
  }

  #time(text: string): number {
    const time = parsePanelTime(text)
    if (time === null) throw new PanelError(`row ${this.#rows}: “${text}” in the column time is not a time.`)
    return time
  }

  #symbol(text: string, time: string): number {
    if (text === '') throw new PanelError(`row ${this.#rows} (time ${time}): the column symbol is empty.`)
    const known = this.#codes.get(text)
    if (known !== undefined) return known
    this.#codes.set(text, this.#codes.size)
    return this.#codes.size - 1
  }

  #member(text: string): number {
    const key = text.toLowerCase()
    if (Object.hasOwn(memberTexts, key)) return memberTexts[key]
    throw new PanelError(`row ${this.#rows}: “${text}” in the column member is not true or false.`)
  }

  /** Adds a number; a cell that is none makes the column one that is not numeric. */
  #number(text: string, at: number, list: NumberList): void {
    const trimmed = text.trim()
    if (number.test(trimmed)) list.add(Number(trimmed))
    else if (trimmed === '' || noNumber.test(trimmed)) list.add(NaN)
    else {
      this.#columns.delete(at)
      this.#others.add(this.#header?.[at] ?? '')
    }
  }

  result(): LongRows {
    if (this.#header === null)
      throw new PanelError('the file is empty: it needs a header with the columns time and symbol.')
    const header = this.#header
    return {
      times: this.#times.values(),
      symbols: Int32Array.from(this.#symbols.values()),
      names: [...this.#codes.keys()],
      columns: new Map([...this.#columns].map(([at, list]) => [header[at], list.values()])),
      member: this.#memberAt < 0 ? null : Uint8Array.from(this.#members.values()),
      otherColumns: [...this.#others],
      columnNames: header.filter(isValueColumn),
    }
  }
}

/** Most characters of a row, quoted line breaks included. */
const LONGEST_ROW = 16 * 2 ** 20
/** Number of rows after which their memory is looked at again. */
const CHECKED_ROWS = 100_000

/** Reads the rows of a panel in CSV; throws a `PanelError` where they cannot be used. */
export async function readCsvPanel(path: string, columns: readonly string[]): Promise<LongRows> {
  const panel = new CsvPanel(columns)
  const rows = new CsvStream((cells) => panel.add(cells))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      throw new PanelError('the file is not UTF-8 text.')
    }
  }
  for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    rows.push(decode(bytes as Buffer))
    if (rows.pending > LONGEST_ROW) throw new PanelError(`a row has more than ${LONGEST_ROW} characters.`)
  }
  rows.push(decode())
  if (!rows.end()) throw new PanelError('a quote is never closed.')
  return panel.result()
}
