import { alignSeries } from './alignSeries.ts'
import type { ResampleMethod } from './formulaNames.ts'
import { emptySeries, type Series, withRows } from './series.ts'

interface Accumulator {
  value: number
  weight: number
}

type Step = (accumulator: Accumulator, value: number, weight: number) => void

const steps: Record<ResampleMethod, Step> = {
  sum: (accumulator, value) => void (accumulator.value += value),
  mean: (accumulator, value, weight) => {
    accumulator.weight += weight
    if (accumulator.weight !== 0) accumulator.value += ((value - accumulator.value) * weight) / accumulator.weight
  },
  first: (accumulator, value, weight) => {
    if (accumulator.weight === 0) accumulator.value = value
    accumulator.weight = weight
  },
  last: (accumulator, value) => void (accumulator.value = value),
  min: (accumulator, value) =>
    void (accumulator.value = accumulator.weight++ === 0 ? value : Math.min(accumulator.value, value)),
  max: (accumulator, value) =>
    void (accumulator.value = accumulator.weight++ === 0 ? value : Math.max(accumulator.value, value)),
}

/** Additional series of the same interval that resampling may use. */
interface ResampleExtras {
  /** Weights of a mean. A row with a value but no weight makes the result missing. */
  weights?: Series
  /** Series with a value in each row that has events. The last such row counts, even if its own value is missing. */
  events?: Series
}

/**
 * Resamples a series to a longer interval from the values present in it; missing if there are none. A longer interval
 * that the rows do not cover completely has no row, because it is not over yet or its beginning is not cached.
 */
export function resampleSeries(
  series: Series,
  intervalMs: number,
  method: ResampleMethod,
  extras: ResampleExtras = {},
): Series {
  const rowsPerLongRow = intervalMs / series.intervalMs
  const firstLongSlot = Math.ceil(series.firstSlot / rowsPerLongRow)
  const rows = Math.max(0, Math.floor((series.firstSlot + series.values.length) / rowsPerLongRow) - firstLongSlot)
  if (rows === 0) return emptySeries(intervalMs)
  const grid = { intervalMs: series.intervalMs, firstSlot: series.firstSlot, rows: series.values.length }
  const weights = extras.weights && alignSeries(extras.weights, grid)
  const events = extras.events && alignSeries(extras.events, grid)
  const values = new Float64Array(rows)
  const valid = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) {
    const from = (firstLongSlot + row) * rowsPerLongRow - series.firstSlot
    const value = events
      ? lastWithEvents(series, events, from, from + rowsPerLongRow)
      : accumulatedValue(series, weights, from, from + rowsPerLongRow, method)
    if (value === null || !Number.isFinite(value)) continue
    values[row] = value
    valid[row] = 1
  }
  return { intervalMs, firstSlot: firstLongSlot, values, valid }
}

const hasValue = ({ valid }: Series, row: number) => !valid || valid[row] === 1

function lastWithEvents(series: Series, events: Series, from: number, to: number): number | null {
  for (let at = to - 1; at >= from; at--)
    if (hasValue(events, at)) return hasValue(series, at) ? series.values[at] : null
  return null
}

function accumulatedValue(
  series: Series,
  weights: Series | undefined,
  from: number,
  to: number,
  method: ResampleMethod,
): number | null {
  const step = steps[method]
  const accumulator = { value: 0, weight: 0 }
  let count = 0
  for (let at = from; at < to; at++) {
    if (!hasValue(series, at)) continue
    if (weights && !hasValue(weights, at)) return null
    step(accumulator, series.values[at], weights ? weights.values[at] : 1)
    count++
  }
  return count === 0 || (method === 'mean' && accumulator.weight === 0) ? null : accumulator.value
}

/**
 * Sums tick counts. The count of a row leaves out the row's first trade, because the row has no trade before it. Here
 * that trade is compared with the last one of the rows before, if they belong to the same longer interval.
 */
export function sumWithTicks(
  counts: Series,
  prices: { open: Series; close: Series },
  intervalMs: number,
  direction: number,
): Series {
  const sums = resampleSeries(counts, intervalMs, 'sum')
  const rowsPerLongRow = intervalMs / counts.intervalMs
  const grid = { intervalMs: counts.intervalMs, firstSlot: counts.firstSlot, rows: counts.values.length }
  const [open, close] = [alignSeries(prices.open, grid), alignSeries(prices.close, grid)]
  const values = sums.values.map((sum, row) => {
    const from = (sums.firstSlot + row) * rowsPerLongRow - counts.firstSlot
    let tickCount = 0
    let before: number | null = null
    for (let at = from; at < from + rowsPerLongRow; at++) {
      if (!hasValue(open, at) || !hasValue(close, at)) continue
      if (before !== null && Math.sign(open.values[at] - before) === direction) tickCount++
      before = close.values[at]
    }
    return sum + tickCount
  })
  return withRows(sums, { values, valid: sums.valid })
}

/** Returns the series with its values multiplied by a factor. */
export const scaleSeries = (series: Series, factor: number): Series =>
  withRows(series, { values: series.values.map((value) => value * factor), valid: series.valid })

/** Adds series of the same interval row by row; a sum is missing if one of its values is missing. */
export function sumOf([first, ...others]: readonly Series[]): Series {
  return others.reduce((sum, other) => combineRows(sum, other, (a, b) => a + b), first)
}

/** Divides series of the same interval row by row; missing if a value is missing or the denominator is 0. */
export const quotientOf = (numerator: Series, denominator: Series): Series =>
  combineRows(numerator, denominator, (a, b) => a / b)

function combineRows(left: Series, right: Series, apply: (a: number, b: number) => number): Series {
  const aligned = alignSeries(right, {
    intervalMs: left.intervalMs,
    firstSlot: left.firstSlot,
    rows: left.values.length,
  })
  const valid = new Uint8Array(left.values.length)
  const values = left.values.map((value, row) => {
    const result = apply(value, aligned.values[row])
    if (!hasValue(left, row) || !hasValue(aligned, row) || !Number.isFinite(result)) return 0
    valid[row] = 1
    return result
  })
  return withRows(left, { values, valid })
}

/** Computes the entropy of the shares of parts in their sum, with natural logarithms; missing if the sum is 0. */
export function entropyOf(parts: readonly Series[]): Series {
  const total = sumOf(parts)
  const terms = parts.map((part) => {
    const share = quotientOf(part, total)
    return withRows(share, { values: share.values.map((w) => (w > 0 ? -w * Math.log(w) : 0)), valid: share.valid })
  })
  return sumOf(terms)
}
