import { type FileVersion, type ParquetColumn, ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers, readTexts, readTimesUs } from '#core/parquet/readColumn.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import { type LongRows, PanelError } from '#shared/lab/panel.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { checkHeader, isValueColumn, refuseTooManyRows } from './panelHeader.ts'

interface PanelToRead {
  path: string
  /** The version that was checked. */
  known: FileVersion | undefined
}

/** Reads the rows of a panel in Parquet; throws a `PanelError` where they cannot be used. */
export function readParquetPanel({ path, known }: PanelToRead, wanted: readonly string[]): LongRows {
  using file = new ParquetFile(path, { remember: false, known })
  checkHeader(file.columns.map(({ name }) => name))
  const columns = file.columns.filter(({ name }) => wanted.includes(name) && isValueColumn(name))
  refuseTooManyRows(file.rows, columns.length)
  const numeric = columns.filter(isNumeric)
  const times = readTimes(file)
  const { symbols, names } = readSymbols(file, times)
  return {
    times,
    symbols,
    names,
    columns: new Map(numeric.map(({ name }) => [name, readDoubles(file, name)])),
    member: file.indexOf('member') < 0 ? null : readMembers(file),
    otherColumns: columns.filter((column) => !isNumeric(column)).map(({ name }) => name),
    columnNames: file.columns.map(({ name }) => name).filter(isValueColumn),
  }
}

/** Converted types whose numbers are not quantities. */
const notQuantity = /^(DATE|TIME_MILLIS|TIME_MICROS|TIMESTAMP_MILLIS|TIMESTAMP_MICROS|INTERVAL|BSON|JSON|UTF8|ENUM)$/
const numericLogical = /^(DECIMAL|FLOAT16|INTEGER)$/

/** Tells whether the values of a column are quantities. */
export function isNumeric({ type, timestampUnit, element }: ParquetColumn): boolean {
  const { converted_type: converted, logical_type: logical } = element
  if (timestampUnit || type === 'boolean' || type === 'text') return false
  if (converted && notQuantity.test(converted)) return false
  if (logical && !numericLogical.test(logical.type)) return false
  return type !== 'other' || /^(DECIMAL|UINT_32|UINT_64)$/.test(converted ?? '') || logical !== undefined
}

const allRows = (file: ParquetFile) => ({ from: 0, to: file.rows })

function readDoubles(file: ParquetFile, name: string): Float64Array {
  const values = new Float64Array(file.rows)
  readNumbers(file, name, allRows(file), { values, at: 0 })
  return values
}

function columnOf(file: ParquetFile, name: string): ParquetColumn {
  return file.columns[file.indexOf(name)]
}

function readTimes(file: ParquetFile): Float64Array {
  const { type, timestampUnit, element } = columnOf(file, 'time')
  const isDate = element.converted_type === 'DATE' || element.logical_type?.type === 'DATE'
  if (!timestampUnit && !isDate && !isNumeric(columnOf(file, 'time'))) {
    throw new PanelError(`the column time holds ${type === 'text' ? 'text, not times' : 'values that are not times'}.`)
  }
  const times = timestampUnit ? new Float64Array(file.rows) : readDoubles(file, 'time')
  if (timestampUnit) readTimesUs(file, 'time', allRows(file), { values: times, at: 0 })
  for (let row = 0; row < times.length; row++) {
    const time = timestampUnit ? times[row] / 1000 : isDate ? times[row] * MS_PER_DAY : times[row]
    const isTime = timestampUnit ? Number.isFinite(time) : Number.isSafeInteger(time)
    if (Number.isNaN(times[row])) throw new PanelError(`row ${row + 1}: the column time is empty.`)
    if (!isTime) throw new PanelError(`row ${row + 1}: ${times[row]} in the column time is not a time.`)
    times[row] = time
  }
  return times
}

function readSymbols(file: ParquetFile, times: Float64Array): { symbols: Int32Array; names: string[] } {
  if (columnOf(file, 'symbol').type !== 'text') throw new PanelError('the column symbol is not text.')
  const symbols = new Int32Array(file.rows)
  const dictionary = new TextDictionary()
  readTexts(file, 'symbol', allRows(file), dictionary, { values: symbols, at: 0 })
  const empty = symbols.findIndex((code) => code < 0 || dictionary.texts[code] === '')
  if (empty >= 0) throw new PanelError(`row ${empty + 1} (time ${times[empty]}): the column symbol is empty.`)
  return { symbols, names: dictionary.texts }
}

const memberTexts: Readonly<Record<string, 0 | 1>> = { true: 1, '1': 1, false: 0, '0': 0, '': 0, null: 0 }

function readMembers(file: ParquetFile): Uint8Array {
  const column = columnOf(file, 'member')
  if (column.element.logical_type?.type === 'NULL') return new Uint8Array(file.rows)
  if (column.type === 'text') return readMemberTexts(file)
  if (column.type !== 'boolean' && !isNumeric(column)) throw new PanelError('the column member is not true or false.')
  const values = readDoubles(file, 'member')
  return Uint8Array.from(values, (value, row) => {
    if (Number.isNaN(value) || value === 0) return 0
    if (value === 1) return 1
    throw new PanelError(`row ${row + 1}: ${value} in the column member is not true or false.`)
  })
}

function readMemberTexts(file: ParquetFile): Uint8Array {
  const codes = new Int32Array(file.rows)
  const dictionary = new TextDictionary()
  readTexts(file, 'member', allRows(file), dictionary, { values: codes, at: 0 })
  return Uint8Array.from(codes, (code, row) => {
    const text = code < 0 ? '' : dictionary.texts[code].toLowerCase()
    if (Object.hasOwn(memberTexts, text)) return memberTexts[text]
    throw new PanelError(`row ${row + 1}: “${dictionary.texts[code]}” in the column member is not true or false.`)
  })
}
