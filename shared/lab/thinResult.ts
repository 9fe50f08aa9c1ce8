import type { BlendResult } from './kinds/blend/run.ts'
import type { PortfolioResult } from './portfolio/testResult.ts'
import type { ResultOf, StudyResult } from './runStudy.ts'

/** Maximum length of a list that a window receives. */
const MOST_ENTRIES = 6000
/** Maximum number of lag tests of a lead–lag scan that a window receives. */
const MOST_LAG_TESTS = 30_000

type Horizon = ResultOf<'signal'>['horizons'][number]

/**
 * Shortens the long lists of a result for a window of the app: coefficients become means over blocks of valid times,
 * paths (of series too) keep the last value of each block of samples, only the strongest pairs of a large scan keep
 * their lags, and only the best lines of a screen are kept.
 * @returns the shortened result, and the number of valid times that one entry of its coefficients stands for
 */
export function thinResult<Result extends StudyResult | PortfolioResult | BlendResult>(
  result: Result,
): { result: Result; thinnedBy: number } {
  if (result.kind === 'signal') {
    const thinned = result.horizons.map(thinHorizon)
    const horizons = thinned.map(({ horizon }) => horizon)
    return { result: { ...result, horizons }, thinnedBy: Math.max(...thinned.map(({ every }) => every)) }
  }
  if (result.kind === 'series') return { result: { ...result, symbols: thinSymbols(result.symbols) }, thinnedBy: 1 }
  if (result.kind === 'leadlag') return { result: { ...result, pairs: thinPairs(result.pairs) }, thinnedBy: 1 }
  if (result.kind === 'screen')
    return { result: { ...result, cells: result.cells.slice(0, MOST_ENTRIES) }, thinnedBy: 1 }
  return { result, thinnedBy: 1 }
}

function thinHorizon(horizon: Horizon): { horizon: Horizon; every: number } {
  const { series, path } = horizon
  const every = Math.ceil(series.times.length / MOST_ENTRIES)
  if (every <= 1) return { horizon, every: 1 }
  const keep = lastOfBlocks(Math.ceil(path.times.length / MOST_ENTRIES))
  return {
    every,
    horizon: {
      ...horizon,
      series: {
        times: series.times.filter((_, at) => at % every === 0),
        n: blockMeans(series.n, every).map((mean) => mean ?? 0),
        rank: blockMeans(series.rank, every),
        pearson: blockMeans(series.pearson, every),
      },
      path: {
        times: keep(path.times),
        quantiles: path.quantiles.map(keep),
        spread: keep(path.spread),
      },
    },
  }
}

/** Returns a function that keeps the last entry of each block of `every` entries, reading no other. */
const lastOfBlocks =
  (every: number) =>
  <Value>(values: readonly Value[]): Value[] =>
    Array.from(
      { length: Math.ceil(values.length / every) },
      (_, block) => values[Math.min(values.length, (block + 1) * every) - 1],
    )

/** Least number of entries that a path keeps, however many there are. */
const LEAST_PATH_ENTRIES = 200

type SymbolSeries = ResultOf<'series'>['symbols']

/** Shortens the paths of a series, the more the more symbols there are. */
function thinSymbols(symbols: SymbolSeries): SymbolSeries {
  const mostEntries = Math.max(LEAST_PATH_ENTRIES, Math.floor(MOST_ENTRIES / symbols.length))
  return symbols.map((symbol) => ({
    ...symbol,
    horizons: symbol.horizons.map((horizon) => {
      const { times, buckets } = horizon.path
      const every = Math.ceil(times.length / mostEntries)
      if (every <= 1) return horizon
      const keep = lastOfBlocks(every)
      const path = { times: keep(times), buckets: buckets.map(keep) }
      return { ...horizon, path }
    }),
  }))
}

/** Averages the present values of each block of `every` entries; null for an empty block. */
function blockMeans(values: readonly (number | null)[], every: number): (number | null)[] {
  return Array.from({ length: Math.ceil(values.length / every) }, (_, block) => {
    const present = values.slice(block * every, (block + 1) * every).filter((value) => value !== null)
    return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0) / present.length
  })
}

type Pairs = ResultOf<'leadlag'>['pairs']

function thinPairs(pairs: Pairs): Pairs {
  const lagCount = pairs.at(0)?.lags.length ?? 0
  const mostPairs = Math.floor(MOST_LAG_TESTS / Math.max(1, lagCount))
  if (pairs.length <= mostPairs) return pairs
  const strength = ({ best }: Pairs[number]) => Math.abs(best?.r ?? 0)
  const keptPairs = new Set([...pairs].sort((a, b) => strength(b) - strength(a)).slice(0, mostPairs))
  return pairs.map((pair) => (keptPairs.has(pair) ? pair : { ...pair, lags: [] }))
}
