/**
 * Plans a download: lists the files that a request needs, finds which are cached, locked or missing, and queues the
 * missing ones.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '#core/ports.ts'
import type { DayRange, ListedDays, RawCoverageRow } from '#core/store/coverageStore.ts'
import type { AccessRefusal } from '#core/store/unavailableStore.ts'
import type { FileRange } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { NewJob } from '#core/store/jobTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { storedJsonOr } from '#core/store/storedJson.ts'
import { dailyFilesFrom as documentedFrom } from '#shared/catalog/dailyFiles.ts'
import { isMetricDatasetId, metricDataset } from '#shared/catalog/metricDatasets.ts'
import { neededTier as documentedTier } from '#shared/catalog/neededTier.ts'
import type { CoverageState, PeriodCoverage } from '#shared/contract/areas/coverage.ts'
import type {
  DownloadPreview,
  DownloadRequest,
  EnqueueResult,
  LockedPart,
  PeriodState,
} from '#shared/contract/areas/downloads.ts'
import type { Instrument } from '#shared/contract/areas/instruments.ts'
import { connectionOfOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import { datedInstruments, listedDays } from '#shared/contract/instrumentHistory.ts'
import { outsideSlice, type PreviewSlice } from '#shared/contract/previewSlice.ts'
import { type Frame, numberColumn, textColumn } from '#shared/contract/frame.ts'
import { type Day, dayOf, MS_PER_DAY, parseDay, parseInterval } from '#shared/time.ts'
import { type DayNumber, expectedPeriods, type Period, periodDays } from '#shared/time/periods.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { accessRefusal } from './retryPolicy.ts'

interface PlannedPeriod {
  period: Period
  startDay: DayNumber
  /** First day after the period. */
  endDay: DayNumber
}

/** Known facts about a series that its plan depends on. */
export interface SeriesKnowledge {
  /** Files that overlap the range, ordered by day. */
  cachedRanges: readonly FileRange[]
  /** Periods for which the service has no file. */
  absent: ReadonlySet<Period>
  isLocked: boolean
  /** Days on which the series may have data; null if the service lists its venue, but not the symbol. */
  mayExist: MayExist | null
}

/** Days on which a series may have data; an open end is infinite. */
interface MayExist {
  firstDay: DayNumber
  /** Last day, inclusive. */
  lastDay: DayNumber
  /** Days in between that have no data, in order, where the catalog names them. */
  missing?: readonly DayRange[]
}

export const anyDay: MayExist = { firstDay: -Infinity, lastDay: Infinity }

/** Returns the periods that a range should have, up to and including today. */
export function plannedPeriods(startDay: string, endDay: string, today: string, dailyFrom: string): PlannedPeriod[] {
  return expectedPeriods(startDay, endDay < today ? endDay : today, dailyFrom).map((period) => {
    const days = periodDays(period)
    if (!days) throw new RangeError(`not a period: ${period}`)
    return { period, startDay: days.start, endDay: days.end }
  })
}

/** Finds the state of every period by walking files and periods side by side. */
export function statesOfPeriods(periods: readonly PlannedPeriod[], knowledge: SeriesKnowledge): PeriodState[] {
  const { cachedRanges, absent, isLocked, mayExist } = knowledge
  let firstIndex = 0
  const isGap = createGapCheck(mayExist)
  return periods.map(({ period, startDay, endDay }) => {
    while (firstIndex < cachedRanges.length && cachedRanges[firstIndex].endDay <= startDay) firstIndex++
    const covered = coveredDays(cachedRanges, firstIndex, startDay, endDay)
    if (covered.days === endDay - startDay) return covered.isFinal ? 'cached' : 'partial'
    if (covered.days > 0) return 'partial'
    const isListed = mayExist && startDay <= mayExist.lastDay && endDay > mayExist.firstDay
    if (isListed && isGap(startDay, endDay)) return 'gap'
    if (absent.has(period)) return 'absent'
    if (!isListed) return 'unknown'
    return isLocked ? 'locked' : 'missing'
  })
}

