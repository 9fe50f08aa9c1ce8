import { existsSync, statSync } from 'node:fs'
import { type EngineOrigin, isEngineOrigin, PROVENANCE_KEY } from '#shared/contract/engineOrigin.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { type ComputedFileDeps, computedPlace, engineEtag } from '#core/compute/computedFile.ts'
import { createGuardedComputePool, type ComputePool } from '#core/compute/computePool.ts'
import type { PartFacts } from '#core/compute/metricPart.ts'
import type { StartProcess } from '#core/ports.ts'
import { sourceHash } from './clickhouseSources.ts'
import { hasSize, writeDay } from './computedDay.ts'
import {
  type ComputedSeriesName,
  concerns,
  findComputedSeries,
  type ComputedFolder,
  type FoundSeries,
  partitionPart,
} from './partitionFolders.ts'

export interface ImportComputedDeps extends ComputedFileDeps {
  startProcess: StartProcess | undefined
}

export interface ImportComputedRequest {
  connectionId: string
  folder: string
  /** Provenance that the files do not contain. */
  origin?: Partial<EngineOrigin>
  /** Series to import, by default all those of the folder; a series that the folder lacks is reported as failed. */
  onlySeries?: readonly ComputedSeriesName[]
  /** Versions that the files had before a command ran; the command should have rewritten all of them. */
  before?: FilesBefore
}

/** Result for a day, for a file that was refused, or for a series that the folder lacks. */
export interface ImportResult extends Partial<Omit<FoundSeries, 'parts'>> {
  /** Paths of the files relative to the folder. */
  files: string[]
  period: string | null
  state: 'imported' | 'cached' | 'failed'
  rows: number
  bytes: number
  path: string | null
  error: string | null
}

interface ImportComputedOptions {
  signal: AbortSignal
  onProgress(progress: Progress): void
  onResult(result: ImportResult): void
}

/**
 * Imports files that another engine computed, as one file per day. Every value is read first: a series with an
 * unfinished or wrong file is refused as a whole, with an error that names the file. A day is stored completely or not
 * at all.
 */
export async function importComputed(
  deps: ImportComputedDeps,
  request: ImportComputedRequest,
  { signal, onProgress, onResult }: ImportComputedOptions,
): Promise<void> {
  const found = wantedOf(await findComputedSeries(request.folder, signal), request)
  if (!request.onlySeries && found.series.length === 0 && found.problems.length === 0)
    throw new AppError(
      'not-found',
      `${request.folder} has no Parquet file below dataset=…/exchange=…/symbol=…/interval=…/timestamp=….`,
    )
  const pool = createGuardedComputePool({ start: deps.startProcess })
  try {
    for (const name of request.onlySeries ?? [])
      if (!found.series.some((series) => keyOf(series) === keyOf(name)))
        onResult({
          ...failedDay,
          ...name,
          files: [],
          error: `${request.folder} has no file of ${name.dataset}, ${name.symbol} on ${name.exchange}.`,
        })
    const refuse = (path: string, error: string, series?: FoundSeries) =>
      onResult({ ...failedDay, ...withoutParts(series), files: [partitionPart(request.folder, path)], error })
    for (const { path, reason } of found.problems) refuse(path, `${path}: ${reason}.`)
    const completeSeries = await findCompleteSeries(found, pool, { signal, onProgress, refuse })
    const total = completeSeries.reduce((sum, { days }) => sum + days.size, 0)
    let done = 0
    for (const series of completeSeries)
      for (const [day, parts] of series.days) {
        signal.throwIfAborted()
        onProgress({ done: done++, total, message: `${series.symbol} ${dayFromNumber(day)}` })
        onResult(await importDay(deps, request, series, day, parts, pool, signal))
      }
  } finally {
    await pool.close()
  }
}

const keyOf = ({ dataset, exchange, symbol, interval, timestamp }: ComputedSeriesName) =>
  [dataset, exchange, symbol, interval, timestamp].join('\n')

/** Selects the wanted series of a folder; reports each file that the command has not rewritten as a problem. */
function wantedOf(found: ComputedFolder, { onlySeries, before }: ImportComputedRequest): ComputedFolder {
  const wantedKeys = onlySeries && new Set(onlySeries.map(keyOf))
  const series = wantedKeys ? found.series.filter((each) => wantedKeys.has(keyOf(each))) : found.series
  const parts = series.flatMap((each) => each.parts)
  const outdatedFiles = before ? parts.filter((path) => before.get(path) === fileStamp(path)) : []
  const problems = wantedKeys
    ? found.problems.filter((problem) => parts.some((path) => concerns(problem, path)))
    : found.problems
  const reason = 'the file was there before, and the command did not write it again'
  return { series, problems: [...problems, ...outdatedFiles.map((path) => ({ path, reason }))] }
}

/** Versions of the files of a folder by path; a version changes when its file is rewritten. */
export type FilesBefore = ReadonlyMap<string, string>

