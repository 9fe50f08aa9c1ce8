/** Compares returns with a benchmark on their common days: beta, correlation, tracking error, capture. */
import {
  betaOf,
  correlationOf,
  meanOfX,
  meanOfY,
  type PairMoments,
  pairMomentsOf,
} from '#shared/statistics/pairMoments.ts'
import { finiteQuotient } from '#shared/statistics/finiteQuotient.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { finiteOrNull } from '#shared/statistics/finiteOrNull.ts'
import { type DailySeries, presentDays } from './dailySeries.ts'
import { DAYS_PER_YEAR, growthPower } from './figures.ts'

/** Daily returns on the days that both the portfolio and its benchmark have. */
export interface CommonReturns {
  days: Int32Array
  returns: Float64Array
  benchmark: Float64Array
  /** Joint moments of the benchmark (x) and the portfolio (y). */
  moments: PairMoments
}

/** Finds the common days in one pass over both, because the days of both ascend. */
export function commonReturns(
  { days, returns }: { days: Int32Array; returns: Float64Array },
  benchmark: DailySeries,
): CommonReturns {
  const presentBenchmark = presentDays(benchmark)
  const rows = { days: days.slice(), returns: returns.slice(), benchmark: new Float64Array(days.length) }
  let count = 0
  for (let row = 0, otherRow = 0; row < days.length; row++) {
    const day = days[row]
    while (presentBenchmark.days[otherRow] < day) otherRow++
    if (presentBenchmark.days[otherRow] !== day) continue
    rows.days[count] = day
    rows.returns[count] = returns[row]
    rows.benchmark[count++] = presentBenchmark.values[otherRow]
  }
  const common = {
    days: rows.days.slice(0, count),
    returns: rows.returns.slice(0, count),
    benchmark: rows.benchmark.slice(0, count),
  }
  return { ...common, moments: pairMomentsOf(common.benchmark, null, common.returns, null) }
}

interface BenchmarkFigure {
  id: string
  name: string
  unit: NumberKind
  formula: string
  /** True if tools define the figure differently, so that its formula is always shown. */
  differs?: true
  compute(common: CommonReturns): number | null
}

function alpha({ moments }: CommonReturns): number | null {
  const beta = betaOf(moments)
  return beta === null ? null : finiteOrNull((meanOfY(moments) - beta * meanOfX(moments)) * DAYS_PER_YEAR)
}

/**
 * Computes mean and sample standard deviation of the portfolio's return minus the benchmark's; null with fewer than two
 * common days. A constant difference has deviation 0.
 */
function activeReturn({ returns, benchmark }: CommonReturns): { mean: number; deviation: number } | null {
  const { length } = returns
  if (length < 2) return null
  let sum = 0
  let largest = 0
  for (let at = 0; at < length; at++) {
    sum += returns[at] - benchmark[at]
    largest = Math.max(largest, Math.abs(returns[at]))
  }
  const mean = sum / length
  let squares = 0
  for (let at = 0; at < length; at++) squares += (returns[at] - benchmark[at] - mean) ** 2
  const deviation = Math.sqrt(squares / (length - 1))
  // Rounding leaves a small deviation even if the difference is constant.
  return { mean, deviation: deviation <= 8 * Number.EPSILON * largest ? 0 : deviation }
}

function informationRatio(common: CommonReturns): number | null {
  const active = activeReturn(common)
  return active && finiteQuotient(active.mean * Math.sqrt(DAYS_PER_YEAR), active.deviation)
}

/**
 * Divides the portfolio's compound daily return by the benchmark's, over the days on which the benchmark rose (1) or
 * fell (−1).
 */
function capture({ returns, benchmark }: CommonReturns, direction: 1 | -1): number | null {
  let count = 0
  let [growth, benchmarkGrowth] = [1, 1]
  for (let at = 0; at < returns.length; at++) {
    if (!(benchmark[at] * direction > 0)) continue
    count++
    growth *= 1 + returns[at]
    benchmarkGrowth *= 1 + benchmark[at]
  }
  const perDay = (product: number) => growthPower(product, 1 / count) - 1
  return finiteOrNull(finiteQuotient(perDay(growth), perDay(benchmarkGrowth)) ?? NaN)
}

