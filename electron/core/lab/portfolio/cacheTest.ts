import { createHash } from 'node:crypto'
import { serialize } from 'node:v8'
import { intervals } from '#shared/catalog/intervals.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import type { NamedDataset } from '#shared/lab/cacheColumns.ts'
import { PanelError, refuseTooLarge } from '#shared/lab/panel.ts'
import { columnsNamed } from '#shared/lab/panelFormula.ts'
import { combinationsOf, combinationStudy } from '#shared/lab/portfolio/parameterGrid.ts'
import {
  durationMs,
  portfolioFormulas,
  type PortfolioSource,
  type PortfolioStudy,
} from '#shared/lab/portfolio/portfolioStudy.ts'
import { portfolioWarning, type PortfolioWarning } from '#shared/lab/portfolio/portfolioWarnings.ts'
import { type ComparedFormula, sourceWarnings, unitOfFormula } from '#shared/lab/sourceWarnings.ts'
import { StudyError } from '#shared/lab/studyDocument.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import type { StudyWarning } from '#shared/lab/studyWarnings.ts'
import type { DailyValues, UniverseRows } from '#shared/lab/universe.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Store } from '#core/store/store.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import type { FileToRead } from '#core/series/readerTask.ts'
import { forgetKnown } from '#core/series/seriesReader.ts'
import {
  type CachePlan,
  type CacheRequest,
  knownPanelFileOf,
  planCachePanel,
  type PlannedSymbol,
} from '../cachePlan.ts'
import { type CacheSourceDeps, historyOf, presentDays, universeRows } from '../cacheSource.ts'
import { planSize } from '../panelStudy.ts'
import { cacheInputs, type ReadInputs } from '../recordStudy.ts'

/** A tested portfolio whose rows come from the cache. */
export type CacheTest = PortfolioStudy & { source: PortfolioSource }

/** A cached file of raw funding events. */
export interface RawFundingFile extends FileToRead {
  symbol: string
  period: string
  sha256: string
  startDay: DayNumber
  endDay: DayNumber
}

/** Funding as a test reads it: the regular period, and the raw files that announce irregular times. */
export interface FundingPlan {
  everyMs: number
  /** Files of raw funding events by symbol. */
  announcements: RawFundingFile[][]
}

/** Everything that a thread needs to read the rows of a test from the cache. */
export interface CacheTestContent {
  plan: CachePlan
  universe: UniverseRows | null
  exposure: DailyValues | null
  funding: FundingPlan | null
  /** Plan of the sealed rows, which are only counted. */
  sealed: CachePlan | null
  warnings: (StudyWarning | PortfolioWarning)[]
}

/** Describes the cached rows of a test, in memory that all threads share. */
export interface CacheTestRows {
  /** Hash of the content. */
  key: string
  content: SharedArrayBuffer
}

/** Name in formulas for the funding due in a bar. */
export const FUNDING = 'funding'
/** Funding rates of an interval shorter than that of the test. */
export const SHORTER_INTERVAL_RATES = {
  dataset: 'funding',
  column: 'funding_rate',
  alias: 'funding of a shorter interval',
}

/** Lists the formulas of a test by field; a formula shared by several combinations of the grid appears once. */
export function cacheFormulas(study: PortfolioStudy): ComparedFormula[] {
  const combinations = study.parameters ? combinationsOf(study.parameters) : [null]
  const signals = new Set(combinations.map((one) => (one ? combinationStudy(study, one) : study).signal))
  const [, ...others] = portfolioFormulas(study)
  return [
    ...[...signals].map((formula) => ({ field: 'signal', formula, isCompared: study.weights.rule !== 'direct' })),
    ...others.map((one) => ({
      ...one,
      isCompared: false,
      isOptional: one.field !== 'price',
      ...(one.field === 'fundingRate' && { provided: [FUNDING] }),
    })),
  ]
}

const namesFunding = (study: PortfolioStudy) =>
  study.funding !== 'none' && columnsNamed([study.fundingRate]).includes(FUNDING)

/** Describes what a test needs from the cache. */
export function cacheNeeds(
  study: CacheTest,
  hasAnnouncements = false,
): Pick<CacheRequest, 'study' | 'formulas' | 'extraDatasets'> {
  const formulas = cacheFormulas(study)
  return {
    study,
    formulas,
    extraDatasets: namesFunding(study) ? fundingDatasets(study, formulas, hasAnnouncements) : [],
  }
}

/**
 * Lists the datasets to add for computing `funding`. If a bar may contain several funding times, these are the rates of
 * a shorter interval. Otherwise they are the rates of the test's interval, unless a formula already names them, and
 * also those of a shorter interval if raw events announce the times.
 */
