import { createHash } from 'node:crypto'
import { plannedPeriods, periodStates, dailyFilesFromOf, isLocked } from '#core/downloads/plan.ts'
import type { Clock } from '#core/ports.ts'
import type { KnownFile } from '#core/series/readerTask.ts'
import { planSeries, uncovered } from '#core/series/readSeries.ts'
import type { GridFile } from '#core/store/fileStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { intervals, type TimestampSource } from '#shared/catalog/intervals.ts'
import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import { byCodeUnits, PanelError } from '#shared/lab/panel.ts'
import { type NamedDataset, namedDatasets } from '#shared/lab/cacheColumns.ts'
import type { NamedFormula, Study, StudySource } from '#shared/lab/studyDocument.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { dayOf, MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { dayFromNumber, type DayNumber, type Period } from '#shared/time/periods.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

/** A study whose rows come from the cache. */
export type CacheStudy = Study & { source: StudySource }

/** A part of a file to read: the rows that start in the range. */
export interface PlannedFile extends TimeRange {
  path: string
  /** Removed where files are read as they are. */
  known?: KnownFile
  period: Period
  sha256: string
  /** Rows of a file without gaps and duplicates, whose times need not be read; null where they must be. */
  regular: { rows: number; firstTimeMs: number } | null
}

/** Returns what the index knows of a file; it has hashes in capitals here. */
export const knownGridFile = ({ sizeBytes, changedAtMs, sha256 }: GridFile): KnownFile => ({
  sizeBytes,
  changedAtMs,
  sha256: sha256.toLowerCase(),
})

/** Files of one dataset for all symbols of a panel. */
export interface PlannedDataset extends NamedDataset {
  intervalMs: number
  /** Grid that all files lie on. */
  firstSlot: number
  rows: number
  /** Files by symbol, in order of time. */
  files: PlannedFile[][]
  /** Hash of what the files hold, by which decoded columns are kept. */
  key: string
  /** Time of the last download of one of the files; 0 without files. */
  newestFetchMs: number
}

export interface PlannedSymbol {
  /** `exchange/symbol`, as the study calls it. */
  name: string
  exchange: string
  symbol: string
  /** Base assets in one contract, if the user gave it. */
  contractSize?: number
}

/** A file that the study would read and that is not here. */
export interface MissingFile extends Omit<OwnedSeries, 'connectionId' | 'kind'> {
  period: Period
  /** True where the key does not open it. */
  isLocked: boolean
}

/** Everything that a thread needs to build the panel of a study from cached files. */
export interface CachePlan {
  intervalMs: number
  /** In the order of the code units of their names. */
  symbols: PlannedSymbol[]
  datasets: PlannedDataset[]
  /** Range without a file that should be here, by symbol. */
  missingRanges: TimeRange[][]
  missingFiles: number
}

export interface PlannedCache {
  plan: CachePlan
  missing: MissingFile[]
}

export interface CacheRequest {
  /** Range and source of a study of any kind. */
  study: Pick<CacheStudy, 'interval' | 'start' | 'end'> & { source: StudySource }
  formulas: readonly NamedFormula[]
  /** Datasets that are read besides those that formulas name. */
  besides?: readonly NamedDataset[]
  timestamp: TimestampSource
  connectionId: string
  /** The tier of the connection's key; null where unknown. */
  tier: number | null
}

type PlanStore = Store

/** Finds the files of a study in the index; throws a `StudyError` for a bad formula and a `PanelError` without any rows. */
export function planCachePanel(store: PlanStore, clock: Clock, request: CacheRequest): PlannedCache {
  const { found, symbols, range } = findFiles(store, request)
  const { missing, rangesOf } = findMissing(store, clock, request, { found, symbols, range })
  if (symbols.length === 0) throw noRows(request, found, missing)
  // A formula cannot be computed where no file has its columns, whatever other datasets are here.
  const needed = namedDatasets(request.formulas.filter(({ mayLack }) => !mayLack)).map(({ dataset }) => dataset)
  const absent = found.filter(({ named, files }) => files.size === 0 && needed.includes(named.dataset))
  if (absent.length > 0) throw noRows(request, absent, missing)
  const planned = found.map((one) => planDataset(store, request, one, { symbols, range }))
  return {
    plan: {
      intervalMs: range.intervalMs,
      symbols,
      datasets: planned,
      missingRanges: symbols.map(({ name }) => rangesOf.get(name) ?? []),
      missingFiles: missing.length,
    },
    missing,
  }
}

