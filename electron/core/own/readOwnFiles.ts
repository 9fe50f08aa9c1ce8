import { createHash } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import { batchesOf, isDateColumn, isNumeric } from '#core/parquet/quantityColumns.ts'
import {
  type FileRowRange,
  hasLongIntegers,
  readNumbers,
  readNumberTexts,
  readTexts,
  readTimesUs,
} from '#core/parquet/readColumn.ts'
import type { OwnChoices } from '#core/store/ownDataStore.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { parsePanelNumber } from '#shared/lab/panelCells.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { CsvStream } from '#shared/units/csvStream.ts'
import { exactTime } from '#shared/units/instants.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { cutAt, sniffEncoding, type TextEncoding } from '#shared/units/textEncoding.ts'
import { headOf, type OwnHead, problemIn, requiredNumbers } from './ownHead.ts'
import type { OwnRowCollector } from './ownRows.ts'
import { OwnTimes } from './ownTimes.ts'
import { PlainLines } from './plainLines.ts'
import { PlainRows } from './plainRows.ts'
import { ColumnHashes, hashOfCells } from './rowHash.ts'

/** A file to read, with the name that messages give it. */
export interface OwnFileToRead {
  path: string
  name: string
}

/** Where a row stands: its file, and its line there (its number in a Parquet file). */
interface RowPlace {
  file: string
  line: number
}

/** What reads the rows of a dataset, file by file. */
export interface OwnReading {
  choices: OwnChoices
  collector: OwnRowCollector | null
  times: OwnTimes
  /** Columns that are left out, each with the sentence that names its first cell that is no number. */
  leftOut: Map<string, string>
  /** Looks at a row before it is kept; throws to refuse it. */
  onTime?: (timeUs: number, place: RowPlace) => void
  /** Called with the rows read so far and the share of the file's bytes. */
  onProgress?: (rows: number, share: number) => void
  /** Number of rows after which a file is read no further, for a preview. */
  mostRows?: number
  /** The first file, and its columns in which every file must have times, symbols and venues. */
  firstFile?: string
  timeColumn?: string
  symbolColumn?: string | null
  exchangeColumn?: string | null
  labelColumn?: string | null
}

const PART_BYTES = 4 * 2 ** 20
const LONGEST_ROW = 16 * 2 ** 20
const BATCH_ROWS = 65_536

/** Hash and encoding of a file, which are found before any row is read. */
interface OwnFileContent {
  bytes: number
  sha256: string
  encoding: TextEncoding
  isParquet: boolean
}

/** Bytes of a file that a preview looks at before it reads rows. */
export const PREVIEWED_BYTES = 32 * 2 ** 20

/** Reads the bytes of a file once; for a preview, only the first ones. */
export function contentOf({ path, name }: OwnFileToRead, mostBytes = Infinity): OwnFileContent {
  const hash = createHash('sha256')
  let bytes = 0
  let encoding: TextEncoding = 'utf-8'
  let isParquet = /\.(parquet|pq)$/i.test(name)
  let remainder = new Uint8Array(0)
  let isAllUtf8 = true
  for (const part of partsOf(path)) {
    if (bytes === 0) {
      encoding = sniffEncoding(part)
      isParquet ||= part.length >= 4 && String.fromCharCode(...part.subarray(0, 4)) === 'PAR1'
    }
    if (bytes >= mostBytes) break
    hash.update(part)
    bytes += part.length
    if (isParquet || encoding !== 'utf-8' || !isAllUtf8) continue
    const text = remainder.length === 0 ? part : Buffer.concat([remainder, part])
    const end = cutAt(text)
    isAllUtf8 = isUtf8(text.subarray(0, end))
    remainder = text.slice(end)
  }
  const isCut = bytes >= mostBytes
  if (encoding === 'utf-8' && !(isAllUtf8 && (isCut || isUtf8(remainder)))) encoding = 'windows-1252'
  return { bytes, sha256: hash.digest('hex'), encoding, isParquet }
}

