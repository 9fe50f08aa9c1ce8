import { normalCumulative, normalQuantile } from '#shared/statistics/distributions.ts'
import { DAYS_PER_YEAR } from '#shared/portfolio/figures.ts'
import { sampleMomentsOf } from '../samples.ts'

const EULER_MASCHERONI = 0.5772156649015329
const CONFIDENCE = 0.95

/** Daily Sharpe ratio and shape statistics of returns; null for fewer than 2 days or constant returns. */
export interface SharpeSample {
  days: number
  sharpe: number | null
  /** Skewness of the sample; 0 for a normal distribution. */
  skewness: number | null
  /** Kurtosis of the sample; 3 for a normal distribution. */
  kurtosis: number | null
}

export const riskFreeDaily = (riskFree: number): number => (1 + riskFree) ** (1 / DAYS_PER_YEAR) - 1

/** Computes the Sharpe ratio, skewness and kurtosis of daily returns in excess of an annual risk-free rate. */
export function sharpeSample(returns: Float64Array, riskFree: number): SharpeSample {
  const dailyRiskFree = riskFreeDaily(riskFree)
  const excessReturns = dailyRiskFree === 0 ? returns : returns.map((value) => value - dailyRiskFree)
  const { n, mean, sd } = sampleMomentsOf(excessReturns)
  if (mean === null || sd === null || !(sd > 0)) return { days: n, sharpe: null, skewness: null, kurtosis: null }
  let squares = 0
  let cubes = 0
  let fourths = 0
  for (const value of excessReturns) {
    const distance = value - mean
    const square = distance * distance
    squares += square
    cubes += square * distance
    fourths += square * square
  }
  const m2 = squares / n
  return { days: n, sharpe: mean / sd, skewness: cubes / n / m2 ** 1.5, kurtosis: fourths / n / m2 ** 2 }
}

/**
 * Computes (n − 1) times the variance of a Sharpe ratio; null if the sample has no ratio or the variance would not be
 * positive.
 */
function varianceFactor({ sharpe, skewness, kurtosis }: SharpeSample): number | null {
  if (sharpe === null || skewness === null || kurtosis === null) return null
  const factor = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe
  return factor > 0 ? factor : null
}

/** Computes the probability that the true Sharpe ratio exceeds a benchmark; null if undefined. */
export function probabilisticSharpe(sample: SharpeSample, benchmark: number): number | null {
  const factor = varianceFactor(sample)
  if (factor === null || sample.sharpe === null) return null
  return normalCumulative(((sample.sharpe - benchmark) * Math.sqrt(sample.days - 1)) / Math.sqrt(factor))
}

/** Approximates the expected maximum of this many independent standard normal variables; 0 for fewer than 2. */
export function expectedMaximum(trialCount: number): number {
  if (!(trialCount > 1)) return 0
  const quantile = normalQuantile(1 - 1 / trialCount)
  const fartherQuantile = normalQuantile(1 - 1 / (trialCount * Math.E))
  return Math.max(0, (1 - EULER_MASCHERONI) * quantile + EULER_MASCHERONI * fartherQuantile)
}

/**
 * Computes the number of days after which a Sharpe ratio exceeds a benchmark with 95 % confidence; null if the ratio is
 * undefined or not above the benchmark, or its variance would not be positive.
 */
export function minimumTrackRecordDays(sample: SharpeSample, benchmark = 0): number | null {
  const factor = varianceFactor(sample)
  const distance = (sample.sharpe ?? NaN) - benchmark
  return factor === null || !(distance > 0) ? null : 1 + factor * (normalQuantile(CONFIDENCE) / distance) ** 2
}

/**
 * Computes the minimum length of a backtest, in days. In a shorter one, the best of this many trials without skill is
 * expected to reach an annual Sharpe ratio of 1 or more.
 */
export const minimumBacktestDays = (trialCount: number): number => DAYS_PER_YEAR * expectedMaximum(trialCount) ** 2

/** Trials so far: their number, and what the variance of their Sharpe ratios follows from. */
export interface SharpeTally {
  count: number
  known: number
  mean: number
  squares: number
}

export const noTrials: SharpeTally = { count: 0, known: 0, mean: 0, squares: 0 }

/** Adds the Sharpe ratio of a trial; null if it has none. */
export function addTrial({ count, known, mean, squares }: SharpeTally, sharpe: number | null): SharpeTally {
  if (sharpe === null) return { count: count + 1, known, mean, squares }
  const distance = sharpe - mean
  const newMean = mean + distance / (known + 1)
  return { count: count + 1, known: known + 1, mean: newMean, squares: squares + distance * (sharpe - newMean) }
}

/** Returns the Sharpe ratio that the best of trials without skill is expected to have. */
export const bestByLuck = ({ count, known, squares }: SharpeTally): number =>
  (known < 2 ? 0 : Math.sqrt(squares / (known - 1))) * expectedMaximum(count)

/** Computes the sample variance of the Sharpe ratios of trials; 0 for fewer than 2. */
export function sharpeVariance(sharpes: readonly (number | null)[]): number {
  const knownSharpes = Float64Array.from(sharpes.filter((sharpe) => sharpe !== null))
  const { sd } = sampleMomentsOf(knownSharpes)
  return sd === null ? 0 : sd * sd
}