/** Records the files of a folder before a command writes to it; a missing folder has none. */
export async function filesBefore(folder: string, signal: AbortSignal): Promise<FilesBefore> {
  if (!existsSync(folder)) return new Map()
  const { series } = await findComputedSeries(folder, signal)
  return new Map(series.flatMap(({ parts }) => parts.map((path) => [path, fileStamp(path)] as const)))
}

function fileStamp(path: string): string {
  const { ino, size, mtimeMs } = statSync(path)
  return `${ino} ${size} ${mtimeMs}`
}

const failedDay = { period: null, state: 'failed', rows: 0, bytes: 0, path: null } as const

function withoutParts(series: FoundSeries | undefined): Partial<Omit<FoundSeries, 'parts'>> {
  if (!series) return {}
  const { parts: _, ...name } = series
  return name
}

/** Rows [from, to) of a part. */
interface PartRows {
  part: CheckedPart
  from: number
  to: number
}

interface CheckedPart {
  path: string
  facts: PartFacts
}

interface CompleteSeries extends FoundSeries {
  stepMs: number
  days: Map<DayNumber, PartRows[]>
}

interface CheckOptions extends Pick<ImportComputedOptions, 'signal' | 'onProgress'> {
  refuse(path: string, error: string, series?: FoundSeries): void
}

/** Reads all files, and returns the series whose files are all valid and together have each row exactly once. */
async function findCompleteSeries(
  { series: allSeries, problems }: ComputedFolder,
  pool: ComputePool,
  { signal, onProgress, refuse }: CheckOptions,
): Promise<CompleteSeries[]> {
  const completeSeries: CompleteSeries[] = []
  const total = allSeries.reduce((sum, { parts }) => sum + parts.length, 0)
  let done = 0
  for (const series of allSeries) {
    const { dataset, parts } = series
    const stepMs = parseInterval(series.interval)! * 1000
    const checkedParts: CheckedPart[] = []
    let isComplete = !parts.some((path) => problems.some((problem) => concerns(problem, path)))
    for (const path of parts) {
      onProgress({ done: done++, total, message: partitionPart('.', path) })
      try {
        checkedParts.push({ path, facts: await pool.checkPart({ path, dataset, stepMs }, signal) })
      } catch (thrown) {
        signal.throwIfAborted()
        isComplete = false
        const error = toAppError(thrown)
        refuse(path, error.detail ?? `${path}: ${error.sentence}`, series)
      }
    }
    const problem = isComplete ? seamProblem(checkedParts, stepMs) : null
    if (problem) refuse(problem.path, problem.text, series)
    else if (isComplete) completeSeries.push({ ...series, stepMs, days: daysOf(checkedParts, stepMs) })
  }
  return completeSeries
}

const timeText = (ms: number) => new Date(ms).toISOString().replace(/(:00)?\.000Z$/, 'Z')

/**
 * Explains what is wrong with the times of the parts: they have no rows, overlap or leave out intervals. Null if
 * nothing is wrong; gaps at the edges of days are allowed.
 */
function seamProblem(parts: readonly CheckedPart[], stepMs: number): { path: string; text: string } | null {
  const runs = parts
    .flatMap(({ path, facts }) => facts.runs.map((run) => ({ ...run, path })))
    .toSorted((a, b) => a.firstMs - b.firstMs)
  if (runs.length === 0) return { path: parts[0].path, text: `${parts[0].path}: it has no rows.` }
  for (const [index, run] of runs.slice(1).entries()) {
    const previous = runs[index]
    const expectedMs = previous.firstMs + previous.rows * stepMs
    if (run.firstMs < expectedMs) {
      const otherText = previous.path === run.path ? '' : `, also in ${previous.path}`
      return { path: run.path, text: `${run.path}: the time ${timeText(run.firstMs)} appears twice${otherText}.` }
    }
    // If work is split by day, whole days may be missing, and so may empty intervals at the start or end of a day.
    const isCutByDay = Math.floor((expectedMs - stepMs) / MS_PER_DAY) < Math.floor(run.firstMs / MS_PER_DAY)
    const areDayFiles = [previous, run].every(({ path }) => dayFilePattern.test(path))
    const isAtMidnight = expectedMs % MS_PER_DAY === 0 && run.firstMs % MS_PER_DAY === 0
    if (run.firstMs > expectedMs && !(isCutByDay && (areDayFiles || isAtMidnight)))
      return {
        path: run.path,
        text: `${run.path}: the rows from ${timeText(expectedMs)} to ${timeText(run.firstMs)} are in no file: a file is missing or incomplete.`,
      }
  }
  return null
}

/** Matches the path of a file with the rows of one day, as ClickHouse writes them. */
const dayFilePattern = /[\\/]\d{4}-\d{2}-\d{2}\.parquet$/

/** Groups the rows of all parts by day; the rows of each part are in time order. */
function daysOf(parts: readonly CheckedPart[], stepMs: number): Map<DayNumber, PartRows[]> {
  const days = new Map<DayNumber, PartRows[]>()
  for (const part of parts)
    for (const { firstMs, rows, fromRow } of part.facts.runs)
      for (let row = 0; row < rows;) {
        const ms = firstMs + row * stepMs
        const day = Math.floor(ms / MS_PER_DAY)
        const count = Math.min(rows - row, ((day + 1) * MS_PER_DAY - ms) / stepMs)
        const partsOfDay = days.get(day) ?? []
        days.set(day, partsOfDay)
        const last = partsOfDay.at(-1)
        if (last?.part === part) last.to = fromRow + row + count
        else partsOfDay.push({ part, from: fromRow + row, to: fromRow + row + count })
        row += count
      }
  return new Map([...days].toSorted(([a], [b]) => a - b))
}

