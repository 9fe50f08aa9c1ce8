import type { SeriesFunding } from '#shared/formula/series.ts'
import { createHash } from 'node:crypto'
import {
  createListings,
  createTypedListings,
  plannedPeriods,
  statesOfPeriods,
  firstDailyDayOf,
  isSeriesLocked,
} from '#core/downloads/plan.ts'
import type { Clock } from '#core/ports.ts'
import type { KnownFile } from '#core/series/readerTask.ts'
import { mayBePublishedLater, type PlannedOwn, planOwn, ownProblem, ownProblemText } from '#core/own/ownPlan.ts'
import { type OwnBars, ownInstruments, planOwnBars } from './ownBars.ts'
import { planSeries, uncovered } from '#core/series/planSeries.ts'
import type { PanelSourceFile } from '#core/store/fileStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { SYMBOLS_DOCUMENT } from '#core/store/coverageStore.ts'
import type { Store } from '#core/store/store.ts'
import { intervals, type TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import { byCodeUnits, NoRowsError } from '#shared/lab/panel.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { suggestName } from '#shared/formula/suggestName.ts'
import type { DatedSizes } from '#shared/units/contractSizes.ts'
import { metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { amountUnitAt } from '#shared/units/measureUnits.ts'
import { type StudyWarning, warning } from '#shared/lab/studyWarnings.ts'
import type { LabKind, Study, StudyFormula } from '#shared/lab/kinds.ts'
import { type NamedDataset, namedDatasets, namedOwnColumns } from '#shared/lab/cacheColumns.ts'
import type { StudySource } from '#shared/lab/kinds/sourceFields.ts'
import { StudyError } from '#shared/lab/studyError.ts'
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
  /** Version of the file; left out if files are not checked for changes. */
  known?: KnownFile
  period: Period
  sha256: string
  /** Rows and first time of a file without gaps and duplicates, whose times need not be read; null for other files. */
  regular: { rows: number; firstTimeMs: number } | null
}

/** Returns the version of a file that the index knows. */
const knownPanelFileOf = ({ sizeBytes, changedAtMs, sha256 }: PanelSourceFile): KnownFile => ({
  sizeBytes,
  changedAtMs,
  sha256: sha256.toLowerCase(),
})

/** Files of one dataset for all symbols of a panel. */
export interface PlannedDataset extends NamedDataset {
  intervalMs: number
  /** First slot of the grid that all files share. */
  firstSlot: number
  rows: number
  /** Files by symbol, in time order. */
  files: PlannedFile[][]
  /**
   * Key under which decoded columns are cached: the dataset, the interval, and a hash of the files and their ranges.
   */
  key: string
  /** Time of the most recent download of any of the files; 0 if there are none. */
  newestFetchMs: number
  /** Own datasets whose rows, in place of files, say which bars there are. */
  own?: OwnBars
}

/** The files of one symbol of a dataset. */
export const symbolDataset = ({ own, ...dataset }: PlannedDataset, symbol: number): PlannedDataset => ({
  ...dataset,
  files: [dataset.files[symbol]],
  ...(own && { own: { ...own, instruments: [own.instruments[symbol]] } }),
})

export interface PlannedSymbol {
  /** Name of the symbol in the study: `exchange/symbol`. */
  name: string
  exchange: string
  symbol: string
  /** Unit of amounts on the venue. */
  amountUnit: string
  /** Amounts of the base asset in one contract, by date, if the user has entered any. */
  contractSizes?: DatedSizes
  /** Funding periods, if a formula of the study needs them. */
  funding?: SeriesFunding
}

/** A file that the study needs and the cache does not have. */
export interface MissingFile extends Omit<OwnedSeries, 'connectionId' | 'kind'> {
  period: Period
  /** True if the API key has no access to the file. */
  isLocked: boolean
}

/** Everything that a thread needs to build the panel of a study from cached files. */
export interface CachePlan {
  intervalMs: number
  /** Symbols, sorted by the UTF-16 code units of their names. */
  symbols: PlannedSymbol[]
  datasets: PlannedDataset[]
  /** Columns of own datasets that stand beside the symbols; they add neither rows nor symbols. */
  own?: PlannedOwn[]
  /** Ranges that the study needs and for which there is no file, by symbol. */
  missingRanges: TimeRange[][]
  missingFiles: number
}

interface PlannedCache {
  plan: CachePlan
  missing: MissingFile[]
  /** Warnings about symbols that the study names but that none of its venues lists. */
  warnings: StudyWarning[]
}

export interface CacheRequest {
  /** Range and source of a study of any kind. */
  study: Pick<CacheStudy, 'interval' | 'start' | 'end'> & { source: StudySource; kind?: LabKind }
  formulas: readonly StudyFormula[]
  /** Datasets to read in place of those that formulas name, at the study's own interval only. */
  datasets?: readonly NamedDataset[]
  /** Datasets to read in addition to those that formulas name. */
  extraDatasets?: readonly NamedDataset[]
  timestamp: TimestampSource
  /** Symbols to read, as `exchange/symbol`, of those that the source names; all if absent. */
  names?: ReadonlySet<string> | undefined
  connectionId: string
  /** Tier of the connection's key; null if unknown. */
  tier: number | null
}

/**
 * Finds the files of a study in the index; throws a `StudyError` for an invalid formula and a `NoRowsError` if there are
 * no rows.
 */
export function planCachePanel(store: Store, clock: Clock, request: CacheRequest): PlannedCache {
  const { found, symbols, range, own, isOwnOnly } = findFiles(store, request)
  const { missing, rangesBySymbol } = findMissing(store, clock, request, { found, symbols, range })
  const unlistedText = unlistedSymbolsText(store, request, symbols)
  if (symbols.length === 0) throw noRows(request, found, missing, unlistedText)
  // A formula cannot be computed if no file has its columns, whatever other datasets are cached.
  const neededDatasets = (
    request.datasets ?? namedDatasets(request.formulas.filter(({ isOptional }) => !isOptional))
  ).map(({ dataset }) => dataset)
  // A further reading of a dataset, such as its rates of a shorter interval, is none of a formula.
  const absentDatasets = found.filter(
    ({ named, files }) => files.size === 0 && named.alias === undefined && neededDatasets.includes(named.dataset),
  )
  if (absentDatasets.length > 0) throw noRows(request, absentDatasets, missing, unlistedText)
  const plannedDatasets = isOwnOnly
    ? [planOwnBars(store, own, symbols, range)]
    : found.map((one) => planDataset(store, request, one, { symbols, range }))
  return {
    plan: {
      intervalMs: range.intervalMs,
      symbols,
      datasets: plannedDatasets,
      ...(own.length > 0 && { own }),
      missingRanges: symbols.map(({ name }) => rangesBySymbol.get(name) ?? []),
      missingFiles: missing.length,
    },
    missing,
    warnings: [
      ...(unlistedText === '' ? [] : [warning('unknown-symbol', unlistedText)]),
      ...publishedLaterWarnings(store, own),
    ],
  }
}

/**
 * Lists every documented column, in the order of the catalog, of the datasets of which all symbols of a study have files
 * at its interval and clock. The symbols are those of the study's formulas.
 */
export function cachedColumns(store: Store, request: CacheRequest): string[] {
  const { symbols, range } = findFiles(store, request)
  if (symbols.length === 0) return []
  return metricDatasets.flatMap(({ id, columns }) => {
    const files = filesAt(store, request, { dataset: id, range, intervals: [request.study.interval] })
    const names = new Set(files.filter(({ rows }) => rows !== 0).map(nameOf))
    return symbols.every(({ name }) => names.has(name)) ? columns.map((column) => `${id}.${column.name}`) : []
  })
}

/** Plans the reading of the own datasets that formulas name; throws a `StudyError` for a name that there is not. */
function planOwnColumns(store: Store, { formulas }: CacheRequest, range: TimeRange): PlannedOwn[] {
  const named = namedOwnColumns(formulas)
  for (const { field, seriesName, ...reading } of named) {
    const problem = ownProblem(store, reading)
    if (problem !== null) throw new StudyError(field, ownProblemText(seriesName, problem))
  }
  return [...Map.groupBy(named, ({ name }) => name)].map(([name, columns]) =>
    planOwn(store, { name, columns: columns.map(({ column }) => column) }, range),
  )
}

/** Warns about own datasets that may have been published later than they say: they name no delay, but their file does. */
function publishedLaterWarnings(store: Store, own: readonly PlannedOwn[]): StudyWarning[] {
  const names = own.flatMap(({ name }) => (mayBePublishedLater(store.ownData.read(name).record) ? [`own_${name}`] : []))
  return names.length === 0 ? [] : [warning('published-later-unknown', `${names.join(', ')}.`)]
}

/** Finds the files that a study needs and the cache does not have; throws a `StudyError` for an invalid formula. */
export function findMissingFiles(store: Store, clock: Clock, request: CacheRequest): MissingFile[] {
  return findMissing(store, clock, request, findFiles(store, request)).missing
}

function findFiles(store: Store, request: CacheRequest) {
  const range = studyRange(request.study)
  const own = planOwnColumns(store, request, range)
  const wanted = request.datasets ?? [...namedDatasets(request.formulas), ...(request.extraDatasets ?? [])]
  const isOwnOnly = wanted.length === 0 && own.length > 0
  const datasets = wanted.map((one) => ({
    named: one,
    files: filesAt(store, request, {
      dataset: one.dataset,
      range,
      intervals: one.intervals ?? [request.study.interval],
    }),
  }))
  const symbols = symbolsOf(
    store,
    request.connectionId,
    isOwnOnly
      ? ownInstruments(store, own, request.study.source)
      : datasets.flatMap(({ named: { intervals: shorterIntervals }, files }) => (shorterIntervals ? [] : files)),
  )
  const found = datasets.flatMap(({ named: one, files }) => {
    const longerIntervalFiles =
      one.intervals || request.datasets
        ? []
        : longerFiles(store, request, { dataset: one.dataset, range, symbols, files })
    return groupByInterval(one, request.study.interval, [...files, ...longerIntervalFiles])
  })
  return { found, symbols, range, own, isOwnOnly }
}

/** A dataset at one interval, with the files of the symbols for which this interval is read. */
interface FoundDataset {
  named: NamedDataset
  interval: string
  intervalMs: number
  files: Map<string, PanelSourceFile[]>
  /** Tells whether the symbol is read at this interval, so that its files are needed. */
  isReadFor(name: string): boolean
}

const secondsOf = (interval: string): number => parseInterval(interval) ?? NaN
const nameOf = ({ exchange, symbol }: { exchange: string; symbol: string }) => `${exchange}/${symbol}`

interface WantedFiles {
  dataset: string
  range: TimeRange
}

function filesAt(
  { files }: Store,
  { study: { source }, timestamp, connectionId, names }: CacheRequest,
  {
    dataset,
    range,
    intervals: wantedIntervals,
    symbols = source.symbols,
  }: WantedFiles & { intervals: readonly string[]; symbols?: string[] | null },
): PanelSourceFile[] {
  const found = files.withPanelFacts({
    connectionId,
    kind: 'metrics',
    datasets: [dataset],
    exchanges: source.exchanges,
    ...(symbols && { symbols }),
    timestamps: [timestamp],
    intervals: wantedIntervals,
    startDay: Math.floor(range.startMs / MS_PER_DAY),
    endDay: Math.ceil(range.endMs / MS_PER_DAY),
  })
  return names ? found.filter((file) => names.has(nameOf(file))) : found
}

/** Finds files of longer intervals for the symbols of the study that have no file at the study's interval. */
function longerFiles(
  store: Store,
  request: CacheRequest,
  { files, symbols, ...wanted }: WantedFiles & { files: readonly PanelSourceFile[]; symbols: readonly PlannedSymbol[] },
): PanelSourceFile[] {
  const ownNames = new Set(files.map(nameOf))
  const lackingSymbols = symbols.filter(({ name }) => !ownNames.has(name))
  if (lackingSymbols.length === 0) return []
  const longerIntervals = intervals.filter((one) => secondsOf(one) > secondsOf(request.study.interval))
  const found = filesAt(store, request, {
    ...wanted,
    intervals: longerIntervals,
    symbols: [...new Set(lackingSymbols.map(({ symbol }) => symbol))],
  })
  const names = new Set(lackingSymbols.map(({ name }) => name))
  return found.filter((file) => names.has(nameOf(file)))
}

/** Keeps the files of the shortest interval. */
function filesOfShortest(files: readonly PanelSourceFile[]): PanelSourceFile[] {
  const shortest = files.reduce((least, file) => Math.min(least, secondsOf(file.interval)), Infinity)
  return files.filter((file) => secondsOf(file.interval) === shortest)
}

/**
 * Chooses the shortest interval of each symbol; symbols with the same interval form one dataset. A symbol without files
 * is planned at the chosen interval that is closest to the study's.
 */
function groupByInterval(named: NamedDataset, interval: string, allFiles: readonly PanelSourceFile[]): FoundDataset[] {
  const shortestFiles = [...Map.groupBy(allFiles, nameOf).values()].map(filesOfShortest)
  const names = new Set(shortestFiles.map(([file]) => nameOf(file)))
  const groups = [...Map.groupBy(shortestFiles, ([file]) => file.interval)]
  const distanceOf = (one: string) => Math.abs(secondsOf(one) - secondsOf(interval))
  if (groups.length === 0) groups.push([named.intervals?.at(-1) ?? interval, []])
  groups.sort(([a], [b]) => distanceOf(a) - distanceOf(b))
  return groups.map(([groupInterval, symbolFiles], index) => {
    const files = new Map(symbolFiles.map((own) => [nameOf(own[0]), own]))
    const isReadFor = (name: string) => files.has(name) || (index === 0 && !names.has(name))
    return { named, interval: groupInterval, intervalMs: secondsOf(groupInterval) * 1000, files, isReadFor }
  })
}

/** Lists the symbols of files or own rows, sorted by name. */
function symbolsOf(
  { instruments, venues }: Store,
  connectionId: string,
  files: readonly Pick<PanelSourceFile, 'exchange' | 'symbol'>[],
): PlannedSymbol[] {
  const known = venues.of(connectionId)
  const fileByName = new Map(files.map((file) => [nameOf(file), file]))
  return [...fileByName]
    .map(([name, { exchange, symbol }]) => {
      const contractSizes = instruments.contractSizes(exchange, symbol)
      const amountUnit = amountUnitAt(exchange, known)
      return { name, exchange, symbol, amountUnit, ...(contractSizes.length > 0 && { contractSizes }) }
    })
    .sort((a, b) => byCodeUnits(a.name, b.name))
}

const seriesOf = (
  { connectionId, timestamp }: CacheRequest,
  { named, interval }: FoundDataset,
  { exchange, symbol }: Pick<OwnedSeries, 'exchange' | 'symbol'>,
): OwnedSeries => ({ connectionId, kind: 'metrics', dataset: named.dataset, exchange, symbol, interval, timestamp })

function planDataset(
  { folder }: Store,
  request: CacheRequest,
  dataset: FoundDataset,
  { symbols, range }: { symbols: readonly PlannedSymbol[]; range: TimeRange },
): PlannedDataset {
  const { named, interval, intervalMs, files } = dataset
  const hash = createHash('sha256')
  let firstMs = Infinity
  let lastMs = -Infinity
  let newestFetchMs = 0
  const plannedFiles = symbols.map(({ name, exchange, symbol }) => {
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
        known: knownPanelFileOf(file),
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
  return { ...named, intervalMs, firstSlot, rows, files: plannedFiles, key, newestFetchMs }
}

/** Plans which file covers which part of the range; files that do not overlap need no plan by day. */
function fileRangesOf(files: readonly PanelSourceFile[], range: TimeRange) {
  const filesOverlap = files.some((file, index) => index > 0 && file.startDay < files[index - 1].endDay)
  if (filesOverlap) return planSeries(files, range)
  return files
    .map((file) => ({
      file,
      startMs: Math.max(file.startDay * MS_PER_DAY, range.startMs),
      endMs: Math.min(file.endDay * MS_PER_DAY, range.endMs),
    }))
    .filter(({ startMs, endMs }) => startMs < endMs)
}

function regularOf({ rows, firstTimeMs, stepMs, duplicateTimes }: PanelSourceFile, intervalMs: number) {
  if (rows === null || firstTimeMs === null || stepMs !== intervalMs || duplicateTimes !== 0) return null
  return firstTimeMs % intervalMs === 0 ? { rows, firstTimeMs } : null
}

interface MissingContext {
  found: readonly FoundDataset[]
  symbols: readonly PlannedSymbol[]
  range: TimeRange
}

/** Finds the files that the service should have and the cache does not, with their ranges by symbol. */
function findMissing(store: Store, clock: Clock, request: CacheRequest, { found, symbols, range }: MissingContext) {
  const { study, timestamp, connectionId, tier } = request
  const startDay = dayFromNumber(Math.floor(range.startMs / MS_PER_DAY))
  const endDay = dayFromNumber(Math.ceil(range.endMs / MS_PER_DAY) - 1)
  const allPeriods = plannedPeriods(startDay, endDay, dayOf(clock.nowMs()), firstDailyDayOf(store, connectionId))
  const listedPeriods = createTypedListings(store)
  const refusals = store.unavailable.refusals(connectionId)
  const mayExist = createListings(store, { connectionId, kind: 'metrics' })
  const missing: MissingFile[] = []
  const rangesBySymbol = new Map<string, TimeRange[]>()
  for (const { exchange, symbol } of requestedSymbols(study, symbols)) {
    const name = nameOf({ exchange, symbol })
    for (const dataset of found) {
      const { named, interval, files } = dataset
      if (named.isOptional || !dataset.isReadFor(name)) continue
      const series = seriesOf(request, dataset, { exchange, symbol })
      const periods = listedPeriods(series, allPeriods)
      const cachedDays = (files.get(name) ?? []).map(({ isFinal, ...days }) => ({ ...days, isFinal: isFinal === 1 }))
      if (periods.length === 0 || coversAll(cachedDays, periods[0].startDay, periods[periods.length - 1].endDay))
        continue
      const locked = isSeriesLocked(series, tier, refusals)
      const absentPeriods = store.unavailable.absentPeriods(
        series,
        periods[0].startDay,
        periods[periods.length - 1].endDay,
      )
      const knowledge = {
        cachedRanges: cachedDays,
        absent: new Set(absentPeriods.map(({ period }) => period)),
        isLocked: locked,
        mayExist: mayExist(series),
      }
      statesOfPeriods(periods, knowledge).forEach((state, index) => {
        const { period, ...days } = periods[index]
        const gaps = uncovered(cachedDays.map(rangeInMs), clipDays(rangeInMs(days), range)).filter(
          ({ startMs, endMs }) => endMs > startMs,
        )
        if (!['missing', 'locked', 'partial'].includes(state) || gaps.length === 0) return
        missing.push({ dataset: named.dataset, exchange, symbol, interval, timestamp, period, isLocked: locked })
        rangesBySymbol.set(name, [...(rangesBySymbol.get(name) ?? []), ...gaps])
      })
    }
  }
  return { missing, rangesBySymbol }
}

const rangeInMs = ({ startDay, endDay }: { startDay: DayNumber; endDay: DayNumber }): TimeRange => ({
  startMs: startDay * MS_PER_DAY,
  endMs: endDay * MS_PER_DAY,
})

const clipDays = (days: TimeRange, range: TimeRange): TimeRange => ({
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

/** Lists the symbols of the study on all its venues; if the study names no symbols, the symbols with files. */
function requestedSymbols(
  { source: { symbols: named, exchanges } }: CacheRequest['study'],
  symbols: readonly PlannedSymbol[],
) {
  if (named === null) return symbols
  return exchanges.flatMap((exchange) => named.map((symbol) => ({ exchange, symbol })))
}

/** Maximum number of unlisted symbols that a message names. */
const MOST_NAMED = 5

/**
 * Names the symbols of a study that none of its venues lists, and suggests listed symbols with similar names. Empty if
 * all symbols are listed or have cached files, or if a venue's list is unknown.
 */
function unlistedSymbolsText(
  { coverage }: Store,
  { study, connectionId }: CacheRequest,
  symbols: readonly PlannedSymbol[],
): string {
  const { symbols: named, exchanges } = study.source
  const isListKnown = (exchange: string) => coverage.document(connectionId, SYMBOLS_DOCUMENT + exchange) !== undefined
  if (named === null || !exchanges.every(isListKnown)) return ''
  const hasFiles = new Set(symbols.map(({ symbol }) => symbol))
  const isListed = (symbol: string) => exchanges.some((exchange) => coverage.hasSymbol(connectionId, exchange, symbol))
  const unlisted = named.filter((symbol) => !hasFiles.has(symbol) && !isListed(symbol))
  if (unlisted.length === 0) return ''
  const symbolByBase = new Map(
    exchanges
      .flatMap((exchange) => coverage.symbols(connectionId, exchange))
      .map((symbol) => [parseSymbol(symbol)?.base ?? symbol, symbol]),
  )
  const sentences = unlisted.slice(0, MOST_NAMED).map((symbol) => {
    const base = suggestName(parseSymbol(symbol)?.base ?? symbol, symbolByBase.keys())
    const suggestion = base === null ? '' : ` Did you mean ${symbolByBase.get(base)}?`
    return `“${symbol}” is not a symbol on ${exchanges.join(' or ')}.${suggestion}`
  })
  const more = unlisted.length - sentences.length
  return [...sentences, ...(more > 0 ? [`${more} more are not listed either.`] : [])].join(' ')
}

function noRows(
  { study, timestamp }: CacheRequest,
  absent: readonly FoundDataset[],
  missing: readonly MissingFile[],
  unlistedText: string,
): NoRowsError {
  const { exchanges } = study.source
  const datasets = absent.map(({ named }) => named.dataset)
  const names = datasets.join(', ')
  const count = missing.filter(({ dataset }) => datasets.includes(dataset)).length
  const downloadNote = count === 0 ? '' : ` ${plainPlural(count, 'file')} of this range can be downloaded.`
  const rowsText = names === '' ? 'dataset of both clocks' : `rows of ${names}`
  const clockText = names === '' ? '' : ` (${timestamp} clock)`
  return new NoRowsError(
    `The cache has no ${rowsText} at ${study.interval}${clockText} on ${exchanges.join(', ')} from ${study.start} to ${study.end}.${downloadNote}${unlistedText === '' ? '' : ` ${unlistedText}`}`,
  )
}

/** Lists the datasets that have rows of a study at its interval by each of some clocks. */
export function datasetsByEvery(
  store: Store,
  study: CacheRequest['study'],
  clocks: readonly TimestampSource[],
  connectionId: string,
): string[] {
  const range = studyRange(study)
  const isCached = (dataset: string, timestamp: TimestampSource) => {
    const request = { study, formulas: [], timestamp, connectionId, tier: null }
    return filesAt(store, request, { dataset, range, intervals: [study.interval] }).length > 0
  }
  return metricDatasetIds.filter((dataset) => clocks.every((clock) => isCached(dataset, clock)))
}

/** Builds the requests that download missing files, as few as possible. */
export function downloadRequests(connectionId: string, missing: readonly MissingFile[]): DownloadRequest[] {
  const groups = Map.groupBy(missing, ({ dataset, exchange, interval, timestamp }) =>
    [dataset, exchange, interval, timestamp].join('\n'),
  )
  return [...groups.values()].map((files) => {
    const [{ dataset, exchange, interval, timestamp }] = files
    const ends = files.map(({ period }) => (period.length === 7 ? lastDayOf(period) : period)).sort()
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
      endDay: ends[ends.length - 1],
      refresh: false,
      tryLocked: false,
      tryRefused: false,
    }
  })
}

const lastDayOf = (month: Period): string => {
  const [year, monthNumber] = month.split('-').map(Number)
  return new Date(Date.UTC(year, monthNumber, 0)).toISOString().slice(0, 10)
}
