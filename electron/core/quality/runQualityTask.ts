import { isChangedFile } from '#core/parquet/fileVersion.ts'
import { type ParquetFile, wholeSource } from '#core/parquet/parquetFile.ts'
import { readNumbers } from '#core/parquet/readColumn.ts'
import { openValidated } from '#core/series/readSeries.ts'
import type { FileToRead } from '#core/series/readerTask.ts'
import { readTimesMs } from '#core/series/rowSelection.ts'
import { joinNumbers } from '#shared/statistics/joinNumbers.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { checkRows, countsInFile, impossibleRows, longestEmptyRun } from '#shared/quality/checkRows.ts'
import { columnRules } from '#shared/quality/columnRules.ts'
import { checkedEventColumns, checkEvents } from '#shared/quality/checkEvents.ts'
import { isRising, qualityLimits } from '#shared/quality/findings.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { type ComparedRows, compareRows, compareVenues } from '#shared/quality/compareRows.ts'
import type { CompareCheck, EventsCheck, FileCheck, QualityResult, QualityTask, VenueCheck } from './qualityTask.ts'

/**
 * Column buffers that the next task of this thread reuses, because allocating some megabytes for each of ten thousand
 * files is slow. No result refers to them.
 */
const columnBuffers = { takenCount: 0, all: [] as Float64Array[] }
/** Maximum number of buffers that are kept; files with more columns allocate the rest. */
const MOST_BUFFERS = 64
/** Maximum number of rows of a buffer that is kept; only a month of 15-second rows is longer. */
const MOST_BUFFER_ROWS = 100_000

function columnBuffer(rows: number): Float64Array {
  if (rows > MOST_BUFFER_ROWS || columnBuffers.takenCount >= MOST_BUFFERS) return new Float64Array(rows)
  const bufferIndex = columnBuffers.takenCount++
  const buffer = columnBuffers.all[bufferIndex]
  // Every row is written (NaN for null), so no values of an earlier file remain.
  if (buffer && buffer.length >= rows) return buffer.subarray(0, rows)
  return (columnBuffers.all[bufferIndex] = new Float64Array(Math.max(rows, 44_640))).subarray(0, rows)
}

const emptyResult: QualityResult = { findings: [], firstMs: null, lastMs: null, longestEmpty: 0, unread: null }

/** Finds faults in the files of a task. If one cannot be read, the result has the reason and no findings. */
export function runQualityTask(task: QualityTask): QualityResult {
  columnBuffers.takenCount = 0
  try {
    if (task.name === 'file') return checkFile(task)
    if (task.name === 'events') return checkEventsFile(task)
    return task.name === 'venue' ? checkVenues(task) : compareFiles(task)
  } catch (thrown) {
    // The main thread validates a changed file and runs the task again.
    if (isChangedFile(thrown)) throw thrown
    const { detail, message } = toAppError(thrown)
    return { ...emptyResult, unread: detail ?? message }
  }
}

function checkFile({ series, period, slices, candles, areEvents }: FileCheck): QualityResult {
  const rows = readAll(slices)
  if (areEvents)
    return {
      ...emptyResult,
      findings: impossibleRows({ ...series, ...rows }, columnRules(series.dataset, rows.columns.keys())),
    }
  // Trades matter only where the open interest is 0; otherwise the candle files are not read.
  const needsCandles = candles.length > 0 && rows.columns.get('open_interest')?.includes(0) === true
  const tradeTimes = needsCandles ? tradeTimesIn(readAll(candles, ['volume'])) : null
  const findings = checkRows({ ...series, ...rows, tradeTimes, period })
  const { firstMs, lastMs } = edgesOf(rows.times, period)
  if (firstMs > lastMs) return { ...emptyResult, findings }
  return { findings, firstMs, lastMs, longestEmpty: longestEmptyRun(rows), unread: null }
}

const MS_PER_MINUTE = 60_000