/** Reads a file in parts; each is valid only until the next one. */
function* partsOf(path: string): Generator<Buffer> {
  const descriptor = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(PART_BYTES)
    for (;;) {
      const count = readSync(descriptor, buffer, 0, PART_BYTES, null)
      if (count === 0) return
      yield buffer.subarray(0, count)
    }
  } finally {
    closeSync(descriptor)
  }
}

export function readOwnFile(file: OwnFileToRead, content: OwnFileContent, reading: OwnReading): void {
  if (content.isParquet) readParquet(file, reading)
  else readCsv(file, content, reading)
}

const isEnough = ({ collector, mostRows }: OwnReading): boolean =>
  mostRows !== undefined && (collector?.rows ?? 0) >= mostRows

/** Finds the columns of a file and checks that they give times, symbols and venues as those of the first file do. */
function openHead(file: string, names: readonly string[], reading: OwnReading, line?: number): OwnHead {
  const { choices } = reading
  const isFirst = reading.timeColumn === undefined
  const nameAt = (place: number) => (place < 0 ? null : names[place])
  const head = isFirst
    ? headOf(file, names, choices, { line })
    : headOf(
        file,
        names,
        { ...choices, time: reading.timeColumn },
        { line, first: { name: reading.firstFile!, time: reading.timeColumn! } },
      )
  if (isFirst) {
    reading.firstFile = file
    reading.timeColumn = names[head.time]
    reading.symbolColumn = nameAt(head.symbol)
    reading.exchangeColumn = nameAt(head.exchange)
    reading.labelColumn = nameAt(head.label)
  }
  for (const [what, known, place] of [
    ['symbols', reading.symbolColumn, head.symbol],
    ['venues', reading.exchangeColumn, head.exchange],
  ] as const)
    if ((known ?? null) !== null && place < 0)
      throw problemIn(file, `it has no column of ${what} (${known}), which the files before it have`)
    else if (known === null && place >= 0)
      throw problemIn(file, `it has a column of ${what} (${names[place]}), which the files before it do not have`)
  for (const name of head.reserved)
    reading.leftOut.set(name, `the name ${name} is one that every dataset of your own has for itself`)
  return head
}

/** Columns of values of a file that are still read: places of their cells, and columns of the collector. */
class ValueColumns {
  cells: number[] = []
  places: number[] = []
  readonly #reading: OwnReading
  readonly #names: readonly string[]

  constructor({ names, values }: OwnHead, reading: OwnReading) {
    this.#reading = reading
    this.#names = names
    for (const cell of values) {
      if (reading.leftOut.has(names[cell])) continue
      this.cells.push(cell)
      this.places.push(reading.collector?.columnOf(names[cell]) ?? cell)
    }
  }