function fundingDatasets(study: CacheTest, formulas: readonly ComparedFormula[], hasAnnouncements: boolean) {
  const { intervalMs } = studyRange(study)
  const everyMs = durationMs(study.source.fundingEvery)
  const { dataset, column, alias } = SHORTER_INTERVAL_RATES
  const isLonger = intervalMs > everyMs
  const shorterIntervals = intervals.filter((one) => (isLonger ? msOf(one) <= everyMs : msOf(one) < intervalMs))
  const shorterIntervalDataset: NamedDataset = {
    ...{ dataset, columns: [column], alias },
    ...{ intervals: shorterIntervals, isOptional: !isLonger },
  }
  const isNamed = columnsNamed(formulas.map(({ formula }) => formula)).includes(`${dataset}.${column}`)
  return [
    ...(isLonger || isNamed ? [] : [{ dataset, columns: [column] }]),
    ...(isLonger || (hasAnnouncements && shorterIntervals.length > 0) ? [shorterIntervalDataset] : []),
  ]
}

const msOf = (interval: string): number => (parseInterval(interval) ?? NaN) * 1000

export interface FoundTestRows extends ReadInputs {
  rows: CacheTestRows
}

export interface CacheTestRequest {
  study: PortfolioStudy
  connectionId: string
  /** Start of the sealed days in milliseconds; null if nothing is sealed. */
  sealedFromMs: number | null
}

/** Finds the files, members, funding times and exposure of a test; throws a `StudyError` or a `PanelError`. */
export async function findTestRows(
  deps: CacheSourceDeps,
  { study, connectionId, sealedFromMs }: CacheTestRequest,
  signal: AbortSignal,
): Promise<FoundTestRows> {
  const test = cacheTestOf(study)
  const { store, clock } = deps
  const { id, tier } = connectionId === '' ? store.connections.active() : store.connections.find(connectionId)
  const { timestamp } = test.source
  const { open, sealed } = splitAt(test, sealedFromMs)
  const announcementsByName = namesFunding(test)
    ? announcementFiles(store, open, id)
    : new Map<string, RawFundingFile[]>()
  const plan = (part: CacheTest) => {
    const needs = cacheNeeds(part, announcementsByName.size > 0)
    return planCachePanel(store, clock, { ...needs, timestamp, connectionId: id, tier })
  }
  const { plan: openPlan, warnings } = plan(open)
  refuseTooLarge(planSize(openPlan))
  const content: CacheTestContent = {
    plan: openPlan,
    universe: await universeRows(deps, open, id, signal),
    exposure: await exposureOf(deps, open, id, signal),
    funding: namesFunding(test)
      ? {
          everyMs: durationMs(test.source.fundingEvery),
          announcements: openPlan.symbols.map(({ name }) => announcementsByName.get(name) ?? []),
        }
      : null,
    sealed: sealed && sealedPlan(() => plan(sealed).plan),
    warnings: [...testWarnings(test, openPlan.symbols, store.venues.of(id)), ...warnings],
  }
  if (deps.changedFiles) await deps.changedFiles.settle(content, signal)
  else forgetKnown(content)
  const bytes = serialize(content)
  const sharedBytes = new SharedArrayBuffer(bytes.length)
  new Uint8Array(sharedBytes).set(bytes)
  const key = createHash('sha256').update(bytes).digest('hex')
  return { rows: { key, content: sharedBytes }, ...cacheInputs([openPlan], content.funding?.announcements.flat()) }
}

/** Narrows the type of a test to one whose rows come from the cache. */
export function cacheTestOf(study: PortfolioStudy): CacheTest {
  const { source } = study
  if (source === null) throw new StudyError('source', 'is null and there is no panel: name the rows to study.')
  if (source.against !== null)
    throw new StudyError('source.against', 'only a signal study is compared with the other clock.')
  return { ...study, source }
}

/** Splits the range of a test at the start of its sealed days; throws if nothing is left before them. */
function splitAt(test: CacheTest, sealedFromMs: number | null): { open: CacheTest; sealed: CacheTest | null } {
  const { startMs, endMs } = studyRange(test)
  if (sealedFromMs === null || sealedFromMs >= endMs) return { open: test, sealed: null }
  if (sealedFromMs <= startMs) throw new PanelError('no row is in the range of the study before the sealed days.')
  const sealedFrom = new Date(sealedFromMs).toISOString()
  return { open: { ...test, end: sealedFrom }, sealed: { ...test, start: sealedFrom } }
}