/** Creates a function that tells whether all days of a period are missing; the periods must come in order of time. */
function createGapCheck(mayExist: MayExist | null): (startDay: DayNumber, endDay: DayNumber) => boolean {
  const { firstDay, lastDay, missing = [] } = mayExist ?? anyDay
  let index = 0
  return (startDay, endDay) => {
    const [from, to] = [Math.max(startDay, firstDay), Math.min(endDay, lastDay + 1)]
    while (index < missing.length && missing[index][1] <= from) index++
    return index < missing.length && missing[index][0] <= from && missing[index][1] >= to
  }
}

/**
 * Counts the days of a period that are covered by files. A month may be cached as one file, as daily files, or as both.
 */
function coveredDays(
  cachedRanges: readonly FileRange[],
  firstIndex: number,
  startDay: DayNumber,
  endDay: DayNumber,
): { days: number; isFinal: boolean } {
  let days = 0
  let isFinal = true
  let reachedDay = startDay
  for (let index = firstIndex; index < cachedRanges.length && cachedRanges[index].startDay < endDay; index++) {
    const cachedRange = cachedRanges[index]
    const from = Math.max(reachedDay, cachedRange.startDay)
    const to = Math.min(endDay, cachedRange.endDay)
    if (to <= from) continue
    days += to - from
    reachedDay = to
    isFinal &&= cachedRange.isFinal
  }
  return { days, isFinal }
}

/**
 * Tells whether a connection's key has no access to a series, because the service refused it before or because the
 * documented tier is higher than the key's. A series without a documented tier counts as accessible.
 */
export function isSeriesLocked(series: OwnedSeries, tier: number | null, refusals: readonly AccessRefusal[]): boolean {
  if (accessRefusal(refusals, series)) return true
  return tier !== null && tier < (neededTier(series) ?? 0)
}

/** Returns the documented minimum tier of a series; null if none is documented. */
const neededTier = ({ kind, dataset, interval }: OwnedSeries): number | null =>
  kind === 'raw' ? null : documentedTier(dataset, interval)

export interface PlanDeps {
  store: Store
  clock: Clock
  /** Tier of the connection's key; null if unknown. */
  tier: number | null
  /** The only part that a connection of previews offers; null for any other connection. */
  slice?: PreviewSlice | null
  signal: AbortSignal
}

interface PlannedSeries {
  series: OwnedSeries
  periods: readonly PlannedPeriod[]
  states: readonly PeriodState[]
  /** True for each period to download; one entry per period. */
  wanted: readonly boolean[]
  /** Number of periods left out because the user said that the symbol was not listed then. */
  outsideListing: number
}

/** Number of periods planned before other work may run. */
const PERIODS_PER_SLICE = 2000
/** Age at which the file of an unfinished period is downloaded again. */
const PARTIAL_FRESH_MS = 3_600_000
/** Age at which an absent period is requested again, as long as it may still be published. */
const ABSENT_FRESH_MS = MS_PER_DAY
const LATE_PUBLICATION_DAYS = 40

/** Plans a request series by series, and lets other work run in between. */
export async function* planSeriesFiles(deps: PlanDeps, request: DownloadRequest): AsyncGenerator<PlannedSeries> {
  const { store, clock, tier, slice, signal } = deps
  const today = dayOf(clock.nowMs())
  const periods = plannedPeriods(request.startDay, request.endDay, today, firstDailyDayOf(store, request.connectionId))
  const refusals = request.tryRefused ? [] : store.unavailable.refusals(request.connectionId)
  const mayExist = createListings(store, request)
  const listedPeriods = createTypedListings(store)
  let plannedCount = 0
  for (const series of seriesOfRequest(request, store.lists)) {
    const refusal = slice ? outsideSlice(slice, { ...request, ...series }) : null
    if (refusal !== null) throw new AppError('unsupported', refusal)
    plannedCount += Math.max(1, periods.length)
    if (plannedCount >= PERIODS_PER_SLICE) {
      plannedCount = 0
      await nextTurn()
      signal.throwIfAborted()
    }
    const listed = listedPeriods(series, periods)
    const planned = planOne(deps, request, {
      ...{ series, periods: listed, mayExist: mayExist(series), isLocked: isSeriesLocked(series, tier, refusals) },
    })
    yield { ...planned, outsideListing: periods.length - listed.length }
  }
}

