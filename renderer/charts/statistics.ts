import { type TimeRange, hasValue, rowsOf, type Rows } from './model.ts'

/** Statistics of the rows in view; null when there are too few values. */
export interface ViewStatistics {
  rows: number
  /** Number of rows without a value. */
  missing: number
  min: number | null
  max: number | null
  mean: number | null
  /** Sample standard deviation: divided by the number of values less one. */
  deviation: number | null
  /** Quantiles at 5, 25, 50, 75 and 95 per cent, interpolated between neighbours. */
  quantiles: readonly (number | null)[]
  /** Correlation of each value with the value of the row before, when both are present. */
  autocorrelation: number | null
}

const quantileLevels = [0.05, 0.25, 0.5, 0.75, 0.95] as const

export function viewStatistics(series: Rows, range: TimeRange): ViewStatistics {
  const { from, to } = rowsOf(series.times, range)
  const there = presentValues(series, from, to)
  const moments = new Pairs()
  const lagged = new Pairs()
  for (const value of there) moments.add(value, value)
  for (let row = from + 1; row < to; row += 1)
    if (hasValue(series, row) && hasValue(series, row - 1)) lagged.add(series.values[row - 1], series.values[row])
  const sorted = there.sort()
  const count = sorted.length
  return {
    rows: to - from,
    missing: to - from - count,
    min: sorted[0] ?? null,
    max: sorted[count - 1] ?? null,
    mean: count > 0 ? moments.meanX : null,
    deviation: count > 1 ? Math.sqrt(moments.xx / (count - 1)) : null,
    quantiles: quantileLevels.map((level) => quantile(sorted, level)),
    autocorrelation: lagged.correlation(),
  }
}

/** Correlates two series over the times in view at which both have a value. */
export function correlation(a: Rows, b: Rows, range: TimeRange): { pairs: number; value: number | null } {
  const pairs = new Pairs()
  const [inA, inB] = [rowsOf(a.times, range), rowsOf(b.times, range)]
  let rowB = inB.from
  for (let row = inA.from; row < inA.to; row += 1) {
    while (rowB < inB.to && b.times[rowB] < a.times[row]) rowB += 1
    if (rowB >= inB.to) break
    if (b.times[rowB] === a.times[row] && hasValue(a, row) && hasValue(b, rowB))
      pairs.add(a.values[row], b.values[rowB])
  }
  return { pairs: pairs.count, value: pairs.correlation() }
}

function presentValues(series: Rows, from: number, to: number): Float64Array {
  const values = new Float64Array(to - from)
  let count = 0
  for (let row = from; row < to; row += 1) if (hasValue(series, row)) values[count++] = series.values[row]
  return values.subarray(0, count)
}

function quantile(sorted: Float64Array, level: number): number | null {
  if (sorted.length === 0) return null
  const place = (sorted.length - 1) * level
  const below = Math.floor(place)
  const above = Math.min(sorted.length - 1, below + 1)
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below)
}

/** Running means and products of pairs, accurate for large means too. */
class Pairs {
  count = 0
  meanX = 0
  meanY = 0
  xx = 0
  yy = 0
  xy = 0

  add(x: number, y: number): void {
    this.count += 1
    const deltaX = x - this.meanX
    const deltaY = y - this.meanY
    this.meanX += deltaX / this.count
    this.meanY += deltaY / this.count
    this.xx += deltaX * (x - this.meanX)
    this.yy += deltaY * (y - this.meanY)
    this.xy += deltaX * (y - this.meanY)
  }

  correlation(): number | null {
    const spread = Math.sqrt(this.xx) * Math.sqrt(this.yy)
    return this.count > 2 && spread > 0 ? Math.max(-1, Math.min(1, this.xy / spread)) : null
  }
}
