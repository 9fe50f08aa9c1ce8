import type { WatchAnswer, WatchRow } from '#shared/contract/areas/watch.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { annualFunding } from '#shared/quality/watchFigures.ts'
import { readsFunding } from '#shared/formula/functionTable.ts'
import { ownReadingOf } from '#shared/formula/ownData.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { type FundingStretch, periodAt } from '#shared/funding/fundingPeriods.ts'
import { intervalName, MS_PER_DAY } from '#shared/time.ts'
import { fundingOf } from '#core/funding/instrumentFunding.ts'
import { columnsInFormula } from '#core/series/formulaInputs.ts'
import { pairKey, type StoredFigures } from '#core/store/watchStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { datedSizesText } from '#shared/units/contractSizes.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { storedJsonOr } from '#core/store/storedJson.ts'
import type { Store } from '#core/store/store.ts'
import { checkedCounts, type QualityCountDeps } from './watchQuality.ts'
import { candlesOf, columnFigure, type FigureDeps, type MarketFigures, marketFigures } from './watchFigures.ts'

export interface WatchDeps extends QualityCountDeps, FigureDeps {}

export interface WatchRequest {
  connectionId: string
  list?: string | undefined
  columns: readonly { name: string; formula: string }[]
  /**
   * Extent of the quality checks: `check` also checks files that were never checked, which may take a while; `known`
   * shows stored results only.
   */
  quality: 'check' | 'known'
}

interface WatchOptions {
  signal: AbortSignal
  onProgress?: (progress: Progress) => void
}

/** Number of recent days that coverage and quality refer to. */
const WATCHED_DAYS = 30
/** Age in days up to which a new download of a file changes the fingerprint of its pair. */
const RECENT_DAYS = 70
/**
 * Number of pairs of venue and symbol read at a time, so that a long run can be cancelled and its results are stored in
 * batches.
 */
const PAIRS_AT_ONCE = 48

/** Computes the rows of a watch list from the cache, without any request to a service. */
export async function watchRows(
  deps: WatchDeps,
  { connectionId, list, columns, quality }: WatchRequest,
  options: WatchOptions,
): Promise<WatchAnswer> {
  const { store } = deps
  const seriesByPair = cachedByPair(store, connectionId)
  const pairs = list === undefined ? pairsWithCandles(seriesByPair) : store.lists.pairs(list)
  const today = Math.floor(deps.clock.nowMs() / MS_PER_DAY)
  const fingerprints = store.watch.fingerprints([connectionId, computedOwner(connectionId)], today - RECENT_DAYS)
  const figureContext = { deps, connectionId, pairs, seriesByPair, fingerprints, options }
  const market = await rememberedFigures<MarketFigures>(figureContext, 'market', (pairSeries) =>
    marketFigures(deps, pairSeries, options.signal),
  )
  const columnContext = { ...figureContext, fingerprints: withContractSizes(store, pairs, fingerprints) }
  const valueReaders: ((pair: ListedPair) => number | null)[] = []
  for (const { formula } of columns) {
    const found = await rememberedFigures<{ value: number | null; isWhole: boolean }>(
      // Funding periods and own data also depend on files that are not part of the fingerprint.
      readsFunding(parseFormula(formula)) || columnsInFormula(formula).some((name) => ownReadingOf(name) !== null)
        ? { ...figureContext, fingerprints: new Map() }
        : columnContext,
      `= ${formula}`,
      (pairSeries) => columnFigure(deps, pairSeries, formula, options.signal),
    )
    valueReaders.push((pair) => found.get(pairKey(pair))!.value)
  }
  const qualityCounts = await checkedCounts(
    deps,
    { connectionId, pairs, fingerprints, today, days: WATCHED_DAYS, quality },
    options,
  )
  const periodByPair = await lastPeriods(figureContext, market)
  const rows = pairs.map((pair): WatchRow => {
    const key = pairKey(pair)
    const { fundingAt: _at, isWhole: _, ...figures } = market.get(key)!
    const period = periodByPair.get(key)
    const candles = candlesOf(seriesByPair.get(key) ?? [])
    const coverage = candles ? coverageOf(store, candles, today) : 0
    const count = qualityCounts.counts.get(key) ?? null
    return {
      exchange: pair.exchange,
      symbol: pair.symbol,
      ...figures,
      funding_annualised: annualFunding(figures.funding_rate, period?.ratePerMs ?? null),
      funding_every: period ? intervalName(period.everyMs) : null,
      funding_basis: period?.basis ?? null,
      coverage,
      quality: coverage > 0 || (count ?? 0) > 0 ? count : null,
      values: valueReaders.map((valueOf) => valueOf(pair)),
    }
  })
  const hasUnknownPeriod = (pair: ListedPair) =>
    market.get(pairKey(pair))!.funding_rate !== null && !periodByPair.has(pairKey(pair))
  return { rows, unknownFunding: pairs.filter(hasUnknownPeriod), unchecked: qualityCounts.unchecked }
}

/** Adds to the fingerprints of pairs their contract sizes, by which a formula may convert. */
function withContractSizes(
  { instruments }: Store,
  pairs: readonly ListedPair[],
  fingerprints: ReadonlyMap<string, string>,
): Map<string, string> {
  const sized = new Map(fingerprints)
  for (const pair of pairs) {
    const [fingerprint, sizes] = [
      fingerprints.get(pairKey(pair)),
      instruments.contractSizes(pair.exchange, pair.symbol),
    ]
    if (fingerprint !== undefined && sizes.length > 0)
      sized.set(pairKey(pair), `${fingerprint} ${datedSizesText(sizes)}`)
  }
  return sized
}