/**
 * Days between the last day of a series and that of the whole index after which the series counts as delisted; the
 * datasets of one index do not all reach the same day.
 */
const DELISTED_AFTER_DAYS = 7

/** Number of symbols of a venue that are looked up one by one, before all of them are read. */
const SYMBOLS_ONE_BY_ONE = 32

/**
 * Creates a function that returns the days on which a series may have data, from the venue's symbols and from the
 * coverage of raw events, from which metrics are computed too. A series that is not delisted may have newer days than
 * the index knows.
 */
export function createListings(
  { coverage }: Store,
  { connectionId, kind }: Pick<DownloadRequest, 'connectionId' | 'kind'>,
) {
  const newestDay = coverage.newestDay(connectionId) ?? -Infinity
  const coverageOf = createCoverageLookup(coverage)
  const symbolsByExchange = new Map<string, ReadonlySet<string>>()
  const daysByPlace = new Map<string, { isWhole: boolean; bySymbol: Map<string, ListedDays | undefined> }>()
  const coveredByDataset = new Map<string, boolean>()

  function isCovered(dataset: string): boolean {
    const known = coveredByDataset.get(dataset) ?? coverage.coversDataset(connectionId, dataset)
    coveredByDataset.set(dataset, known)
    return known
  }

  function symbolsOf(exchange: string): ReadonlySet<string> {
    const symbols = symbolsByExchange.get(exchange) ?? new Set(coverage.symbols(connectionId, exchange))
    symbolsByExchange.set(exchange, symbols)
    return symbols
  }

  function daysOf({ dataset, exchange, symbol }: OwnedSeries) {
    const onlyDataset = kind === 'raw' ? dataset : undefined
    const place = `${exchange}\n${onlyDataset ?? ''}`
    let days = daysByPlace.get(place) ?? { isWhole: false, bySymbol: new Map<string, ListedDays | undefined>() }
    if (!days.isWhole && !days.bySymbol.has(symbol)) {
      if (days.bySymbol.size < SYMBOLS_ONE_BY_ONE)
        days.bySymbol.set(symbol, coverage.daysOfSymbol(connectionId, exchange, symbol, onlyDataset))
      else days = { isWhole: true, bySymbol: coverage.listedDays(connectionId, exchange, onlyDataset) }
    }
    daysByPlace.set(place, days)
    return days.bySymbol.get(symbol)
  }

  return (series: OwnedSeries): MayExist | null => {
    const symbols = symbolsOf(series.exchange)
    if (kind === 'metrics' && symbols.size > 0 && !symbols.has(series.symbol)) return null
    const days = daysOf(series)
    // A symbol that only the index of raw events lacks may have metrics all the same.
    if (!days) return kind === 'raw' && isCovered(series.dataset) ? null : anyDay
    const missing = kind === 'raw' ? coverageOf(series)?.missing : null
    const known = { ...days, ...(missing && { missing }) }
    return days.lastDay < newestDay - DELISTED_AFTER_DAYS ? known : { ...known, lastDay: Infinity }
  }
}

/**
 * Creates a function that leaves out the periods wholly before the day on which a symbol was listed, or after the one
 * on which it was delisted, if the user gave such days.
 */
export function createTypedListings({ instruments }: Pick<Store, 'instruments'>) {
  const keyOf = ({ exchange, symbol }: Pick<OwnedSeries, 'exchange' | 'symbol'>) => `${exchange}\n${symbol}`
  const rowsByPair = Map.groupBy(instruments.list(), keyOf)
  const hasListing = (rows: readonly Instrument[]) => rows.some(({ listed, delisted }) => listed ?? delisted)
  const daysByPair = new Map(
    [...rowsByPair]
      .filter(([, rows]) => hasListing(rows))
      .map(([key, rows]) => [key, listedDays(datedInstruments(rows))]),
  )
  return (series: OwnedSeries, periods: readonly PlannedPeriod[]): readonly PlannedPeriod[] => {
    const ranges = daysByPair.get(keyOf(series))
    if (!ranges) return periods
    return periods.filter(({ startDay, endDay }) => ranges.some(({ start, end }) => startDay < end && endDay > start))
  }
}