function checkEventsFile({ dataset, slices: [slice] }: EventsCheck): QualityResult {
  const rows = readFile(slice, checkedEventColumns(dataset), 'exchange_timestamp')
  const { findings, range, silenceLimitMs } = checkEvents({ dataset, ...rows })
  if (range === null) return { ...emptyResult, findings }
  const longestEmpty = Math.ceil(silenceLimitMs / MS_PER_MINUTE / qualityLimits.emptyRuns)
  return { findings, firstMs: range.startMs, lastMs: range.endMs, longestEmpty, unread: null }
}

/** Finds the first and last row times that lie in the period of a file. */
function edgesOf(times: Float64Array, period: TimeRange): { firstMs: number; lastMs: number } {
  let [firstMs, lastMs] = [Infinity, -Infinity]
  // If the times rise and both ends are inside the period, the ends are the edges.
  const ends = isRising(times) ? [times[0], times[times.length - 1]] : []
  for (const time of ends.length > 0 && ends.every((end) => countsInFile(end, { period })) ? ends : times) {
    if (!countsInFile(time, { period })) continue
    if (time < firstMs) firstMs = time
    if (time > lastMs) lastMs = time
  }
  return { firstMs, lastMs }
}

function tradeTimesIn({ times, columns }: ComparedRows): Set<number> {
  const volume = columns.get('volume')
  return new Set(times.filter((_, row) => volume !== undefined && volume[row] > 0))
}

const compareFiles = ({ name, series, slices, expected }: CompareCheck): QualityResult => ({
  ...emptyResult,
  findings: compareRows(name, readAll(slices), readAll(expected), series.intervalMs),
})

function checkVenues({ column, intervalMs, venues }: VenueCheck): QualityResult {
  const rows = venues.map(({ exchange, symbol, slices }) => {
    const { times, columns } = readAll(slices, [column])
    return { exchange, symbol, times, values: columns.get(column) ?? new Float64Array(times.length).fill(NaN) }
  })
  return { ...emptyResult, findings: compareVenues(column, rows, intervalMs) }
}

/** Reads files and joins their rows in the given order, with all number columns or only the wanted ones. */
function readAll(files: readonly FileToRead[], wantedColumns?: readonly string[]): ComparedRows {
  const parts = files.map((file) => readFile(file, wantedColumns))
  if (parts.length === 1) return parts[0]
  const names = [...new Set(parts.flatMap(({ columns }) => [...columns.keys()]))]
  const emptyColumnOf = ({ times }: ComparedRows) => new Float64Array(times.length).fill(NaN)
  return {
    times: joinNumbers(parts.map(({ times }) => times)),
    columns: new Map(
      names.map((name) => [name, joinNumbers(parts.map((part) => part.columns.get(name) ?? emptyColumnOf(part)))]),
    ),
  }
}

function readFile(fileToRead: FileToRead, wantedColumns?: readonly string[], timeColumn = 'time'): ComparedRows {
  // Caching footers would take more memory than the rows, and each file is read once, but those of own datasets are
  // read once for every instrument.
  const source = wantedColumns || fileToRead.rows ? {} : { source: wholeSource(fileToRead.path) }
  using file: ParquetFile = openValidated(fileToRead, { ...source, remember: fileToRead.rows !== undefined })
  const range = fileToRead.rows ?? { from: 0, to: file.rows }
  const rows = range.to - range.from
  const time = file.columns[file.indexOf(timeColumn)]
  const columns = new Map<string, Float64Array>()
  for (const { name, type } of file.columns) {
    if (name === timeColumn || type === 'text' || (wantedColumns && !wantedColumns.includes(name))) continue
    const values = columnBuffer(rows)
    readNumbers(file, name, range, { values, at: 0 })
    columns.set(name, values)
  }
  return { times: time ? readTimesMs(file, time, range, columnBuffer(rows)) : new Float64Array(0), columns }
}