/** Finds the files that a study would read and that are not here; throws a `StudyError` for a bad formula. */
export function missingOf(store: PlanStore, clock: Clock, request: CacheRequest): MissingFile[] {
  return findMissing(store, clock, request, findFiles(store, request)).missing
}

function findFiles(store: PlanStore, request: CacheRequest) {
  const range = studyRange(request.study)
  const found = [...namedDatasets(request.formulas), ...(request.besides ?? [])].flatMap((named) =>
    findDataset(store, request, named, range),
  )
  const symbols = symbolsOf(store, request, found)
  return { found: symbols.length > 0 ? found : found.map(withoutLonger(request)), symbols, range }
}

/** Leaves out the files of longer intervals, which make no rows of a study that has none of its own interval. */
const withoutLonger =
  ({ study: { interval } }: CacheRequest) =>
  (dataset: FoundDataset): FoundDataset =>
    dataset.named.intervals
      ? dataset
      : { ...dataset, interval, intervalMs: secondsOf(interval) * 1000, files: new Map() }

/** A dataset with its files by symbol name, at the interval of the study or else at the shortest longer one. */
interface FoundDataset {
  named: NamedDataset
  interval: string
  intervalMs: number
  files: Map<string, GridFile[]>
  /** Names of symbols whose files of this dataset are read at another interval. */
  elsewhere?: ReadonlySet<string>
}

const secondsOf = (interval: string): number => parseInterval(interval) ?? NaN
const nameOf = ({ exchange, symbol }: { exchange: string; symbol: string }) => `${exchange}/${symbol}`

function findDataset(
  { files }: PlanStore,
  { study: { source, interval }, timestamp, connectionId }: CacheRequest,
  named: NamedDataset,
  { startMs, endMs }: TimeRange,
): FoundDataset[] {
  const longer = intervals.filter((one) => secondsOf(one) > secondsOf(interval))
  const filter = {
    connectionId,
    kind: 'metrics' as const,
    datasets: [named.dataset],
    exchanges: source.exchanges,
    ...(source.symbols && { symbols: source.symbols }),
    timestamps: [timestamp],
    startDay: Math.floor(startMs / MS_PER_DAY),
    endDay: Math.ceil(endMs / MS_PER_DAY),
  }
  const at = (wanted: readonly string[]) => files.withGrid({ ...filter, intervals: wanted })
  if (named.intervals) return bySymbol(named, at(named.intervals))
  const own = at([interval])
  const chosen = ofShortest(own.length > 0 ? own : at(longer))
  const found = chosen.at(0)?.interval ?? interval
  return [{ named, interval: found, intervalMs: secondsOf(found) * 1000, files: Map.groupBy(chosen, nameOf) }]
}

/** Keeps the files of the shortest interval. */
function ofShortest(files: readonly GridFile[]): GridFile[] {
  const shortest = files.reduce((least, file) => Math.min(least, secondsOf(file.interval)), Infinity)
  return files.filter((file) => secondsOf(file.interval) === shortest)
}

/** Takes the shortest interval of each symbol; those of one interval make a dataset of their own, under a name of its own. */
function bySymbol(named: NamedDataset, all: readonly GridFile[]): FoundDataset[] {
  const chosen = [...Map.groupBy(all, nameOf).values()].map(ofShortest)
  const groups = [...Map.groupBy(chosen, ([{ interval }]) => interval)]
  const names = new Set(chosen.map(([file]) => nameOf(file)))
  const found = groups.map(([interval, files]) => {
    const own = new Map(files.map((one) => [nameOf(one[0]), one]))
    const elsewhere = new Set([...names].filter((name) => !own.has(name)))
    return { interval, files: own, elsewhere }
  })
  const none = { interval: named.intervals?.at(-1) ?? '', files: new Map<string, GridFile[]>() }
  return (found.length > 0 ? found : [none]).map((one) => ({
    ...one,
    named: { ...named, alias: `${named.alias ?? named.dataset} ${one.interval}` },
    intervalMs: secondsOf(one.interval) * 1000,
  }))
}

/** Lists the symbols that have files at the interval of the study, in the order of their names. */
function symbolsOf({ instruments }: PlanStore, { study }: CacheRequest, found: readonly FoundDataset[]) {
  const wantedMs = studyRange(study).intervalMs
  const names = new Map<string, PlannedSymbol>()
  for (const { files, intervalMs } of found) {
    if (intervalMs !== wantedMs) continue
    for (const [name, [{ exchange, symbol }]] of files) {
      const contractSize = instruments.contractSize(exchange, symbol)
      names.set(name, { name, exchange, symbol, ...(contractSize !== undefined && { contractSize }) })
    }
  }
  return [...names.values()].sort((a, b) => byCodeUnits(a.name, b.name))
}