interface SeriesToPlan {
  series: OwnedSeries
  periods: readonly PlannedPeriod[]
  mayExist: MayExist | null
  isLocked: boolean
}

function planOne(
  { store, clock }: PlanDeps,
  request: DownloadRequest,
  seriesToPlan: SeriesToPlan,
): Omit<PlannedSeries, 'outsideListing'> {
  const { series, periods } = seriesToPlan
  const first = periods.at(0)
  const last = periods.at(-1)
  if (!first || !last) return { series, periods, states: [], wanted: [] }
  const cachedRanges = store.files.ranges(series, first.startDay, last.endDay)
  const absent = store.unavailable.absentPeriods(series, first.startDay, last.endDay)
  const seenAtByPeriod = new Map(absent.map(({ period, seenAtMs }) => [period, seenAtMs]))
  const states = statesOfPeriods(periods, { ...seriesToPlan, cachedRanges, absent: new Set(seenAtByPeriod.keys()) })
  const nowMs = clock.nowMs()
  const isWanted = ({ period, endDay }: PlannedPeriod, state: PeriodState): boolean => {
    if (state === 'locked' || state === 'unknown' || state === 'gap') return request.tryLocked
    if (seriesToPlan.isLocked && !request.tryLocked) return false
    if (request.refresh) return true
    if (state === 'partial') return nowMs - (partialFetchedAtMs(store, series, period) ?? 0) >= PARTIAL_FRESH_MS
    if (state === 'absent') return mayBePublished(endDay, seenAtByPeriod.get(period) ?? 0, nowMs)
    return state !== 'cached'
  }
  return { series, periods, states, wanted: periods.map((period, index) => isWanted(period, states[index])) }
}

const partialFetchedAtMs = ({ files }: Store, series: OwnedSeries, period: Period) => {
  const file = files.find(series, period)
  return file?.state === 'partial' ? file.fetchedAtMs : null
}

function mayBePublished(endDay: number, seenAtMs: number, nowMs: number): boolean {
  return nowMs - endDay * MS_PER_DAY < LATE_PUBLICATION_DAYS * MS_PER_DAY && nowMs - seenAtMs >= ABSENT_FRESH_MS
}

export async function planPreview(deps: PlanDeps, request: DownloadRequest): Promise<DownloadPreview> {
  const sizeEstimate = createSizeEstimate(deps.store)
  const refusals = deps.store.unavailable.refusals(request.connectionId)
  const files = { cached: 0, partial: 0, missing: 0, absent: 0, gap: 0, locked: 0, unknown: 0 }
  const lockedByInterval = new Map<string, LockedPart>()
  const preview: DownloadPreview = {
    files,
    toFetch: 0,
    bytes: 0,
    withoutSize: 0,
    outsideListing: 0,
    locked: [],
    firstPeriod: null,
    lastPeriod: null,
  }
  for await (const { series, periods, states, wanted, outsideListing } of planSeriesFiles(deps, request)) {
    preview.firstPeriod = firstOf(preview.firstPeriod, periods.at(0)?.period)
    preview.lastPeriod = lastOf(preview.lastPeriod, periods.at(-1)?.period)
    preview.outsideListing += outsideListing
    if (states.includes('locked'))
      lockedByInterval.set(`${series.dataset}\n${series.interval}`, lockedPart(series, refusals))
    states.forEach((state, index) => {
      files[state]++
      if (!wanted[index]) return
      preview.toFetch++
      const bytes = sizeEstimate(series, periods[index])
      if (bytes === null) preview.withoutSize++
      else preview.bytes += bytes
    })
  }
  return { ...preview, locked: [...lockedByInterval.values()] }
}

