import { type Series, withRows } from './series.ts'

/** Shifts a series by a number of rows; the first rows are missing. */
export function lagSeries(series: Series, count: number): Series {
  const rows = series.values.length
  const values = new Float64Array(rows)
  const valid = new Uint8Array(rows)
  if (count < rows) {
    values.set(series.values.subarray(0, rows - count), count)
    if (series.valid) valid.set(series.valid.subarray(0, rows - count), count)
    else valid.fill(1, count)
  }
  return withRows(series, { values, valid })
}

/** Applies a stateful function to the non-missing rows; missing rows stay missing and leave the state unchanged. */
function mapPresent(series: Series, next: (value: number) => number): Series {
  const rows = series.values.length
  const values = new Float64Array(rows)
  const valid = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) {
    if (series.valid && !series.valid[row]) continue
    const value = next(series.values[row])
    if (!Number.isFinite(value)) continue
    values[row] = value
    valid[row] = 1
  }
  return withRows(series, { values, valid })
}

/** Computes the exponential mean, which starts at the first value and is missing until `span` values have been seen. */
export function exponentialMean(series: Series, span: number): Series {
  const weight = 2 / (span + 1)
  let mean = 0
  let seenCount = 0
  return mapPresent(series, (value) => {
    mean = seenCount === 0 ? value : mean + weight * (value - mean)
    seenCount++
    return seenCount < span ? NaN : mean
  })
}

/**
 * Computes the exponentially weighted sample standard deviation as pandas does. Weights decay over missing rows too,
 * and a missing row repeats the previous deviation. At least two values are needed.
 */
export function exponentialDeviation(series: Series, span: number): Series {
  const rows = series.values.length
  const values = new Float64Array(rows)
  const valid = new Uint8Array(rows)
  const decay = 1 - 2 / (span + 1)
  let [mean, variance, weights, squaredWeights] = [0, 0, 0, 0]
  /** Digits of the mean beyond a double; values near 1e12 differ by less than the rounding of their mean. */
  let meanRest = 0
  let count = 0
  for (let row = 0; row < rows; row++) {
    weights *= decay
    squaredWeights *= decay * decay
    if (!series.valid || series.valid[row]) {
      if (weights === 0) mean = series.values[row]
      const distance = series.values[row] - mean - meanRest
      const totalWeight = weights + 1
      const step = distance / totalWeight + meanRest
      const nextMean = mean + step
      meanRest = Math.abs(mean) >= Math.abs(step) ? mean - nextMean + step : step - nextMean + mean
      mean = nextMean
      variance = weights === 0 ? 0 : (weights * (variance + (distance * distance) / totalWeight)) / totalWeight
      weights = totalWeight
      squaredWeights += 1
      count++
    }
    // After a single value, the two sides of the comparison below are equal but for rounding.
    if (count < 2) continue
    const squaredSum = weights * weights
    const value = squaredSum > squaredWeights ? Math.sqrt((squaredSum / (squaredSum - squaredWeights)) * variance) : NaN
    if (!Number.isFinite(value)) continue
    values[row] = value
    valid[row] = 1
  }
  return withRows(series, { values, valid })
}

/** Fills up to `limit` missing rows after a value with that value. */
export function fillForward(series: Series, limit: number): Series {
  if (!series.valid) return series
  const values = series.values.slice()
  const valid = series.valid.slice()
  let fillsLeft = 0
  for (let row = 0; row < values.length; row++) {
    if (valid[row]) fillsLeft = limit
    else if (fillsLeft-- > 0) {
      values[row] = values[row - 1]
      valid[row] = 1
    }
  }
  return withRows(series, { values, valid })
}

/** Computes running sums with compensated (Kahan-style) summation, which keeps digits that plain addition loses. */
export function runningSum(series: Series): Series {
  let sum = 0
  let compensation = 0
  return mapPresent(series, (value) => {
    const next = sum + value
    compensation += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
    sum = next
    return sum + compensation
  })
}

/**
 * Applies to each value a function that depends on the first value; all rows are missing if `functionFor` returns null.
 */
export function relativeToFirst(
  series: Series,
  functionFor: (first: number) => ((value: number) => number) | null,
): Series {
  let map: ((value: number) => number) | null | undefined
  return mapPresent(series, (value) => {
    if (map === undefined) map = functionFor(value)
    return map === null ? NaN : map(value)
  })
}
