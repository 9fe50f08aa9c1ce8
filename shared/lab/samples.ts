import {
  NORMAL_UPPER_QUANTILE,
  normalTwoSided,
  studentTwoSided,
  studentUpperQuantile,
} from '#shared/statistics/distributions.ts'
import { slideSums } from '#shared/statistics/slideSums.ts'
import { keepsDigits, scaledToSquare } from '#shared/statistics/squaring.ts'

/** Sample mean with standard error, test against 0 and 95 % interval. Undefined figures are null. */
export interface Estimate {
  n: number
  mean: number | null
  sd: number | null
  se: number | null
  t: number | null
  p: number | null
  low: number | null
  high: number | null
}

/** Fraction of the largest value below which differences count as rounding errors. */
export const ROUNDING_FRACTION = 1e-12
const SNAP_DISTANCE = 1e-12

/** Tells whether the first `count` values vary by more than a rounding error. */
export function varies(values: Float64Array, count = values.length): boolean {
  let low = Infinity
  let high = -Infinity
  for (let i = 0; i < count; i++) {
    const value = values[i]
    if (value < low) low = value
    if (value > high) high = value
  }
  return count > 0 && high - low > ROUNDING_FRACTION * Math.max(Math.abs(low), Math.abs(high))
}

/** Rounds a correlation within 1e-12 of −1, 0 or 1 to that number. */
export function snapCorrelation(value: number): number {
  if (Math.abs(value) <= SNAP_DISTANCE) return 0
  return 1 - Math.abs(value) <= SNAP_DISTANCE ? Math.sign(value) : value
}

/** Copies the values that are not NaN; `filter` and the iterator of a list would box each value first. */
export function presentOf(values: Float64Array): Float64Array {
  const present = new Float64Array(values.length)
  let count = 0
  for (let i = 0; i < values.length; i++) if (values[i] === values[i]) present[count++] = values[i]
  return count === values.length ? present : present.slice(0, count)
}

export function meanOf(values: Float64Array): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  if (Number.isFinite(sum)) return sum / values.length
  return values.reduce((mean, value) => mean + value / values.length, 0)
}

/** Computes n, mean and sample standard deviation; the deviation is 0 for constant values. */
export function sampleMomentsOf(values: Float64Array): { n: number; mean: number | null; sd: number | null } {
  const n = values.length
  const mean = meanOf(values)
  if (mean === null || n < 2) return { n, mean, sd: null }
  if (!varies(values)) return { n, mean, sd: 0 }
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] - mean) ** 2
  if (keepsDigits(squares)) return { n, mean, sd: Math.sqrt(squares / (n - 1)) }
  const { scaled, scale } = scaledToSquare(values)
  const scaledMean = meanOf(scaled) ?? 0
  const scaledSquares = scaled.reduce((sum, value) => sum + (value - scaledMean) ** 2, 0)
  const sd = Math.sqrt(scaledSquares / (n - 1)) * scale
  return { n, mean, sd: Number.isFinite(sd) ? sd : null }
}

const untested = { t: null, p: null, low: null, high: null }

/** Computes the mean of independent values and tests it by Student’s t. */
export function estimateOf(values: Float64Array): Estimate {
  const moments = sampleMomentsOf(values)
  const { n, mean, sd } = moments
  if (mean === null || sd === null) return { ...moments, se: null, ...untested }
  const se = sd / Math.sqrt(n)
  if (sd === 0) return { ...moments, se, ...untested }
  const t = mean / se
  const halfWidth = studentUpperQuantile(n - 1) * se
  return { ...moments, se, t, p: studentTwoSided(t, n - 1), low: mean - halfWidth, high: mean + halfWidth }
}

/**
 * Estimates the mean of values on grid rows by Newey–West with `lags` lags; NaN is a row without a value. The weighted
 * autocovariances add up to the squares of the sums over all windows of `lags + 1` rows, divided by `lags + 1`, so the
 * computation takes linear time.
 */
export function neweyWestOf(grid: Float64Array, lags: number): Estimate {
  const values = presentOf(grid)
  const moments = sampleMomentsOf(values)
  const { n, mean, sd } = moments
  if (mean === null || sd === null) return { ...moments, se: null, ...untested }
  if (sd === 0) return { ...moments, se: 0, ...untested }
  // In units of a power of two near the deviation, squares neither overflow nor underflow.
  const unit = 2 ** Math.floor(Math.log2(sd))
  const distances = new Float64Array(grid.length + lags)
  grid.forEach((value, row) => (distances[row] = Number.isNaN(value) ? 0 : (value - mean) / unit))
  let squares = 0
  slideSums(distances, null, lags + 1, (_row, _count, sum) => void (squares += sum * sum))
  const se = (Math.sqrt(squares / (lags + 1)) / n) * unit
  if (!(se > 0)) return { ...moments, se: null, ...untested }
  const t = mean / se
  const halfWidth = NORMAL_UPPER_QUANTILE * se
  return { ...moments, se, t, p: normalTwoSided(t), low: mean - halfWidth, high: mean + halfWidth }
}

/**
 * Finds the position of a quantile among `count` ascending values; a position within 1e-9 of an integer is rounded to
 * it.
 */
function quantilePlace(count: number, share: number): number {
  const place = (count - 1) * share
  const rounded = Math.round(place)
  return Math.abs(place - rounded) <= 1e-9 ? rounded : place
}

/** Computes a quantile of the first `count` ascending values, interpolated linearly; null without values. */
export function quantileOf(ascending: Float64Array, share: number, count = ascending.length): number | null {
  if (count === 0) return null
  const place = quantilePlace(count, share)
  const below = Math.floor(place)
  const low = ascending[below]
  return place === below ? low : low + (ascending[below + 1] - low) * (place - below)
}

/** Computes Benjamini–Hochberg q-values; tests without a p-value are left out and get null. */
export function falseDiscoveryRates(p: readonly (number | null)[]): (number | null)[] {
  const tested = p.flatMap((value, index) => (value === null ? [] : [{ value, index }]))
  tested.sort((a, b) => a.value - b.value)
  const rates = new Array<number | null>(p.length).fill(null)
  let smallestRate = 1
  for (let rank = tested.length; rank >= 1; rank--) {
    const { value, index } = tested[rank - 1]
    smallestRate = Math.min(smallestRate, (value * tested.length) / rank)
    rates[index] = smallestRate
  }
  return rates
}

/** Counts the tests that have a q-value, and those with q ≤ 0.05. */
export function countTests(rates: readonly (number | null)[]): { count: number; significant: number } {
  const knownRates = rates.filter((rate) => rate !== null)
  return { count: knownRates.length, significant: knownRates.filter((rate) => rate <= 0.05).length }
}