const firstOf = (a: Period | null, b: Period | null = null) => (a === null || (b !== null && b < a) ? b : a)
const lastOf = (a: Period | null, b: Period | null = null) => (a === null || (b !== null && b > a) ? b : a)

function lockedPart(series: OwnedSeries, refusals: readonly AccessRefusal[]): LockedPart {
  const refusal = accessRefusal(refusals, series)
  return {
    dataset: series.dataset,
    interval: series.interval,
    neededTier: neededTier(series),
    refusal: refusal ? { message: refusal.message, at: refusal.atMs } : null,
  }
}

interface EnqueueOptions {
  label: string
  priority: number
}

/** Number of jobs added to the queue before other work may run. */
const JOBS_PER_SLICE = 1000

/** Queues the files of a plan that are to be downloaded. */
export async function enqueuePlan(
  deps: PlanDeps,
  request: DownloadRequest,
  { label, priority }: EnqueueOptions,
): Promise<EnqueueResult> {
  const { clock, signal } = deps
  const { jobs } = deps.store
  const batchId = jobs.newBatch(label, clock.nowMs())
  let slice: NewJob[] = []
  let added = 0
  const add = async () => {
    if (slice.length === 0) return
    added += jobs.add(batchId, slice, { priority, nowMs: clock.nowMs() })
    slice = []
    await nextTurn()
    signal.throwIfAborted()
  }
  for await (const planned of planSeriesFiles(deps, request)) {
    for (const period of wantedPeriods(planned)) {
      slice.push({ series: planned.series, period, refresh: request.refresh, storeOnly: request.storeOnly === true })
      if (slice.length >= JOBS_PER_SLICE) await add()
    }
  }
  await add()
  return { batchId, files: jobs.batchSize(batchId), added }
}

/**
 * Lists the periods to fetch, first the last one and then the others from the earliest on: both ends together soon show
 * whether the key has access to the whole range.
 */
function wantedPeriods({ periods, wanted }: PlannedSeries): string[] {
  const all = periods.filter((_, index) => wanted[index]).map(({ period }) => period)
  if (all.length < 3) return all.toReversed()
  return [all[all.length - 1], ...all.slice(0, -1)]
}

/** Maximum number of files in the table of a plan. */
const MAX_FILES = 500_000
const seriesNames = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const

/** Returns the plan of a request as a table with one row per file. */
export async function planFrame(deps: PlanDeps, request: DownloadRequest): Promise<Frame> {
  const names = seriesNames.map((): string[] => [])
  const periods: string[] = []
  const states: string[] = []
  const paths: (string | null)[] = []
  const bytes: (number | null)[] = []
  const fetchFlags: number[] = []
  for await (const planned of planSeriesFiles(deps, request)) {
    const { series } = planned
    if (fetchFlags.length + planned.periods.length > MAX_FILES)
      throw new AppError('too-large', `The plan has more than ${MAX_FILES} files.`)
    const cachedFiles = cachedFilesOf(deps, planned)
    planned.periods.forEach(({ period, startDay, endDay }, index) => {
      seriesNames.forEach((name, index) => names[index].push(series[name]))
      periods.push(period)
      states.push(planned.states[index])
      const files = cachedFiles.filter((file) => file.startDay < endDay && file.endDay > startDay)
      paths.push(files.length === 1 ? deps.store.folder.pathOf(series, files[0].period) : null)
      bytes.push(files.length > 0 ? files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) : null)
      fetchFlags.push(planned.wanted[index] ? 1 : 0)
    })
  }
  return {
    rows: fetchFlags.length,
    columns: [
      ...seriesNames.map((name, index) => textColumn(name, names[index])),
      textColumn('period', periods),
      textColumn('state', states),
      textColumn('path', paths),
      numberColumn('bytes', bytes),
      numberColumn('fetch', fetchFlags),
    ],
  }
}

function cachedFilesOf({ store }: PlanDeps, { series, periods, states }: PlannedSeries): CachedFile[] {
  if (!states.some((state) => state === 'cached' || state === 'partial')) return []
  return store.files.ofSeries(series, periods[0].startDay, periods[periods.length - 1].endDay)
}

