import { createReadStream } from 'node:fs'
import { PanelError } from '#shared/lab/panel.ts'
import { parsePanelNumber, parsePanelTime } from '#shared/lab/panelCells.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { CsvStream } from '#shared/units/csvStream.ts'
import { createTextDecoder } from '#shared/units/textEncoding.ts'
import { checkHeader, isValueColumn, isWanted, type WantedColumns } from './panelHeader.ts'
import type { PanelHead, BatchReceiver } from './panelBatches.ts'

/** A list of numbers that grows by doubling and is handed over when its batch is full. */
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

  /** Returns the numbers and starts an empty list. */
  take(): Float64Array {
    const numbers = this.#values.subarray(0, this.#count)
    this.#values = new Float64Array(this.#values.length)
    this.#count = 0
    return numbers
  }
}

const TIME_HINT = 'write whole milliseconds since 1970, or an instant in UTC such as 2026-03-01T12:00Z'
const memberTexts: Readonly<Record<string, 0 | 1>> = { true: 1, '1': 1, false: 0, '0': 0, '': 0, null: 0 }

/** Collects the rows of a CSV panel and hands them over in batches; reads only the requested columns. */
class CsvPanel {
  readonly #wanted: WantedColumns
  readonly #receiver: BatchReceiver
  #header: string[] | null = null
  #rows = 0
  /** Line on which the current row begins. */
  #line = 0
  #batchStart = 0
  #timeIndex = -1
  #symbolIndex = -1
  #memberIndex = -1
  readonly #times = new NumberList()
  readonly #symbols = new NumberList()
  readonly #members = new NumberList()
  readonly #codeBySymbol = new Map<string, number>()
  /** Numeric columns by the position of their cell in a row. */
  readonly #columns = new Map<number, NumberList>()
  readonly #others = new Set<string>()

  constructor(columns: WantedColumns, receiver: BatchReceiver) {
    this.#wanted = columns
    this.#receiver = receiver
  }

  add(cells: string[], line: number): void {
    if (this.#header === null) return this.#readHeader(cells)
    this.#rows++
    this.#line = line
    if (cells.length !== this.#header.length) {
      const time = cells[this.#timeIndex] ?? ''
      throw new PanelError(
        `${this.#rowLabel(time)} has ${plainPlural(cells.length, 'cell')}; the header has ${this.#header.length}.`,
      )
    }
    this.#times.add(this.#time(cells[this.#timeIndex]))
    this.#symbols.add(this.#symbol(cells[this.#symbolIndex], cells[this.#timeIndex]))
    if (this.#memberIndex >= 0) this.#members.add(this.#member(cells[this.#memberIndex]))
    for (const [index, list] of this.#columns) this.#addNumber(cells[index], index, list)
    if (this.#rows - this.#batchStart === this.#receiver.batchRows) this.#endBatch(this.#header)
  }

  /**
   * Names a row by its number and by its line: the header, comments and line breaks in cells count as lines, but not as
   * rows.
   */
  #rowLabel(time = ''): string {
    return `row ${this.#rows} (line ${this.#line}${time === '' ? '' : `, time ${time}`})`
  }

  #endBatch(header: readonly string[]): void {
    const batch = {
      firstRow: this.#batchStart,
      times: this.#times.take(),
      symbols: Int32Array.from(this.#symbols.take()),
      columns: new Map([...this.#columns].map(([index, list]) => [header[index], list.take()])),
      member: this.#memberIndex < 0 ? null : Uint8Array.from(this.#members.take()),
    }
    this.#batchStart = this.#rows
    this.#receiver.onBatch(batch)
  }

  #readHeader(cells: string[]): void {
    checkHeader(cells)
    this.#header = cells
    this.#timeIndex = cells.indexOf('time')
    this.#symbolIndex = cells.indexOf('symbol')
    this.#memberIndex = cells.indexOf('member')
    cells.forEach((name, index) => {
      if (isWanted(name, this.#wanted)) this.#columns.set(index, new NumberList())
    })
  }

  #time(text: string): number {
    const time = parsePanelTime(text)
    if (time === null)
      throw new PanelError(`${this.#rowLabel()}: “${text}” in the column time is not a time: ${TIME_HINT}.`)
    return time
  }

  #symbol(text: string, time: string): number {
    if (text === '') throw new PanelError(`${this.#rowLabel(time)}: the column symbol is empty.`)
    const knownCode = this.#codeBySymbol.get(text)
    if (knownCode !== undefined) return knownCode
    this.#codeBySymbol.set(text, this.#codeBySymbol.size)
    return this.#codeBySymbol.size - 1
  }

  #member(text: string): number {
    const key = text.toLowerCase()
    if (Object.hasOwn(memberTexts, key)) return memberTexts[key]
    throw new PanelError(`${this.#rowLabel()}: “${text}” in the column member is not true or false.`)
  }

  /** Adds a number, or NaN for a missing one; a cell with anything else makes the whole column non-numeric. */
  #addNumber(text: string, index: number, list: NumberList): void {
    const number = parsePanelNumber(text)
    if (number !== null) list.add(number)
    else {
      this.#columns.delete(index)
      this.#others.add(this.#header?.[index] ?? '')
    }
  }

  end(): PanelHead {
    if (this.#header === null)
      throw new PanelError('the file is empty: it needs a header with the columns time and symbol.')
    const header = this.#header
    if (this.#rows > this.#batchStart) this.#endBatch(header)
    return {
      names: [...this.#codeBySymbol.keys()],
      columns: [...this.#columns.keys()].map((index) => header[index]),
      hasMember: this.#memberIndex >= 0,
      otherColumns: [...this.#others],
      columnNames: header.filter(isValueColumn),
    }
  }
}

/** Maximum number of characters of a row, including quoted line breaks. */
const LONGEST_ROW = 16 * 2 ** 20

/** Reads the rows of a CSV panel in batches; throws a `PanelError` if they are invalid. */
export async function readCsvPanel(path: string, columns: WantedColumns, receiver: BatchReceiver): Promise<PanelHead> {
  const panel = new CsvPanel(columns, receiver)
  const rows = new CsvStream((cells, line) => panel.add(cells, line))
  const decoder = createTextDecoder()
  const decode = (bytes?: Buffer): string => {
    try {
      return decoder(bytes)
    } catch {
      throw new PanelError('the file is not UTF-8 throughout; save it as UTF-8.')
    }
  }
  for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    rows.push(decode(bytes as Buffer))
    if (rows.pending > LONGEST_ROW) throw new PanelError(`a row has more than ${LONGEST_ROW} characters.`)
  }
  rows.push(decode())
  const unclosedQuote = rows.end()
  if (unclosedQuote) throw new PanelError(`a quote on line ${unclosedQuote.line} is never closed.`)
  return panel.end()
}