  /** Leaves out a column because of what one of its cells holds, or refuses the file if the user asked for it. */
  drop(index: number, file: string, why: string, line?: number): void {
    const name = this.#names[this.cells[index]]
    if (requiredNumbers(this.#reading.choices).has(name.toLowerCase())) throw problemIn(file, why, line, name)
    this.#reading.leftOut.set(name, `${line === undefined ? file : `${file}, line ${line}`}: ${why}`)
    this.cells.splice(index, 1)
    this.places.splice(index, 1)
  }
}

function readCsv(file: OwnFileToRead, { encoding, bytes }: OwnFileContent, reading: OwnReading): void {
  const { collector, times, choices, onTime, onProgress } = reading
  const { name: fileName } = file
  let head: OwnHead | null = null
  let columns: ValueColumns | null = null
  let values = new Float64Array(0)
  const isEvents = choices.isEvents
  const onRow = (cells: string[], line: number): void => {
    if (head === null) {
      head = openHead(fileName, cells, reading, line)
      columns = new ValueColumns(head, reading)
      values = new Float64Array(cells.length)
      return
    }
    if (cells.length !== head.names.length)
      throw problemIn(
        fileName,
        `the row has ${plainPlural(cells.length, 'cell')}; the head has ${head.names.length}`,
        line,
      )
    const timeUs = times.read(cells[head.time])
    if (typeof timeUs === 'string') throw problemIn(fileName, timeUs, line, head.names[head.time])
    onTime?.(timeUs, { file: fileName, line })
    if (collector === null) return
    const symbol = head.symbol < 0 ? null : cells[head.symbol]
    if (symbol === '') throw problemIn(fileName, 'the symbol is missing', line, head.names[head.symbol])
    const exchange = head.exchange < 0 ? null : cells[head.exchange] || null
    const { cells: from, places } = columns!
    for (let index = 0; index < from.length; index++) {
      const text = cells[from[index]]
      const value = parsePanelNumber(text)
      if (value !== null) values[index] = value
      else columns!.drop(index--, fileName, `“${shortened(text)}” is not a number`, line)
    }
    const label = head.label < 0 ? -1 : collector.labelOf(cells[head.label])
    const hash = isEvents ? hashOfCells(cells) : 0
    collector.add(timeUs, collector.ownerOf(exchange, symbol), label, hash, places, values)
  }
  const rows = new CsvStream(onRow)
  const decoder = new TextDecoder(encoding)
  const plain = encoding === 'utf-8' ? new PlainLines(rows, decoder) : null
  let plainRows: PlainRows | null = null
  const takePlain = (bytes: Buffer, from: number, to: number, line: number): boolean => {
    if (head === null || collector === null) return false
    const { cells, places } = columns!
    plainRows ??= new PlainRows(head, rows.separator, {
      ...{ collector, times, isEvents },
      onTime: (timeUs, at) => onTime?.(timeUs, { file: fileName, line: at }),
    })
    // A column that turned out not to be numbers is no longer read.
    if (plainRows.valueCount !== cells.length) plainRows.setValues(cells, places)
    return plainRows.take(bytes, from, to, line)
  }
  let done = 0
  for (const part of partsOf(file.path)) {
    if (plain) plain.push(part, takePlain)
    else rows.push(decoder.decode(part, { stream: true }))
    done += part.length
    if (rows.pending > LONGEST_ROW) throw problemIn(fileName, `a row has more than ${LONGEST_ROW} characters`)
    onProgress?.(collector?.rows ?? 0, done / Math.max(1, bytes))
    if (isEnough(reading)) return
  }
  plain?.end()
  rows.push(decoder.decode())
  const unclosedQuote = rows.end()
  if (unclosedQuote) throw problemIn(fileName, 'a quote is never closed', unclosedQuote.line)
  if (head === null) throw problemIn(fileName, 'the file is empty: it needs a head with a column of times')
}

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

function readParquet(file: OwnFileToRead, reading: OwnReading): void {
  try {
    using parquet = new ParquetFile(file.path, { remember: false })
    readParquetRows(file, parquet, reading)
  } catch (thrown) {
    const { code, detail } = toAppError(thrown)
    if (code !== 'corrupt-file') throw thrown
    throw problemIn(file.name, (detail ?? 'it cannot be read').replace(`${file.path}: `, ''))
  }
}

/** Words for what a column without quantities holds. */
function contentText(parquet: ParquetFile, place: number): string {
  const column = parquet.columns[place]
  if (column.type === 'text') return 'the column holds texts, not numbers'
  if (column.timestampUnit || isDateColumn(column)) return 'the column holds times, not numbers'
  return column.type === 'boolean'
    ? 'the column holds true and false, not numbers'
    : 'the column holds values that are not numbers'
}

function readParquetRows({ name: fileName }: OwnFileToRead, parquet: ParquetFile, reading: OwnReading): void {
  const { collector, choices, onTime, onProgress } = reading
  const names = parquet.columns.map(({ name }) => name)
  const head = openHead(fileName, names, reading)
  const columns = new ValueColumns(head, reading)
  for (let index = 0; index < columns.cells.length; index++) {
    const cell = columns.cells[index]
    if (!isNumeric(parquet.columns[cell])) columns.drop(index--, fileName, contentText(parquet, cell))
  }
  for (const [what, place] of [
    ['symbols', head.symbol],
    ['venues', head.exchange],
    ['labels', head.label],
  ] as const)
    if (place >= 0 && parquet.columns[place].type !== 'text')
      throw problemIn(fileName, `the column of ${what} must hold texts`, undefined, names[place])
  const texts = { symbol: new TextDictionary(), exchange: new TextDictionary(), label: new TextDictionary() }
  const others = choices.isEvents ? rowColumns(parquet) : []
  for (const range of batchesOf(parquet, BATCH_ROWS)) {
    const count = range.to - range.from
    const timesUs = parquetTimes(fileName, parquet, head.time, range, reading)
    if (onTime) timesUs.forEach((timeUs, row) => onTime(timeUs, { file: fileName, line: range.from + row + 1 }))
    if (collector === null) continue
    const codesOf = (place: number, dictionary: TextDictionary) => {
      if (place < 0) return null
      const codes = new Int32Array(count)
      readTexts(parquet, names[place], range, dictionary, { values: codes, at: 0 })
      return codes
    }
    const symbols = codesOf(head.symbol, texts.symbol)
    const exchanges = codesOf(head.exchange, texts.exchange)
    const labels = codesOf(head.label, texts.label)
    const cells = columns.cells.map((cell) => numbersOf(parquet, names[cell], range))
    const hashes = choices.isEvents ? rowHashes(parquet, others, range) : null
    const values = new Float64Array(cells.length)
    for (let row = 0; row < count; row++) {
      for (let index = 0; index < cells.length; index++) values[index] = cells[index][row]
      const symbol = symbols === null ? null : symbols[row] < 0 ? '' : texts.symbol.texts[symbols[row]]
      if (symbol === '') throw problemIn(fileName, 'the symbol is missing', range.from + row + 1, names[head.symbol])
      const exchange = exchanges === null || exchanges[row] < 0 ? null : texts.exchange.texts[exchanges[row]] || null
      const label = labels === null ? -1 : collector.labelOf(labels[row] < 0 ? '' : texts.label.texts[labels[row]])
      collector.add(
        timesUs[row],
        collector.ownerOf(exchange, symbol),
        label,
        hashes === null ? 0 : hashes[row],
        columns.places,
        values,
      )
    }
    onProgress?.(collector.rows, range.to / parquet.rows)
    if (isEnough(reading)) return
  }
}

function numbersOf(parquet: ParquetFile, name: string, range: FileRowRange): Float64Array<ArrayBuffer> {
  const values = new Float64Array(range.to - range.from)
  const valid = new Uint8Array(values.length).fill(1)
  readNumbers(parquet, name, range, { values, valid, at: 0 })
  for (let row = 0; row < values.length; row++) if (!valid[row]) values[row] = NaN
  return values
}

function parquetTimes(
  fileName: string,
  parquet: ParquetFile,
  place: number,
  range: FileRowRange,
  { times }: OwnReading,
): Float64Array {
  const column = parquet.columns[place]
  const timesUs = new Float64Array(range.to - range.from)
  const take = (row: number, time: number | string): void => {
    if (typeof time === 'string') throw problemIn(fileName, time, range.from + row + 1, column.name)
    timesUs[row] = time
  }
  if (column.type === 'text') {
    const dictionary = new TextDictionary()
    const codes = new Int32Array(timesUs.length)
    readTexts(parquet, column.name, range, dictionary, { values: codes, at: 0 })
    codes.forEach((code, row) => take(row, times.read(code < 0 ? '' : dictionary.texts[code])))
    return timesUs
  }
  if (column.timestampUnit) {
    readTimesUs(parquet, column.name, range, { values: timesUs, at: 0 })
    timesUs.forEach((us, row) => take(row, times.readStored(us)))
    return timesUs
  }
  const isDay = isDateColumn(column)
  if (!isDay && !isNumeric(column))
    throw problemIn(fileName, 'the column holds values that are not times', undefined, column.name)
  const values = numbersOf(parquet, column.name, range)
  values.forEach((value, row) =>
    take(
      row,
      isDay
        ? times.readStored(value * MS_PER_DAY * 1000)
        : Number.isNaN(value)
          ? 'the time is missing'
          : times.readNumber(value),
    ),
  )
  return timesUs
}

/** Columns that tell the rows of events apart: all that can be read. */
const rowColumns = (parquet: ParquetFile): string[] =>
  parquet.columns
    .filter(
      (column) =>
        column.type === 'text' ||
        column.type === 'boolean' ||
        column.timestampUnit !== null ||
        isDateColumn(column) ||
        isNumeric(column),
    )
    .map(({ name }) => name)

function rowHashes(parquet: ParquetFile, columns: readonly string[], range: FileRowRange): Float64Array {
  const count = range.to - range.from
  const hashes = new ColumnHashes(count)
  for (const name of columns) {
    const index = parquet.indexOf(name)
    const column = parquet.columns[index]
    if (column.type === 'text' || hasLongIntegers(parquet, index)) {
      const dictionary = new TextDictionary()
      const values = new Int32Array(count)
      const read = column.type === 'text' ? readTexts : readNumberTexts
      read(parquet, name, range, dictionary, { values, at: 0 })
      hashes.addTexts(values, dictionary.texts)
    } else if (column.timestampUnit) {
      const values = new Float64Array(count)
      readTimesUs(parquet, name, range, { values, at: 0 })
      hashes.addNumbers(values)
    } else hashes.addNumbers(numbersOf(parquet, name, range))
  }
  return hashes.values()
}

/** Reads the first rows of a file as they are written, with the names of its columns. */
export function headRows(file: OwnFileToRead, { encoding, isParquet }: OwnFileContent, mostRows: number): string[][] {
  if (isParquet) return parquetHead(file, mostRows)
  const found: string[][] = []
  const rows = new CsvStream((cells) => {
    if (found.length <= mostRows) found.push(cells)
  })
  const decoder = new TextDecoder(encoding)
  for (const part of partsOf(file.path)) {
    rows.push(decoder.decode(part, { stream: true }))
    if (found.length > mostRows || rows.pending > LONGEST_ROW) return found
  }
  rows.push(decoder.decode())
  rows.end()
  return found
}

function parquetHead(file: OwnFileToRead, mostRows: number): string[][] {
  using parquet = new ParquetFile(file.path, { remember: false })
  const range = { from: 0, to: Math.min(parquet.rows, mostRows) }
  const columns = parquet.columns.map((column) => cellTexts(parquet, column.name, range))
  return [
    parquet.columns.map(({ name }) => name),
    ...Array.from({ length: range.to }, (_, row) => columns.map((texts) => texts[row])),
  ]
}

function cellTexts(parquet: ParquetFile, name: string, range: FileRowRange): string[] {
  const column = parquet.columns[parquet.indexOf(name)]
  const count = range.to - range.from
  if (column.type === 'text') {
    const dictionary = new TextDictionary()
    const codes = new Int32Array(count)
    readTexts(parquet, name, range, dictionary, { values: codes, at: 0 })
    return Array.from(codes, (code) => (code < 0 ? '' : dictionary.texts[code]))
  }
  if (column.timestampUnit) {
    const values = new Float64Array(count)
    readTimesUs(parquet, name, range, { values, at: 0 })
    return Array.from(values, (us) => (Number.isNaN(us) ? '' : exactTime(us / 1000, 'utc')))
  }
  if (!isNumeric(column) && !isDateColumn(column) && column.type !== 'boolean')
    return Array.from({ length: count }, () => '…')
  const isDay = isDateColumn(column)
  return Array.from(numbersOf(parquet, name, range), (value) =>
    Number.isNaN(value) ? '' : isDay ? dayFromNumber(value) : exactNumber(value),
  )
}
