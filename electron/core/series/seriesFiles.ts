/** Finds the cached files for a range of a series, and the parts of the range that are not cached. */
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import type { CoverageRange, SeriesOverview, SourceFile } from '#shared/contract/areas/series.ts'
import { connectionOfOwner, isComputedOwner } from '#shared/contract/computedOwner.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { dayFromNumber, periodDays } from '#shared/time/periods.ts'
import { periodCoverage } from '#core/downloads/plan.ts'
import { planSeries, type FileSlice, uncovered } from '#core/series/planSeries.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { KnownFile, SeriesTask, UnreadSlice } from '#core/series/readerTask.ts'
import { EVENTS_COLUMN, ownNameOf, SINCE_COLUMN } from '#shared/formula/ownData.ts'
import type { Clock } from '#core/ports.ts'
import { areLong } from '#core/parquet/readColumn.ts'
import type { CachedFile, FileFacts } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'

/** A series and the clock that orders its rows. */
export interface SeriesName {
  series: OwnedSeries
  timestamp: 'exchange' | 'true'
}

/** The files of a series for a range. */
export interface SeriesFiles extends SeriesName {
  range: TimeRange
  slices: FileSlice<CachedFile>[]
  /**
   * Parts of files to read for the rows of the range. If events are ordered by arrival, the files of the days before
   * and after are needed too, because files are split by the exchange's clock and some events arrive after midnight.
   */
  slicesToRead: FileSlice<CachedFile>[]
}

/** Finds the range from the first row of a series to the end of its last one; null if no file is known to have rows. */
export function rowsExtent({ files }: Store, { series }: SeriesName): TimeRange | null {
  const allFiles = files.ofSeries(series, FIRST_DAY, LAST_DAY).toSorted((a, b) => a.startDay - b.startDay)
  const factsOf = ({ period }: CachedFile) => files.facts(series, period)
  const firstFile = allFiles.find((file) => typeof factsOf(file)?.firstTimeMs === 'number')
  const lastFile = allFiles.findLast((file) => typeof factsOf(file)?.lastTimeMs === 'number')
  if (!firstFile || !lastFile) return null
  const startMs = Math.max(factsOf(firstFile)?.firstTimeMs ?? 0, firstFile.startDay * MS_PER_DAY)
  const endMs = Math.min((factsOf(lastFile)?.lastTimeMs ?? 0) + (stepMsOf(series) ?? 0), lastFile.endDay * MS_PER_DAY)
  return startMs < endMs ? { startMs, endMs } : null
}

/** Tells whether rows are ordered by a different clock from the one that assigns events to files. */
const isByArrival = ({ series, timestamp }: SeriesName): boolean => series.kind === 'raw' && timestamp === 'true'

/** Clock of a summary; `arrival` means that the rows of a file may lie beyond its days. */
type SummaryClock = 'exchange' | 'true' | 'arrival'

export const summaryClockOf = (name: SeriesName): SummaryClock => (isByArrival(name) ? 'arrival' : name.timestamp)

/** Number of days by which the arrival times in a file may lie beyond its period. */
const ARRIVAL_MARGIN_DAYS = 1

/** Returns the range in which the rows of a file may lie. */
export function reachOf(file: Pick<CachedFile, 'startDay' | 'endDay'>, clock: SummaryClock): TimeRange {
  const marginDays = clock === 'arrival' ? ARRIVAL_MARGIN_DAYS : 0
  return { startMs: (file.startDay - marginDays) * MS_PER_DAY, endMs: (file.endDay + marginDays) * MS_PER_DAY }
}

const FIRST_DAY = -200_000
const LAST_DAY = 200_000

export const stepMsOf = ({ kind, interval }: OwnedSeries): number | null => {
  const seconds = kind === 'raw' ? null : parseInterval(interval)
  return seconds === null ? null : seconds * 1000
}

export function findFiles({ files }: Store, name: SeriesName, { startMs, endMs }: OpenTimeRange): SeriesFiles {
  const startDay = startMs === null ? FIRST_DAY : Math.floor(startMs / MS_PER_DAY)
  const endDay = endMs === null ? LAST_DAY : Math.ceil(endMs / MS_PER_DAY)
  const extraDays = isByArrival(name) ? ARRIVAL_MARGIN_DAYS : 0
  const nearbyFiles = files.ofSeries(name.series, startDay - extraDays, endDay + extraDays)
  const found = nearbyFiles.filter((file) => file.startDay < endDay && file.endDay > startDay)
  const range = {
    startMs: startMs ?? Math.min(endMs ?? Infinity, ...found.map((file) => file.startDay * MS_PER_DAY)),
    endMs: endMs ?? Math.max(startMs ?? -Infinity, ...found.map((file) => (file.endDay + extraDays) * MS_PER_DAY)),
  }
  if (!(range.startMs < range.endMs)) {
    const emptyAtMs = Number.isFinite(range.startMs) ? range.startMs : Number.isFinite(range.endMs) ? range.endMs : 0
    return { ...name, range: { startMs: emptyAtMs, endMs: emptyAtMs }, slices: [], slicesToRead: [] }
  }
  const slices = planSeries(found, range)
  return { ...name, range, slices, slicesToRead: extraDays === 0 ? slices : widenSlices(nearbyFiles, range) }
}