const seriesOf = (
  { connectionId, timestamp }: CacheRequest,
  { named, interval }: FoundDataset,
  { exchange, symbol }: Pick<OwnedSeries, 'exchange' | 'symbol'>,
): OwnedSeries => ({ connectionId, kind: 'metrics', dataset: named.dataset, exchange, symbol, interval, timestamp })

function planDataset(
  { folder }: PlanStore,
  request: CacheRequest,
  dataset: FoundDataset,
  { symbols, range }: { symbols: readonly PlannedSymbol[]; range: TimeRange },
): PlannedDataset {
  const { named, interval, intervalMs, files } = dataset
  const hash = createHash('sha256')
  let firstMs = Infinity
  let lastMs = -Infinity
  let newestFetchMs = 0
  const planned = symbols.map(({ name, exchange, symbol }) => {
    const series = seriesOf(request, dataset, { exchange, symbol })
    hash.update(`${name}\n`)
    return fileRangesOf(files.get(name) ?? [], range).map(({ file, startMs, endMs }): PlannedFile => {
      hash.update(`${file.sha256} ${startMs} ${endMs}\n`)
      firstMs = Math.min(firstMs, startMs)
      lastMs = Math.max(lastMs, endMs)
      newestFetchMs = Math.max(newestFetchMs, file.fetchedAtMs)
      const { period, sha256 } = file
      return {
        path: folder.pathOf(series, period),
        known: knownGridFile(file),
        period,
        sha256,
        startMs,
        endMs,
        regular: regularOf(file, intervalMs),
      }
    })
  })
  const firstSlot = firstMs === Infinity ? 0 : Math.ceil(firstMs / intervalMs)
  const rows = firstMs === Infinity ? 0 : Math.max(0, Math.ceil(lastMs / intervalMs) - firstSlot)
  const key = `${named.dataset} ${interval} ${hash.digest('hex')}`
  return { ...named, intervalMs, firstSlot, rows, files: planned, key, newestFetchMs }
}

/** Plans which file serves which part of the range; files that do not overlap need no plan day by day. */
function fileRangesOf(files: readonly GridFile[], range: TimeRange) {
  const overlaps = files.some((file, at) => at > 0 && file.startDay < files[at - 1].endDay)
  if (overlaps) return planSeries(files, range)
  return files
    .map((file) => ({
      file,
      startMs: Math.max(file.startDay * MS_PER_DAY, range.startMs),
      endMs: Math.min(file.endDay * MS_PER_DAY, range.endMs),
    }))
    .filter(({ startMs, endMs }) => startMs < endMs)
}

function regularOf({ rows, firstTimeMs, stepMs, duplicateTimes }: GridFile, intervalMs: number) {
  if (rows === null || firstTimeMs === null || stepMs !== intervalMs || duplicateTimes !== 0) return null
  return firstTimeMs % intervalMs === 0 ? { rows, firstTimeMs } : null
}

interface MissingContext {
  found: readonly FoundDataset[]
  symbols: readonly PlannedSymbol[]
  range: TimeRange
}

