import { lagOnePairs } from '#shared/statistics/lagPairs.ts'
import { correlationOf, meanOfX, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { hasValue, rowsOf, type Rows } from './model.ts'

/** Statistics of the rows in view; a figure is null if there are too few values for it. */
export interface ViewStatistics {
  rows: number
  /** Number of rows without a value. */
  missing: number
  min: number | null
  max: number | null
  mean: number | null
  /** Sample standard deviation (n − 1). */
  deviation: number | null
  /** Quantiles at 5, 25, 50, 75 and 95 per cent, interpolated linearly. */
  quantiles: readonly (number | null)[]
  /** Autocorrelation at a lag of one step; rows across a gap form no pair. */
  autocorrelation: number | null
}

const quantileLevels = [0.05, 0.25, 0.5, 0.75, 0.95] as const

/** Computes statistics of the rows in a range. A step of null means events, which have no regular step. */
export function viewStatistics(series: Rows, range: TimeRange, stepMs: number | null): ViewStatistics {
  const { from, to } = rowsOf(series.times, range)
  const present = presentValues(series, from, to)
  const moments = pairMomentsOf(present, null, present, null)
  const isPresent = (row: number) => hasValue(series, from + row)
  const timeOf = (row: number) => series.times[from + row]
  const lagged = lagOnePairs(series.values.subarray(from, to), isPresent, timeOf, stepMs)
  const sorted = present.sort()
  const count = sorted.length
  return {
    rows: to - from,
    missing: to - from - count,
    min: sorted[0] ?? null,
    max: sorted[count - 1] ?? null,
    mean: count > 0 ? meanOfX(moments) : null,
    deviation: count > 1 ? Math.sqrt(moments.squaresX / (count - 1)) : null,
    quantiles: quantileLevels.map((level) => quantile(sorted, level)),
    autocorrelation: correlationOf(lagged),
  }
}

function presentValues(series: Rows, from: number, to: number): Float64Array {
  const values = new Float64Array(to - from)
  let count = 0
  for (let row = from; row < to; row += 1) if (hasValue(series, row)) values[count++] = series.values[row]
  return values.subarray(0, count)
}

function quantile(sorted: Float64Array, level: number): number | null {
  if (sorted.length === 0) return null
  const quantilePlace = (sorted.length - 1) * level
  const lowerIndex = Math.floor(quantilePlace)
  const upperIndex = Math.min(sorted.length - 1, lowerIndex + 1)
  return sorted[lowerIndex] + (sorted[upperIndex] - sorted[lowerIndex]) * (quantilePlace - lowerIndex)
}