/** Finds the cached files of a request that were downloaded from the service. */
export async function requestedFiles(deps: PlanDeps, request: DownloadRequest): Promise<CachedFile[]> {
  const files: CachedFile[] = []
  for await (const planned of planSeriesFiles(deps, request))
    files.push(...cachedFilesOf(deps, planned).filter(({ origin }) => origin === 'service'))
  return files
}

/** Compressed size of one cell of a metric file, measured on real files. */
const BYTES_PER_CELL = 4.4
const BYTES_PER_COLUMN = 250

/**
 * Estimates the bytes of the file of a period, from what the catalog says of the series, from earlier files, or else
 * from its rows and columns; null if nothing is known.
 */
type SizeEstimate = (series: OwnedSeries, period: Pick<PlannedPeriod, 'startDay' | 'endDay'>) => number | null

function createSizeEstimate({ files, coverage }: Pick<Store, 'files' | 'coverage'>): SizeEstimate {
  const meanBytesByKey = new Map<string, number | null>()
  const coverageOf = createCoverageLookup(coverage)
  return (series, { startDay, endDay }) => {
    const known = series.kind === 'raw' ? coverageOf(series) : undefined
    if (known && known.sizeBytes !== null && known.days > 0)
      return Math.round((known.sizeBytes / known.days) * daysWithData(known, startDay, endDay))
    const { dataset, interval } = series
    const days = endDay - startDay
    const key = `${dataset}\n${interval}\n${days > 1}`
    if (!meanBytesByKey.has(key)) meanBytesByKey.set(key, files.sizeEstimate(dataset, interval, days))
    return meanBytesByKey.get(key) ?? estimate(dataset, interval, days)
  }
}

const coverageRowOf = (
  { coverage }: Pick<Store, 'coverage'>,
  { connectionId, dataset, exchange, symbol }: Pick<OwnedSeries, 'connectionId' | 'dataset' | 'exchange' | 'symbol'>,
): RawCoverageRow | undefined => coverage.coverage(connectionId, { dataset, exchange, symbol }).at(0)

/** Creates a function that finds the coverage of a series, and remembers the last one. */
function createCoverageLookup(coverage: Store['coverage']) {
  let last: { series: OwnedSeries; row: RawCoverageRow | undefined } | null = null
  return (series: OwnedSeries): RawCoverageRow | undefined => {
    if (last?.series === series) return last.row
    last = { series, row: coverageRowOf({ coverage }, series) }
    return last.row
  }
}

/** Counts the days of a range on which a series has data; days after the last known one count as such. */
function daysWithData({ firstDay, missing }: RawCoverageRow, startDay: DayNumber, endDay: DayNumber): number {
  const from = Math.max(startDay, firstDay)
  const missingDays = (missing ?? []).reduce(
    (sum, [start, end]) => sum + Math.max(0, Math.min(end, endDay) - Math.max(start, from)),
    0,
  )
  return Math.max(0, endDay - from - missingDays)
}

function estimate(dataset: string, interval: string, days: number): number | null {
  const seconds = parseInterval(interval)
  if (!isMetricDatasetId(dataset) || seconds === null) return null
  const columns = metricDataset(dataset).columns.length + 1
  return Math.round(((days * 86_400) / seconds) * columns * BYTES_PER_CELL + columns * BYTES_PER_COLUMN)
}

interface PeriodCoverageQuery {
  series: OwnedSeries
  startDay: string
  /** Last day, included. */
  endDay: string
  /** Tier of the connection's key; null if unknown. */
  tier: number | null
}

