import type { OverviewPoints, SeriesOverview } from '#shared/contract/areas/series.ts'
import {
  binWidthMs,
  summaryWidthMs,
  binFrame,
  type BinGrid,
  ColumnBins,
  gridOver,
  mergeBins,
  type CutBin,
  cutBins,
  type CutRows,
  withSplitBins,
} from '#shared/overview/bins.ts'
import { EVENTS_COLUMN } from '#shared/formula/ownData.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { summaryBins } from '#core/series/fileSummary.ts'
import type { OverviewBins } from '#core/series/readerTask.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import {
  absentColumns,
  describeFiles,
  describeUnread,
  findFiles,
  isOwn,
  stepMsOf,
  rowTaskOf,
  summaryClockOf,
} from './seriesFiles.ts'
import { rulesOf } from './columnRules.ts'
import { eventOverview } from './eventOverview.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import type { SeriesDeps } from './seriesDeps.ts'
import type { SeriesFiles, SeriesName } from './seriesFiles.ts'

export interface OverviewRequest extends SeriesName, OpenTimeRange {
  columns: readonly string[]
  /** True to place the events of an own dataset where they were known. */
  asKnown?: boolean | undefined
  points: number
  /**
   * Times at which bins are split, so that a chart that begins or ends at one of them shows exact extremes; by default
   * the ends of the range.
   */
  edges?: readonly number[]
}

/**
 * Reads columns over a range of any length, reduced to about `points` points: the rows themselves, or bins of rows.
 */
export async function computeOverview(
  deps: SeriesDeps,
  request: OverviewRequest,
  signal: AbortSignal,
): Promise<SeriesOverview> {
  if (isOwn(request.series) && request.columns.includes(EVENTS_COLUMN)) return eventOverview(deps, request, signal)
  const { store, reader, touch } = deps
  const found = findFiles(store, request, request)
  const rangeFacts = {
    range: found.range,
    absentColumns: absentColumns(store, found, request.columns),
    ...(isOwn(found.series) && { unit: rulesOf({ ...request, column: request.columns[0] }, store).unit ?? null }),
  }
  const stepMs = stepMsOf(found.series)
  const columns = [...request.columns]
  touch(found)
  if (rowsIn(deps, found) <= request.points) {
    const reading = reader.run('rows', { ...rowTaskOf(store, found), columns }, signal)
    reading.catch(() => {})
    const description = describeFiles(deps, found)
    const { frame, unread } = await reading
    const points: OverviewPoints = { kind: 'rows', binMs: null, stepMs, frame }
    return { points, ...rangeFacts, ...description, unread: describeUnread(deps, unread) }
  }
  const { startMs, endMs } = found.range
  const binMs = binWidthMs(endMs - startMs, request.points, stepMs)
  // The range is extended to whole bins, so that a point stays the same when the view moves.
  const grid = gridOver(startMs, endMs, binMs)
  const wideRange = { startMs: grid.startMs, endMs: grid.startMs + grid.bins * binMs }
  const isAligned = wideRange.startMs === startMs && wideRange.endMs === endMs
  const wideFiles = isAligned ? found : findFiles(store, request, wideRange)
  const canUseSummaries = !isOwn(found.series) && binMs % summaryWidthMs(stepMs) === 0
  const fromSummaries = canUseSummaries ? fromCache(deps, wideFiles, grid, columns) : null
  // The read starts here, so that a thread reads while the code below runs.
  const reading = fromSummaries ?? readBins(deps, wideFiles, grid, columns, canUseSummaries, signal)
  const description = describeFiles(deps, found)
  const cuts = Promise.all(
    cutBins(grid, splitTimes(request)).map(async (cut) => ({
      ...cut,
      ...(await cutRows(deps, request, cut, signal)),
    })),
  )
  cuts.catch(() => {})
  const { frame, unread } = await reading
  const points: OverviewPoints = { kind: 'bins', binMs, stepMs, frame: withSplitBins(frame, await cuts) }
  return { points, ...rangeFacts, ...description, unread: describeUnread(deps, unread) }
}

/**
 * Returns the times at which bins are split. Without any, these are the ends of the requested range, because the bins
 * there would otherwise show extremes of rows outside the range and hide those inside.
 */
export const splitTimes = ({
  edges = [],
  startMs,
  endMs,
}: OpenTimeRange & { edges?: readonly number[] }): readonly number[] =>
  edges.length > 0 ? edges : [startMs, endMs].filter((edge) => edge !== null)

