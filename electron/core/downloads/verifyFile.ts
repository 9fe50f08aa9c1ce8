/** Checks that a Parquet file is valid, and writes, syncs and renames the part files of new files. */
import { createHash } from 'node:crypto'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { PROVENANCE_KEY } from '#shared/contract/engineOrigin.ts'
import { finiteExtent } from '#shared/statistics/finiteExtent.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { wholeTimeUs } from '#shared/time/wholeTimes.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { plausibleRows } from '#core/parquet/fileLimits.ts'
import {
  isLongInteger,
  notNumbersText,
  ParquetFile,
  type ParquetColumn,
  wholeSource,
} from '#core/parquet/parquetFile.ts'
import { checkPageHeaders, checkValues } from '#core/parquet/checkValues.ts'
import { checkColumns, readNumbers, readTexts, readTimesUs } from '#core/parquet/readColumn.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import { commitPart, openPartToSync, writePart, type SyncFolder } from '#core/store/cacheFolder.ts'
import type { ColumnFacts, FileFacts } from '#core/store/fileTable.ts'
import { type TimeGrid, timeGridOf } from './timeGrid.ts'

/** The facts about a file that was read and found valid. */
export interface ValidatedFile {
  sizeBytes: number
  sha256: string
  facts: FileFacts
  /** Where the file differs from the one that it replaces; left out if that was not asked. */
  difference?: string | null
}

const METRIC_TIME = 'time'
/** Columns that can contain the time of a row; the first one present is used. */
const timeColumns = [METRIC_TIME, 'exchange_timestamp', 'local_timestamp', 'timestamp']
/** Buffer for the times of each file, because allocating one per file would take longer than reading the file. */
let timesBuffer = new Float64Array(0)

/** Limits that the period of a file sets for its rows; a file beyond them is refused. */
export interface PeriodLimits {
  /** Maximum number of rows of the file; by default as many as its size allows. */
  mostRows?: number
  /** Range in which a non-empty file must have at least one row; by default any. */
  rowsWithin?: TimeRange
}

export interface ValidateOptions extends PeriodLimits {
  /** True to read every value and compare it with the file’s statistics, instead of reading only the times. */
  deep?: boolean
  /** Hash of the content, if it was computed while the file was written. */
  sha256?: string | undefined
}

/**
 * Reads as much of a Parquet file as it takes to know that it is valid; throws `corrupt-file` if it is not. A file that
 * comes in is validated deeply, because DuckDB believes its statistics.
 */
export function validateParquet(path: string, options: ValidateOptions = {}): ValidatedFile {
  using file = new ParquetFile(path, { remember: false, source: wholeSource(path) })
  refuseImplausible(file, options.mostRows ?? plausibleRows(file.sizeBytes))
  return validateOpened(file, options)
}

/** What is known of the values of a file from reading them for something else, so that they are unpacked only once. */
export interface KnownValues {
  /** The columns whose numbers were compared with the file’s statistics, and whether they agree to the bit. */
  areExact: ReadonlyMap<number, boolean>
  /** The times of a column; null if they have to be read again. */
  times: { column: string; grid: TimeGrid } | null
}

/** Validates an open file whose number of rows is plausible. */
export function validateOpened(file: ParquetFile, options: ValidateOptions, known?: KnownValues): ValidatedFile {
  const { deep = false, rowsWithin, sha256 } = options
  const timeColumn = timeColumns.find((name) => file.indexOf(name) >= 0)
  if (timeColumn === undefined) throw file.damaged('it has no time column')
  checkChunks(file)
  const doubtfulColumns = deep ? checkValues(file, known?.areExact) : null
  if (!deep) checkPageHeaders(file)
  const grid = known?.times?.column === timeColumn ? known.times.grid : gridOf(file, timeColumn, rowsWithin)
  const columns = file.columns.map((_, index) => columnFacts(file, index))
  refuseWrongTypes(file, columns)
  return {
    sizeBytes: file.sizeBytes,
    sha256: sha256 ?? hashOf(file),
    facts: {
      rows: file.rows,
      ...grid,
      columns,
      changedAtMs: file.changedAtMs,
      ...(doubtfulColumns && { doubtfulColumns }),
      ...provenanceIn(file),
    },
  }
}

/** Columns of an unvalidated table, to be read once in a process that may crash. */
export interface TableToCheck {
  path: string
  columns: readonly string[] | 'all'
}

