import { createHash } from 'node:crypto'
import { serialize } from 'node:v8'
import { intervals } from '#shared/catalog/intervals.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import type { FundingPeriods } from '#shared/funding/fundingPeriods.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { conflictWarnings } from '#shared/lab/fundingWarnings.ts'
import type { NamedDataset } from '#shared/lab/cacheColumns.ts'
import { PanelError, refuseTooLarge } from '#shared/lab/panel.ts'
import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import { combinationsOf, combinationStudy } from '#shared/lab/portfolio/parameterGrid.ts'
import { formulasOf, type StudyFormula } from '#shared/lab/kinds.ts'
import type { PortfolioSource, PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { portfolioWarning, type PortfolioWarning } from '#shared/lab/portfolio/portfolioWarnings.ts'
import { sourceWarnings, unitOfFormula } from '#shared/lab/sourceWarnings.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import type { StudyWarning } from '#shared/lab/studyWarnings.ts'
import type { DailyValues, UniverseRows } from '#shared/lab/universe.ts'
import { MS_PER_HOUR, parseInterval } from '#shared/time.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import { forgetKnown } from '#core/series/changedFiles.ts'
import { type CachePlan, type CacheRequest, planCachePanel, type PlannedSymbol } from '../cachePlan.ts'
import { type CacheSourceDeps, historyOf, presentDays, universeRows } from '../cacheSource.ts'
import { planSize } from '../studyTask.ts'
import {
  fundingInputs,
  type FundingRequest,
  fundingTable,
  needsFunding,
  studyFunding,
  withFunding,
} from '../studyFunding.ts'
import { seenTo } from '../forward/seenTo.ts'
import { cacheInputs, type ReadInputs } from '../recordStudy.ts'
import { exposureRequest } from '../sourceHistories.ts'

/** A tested portfolio whose rows come from the cache. */
type CacheTest = PortfolioStudy & { source: PortfolioSource }

/** Everything that a thread needs to read the rows of a test from the cache. */
export interface CacheTestContent {
  plan: CachePlan
  universe: UniverseRows | null
  exposure: DailyValues | null
  /** Funding periods of the symbols within the range of the test; null if the test names no funding. */
  funding: FundingRow[] | null
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
export function cacheFormulas(study: PortfolioStudy): StudyFormula[] {
  const combinations = study.parameters ? combinationsOf(study.parameters) : [null]
  const signals = new Set(combinations.map((one) => (one ? combinationStudy(study, one) : study).signal))
  const [, ...others] = formulasOf(study)
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

/** Tells whether a test pays what is due by funding periods. */
export const namesFunding = (study: PortfolioStudy): boolean =>
  study.funding !== 'none' && columnsNamed([study.fundingRate]).includes(FUNDING)

/** Describes what a test needs from the cache, given the funding periods of its symbols. */
export function cacheNeeds(
  study: CacheTest,
  funding: ReadonlyMap<string, FundingPeriods> = new Map(),
): Pick<CacheRequest, 'study' | 'formulas' | 'extraDatasets'> {
  const formulas = cacheFormulas(study)
  return {
    study,
    formulas,
    extraDatasets: namesFunding(study) ? fundingDatasets(study, formulas, funding) : [],
  }
}

/**
 * Lists the datasets to add for computing `funding`: the rates of the test's interval, unless a formula already names
 * them, and those of a shorter interval where a bar may hold several funding times, because periods are shorter than
 * the bars, change, or are not known yet.
 */
function fundingDatasets(
  study: CacheTest,
  formulas: readonly StudyFormula[],
  funding: ReadonlyMap<string, FundingPeriods>,
): NamedDataset[] {
  const { intervalMs } = studyRange(study)
  const { dataset, column, alias } = SHORTER_INTERVAL_RATES
  const all = [...funding.values()]
  const everyMs = all.flatMap((periods) => periods.map((period) => period.everyMs))
  const isUnknown = all.length === 0 || all.some((periods) => periods.length === 0)
  const shortestMs = Math.min(...everyMs, ...(isUnknown ? [MS_PER_HOUR] : []))
  const isShorter = shortestMs < intervalMs
  const isShorterForAll = !isUnknown && everyMs.every((ms) => ms < intervalMs)
  const mayHoldSeveral = isShorter || all.some((periods) => periods.length > 1)
  // Of the cached ones each symbol takes the shortest; the last one is what a symbol without any should have.
  const [tooLong, short] = partition(
    intervals.filter((one) => msOf(one) < intervalMs),
    (one) => isShorter && msOf(one) > shortestMs,
  )
  const shorterIntervals = [...tooLong, ...short]
  const shorterIntervalDataset: NamedDataset = {
    ...{ dataset, columns: [column], alias },
    ...{ intervals: shorterIntervals, isOptional: !isShorter || isUnknown },
  }
  const isNamed = columnsNamed(formulas.map(({ formula }) => formula)).includes(`${dataset}.${column}`)
  return [
    ...(isShorterForAll || isNamed ? [] : [{ dataset, columns: [column] }]),
    ...(mayHoldSeveral && shorterIntervals.length > 0 ? [shorterIntervalDataset] : []),
  ]
}

function partition<Value>(values: readonly Value[], isFirst: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))]
}

