import type { StudyResult } from './runStudy.ts'

/** Maximum length of a list that a window receives. */
const MOST_ENTRIES = 6000
/** Maximum number of lag tests of a lead–lag scan that a window receives. */
const MOST_LAG_TESTS = 30_000

type SignalResult = Extract<StudyResult, { horizons: unknown }>
type Horizon = SignalResult['horizons'][number]

/**
 * Shortens the long lists of a result for a window of the app: coefficients become means over blocks of valid times,
 * paths keep the last value of each block of samples, and only the strongest pairs of a large scan keep their lags.
 * @returns the shortened result, and the number of valid times that one entry of its coefficients stands for
 */
export function thinResult(result: StudyResult): { result: StudyResult; thinnedBy: number } {
  if ('horizons' in result) {
    const thinned = result.horizons.map(thinHorizon)
    const horizons = thinned.map(({ horizon }) => horizon)
    return { result: { ...result, horizons }, thinnedBy: Math.max(...thinned.map(({ every }) => every)) }
  }
  if ('pairs' in result) return { result: { ...result, pairs: thinPairs(result.pairs) }, thinnedBy: 1 }
  return { result, thinnedBy: 1 }
}

function thinHorizon(horizon: Horizon): { horizon: Horizon; every: number } {
  const { series, path } = horizon
  const every = Math.ceil(series.times.length / MOST_ENTRIES)
  if (every <= 1) return { horizon, every: 1 }
  const pathEvery = Math.ceil(path.times.length / MOST_ENTRIES)
  const isKept = <Value>(_: Value, at: number, { length }: readonly Value[]) =>
    at % pathEvery === pathEvery - 1 || at === length - 1
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
        times: path.times.filter(isKept),
        quantiles: path.quantiles.map((values) => values.filter(isKept)),
        spread: path.spread.filter(isKept),
      },
    },
  }
}

/** Averages the present values of each block of `every` entries; null for an empty block. */
function blockMeans(values: readonly (number | null)[], every: number): (number | null)[] {
  return Array.from({ length: Math.ceil(values.length / every) }, (_, block) => {
    const present = values.slice(block * every, (block + 1) * every).filter((value) => value !== null)
    return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0) / present.length
  })
}

type Pairs = Extract<StudyResult, { pairs: unknown }>['pairs']

function thinPairs(pairs: Pairs): Pairs {
  const lagCount = pairs.at(0)?.lags.length ?? 0
  const mostPairs = Math.floor(MOST_LAG_TESTS / Math.max(1, lagCount))
  if (pairs.length <= mostPairs) return pairs
  const strength = ({ best }: Pairs[number]) => Math.abs(best?.r ?? 0)
  const keptPairs = new Set([...pairs].sort((a, b) => strength(b) - strength(a)).slice(0, mostPairs))
  return pairs.map((pair) => (keptPairs.has(pair) ? pair : { ...pair, lags: [] }))
}