/** Plans the sealed rows, of which no column is read; null if there are none. */
function sealedPlan(plan: () => CachePlan): CachePlan | null {
  try {
    const planned = plan()
    return { ...planned, datasets: planned.datasets.map((dataset) => ({ ...dataset, columns: [] })) }
  } catch (error) {
    if (error instanceof PanelError) return null
    throw error
  }
}

/**
 * Finds the cached files of raw funding events by symbol; daily files are left out if their month is cached as one
 * file.
 */
function announcementFiles({ files, folder }: Store, { source, ...range }: CacheTest, connectionId: string) {
  const { startMs, endMs } = studyRange(range)
  const found = files.withPanelFacts({
    connectionId,
    kind: 'raw',
    datasets: ['funding_rate'],
    exchanges: source.exchanges,
    ...(source.symbols && { symbols: source.symbols }),
    startDay: Math.floor(startMs / MS_PER_DAY),
    endDay: Math.ceil(endMs / MS_PER_DAY),
  })
  const sortedFiles = found.toSorted((a, b) => a.startDay - b.startDay || b.endDay - a.endDay)
  return Map.groupBy(
    sortedFiles.flatMap((file, index): RawFundingFile[] => {
      const { exchange, symbol, period, sha256, startDay, endDay } = file
      const isInside = sortedFiles.some(
        (other, otherIndex) =>
          otherIndex < index &&
          other.exchange === exchange &&
          other.symbol === symbol &&
          other.startDay <= startDay &&
          endDay <= other.endDay,
      )
      const series = { connectionId, kind: 'raw' as const, dataset: 'funding_rate', exchange, symbol }
      const path = folder.pathOf({ ...series, interval: '', timestamp: '' }, period)
      const knownFile = knownPanelFileOf(file)
      return isInside
        ? []
        : [{ path, known: knownFile, symbol: `${exchange}/${symbol}`, period, sha256, startDay, endDay }]
    }),
    ({ symbol }) => symbol,
  )
}

/** Reads the values that scale the exposure; null if there are none. */
async function exposureOf(
  deps: CacheSourceDeps,
  study: CacheTest,
  connectionId: string,
  signal: AbortSignal,
): Promise<DailyValues | null> {
  const { exposureBy } = study.source
  if (exposureBy === null) return null
  const { overlay, portfolio } = exposureBy
  const request =
    portfolio === null ? { endpoint: 'regime' as const, overlay } : { endpoint: 'overlay' as const, portfolio, overlay }
  const label = portfolio === null ? `the risk regime ${overlay}` : `the overlay ${overlay} of ${portfolio}`
  return presentDays(await historyOf(deps, { study, connectionId, request, label }, signal))
}

const MOST_NAMED_SYMBOLS = 3

function notLinearText(names: readonly string[]): string {
  const unnamedCount = names.length - MOST_NAMED_SYMBOLS
  const namesText = [...names.slice(0, MOST_NAMED_SYMBOLS), ...(unnamedCount > 0 ? [`${unnamedCount} more`] : [])].join(
    ', ',
  )
  return names.length === 1
    ? `${namesText} is not settled in its quote currency; its profit and loss are computed as if it were.`
    : `Not settled in their quote currency, but computed as if they were: ${namesText}.`
}

/** Lists the warnings about a test that are known before its rows are read. */
function testWarnings(
  test: CacheTest,
  symbols: readonly PlannedSymbol[],
  venues: Venues,
): (StudyWarning | PortfolioWarning)[] {
  const exchanges = [...new Set(symbols.map(({ exchange }) => exchange))]
  const { volume } = test.costs
  const notLinearSymbols = symbols.filter(({ symbol }) => {
    const parts = parseSymbol(symbol)
    return parts !== null && parts.settle !== parts.quote
  })
  const otherUnitTexts = exchanges.flatMap((exchange) => {
    const unit =
      volume === null || columnsNamed([volume]).length === 0 ? 'quote' : unitOfFormula(volume, exchange, venues)
    return unit === null || unit === 'quote' ? [] : [`On ${exchange} costs.volume is in ${unit}`]
  })
  return [
    ...sourceWarnings(cacheFormulas(test), exchanges, [test.source.timestamp], venues),
    ...(notLinearSymbols.length > 0
      ? [portfolioWarning('not-linear', notLinearText(notLinearSymbols.map(({ name }) => name)))]
      : []),
    ...(otherUnitTexts.length > 0
      ? [
          portfolioWarning(
            'volume-unit',
            `${otherUnitTexts.join('. ')}; participation and slippage are not in quote currency.`,
          ),
        ]
      : []),
  ]
}