/**
 * Reads all values of the named columns; throws `corrupt-file` if that fails. Columns that the table lacks are skipped.
 */
export function checkTable({ path, columns }: TableToCheck): void {
  using file = new ParquetFile(path, { remember: false })
  refuseImplausible(file, plausibleRows(file.sizeBytes))
  checkChunks(file)
  checkColumns(file, columns === 'all' ? file.columns.map(({ name }) => name) : columns)
}

/** Maximum length of a provenance text that is kept in the index. */
const MOST_PROVENANCE_CHARACTERS = 65_536

function provenanceIn({ metadata }: ParquetFile): { provenance?: string } {
  const provenance = metadata.key_value_metadata?.find(({ key }) => key === PROVENANCE_KEY)?.value
  return provenance !== undefined && provenance.length <= MOST_PROVENANCE_CHARACTERS ? { provenance } : {}
}

function refuseImplausible(file: ParquetFile, mostRows: number): void {
  if (file.rows > mostRows)
    throw file.damaged(`it claims ${plainPlural(file.rows, 'row')}, but it can have at most ${mostRows}`)
}

/** Matches the folder of a dataset's metric files in the path of such a file or of its part file. */
const metricFolderPattern = /[/\\]metrics[/\\]dataset=([^/\\]+)[/\\]exchange=/

/**
 * Refuses a metric file in which a documented column has values that are not numbers, because the parts of the program
 * that read them would disagree: some would show them, some leave them out, some fail. Types of other columns are not
 * known.
 */
function refuseWrongTypes(file: ParquetFile, facts: readonly ColumnFacts[]): void {
  // Names of documented datasets are not encoded in the names of folders.
  const dataset = metricFolderPattern.exec(file.path)?.[1]
  const documented = metricDatasets.find(({ id }) => id === dataset)?.columns ?? []
  file.columns.forEach((column, index) => {
    const wrongType = documented.some(({ name }) => name === column.name) ? notNumbersText(column) : null
    if (wrongType !== null && facts[index].nulls < file.rows)
      throw file.damaged(`its column ${column.name} is ${wrongType}, not numbers`)
  })
}

/** Checks that every column chunk lies inside the file; the chunks of a row group without rows may lie nowhere. */
function checkChunks(file: ParquetFile): void {
  for (const { rows, chunks } of file.rowGroups) {
    if (rows === 0) continue
    for (const { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size } of chunks) {
      const start = dictionary ?? data
      if (!(start >= 4) || start + size > file.sizeBytes) throw file.damaged('it is truncated')
    }
  }
}

function hashOf(file: ParquetFile): string {
  const hash = createHash('sha256')
  for (const part of file.parts()) hash.update(part)
  return hash.digest('hex')
}

/**
 * Reads the times of all rows, in milliseconds. Whole numbers are the milliseconds of a metric file; the unit of those
 * of events, which should be timestamps, shows in their size.
 */
function timesOf(file: ParquetFile, name: string): Float64Array {
  if (timesBuffer.length < file.rows) timesBuffer = new Float64Array(Math.ceil(file.rows * 1.25))
  const values = timesBuffer.subarray(0, file.rows)
  const range = { from: 0, to: file.rows }
  const { timestampUnit, type } = file.columns[file.indexOf(name)]
  if (type === 'text') throw file.damaged(`its column ${name} is text, not times`)
  if (timestampUnit === null) {
    readNumbers(file, name, range, { values, at: 0 })
    if (name !== METRIC_TIME)
      for (let row = 0; row < values.length; row++) values[row] = (values[row] * wholeTimeUs(values[row])) / 1000
    return values
  }
  readTimesUs(file, name, range, { values, at: 0 })
  for (let row = 0; row < values.length; row++) values[row] /= 1000
  return values
}

/**
 * Tells whether a file has rows, but none in the range; a few rows outside it are harmless, because readers leave them
 * out.
 */
const isOutside = (rowTimes: Float64Array, { startMs, endMs }: TimeRange): boolean =>
  rowTimes.length > 0 && !rowTimes.some((time) => time >= startMs && time < endMs)

function gridOf(file: ParquetFile, timeColumn: string, rowsWithin: TimeRange | undefined): TimeGrid {
  const rowTimes = timesOf(file, timeColumn)
  if (rowsWithin && isOutside(rowTimes, rowsWithin)) throw file.damaged('none of its rows is in its period')
  return timeGridOf(rowTimes)
}

type ValueRange = Pick<ColumnFacts, 'nulls' | 'min' | 'max'>