type SeriesByPair = ReadonlyMap<string, OwnedSeries[]>

function cachedByPair({ cacheIndex }: Store, connectionId: string): Map<string, OwnedSeries[]> {
  const seriesByPair = new Map<string, OwnedSeries[]>()
  for (const { series } of cacheIndex.series(connectionId)) {
    if (series.kind !== 'metrics') continue
    const key = pairKey(series)
    const seriesOfPair = seriesByPair.get(key)
    if (seriesOfPair) seriesOfPair.push(series)
    else seriesByPair.set(key, [series])
  }
  return seriesByPair
}

const pairsWithCandles = (seriesByPair: SeriesByPair): ListedPair[] =>
  [...seriesByPair.values()].flatMap((pairSeries) => {
    const candles = pairSeries.find(({ dataset }) => dataset === 'ohlcv')
    return candles ? [{ exchange: candles.exchange, symbol: candles.symbol }] : []
  })

/** Finds the funding period of each pair at the time of its last rate; pairs of which it is not known are absent. */
async function lastPeriods(
  { deps, connectionId, pairs, options }: FigureContext,
  market: ReadonlyMap<string, MarketFigures>,
): Promise<Map<string, FundingStretch>> {
  const times = [...market.values()].flatMap(({ fundingAt }) => fundingAt ?? [])
  if (times.length === 0) return new Map()
  const range = { startMs: Math.min(...times), endMs: Math.max(...times) + 1 }
  const found = await fundingOf(
    { store: deps.store, reader: deps.series.deps.reader },
    { connectionId, pairs, range, timestamp: null },
    options.signal,
  )
  return new Map(
    found.flatMap(({ periods, ...pair }) => {
      const key = pairKey(pair)
      const timeMs = market.get(key)!.fundingAt
      const period = timeMs === null ? null : periodAt(periods, timeMs)
      return period ? [[key, period] as const] : []
    }),
  )
}

/** Computes the cached share of the last complete days. */
function coverageOf({ files }: Store, series: OwnedSeries, today: number): number {
  const days = new Set<number>()
  for (const { startDay, endDay } of files.ranges(series, today - WATCHED_DAYS, today))
    for (let day = Math.max(startDay, today - WATCHED_DAYS); day < Math.min(endDay, today); day++) days.add(day)
  return days.size / WATCHED_DAYS
}

interface FigureContext {
  deps: WatchDeps
  connectionId: string
  pairs: readonly ListedPair[]
  seriesByPair: SeriesByPair
  fingerprints: ReadonlyMap<string, string>
  options: WatchOptions
}

/** Tells whether stored figures are valid; damaged ones are computed again. */
const isWholeRecord = (value: unknown): value is Record<string, unknown> | null =>
  // Those of earlier versions have the funding rate under another name, and no sparkline.
  isRecord(value) && value.isWhole === true && !('fundingRate' in value) && !('last' in value && !('spark' in value))

/**
 * Returns the figures of all pairs: stored ones if the files have not changed, otherwise newly computed ones, which are
 * stored.
 */
async function rememberedFigures<Figures extends { isWhole: boolean }>(
  { deps, connectionId, pairs, seriesByPair, fingerprints, options: { signal, onProgress } }: FigureContext,
  name: string,
  compute: (pairSeries: readonly OwnedSeries[]) => Promise<Figures>,
): Promise<Map<string, Figures>> {
  const rememberedByPair = deps.store.watch.storedFigures(connectionId, name)
  const figuresByPair = new Map<string, Figures>()
  const uncomputedPairs: ListedPair[] = []
  for (const pair of pairs) {
    const before = rememberedByPair.get(pairKey(pair))
    const isCurrent = before?.fingerprint === fingerprints.get(pairKey(pair))
    const figures = isCurrent ? storedJsonOr(before?.figures, isWholeRecord, null) : null
    if (figures) figuresByPair.set(pairKey(pair), figures as unknown as Figures)
    else uncomputedPairs.push(pair)
  }
  for (let from = 0; from < uncomputedPairs.length; from += PAIRS_AT_ONCE) {
    onProgress?.({ done: from, total: uncomputedPairs.length, message: 'symbols read' })
    const batch = uncomputedPairs.slice(from, from + PAIRS_AT_ONCE)
    const computedFigures = await Promise.all(batch.map((pair) => compute(seriesByPair.get(pairKey(pair)) ?? [])))
    const newFigures = batch.flatMap(({ exchange, symbol }, index): StoredFigures[] => {
      const key = pairKey({ exchange, symbol })
      figuresByPair.set(key, computedFigures[index])
      const fingerprint = fingerprints.get(key)
      // If a file could not be read, the figures are not stored, because it may be readable the next time.
      if (fingerprint === undefined || !computedFigures[index].isWhole) return []
      return [{ exchange, symbol, fingerprint, figures: JSON.stringify(computedFigures[index]) }]
    })
    deps.store.watch.remember(connectionId, name, newFigures)
    signal.throwIfAborted()
  }
  return figuresByPair
}