/** Reads the rows of a bin that is split at one of the requested edges. */
async function cutRows(
  { store, reader }: SeriesDeps,
  request: OverviewRequest,
  { bounds }: CutBin,
  signal: AbortSignal,
): Promise<CutRows> {
  const found = findFiles(store, request, { startMs: bounds[0], endMs: bounds[bounds.length - 1] })
  const task = { ...rowTaskOf(store, found), columns: [...request.columns] }
  const { frame } = await reader.run('rows', task, signal)
  const [times, ...columns] = frame.columns
  const numbers = columns.map((column) =>
    column.kind === 'text'
      ? { name: column.name, values: new Float64Array(frame.rows), valid: new Uint8Array(frame.rows) }
      : { name: column.name, values: column.values, valid: column.valid },
  )
  return { times: times.kind === 'time' ? times.values : new Float64Array(0), columns: numbers }
}

type Bins = Pick<OverviewBins, 'frame' | 'unread'>

/** Maximum number of bins merged on the main thread, in about ten milliseconds; more are merged on a reading thread. */
const MOST_MERGED_ON_MAIN = 400_000

/** Assembles the points from summaries in memory; null if one is missing or merging them would take too long. */
function fromCache(
  { summaryCache }: SeriesDeps,
  found: SeriesFiles,
  grid: BinGrid,
  names: readonly string[],
): Bins | null {
  const columns = names.map((name) => ({ name, bins: new ColumnBins(grid) }))
  const { slicesToRead: slices } = found
  const clock = summaryClockOf(found)
  const summaries = slices.map(({ file }) => summaryCache.find(file.sha256, clock, names))
  if (!summaries.every((summary) => summary !== null)) return null
  const binsToMerge = summaries.reduce((sum, summary) => sum + summary.length * (summary.at(0)?.grid.bins ?? 0), 0)
  if (binsToMerge > MOST_MERGED_ON_MAIN) return null
  for (const [at, { startMs, endMs }] of slices.entries())
    for (const [index, { bins }] of columns.entries()) bins.addBins(summaryBins(summaries[at][index]), startMs, endMs)
  return { frame: binFrame(grid, columns), unread: [] }
}

/**
 * Reads the points on one or more threads. Summaries that the threads have read are cached, and missing summaries are
 * requested.
 */
async function readBins(
  deps: SeriesDeps,
  found: SeriesFiles,
  grid: BinGrid,
  columns: string[],
  canUseSummaries: boolean,
  signal: AbortSignal,
): Promise<Bins> {
  const { store, reader, summaryCache, summaries } = deps
  const { timestamp } = found
  const clock = summaryClockOf(found)
  const base = rowTaskOf(store, found)
  const slices = base.slices.map((slice, at) => {
    const { sha256 } = found.slicesToRead[at].file
    return { ...slice, summaryPath: canUseSummaries ? store.folder.summaryPathOf(sha256, clock) : null }
  })
  const { startMs, binMs, bins } = grid
  const task = { ...base, startMs, endMs: startMs + bins * binMs, columns, binMs }
  const parts = partsForThreads(slices, rowsIn(deps, found) * columns.length, reader.threads)
  const answers = await Promise.all(parts.map((part) => reader.run('overview', { ...task, slices: part }, signal)))
  if (canUseSummaries) {
    const withoutSummary = new Set<CachedFile>()
    for (const [at, summary] of answers.flatMap((answer) => answer.summaries).entries()) {
      const { file } = found.slicesToRead[at]
      if (summary) summaryCache.keep(file.sha256, clock, columns, summary)
      else withoutSummary.add(file)
    }
    if (withoutSummary.size > 0) summaries.request([...withoutSummary], timestamp)
  }
  const frames = answers.map(({ frame }) => frame)
  return { frame: mergeBins(grid, columns, frames), unread: answers.flatMap(({ unread }) => unread) }
}

/** Number of values from which on several threads share a read; reading fewer is about as fast as starting a thread. */
const LEAST_SHARED_VALUES = 2_000_000

/** Splits the files of a long read into one part for each thread, in time order. */
function partsForThreads<Slice>(slices: readonly Slice[], values: number, threads: number): Slice[][] {
  const parts = values < LEAST_SHARED_VALUES ? 1 : Math.max(1, Math.min(threads, slices.length))
  const ends = Array.from({ length: parts + 1 }, (_, at) => Math.round((at * slices.length) / parts))
  return ends.slice(1).map((end, at) => slices.slice(ends[at], end))
}

/** Estimates the number of rows in the slices. */
function rowsIn({ store }: SeriesDeps, { series, slices }: SeriesFiles): number {
  const stepMs = stepMsOf(series)
  let rows = 0
  for (const { file, startMs, endMs } of slices) {
    const perMs =
      stepMs === null || isOwn(series)
        ? (store.files.facts(series, file.period)?.rows ?? 0) / ((file.endDay - file.startDay) * MS_PER_DAY)
        : 1 / stepMs
    rows += perMs * (endMs - startMs)
  }
  return rows
}