/**
 * Scales a benchmark to the volatility of the portfolio: `multiplier` is the sample standard deviation of the
 * portfolio's returns divided by the benchmark's, on common days. Null if either is constant there, or with fewer than
 * two common days.
 */
export function matchVolatility(
  { moments: { count, squaresX, squaresY } }: CommonReturns,
  benchmark: DailySeries,
): { multiplier: number; returns: DailySeries } | null {
  const multiplier = count < 2 ? null : finiteQuotient(Math.sqrt(squaresY), Math.sqrt(squaresX))
  if (multiplier === null || multiplier === 0) return null
  return { multiplier, returns: { ...benchmark, values: benchmark.values.map((value) => value * multiplier) } }
}

/** Figures against a benchmark b, on the common days. */
export const benchmarkFigures: readonly BenchmarkFigure[] = [
  {
    id: 'beta',
    name: 'Beta',
    unit: 'ratio',
    formula: 'Covariance of r and b over the variance of b, on common days',
    compute: ({ moments }) => betaOf(moments),
  },
  {
    id: 'alpha',
    name: 'Alpha',
    unit: 'share',
    formula:
      '(Mean r − beta · mean b) · 365, on common days: arithmetic, a year of 365 days, the risk-free rate is not subtracted',
    differs: true,
    compute: alpha,
  },
  {
    id: 'correlation',
    name: 'Correlation',
    unit: 'ratio',
    formula: 'Pearson correlation of r and b, on common days',
    compute: ({ moments }) => correlationOf(moments),
  },
  {
    id: 'informationRatio',
    name: 'Information ratio',
    unit: 'ratio',
    formula: 'Mean of (r − b) over its sample standard deviation, times √365, on common days',
    compute: informationRatio,
  },
  {
    id: 'trackingError',
    name: 'Tracking error',
    unit: 'share',
    formula: 'Sample standard deviation of (r − b) times √365, on common days',
    compute: (common) => finiteOrNull((activeReturn(common)?.deviation ?? NaN) * Math.sqrt(DAYS_PER_YEAR)),
  },
  {
    id: 'upCapture',
    name: 'Up capture',
    unit: 'share',
    formula: 'Compound daily r over compound daily b (geometric means), on the days with b > 0',
    differs: true,
    compute: (common) => capture(common, 1),
  },
  {
    id: 'downCapture',
    name: 'Down capture',
    unit: 'share',
    formula:
      'Compound daily r over compound daily b (geometric means), on the days with b < 0; under 100 %, the loss is smaller than that of the benchmark; below 0, it is a gain',
    differs: true,
    compute: (common) => capture(common, -1),
  },
  {
    id: 'commonDays',
    name: 'Common days',
    unit: 'count',
    formula: 'Number of days on which both have a return',
    compute: ({ days }) => days.length,
  },
]

/** Computes simple returns of prices from the previous calendar day; missing unless both prices are positive. */
export function returnsOfPrices(prices: DailySeries): DailySeries {
  const { days, values, valid } = prices
  const present = new Uint8Array(days.length)
  const returns = values.map((price, row) => {
    const hasBoth = row > 0 && days[row - 1] === days[row] - 1 && (!valid || (valid[row] && valid[row - 1]))
    if (!hasBoth || !(values[row - 1] > 0) || !(price > 0)) return 0
    present[row] = 1
    return price / values[row - 1] - 1
  })
  return { days, values: returns, valid: present }
}

/** Computes levels from returns, starting at 1 before the first day; a day without a return has none. */
export function levelsOfReturns({ days, values, valid }: DailySeries): DailySeries {
  let level = 1
  return { days, valid, values: values.map((value, row) => (level *= valid?.[row] === 0 ? 1 : 1 + value)) }
}