/** Finds the files that the service should have and that are not here, with the range of each by symbol. */
function findMissing(store: PlanStore, clock: Clock, request: CacheRequest, { found, symbols, range }: MissingContext) {
  const { study, timestamp, connectionId, tier } = request
  const startDay = dayFromNumber(Math.floor(range.startMs / MS_PER_DAY))
  const endDay = dayFromNumber(Math.ceil(range.endMs / MS_PER_DAY) - 1)
  const periods = plannedPeriods(startDay, endDay, dayOf(clock.nowMs()), dailyFilesFromOf(store, connectionId))
  const refusals = store.answers.refusals(connectionId)
  const missing: MissingFile[] = []
  const rangesOf = new Map<string, TimeRange[]>()
  for (const { exchange, symbol } of askedSymbols(study, symbols)) {
    const name = nameOf({ exchange, symbol })
    const isListed = isListedAt(store, connectionId, exchange, symbol)
    for (const dataset of found) {
      const { named, interval, files, elsewhere } = dataset
      if (named.isOptional || elsewhere?.has(name)) continue
      const series = seriesOf(request, dataset, { exchange, symbol })
      const own = (files.get(name) ?? []).map(({ isFinal, ...days }) => ({ ...days, isFinal: isFinal === 1 }))
      if (periods.length === 0 || coversAll(own, periods[0].startDay, periods[periods.length - 1].endDay)) continue
      const locked = isLocked(series, tier, refusals)
      const absent = store.answers.absent(series, periods[0].startDay, periods[periods.length - 1].endDay)
      const knowledge = {
        cachedRanges: own,
        absent: new Set(absent.map(({ period }) => period)),
        isLocked: locked,
        isListed,
      }
      periodStates(periods, knowledge).forEach((state, at) => {
        const { period, ...days } = periods[at]
        const gaps = uncovered(own.map(msOf), within(msOf(days), range)).filter(({ startMs, endMs }) => endMs > startMs)
        if (!['missing', 'locked', 'partial'].includes(state) || gaps.length === 0) return
        missing.push({ dataset: named.dataset, exchange, symbol, interval, timestamp, period, isLocked: locked })
        rangesOf.set(name, [...(rangesOf.get(name) ?? []), ...gaps])
      })
    }
  }
  return { missing, rangesOf }
}

const msOf = ({ startDay, endDay }: { startDay: DayNumber; endDay: DayNumber }): TimeRange => ({
  startMs: startDay * MS_PER_DAY,
  endMs: endDay * MS_PER_DAY,
})

const within = (days: TimeRange, range: TimeRange): TimeRange => ({
  startMs: Math.max(days.startMs, range.startMs),
  endMs: Math.min(days.endMs, range.endMs),
})

function coversAll(
  files: readonly { startDay: DayNumber; endDay: DayNumber }[],
  startDay: DayNumber,
  endDay: DayNumber,
) {
  let reached = startDay
  for (const file of files) if (file.startDay <= reached) reached = Math.max(reached, file.endDay)
  return reached >= endDay
}

/** Lists the symbols of the study at all its venues; without named symbols, those that have files. */
function askedSymbols(
  { source: { symbols: named, exchanges } }: CacheRequest['study'],
  symbols: readonly PlannedSymbol[],
) {
  if (named === null) return symbols
  return exchanges.flatMap((exchange) => named.map((symbol) => ({ exchange, symbol })))
}

/** Tells whether a venue lists a symbol; true where its list is unknown. */
function isListedAt({ coverage }: PlanStore, connectionId: string, exchange: string, symbol: string): boolean {
  if (coverage.document(connectionId, `symbols/${exchange}`) === undefined) return true
  return coverage.hasSymbol(connectionId, exchange, symbol)
}

function noRows(
  { study, timestamp }: CacheRequest,
  absent: readonly FoundDataset[],
  missing: readonly MissingFile[],
): PanelError {
  const { exchanges } = study.source
  const datasets = absent.map(({ named }) => named.dataset)
  const names = datasets.join(', ')
  const count = missing.filter(({ dataset }) => datasets.includes(dataset)).length
  const known = count === 0 ? '' : ` ${plainPlural(count, 'file')} of this range can be downloaded.`
  return new PanelError(
    `The cache has no rows of ${names} at ${study.interval} (${timestamp} clock) on ${exchanges.join(', ')} from ${study.start} to ${study.end}.${known}`,
  )
}

/** Builds the requests that download missing files, as few as the queue needs. */
export function downloadRequests(connectionId: string, missing: readonly MissingFile[]): DownloadRequest[] {
  const groups = Map.groupBy(missing, ({ dataset, exchange, interval, timestamp }) =>
    [dataset, exchange, interval, timestamp].join('\n'),
  )
  return [...groups.values()].map((files) => {
    const [{ dataset, exchange, interval, timestamp }] = files
    const days = files.map(({ period }) => (period.length === 7 ? lastDayOf(period) : period)).sort()
    const starts = files.map(({ period }) => (period.length === 7 ? `${period}-01` : period)).sort()
    return {
      connectionId,
      kind: 'metrics',
      datasets: [dataset],
      exchanges: [exchange],
      symbols: [...new Set(files.map(({ symbol }) => symbol))],
      intervals: [interval],
      timestamps: [timestamp],
      startDay: starts[0],
      endDay: days[days.length - 1],
      refresh: false,
      tryLocked: false,
      tryRefused: false,
    }
  })
}

const lastDayOf = (month: Period): string => {
  const [year, number] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}
