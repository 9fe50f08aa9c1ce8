import type { FileVersion } from '#core/parquet/fileVersion.ts'
import { type ParquetColumn, ParquetFile } from '#core/parquet/parquetFile.ts'
import { batchesOf, isDateColumn, isNumeric } from '#core/parquet/quantityColumns.ts'
import { readNumbers, readTexts, readTimesUs, type FileRowRange } from '#core/parquet/readColumn.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { checkHeader, isValueColumn, isWanted, type WantedColumns } from './panelHeader.ts'
import type { PanelHead, BatchReceiver } from './panelBatches.ts'

interface PanelToRead {
  path: string
  /** The version that was validated. */
  known: FileVersion | undefined
}

/** Reads the rows of a Parquet panel in batches; throws a `PanelError` if they are invalid. */
export function readParquetPanel(
  { path, known }: PanelToRead,
  wantedColumns: WantedColumns,
  { onBatch, batchRows }: BatchReceiver,
): PanelHead {
  using file = new ParquetFile(path, { remember: false, known })
  checkHeader(file.columns.map(({ name }) => name))
  const columns = file.columns.filter(({ name }) => isWanted(name, wantedColumns))
  const numericNames = columns.filter(isNumeric).map(({ name }) => name)
  checkKeys(file)
  const hasMember = file.indexOf('member') >= 0
  const [names, members] = [new TextDictionary(), new TextDictionary()]
  for (const range of batchesOf(file, batchRows)) {
    const times = readTimes(file, range)
    onBatch({
      firstRow: range.from,
      times,
      symbols: readSymbols(file, range, { times, dictionary: names }),
      columns: new Map(numericNames.map((name) => [name, readDoubles(file, name, range)])),
      member: hasMember ? readMembers(file, range, members) : null,
    })
  }
  return {
    names: names.texts,
    columns: numericNames,
    hasMember,
    otherColumns: columns.filter((column) => !isNumeric(column)).map(({ name }) => name),
    columnNames: file.columns.map(({ name }) => name).filter(isValueColumn),
  }
}

const countOf = ({ from, to }: FileRowRange) => to - from

function readDoubles(file: ParquetFile, name: string, range: FileRowRange): Float64Array {
  const values = new Float64Array(countOf(range))
  readNumbers(file, name, range, { values, at: 0 })
  return values
}

function columnOf(file: ParquetFile, name: string): ParquetColumn {
  return file.columns[file.indexOf(name)]
}

/** Throws a `PanelError` if the column time or symbol has the wrong type. */
function checkKeys(file: ParquetFile): void {
  const time = columnOf(file, 'time')
  if (!time.timestampUnit && !isDateColumn(time) && time.element.type !== 'INT96' && !isNumeric(time)) {
    throw new PanelError(
      `the column time holds ${time.type === 'text' ? 'text, not times' : 'values that are not times'}.`,
    )
  }
  if (columnOf(file, 'symbol').type !== 'text') throw new PanelError('the column symbol is not text.')
}

function readTimes(file: ParquetFile, range: FileRowRange): Float64Array {
  const column = columnOf(file, 'time')
  const { timestampUnit } = column
  const unitMs = isDateColumn(column) ? MS_PER_DAY : 1
  const times = timestampUnit ? new Float64Array(countOf(range)) : readDoubles(file, 'time', range)
  if (timestampUnit) readTimesUs(file, 'time', range, { values: times, at: 0 })
  for (let index = 0; index < times.length; index++) {
    const time = timestampUnit ? times[index] / 1000 : times[index] * unitMs
    const isTime = timestampUnit ? Number.isFinite(time) : Number.isSafeInteger(time)
    const row = range.from + index + 1
    if (Number.isNaN(times[index])) throw new PanelError(`row ${row}: the column time is empty.`)
    if (!isTime) throw new PanelError(`row ${row}: ${times[index]} in the column time is not a time.`)
    times[index] = time
  }
  return times
}

function readSymbols(
  file: ParquetFile,
  range: FileRowRange,
  { times, dictionary }: { times: Float64Array; dictionary: TextDictionary },
): Int32Array {
  const symbols = new Int32Array(countOf(range))
  readTexts(file, 'symbol', range, dictionary, { values: symbols, at: 0 })
  const emptyAt = symbols.findIndex((code) => code < 0 || dictionary.texts[code] === '')
  if (emptyAt < 0) return symbols
  throw new PanelError(`row ${range.from + emptyAt + 1} (time ${times[emptyAt]}): the column symbol is empty.`)
}

const memberTexts: Readonly<Record<string, 0 | 1>> = { true: 1, '1': 1, false: 0, '0': 0, '': 0, null: 0 }

function readMembers(file: ParquetFile, range: FileRowRange, dictionary: TextDictionary): Uint8Array {
  const column = columnOf(file, 'member')
  if (column.element.logical_type?.type === 'NULL') return new Uint8Array(countOf(range))
  if (column.type === 'text') return readMemberTexts(file, range, dictionary)
  if (column.type !== 'boolean' && !isNumeric(column)) throw new PanelError('the column member is not true or false.')
  const values = readDoubles(file, 'member', range)
  return Uint8Array.from(values, (value, index) => {
    if (Number.isNaN(value) || value === 0) return 0
    if (value === 1) return 1
    throw new PanelError(`row ${range.from + index + 1}: ${value} in the column member is not true or false.`)
  })
}

function readMemberTexts(file: ParquetFile, range: FileRowRange, dictionary: TextDictionary): Uint8Array {
  const codes = new Int32Array(countOf(range))
  readTexts(file, 'member', range, dictionary, { values: codes, at: 0 })
  return Uint8Array.from(codes, (code, index) => {
    const text = code < 0 ? '' : dictionary.texts[code].toLowerCase()
    if (Object.hasOwn(memberTexts, text)) return memberTexts[text]
    throw new PanelError(
      `row ${range.from + index + 1}: “${dictionary.texts[code]}” in the column member is not true or false.`,
    )
  })
}