/** Plans slices that extend a day beyond both ends of each file, within the range and in the order of the files. */
function widenSlices(files: readonly CachedFile[], range: TimeRange): FileSlice<CachedFile>[] {
  const allDays = { startMs: FIRST_DAY * MS_PER_DAY, endMs: LAST_DAY * MS_PER_DAY }
  return planSeries(files, allDays).flatMap(({ file, startMs, endMs }) => {
    // A daily file is extended even where a monthly file has the days around it, because the monthly file is not used
    // for the events of that day.
    const widerStartMs = startMs === file.startDay * MS_PER_DAY ? startMs - ARRIVAL_MARGIN_DAYS * MS_PER_DAY : startMs
    const widerEndMs = endMs === file.endDay * MS_PER_DAY ? endMs + ARRIVAL_MARGIN_DAYS * MS_PER_DAY : endMs
    const cut = { startMs: Math.max(widerStartMs, range.startMs), endMs: Math.min(widerEndMs, range.endMs) }
    return cut.startMs < cut.endMs ? [{ file, ...cut }] : []
  })
}

/**
 * Builds the task of a thread that reads the rows themselves. If rows are ordered by arrival, the task includes the
 * files of the days before and after.
 */
export const rowTaskOf = (store: Store, found: SeriesFiles) => taskOf(store, { ...found, slices: found.slicesToRead })

export const knownFileOf = ({ sizeBytes, changedAtMs, sha256 }: CachedFile): KnownFile => ({
  sizeBytes,
  changedAtMs: changedAtMs ?? null,
  sha256,
})

/** Builds the task of a reading thread. */
export function taskOf({ folder }: Store, { series, timestamp, slices }: Omit<SeriesFiles, 'slicesToRead'>) {
  return {
    slices: slices.map(({ file, startMs, endMs }) => ({
      path: file.own?.path ?? folder.pathOf(series, file.period),
      known: knownFileOf(file),
      ...(file.own && { rows: file.own.rows }),
      startMs,
      endMs,
    })),
    timeColumn: timeColumnOf({ series, timestamp }),
    keepEqualTimes: series.kind === 'raw' || isOwn(series),
  } satisfies Omit<SeriesTask, 'columns'>
}

/** Tells whether a series is one of an own dataset. */
export const isOwn = ({ dataset }: Pick<OwnedSeries, 'dataset'>): boolean => ownNameOf(dataset) !== null

/** Lists the columns in which a file has integers that doubles would round. */
export const longIntegersIn = (facts: Iterable<FileFacts | undefined>): string[] =>
  [...facts].flatMap((each) =>
    (each?.columns ?? []).flatMap(({ name, type, min, max }) =>
      // Unsigned integers of 64 bits are among the other types.
      (type === 'int64' || type === 'other') && areLong(min, max) ? [name] : [],
    ),
  )

const eventTimeColumns = { exchange: 'exchange_timestamp', true: 'local_timestamp' } as const

export const timeColumnOf = ({ series, timestamp }: SeriesName): string =>
  series.kind === 'raw' ? eventTimeColumns[timestamp] : 'time'

/** Lists the requested columns that no file of the range has. */
export function absentColumns({ files }: Store, { series, slices }: SeriesFiles, names: readonly string[]): string[] {
  const absent = new Set(slices.length > 0 ? names : [])
  // What counts the events of an own dataset is no column of its files.
  for (const counted of [EVENTS_COLUMN, SINCE_COLUMN]) absent.delete(counted)
  for (const { file } of slices) {
    if (absent.size === 0) break
    for (const { name } of files.facts(series, file.period)?.columns ?? []) absent.delete(name)
  }
  return [...absent]
}

/** Lists the files that rows were read from, also those of neighbouring days if events are ordered by arrival. */
export const sourcesOf = ({ slicesToRead }: Pick<SeriesFiles, 'slicesToRead'>): SourceFile[] =>
  slicesToRead.map(({ file, startMs, endMs }) => ({
    period: file.period,
    startMs,
    endMs,
    sha256: file.sha256,
    state: file.state,
    fetchedAt: file.fetchedAtMs,
  }))

/** Maximum number of downloads of a series that are told apart from what nobody asked for. */
const MOST_QUEUED_PERIODS = 5000