async function importDay(
  deps: ImportComputedDeps,
  { connectionId, folder, origin: statedOrigin }: ImportComputedRequest,
  series: CompleteSeries,
  day: DayNumber,
  parts: readonly PartRows[],
  pool: ComputePool,
  signal: AbortSignal,
): Promise<ImportResult> {
  const { dataset, exchange, symbol, interval, timestamp } = series
  const name = { dataset, exchange, symbol, interval, timestamp }
  const place = computedPlace(deps.store, { connectionId, ...name }, day)
  const origin = originOf(
    parts.map(({ part }) => part),
    statedOrigin,
  )
  const ranges = parts.map(({ part, from, to }) => `${part.facts.sha256} ${from} ${to}`)
  const etag = engineEtag(sourceHash(JSON.stringify(origin), ...ranges))
  const result: ImportResult = {
    ...name,
    files: parts.map(({ part }) => partitionPart(folder, part.path)),
    period: dayFromNumber(day),
    state: 'cached',
    rows: parts.reduce((sum, { from, to }) => sum + to - from, 0),
    bytes: 0,
    path: place.path,
    error: null,
  }
  const cachedFile = deps.store.files.find(place.series, dayFromNumber(day))
  if (cachedFile?.etag === etag && (await hasSize(place.path, cachedFile.sizeBytes)))
    return { ...result, bytes: cachedFile.sizeBytes }
  try {
    const readings = parts.map(({ part, from, to }) =>
      pool.readPart({ path: part.path, version: part.facts.version, dataset, from, to }, signal),
    )
    await writeDay(deps, day, { ...place, etag, origin }, mergeByTime(await Promise.all(readings)))
  } catch (thrown) {
    signal.throwIfAborted()
    const error = toAppError(thrown)
    if (error.code !== 'corrupt-file' && error.code !== 'not-found') throw thrown
    return { ...result, state: 'failed', path: null, error: error.detail ?? error.sentence }
  }
  const bytes = deps.store.files.find(place.series, dayFromNumber(day))?.sizeBytes ?? 0
  return { ...result, state: 'imported', bytes }
}

/** Merges the rows of several parts by time; each time occurs once, because overlaps were refused before. */
function mergeByTime(parts: readonly MetricRows[]): MetricRows {
  if (parts.length === 1) return parts[0]
  const orderedRows = parts
    .flatMap(({ timeMs }, part) => Array.from(timeMs, (ms, row) => ({ ms, part, row })))
    .toSorted((a, b) => a.ms - b.ms)
  return {
    dataset: parts[0].dataset,
    timeMs: Float64Array.from(orderedRows, ({ ms }) => ms),
    columns: parts[0].columns.map((_, column) =>
      Float64Array.from(orderedRows, ({ part, row }) => parts[part].columns[column][row]),
    ),
  }
}

/** Engines, recognised by what they write about themselves into a file. */
const writers: [engine: string, createdBy: RegExp][] = [
  ['duckdb', /^DuckDB version v?(\S+)/i],
  ['clickhouse', /^ClickHouse (?:version )?v?(\S+)/i],
  ['spark', /^parquet-mr version/i],
]

/** Finds the provenance of rows; what the user's command states takes precedence over what the files contain. */
function originOf(parts: readonly CheckedPart[], statedOrigin: Partial<EngineOrigin> = {}): EngineOrigin {
  const origins = parts.map(({ facts }) => fileOrigin(facts))
  const isSame = origins.every((each) => JSON.stringify(each) === JSON.stringify(origins[0]))
  const commonOrigin = isSame ? origins[0] : { engine: 'unknown', version: null, sqlSha256: null, source: [] }
  return { ...commonOrigin, ...statedOrigin }
}

function fileOrigin({ metadata, createdBy }: PartFacts): EngineOrigin {
  const ownOrigin = storedOrigin(metadata[PROVENANCE_KEY])
  if (ownOrigin) return ownOrigin
  const sparkVersion = metadata['org.apache.spark.version']
  const unknownSource = { sqlSha256: null, source: [] }
  if (sparkVersion !== undefined) return { engine: 'spark', version: sparkVersion, ...unknownSource }
  for (const [engine, pattern] of writers) {
    const match = pattern.exec(createdBy)
    if (match) return { engine, version: match.at(1) ?? null, ...unknownSource }
  }
  return { engine: 'unknown', version: null, ...unknownSource }
}

function storedOrigin(text: string | undefined): EngineOrigin | null {
  if (text === undefined) return null
  try {
    const parsed: unknown = JSON.parse(text)
    return isEngineOrigin(parsed) ? parsed : null
  } catch {
    return null
  }
}