const msOf = (interval: string): number => (parseInterval(interval) ?? NaN) * 1000

interface FoundTestRows extends ReadInputs {
  rows: CacheTestRows
  /** Funding periods of the symbols; null if the test goes by none. */
  fundingPeriods: readonly FundingRow[] | null
}

export type CacheTestRequest = {
  study: PortfolioStudy
  /** Start of the sealed days in milliseconds; null if nothing is sealed. */
  sealedFromMs: number | null
} & FundingRequest

/** Finds the files, members, funding times and exposure of a test; throws a `StudyError` or a `PanelError`. */
export async function findTestRows(
  deps: CacheSourceDeps,
  { study, sealedFromMs, ...request }: CacheTestRequest,
  signal: AbortSignal,
): Promise<FoundTestRows> {
  const test = cacheTestOf(study)
  const { store, clock } = deps
  const { connectionId, names } = request
  const { id, tier } = connectionId === '' ? store.connections.active() : store.connections.find(connectionId)
  const { timestamp } = test.source
  const { open, sealed } = splitAt(test, sealedFromMs)
  const formulasNeedIt = needsFunding(cacheFormulas(test))
  const known =
    namesFunding(test) || formulasNeedIt
      ? await studyFunding(deps, open, { ...request, connectionId: id }, signal)
      : null
  const plan = (part: CacheTest) => {
    const needs = cacheNeeds(part, known?.byName)
    return planCachePanel(store, clock, { ...needs, timestamp, names, connectionId: id, tier })
  }
  const { plan: openPlan, warnings } = plan(open)
  refuseTooLarge(planSize(openPlan))
  const content: CacheTestContent = {
    plan: known && formulasNeedIt ? withFunding(openPlan, known) : openPlan,
    universe: await universeRows(deps, open, id, signal),
    exposure: await exposureOf(deps, open, id, signal),
    funding: known && fundingTable(known, open, openPlan.symbols),
    sealed: sealed && sealedPlan(() => plan(sealed).plan),
    warnings: [
      ...testWarnings(test, openPlan.symbols, store.venues.of(id)),
      ...conflictWarnings(known?.conflicts ?? []),
      ...warnings,
    ],
  }
  if (deps.changedFiles) await deps.changedFiles.settle(content, signal)
  else forgetKnown(content)
  const bytes = serialize(content)
  const sharedBytes = new SharedArrayBuffer(bytes.length)
  new Uint8Array(sharedBytes).set(bytes)
  const key = createHash('sha256').update(bytes).digest('hex')
  const { inputs, files } = cacheInputs([openPlan])
  return {
    rows: { key, content: sharedBytes },
    inputs: [...inputs, ...fundingInputs(content.funding)],
    files,
    fundingPeriods: content.funding,
    seenTo: seenTo(store, { connectionId: id, timestamps: [timestamp] }, [openPlan]),
  }
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
  const request = exposureRequest(exposureBy)
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
    ...sourceWarnings({ formulas: cacheFormulas(test) }, exchanges, [test.source.timestamp], venues),
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