/** Returns the state of every period of a series from the index alone, without requests to services. */
export function periodCoverage(store: Store, nowMs: number, query: PeriodCoverageQuery): PeriodCoverage[] {
  const { series, tier } = query
  const dailyFrom = firstDailyDayOf(store, series.connectionId)
  const periods = plannedPeriods(query.startDay, query.endDay, dayOf(nowMs), dailyFrom)
  const first = periods.at(0)
  const last = periods.at(-1)
  if (!first || !last) return []
  const row = series.kind === 'raw' ? coverageRowOf(store, series) : undefined
  const states = statesOfPeriods(periods, {
    cachedRanges: store.files.ranges(series, first.startDay, last.endDay),
    absent: new Set(store.unavailable.absentPeriods(series, first.startDay, last.endDay).map(({ period }) => period)),
    isLocked: isSeriesLocked(series, tier, store.unavailable.refusals(series.connectionId)),
    mayExist: { ...anyDay, ...(row?.missing && { missing: row.missing }) },
  })
  const failedPeriods = store.cacheIndex.failedPeriods(series)
  const exists = createExistenceCheck(store, series)
  return periods.map((each, index) => {
    const found = states[index]
    let state: CoverageState = found === 'gap' ? 'absent' : found
    if (state === 'missing' && failedPeriods.has(each.period)) state = 'failed'
    else if (state === 'missing' && !exists(each)) state = 'unknown'
    return { period: each.period, state }
  })
}

/**
 * Creates a function that predicts whether a period exists, from the raw-event coverage or the symbol list; it returns
 * true if neither is known.
 */
function createExistenceCheck({ coverage }: Store, { connectionId, kind, dataset, exchange, symbol }: OwnedSeries) {
  if (kind === 'metrics') {
    const isKnown = coverage.document(connectionId, `symbols/${exchange}`) !== undefined
    const isListed = !isKnown || coverage.hasSymbol(connectionId, exchange, symbol)
    return () => isListed
  }
  const row = coverageRowOf({ coverage }, { connectionId, dataset, exchange, symbol })
  if (!row) {
    const isCovered = coverage.coversDataset(connectionId, dataset)
    return () => !isCovered
  }
  return ({ startDay, endDay }: PlannedPeriod) => startDay <= row.lastDay && endDay > row.firstDay
}

/** Yields all series of a request; its `connectionId` must not be empty. */
export function* seriesOfRequest(
  request: DownloadRequest,
  lists: Pick<Store['lists'], 'pairs'>,
): Generator<OwnedSeries> {
  const { connectionId, kind, list } = request
  const intervals = kind === 'raw' ? [''] : [...new Set(request.intervals)]
  const timestamps = kind === 'raw' ? [''] : [...new Set(request.timestamps)]
  const symbols = new Set(request.symbols)
  const pairs =
    list === undefined
      ? [...new Set(request.exchanges)].flatMap((exchange) => [...symbols].map((symbol) => ({ exchange, symbol })))
      : lists.pairs(list, request.exchanges)
  for (const dataset of new Set(request.datasets))
    for (const { exchange, symbol } of pairs)
      for (const interval of intervals)
        for (const timestamp of timestamps) yield { connectionId, kind, dataset, exchange, symbol, interval, timestamp }
}

/**
 * Latest results of `firstDailyDayOf` by store and connection, kept because calendars need one for every series and the
 * catalog rarely changes.
 */
const dailyStartsByStore = new WeakMap<Store['coverage'], Map<string, { body: string; day: Day }>>()

/**
 * Returns the day from which a connection's files are daily, as stated in its raw catalog; the documented day if the
 * catalog does not say.
 */
export function firstDailyDayOf({ coverage }: Store, owner: string): Day {
  const connectionId = connectionOfOwner(owner)
  const body = coverage.document(connectionId, 'raw-catalog')?.body
  if (body === undefined) return documentedFrom
  const byConnection = dailyStartsByStore.get(coverage) ?? new Map<string, { body: string; day: Day }>()
  dailyStartsByStore.set(coverage, byConnection)
  const last = byConnection.get(connectionId)
  if (last?.body === body) return last.day
  const { catalog } = storedJsonOr<Record<string, unknown>>(body, isRecord, {})
  const firstDaily = isRecord(catalog) ? catalog.daily_files_from : undefined
  const day = typeof firstDaily === 'string' && parseDay(firstDaily) !== null ? firstDaily : documentedFrom
  byConnection.set(connectionId, { body, day })
  return day
}
