import type { Transform } from '#shared/workspace/chartStyle.ts'
import type { ChartSeries, Moments, TimeRange } from './model.ts'
import { hasValue, longestStepMs, rowsOf, stepMsOf, type Rows } from './rows.ts'

/** What a badge says of each. */
export const transformWords: Record<Transform, string> = {
  none: '',
  percentFromStart: '% from start of view',
  indexed: 'start of view = 100',
  zscore: 'z-score of view',
  difference: 'difference',
  cumulative: 'cumulative',
}

/** The unit that values have after it. */
export const transformedUnit = (transform: Transform, unit: string): string =>
  ({ percentFromStart: '%', indexed: 'index', zscore: 'σ' } as Partial<Record<Transform, string>>)[transform] ?? unit

/** `value * factor + offset`. Keeps what is largest and least, so it may follow the reduction. */
export interface Affine {
  factor: number
  offset: number
}

/** How the rows in view are shifted and stretched; null where that has no meaning (no value, a start of 0, no spread). */
export function affineOf(transform: Transform, rows: Rows, range: TimeRange, moments?: Moments): Affine | null {
  if (transform === 'percentFromStart') return fromStart(rows, range)
  if (transform === 'indexed') return indexed(rows, range)
  if (transform === 'zscore') return moments ? standardizedOver(moments, range) : standardized(rows, range)
  return { factor: 1, offset: 0 }
}

function firstValue(rows: Rows, range: TimeRange): number | null {
  const { from, to } = rowsOf(rows.times, range)
  for (let row = from; row < to; row += 1) if (hasValue(rows, row)) return rows.values[row]
  return null
}

/** From a negative start a rise must still be a rise. */
function fromStart(rows: Rows, range: TimeRange): Affine | null {
  const start = firstValue(rows, range)
  return start ? { factor: 100 / Math.abs(start), offset: -100 * Math.sign(start) } : null
}

/** What starts at or below 0 has no index. */
function indexed(rows: Rows, range: TimeRange): Affine | null {
  const start = firstValue(rows, range)
  return start !== null && start > 0 ? { factor: 100 / start, offset: 0 } : null
}

function standardized(rows: Rows, range: TimeRange): Affine | null {
  const { from, to } = rowsOf(rows.times, range)
  let count = 0
  let mean = 0
  let squares = 0
  for (let row = from; row < to; row += 1) {
    if (!hasValue(rows, row)) continue
    count += 1
    const delta = rows.values[row] - mean
    mean += delta / count
    squares += delta * (rows.values[row] - mean)
  }
  const deviation = Math.sqrt(squares / (count - 1))
  return deviation > 0 ? { factor: 1 / deviation, offset: -mean / deviation } : null
}

/** Stretches count whole: one that only reaches into the view brings the rows beside it. */
function standardizedOver({ times, count, mean, m2 }: Moments, range: TimeRange): Affine | null {
  const { from, to } = rowsOf(times, range)
  let all = 0
  let middle = 0
  let squares = 0
  for (let at = from; at < to; at += 1) {
    if (!(count[at] > 0)) continue
    const delta = mean[at] - middle
    const before = all
    all += count[at]
    middle += (delta * count[at]) / all
    squares += m2[at] + (delta * delta * before * count[at]) / all
  }
  const deviation = Math.sqrt(squares / (all - 1))
  return deviation > 0 ? { factor: 1 / deviation, offset: -middle / deviation } : null
}

const made = new WeakMap<Float64Array, Map<string, Rows>>()

/** Row by row, over the whole series, once; these come before the reduction. */
export function rowwise(series: ChartSeries): Rows {
  const { transform, values } = series
  if (transform !== 'difference' && transform !== 'cumulative') return series
  const kept = made.get(values) ?? new Map<string, Rows>()
  made.set(values, kept)
  const known = kept.get(transform)
  if (known) return known
  const rows = transform === 'difference' ? differences(series) : sums(series)
  kept.set(transform, rows)
  return rows
}

/** Missing where either of the two rows is, and over a gap. */
function differences(series: ChartSeries): Rows {
  const { times, values } = series
  const longestMs = longestStepMs(stepMsOf(series))
  const out = new Float64Array(values.length).fill(NaN)
  for (let row = 1; row < values.length; row += 1) {
    const isNext = times[row] - times[row - 1] <= longestMs
    if (isNext && hasValue(series, row) && hasValue(series, row - 1)) out[row] = values[row] - values[row - 1]
  }
  return { times, values: out, valid: null }
}

/** A missing row stays missing and adds nothing. */
function sums(series: ChartSeries): Rows {
  const { times, values } = series
  const out = new Float64Array(values.length).fill(NaN)
  let sum = 0
  for (let row = 0; row < values.length; row += 1) {
    if (!hasValue(series, row)) continue
    sum += values[row]
    out[row] = sum
  }
  return { times, values: out, valid: null }
}