/** Returns the facts about a column, from the file's statistics if they suffice, else by reading the column. */
function columnFacts(file: ParquetFile, index: number): ColumnFacts {
  const column = file.columns[index]
  const range = rangeFromStatistics(file, index, column) ?? readRange(file, column)
  return { name: column.name, type: typeLabel(column), ...range }
}

function typeLabel({ type, timestampUnit, element }: ParquetColumn): string {
  if (timestampUnit === null) return type
  const { logical_type: logical } = element
  const isUtc = logical?.type !== 'TIMESTAMP' || logical.isAdjustedToUTC
  return `timestamp[${timestampUnit}${isUtc ? ', UTC' : ''}]`
}

const ticksPerMs = { ms: 1, us: 1000, ns: 1_000_000 } as const

/**
 * Returns the range given by the file's statistics; null if they are incomplete or have an unusable bound (NaN,
 * infinite).
 */
function rangeFromStatistics(file: ParquetFile, index: number, column: ParquetColumn): ValueRange | null {
  const isText = column.type === 'text' || (column.type === 'other' && !isLongInteger(column))
  let nulls = 0
  let min = Infinity
  let max = -Infinity
  for (const { chunks, rows } of file.rowGroups) {
    const { statistics } = chunks[index]
    const statedNulls = column.nullable ? statistics?.null_count : 0
    if (statedNulls === undefined) return null
    nulls += statedNulls
    if (isText || statedNulls === rows) continue
    const low = boundOf(statistics?.min_value ?? statistics?.min)
    const high = boundOf(statistics?.max_value ?? statistics?.max)
    if (!Number.isFinite(low) || !Number.isFinite(high)) return null
    min = Math.min(min, low)
    max = Math.max(max, high)
  }
  const scale = column.timestampUnit === null ? 1 : ticksPerMs[column.timestampUnit]
  return min > max ? { nulls, min: null, max: null } : { nulls, min: min / scale, max: max / scale }
}

function boundOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  return NaN
}

function readRange(file: ParquetFile, column: ParquetColumn): ValueRange {
  const range = { from: 0, to: file.rows }
  if (column.type === 'text') {
    const values = new Int32Array(file.rows)
    return { nulls: readTexts(file, column.name, range, new TextDictionary(), { values, at: 0 }), min: null, max: null }
  }
  const values = new Float64Array(file.rows)
  const nulls = readNumbers(file, column.name, range, { values, at: 0 })
  const extent = finiteExtent(values)
  if (!extent) return { nulls, min: null, max: null }
  const scale = column.timestampUnit === null ? 1 : ticksPerMs[column.timestampUnit]
  return { nulls, min: extent[0] / scale, max: extent[1] / scale }
}

/** A downloaded, computed or imported file to validate and move into place. */
export interface CommitTask extends PeriodLimits {
  /** Final path of the file. */
  path: string
  /** Folder of all cached files; it is never created here. */
  root: string
  /** The content, in the chunks received; null if it is in the part file already. */
  bytes: readonly Uint8Array[] | null
  /** Hash of the part file if it was written before, by which it need not be read once more. */
  sha256?: string
  /** What validation found in the same bytes, by their hash; the part file is then not read. */
  proof?: ValidatedFile | null
  /** True to say where the file differs from the metric file that it replaces. */
  compares?: boolean
}

/**
 * Writes the part file of a commit, unless the content is there already.
 * @returns hash of the content, computed in memory so that validation need not read all of it again; null if nothing
 * was written
 */
export function writeCommit({ path, root, bytes }: CommitTask): string | null {
  if (!bytes) return null
  writePart(path, root, bytes).close()
  const hash = createHash('sha256')
  for (const piece of bytes) hash.update(piece)
  return hash.digest('hex')
}

/** Final path of a file, and the folder of all cached files. */
export type FileLocation = Pick<CommitTask, 'path' | 'root'>

/** Makes a part file durable. This only waits for the disk, so it can run while the file is validated. */
export async function syncPart({ path, root }: FileLocation): Promise<void> {
  const part = openPartToSync(path, root)
  await part.sync().finally(() => part.close())
}

/** Renames a valid and durable part file. Several files of a folder share one sync of the folder. */
export async function placeFile(
  { path, root }: FileLocation,
  syncFolder: SyncFolder,
  onPlaced = () => {},
): Promise<void> {
  commitPart(path, root)
  onPlaced()
  await syncFolder(path)
}