/** What is said of a range that nothing keeps from this machine. */
const unasked = { isLocked: false, isQueued: false }

/** Describes the coverage of a range: cached, available, and absent parts. */
function coverageOf(store: Store, nowMs: number, found: SeriesFiles, tier: number | null): CoverageRange[] {
  const { series, range } = found
  if (range.endMs <= range.startMs) return []
  if (isOwn(series)) return [{ ...range, state: found.slices.length > 0 ? 'cached' : 'absent', ...unasked }]
  const cachedSlices = found.slices.map(({ file, startMs, endMs }) => ({
    startMs,
    endMs: Math.max(startMs, Math.min(endMs, rowsEndMs(store, file))),
  }))
  const startDay = dayFromNumber(Math.floor(range.startMs / MS_PER_DAY))
  const endDay = dayFromNumber(Math.ceil(range.endMs / MS_PER_DAY) - 1)
  const periods = periodCoverage(store, nowMs, { series, startDay, endDay, tier })
  const parts: CoverageRange[] = cachedSlices
    .filter(({ startMs, endMs }) => endMs > startMs)
    .map((slice) => ({ ...slice, state: 'cached', ...unasked }))
  const queued = new Set(store.jobs.activePeriods(series, startDay, MOST_QUEUED_PERIODS))
  const knownRanges: TimeRange[] = []
  for (const { period, state } of periods) {
    const days = periodDays(period)!
    const startMs = Math.max(days.start * MS_PER_DAY, range.startMs)
    const endMs = Math.min(days.end * MS_PER_DAY, range.endMs, Math.max(nowMs, range.startMs))
    if (endMs <= startMs) continue
    knownRanges.push({ startMs, endMs })
    // A computed series cannot be downloaded anywhere.
    const isAbsent = state === 'absent' || state === 'unknown' || isComputedOwner(series.connectionId)
    for (const gap of uncovered(overlapping(cachedSlices, startMs, endMs), { startMs, endMs }))
      parts.push({
        ...{ ...gap, state: isAbsent ? 'absent' : 'available' },
        ...{ isLocked: state === 'locked', isQueued: !isAbsent && queued.has(period) },
      })
  }
  for (const gap of uncovered(sortByStart([...knownRanges, ...cachedSlices]), range)) {
    parts.push({ ...gap, state: 'absent', ...unasked })
  }
  return mergeRanges(sortByStart(parts))
}

/**
 * Returns the time up to which a file is complete: Infinity if it is final, otherwise the end of its last row, or
 * −Infinity if no row is known.
 */
function rowsEndMs({ files }: Store, file: CachedFile): number {
  if (file.state === 'final') return Infinity
  const lastTimeMs = files.facts(file.series, file.period)?.lastTimeMs ?? null
  return lastTimeMs === null ? -Infinity : lastTimeMs + (stepMsOf(file.series) ?? 1)
}

const sortByStart = <Range extends TimeRange>(ranges: Range[]): Range[] => ranges.sort((a, b) => a.startMs - b.startMs)

const overlapping = (ranges: readonly TimeRange[], startMs: number, endMs: number): TimeRange[] =>
  ranges.filter((range) => range.endMs > startMs && range.startMs < endMs)

function mergeRanges(slices: readonly CoverageRange[]): CoverageRange[] {
  const result: CoverageRange[] = []
  for (const slice of slices) {
    const last = result.at(-1)
    const isSame = last?.state === slice.state && last.isLocked === slice.isLocked && last.isQueued === slice.isQueued
    if (last && isSame && last.endMs >= slice.startMs) last.endMs = Math.max(last.endMs, slice.endMs)
    else result.push({ ...slice })
  }
  return result
}

/** Describes a part that could not be read, with a path that does not reveal this machine's folders. */
export const messageWithoutFolder = ({ folder }: Store, { path, startMs, endMs, message }: UnreadSlice) => ({
  startMs,
  endMs,
  message: message.replaceAll(path, path.slice(folder.root.length + 1).replaceAll('\\', '/')),
})

/** Describes the files that points come from, and the coverage of the range. */
export function describeFiles(
  { store, clock }: { store: Store; clock: Clock },
  found: SeriesFiles,
): Pick<SeriesOverview, 'coverage' | 'files'> {
  const { tier } = store.connections.find(connectionOfOwner(found.series.connectionId))
  return {
    coverage: coverageOf(store, clock.nowMs(), found, tier),
    files: sourcesOf(found),
  }
}

/** Describes the ranges that could not be read. */
export const describeUnread = ({ store }: { store: Store }, unread: readonly UnreadSlice[]): SeriesOverview['unread'] =>
  unread.map((each) => messageWithoutFolder(store, each))
