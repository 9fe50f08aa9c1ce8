import { ValueOrder } from '#shared/statistics/orderValues.ts'
import { snapCorrelation, VARIATION } from './samples.ts'

/** Computes Pearson’s correlation of the first `count` pairs; NaN for fewer than 2 or where a side does not vary. */
export function pearson(x: Float64Array, y: Float64Array, count: number): number {
  return pairedCorrelation(x, y, { lag: 0, from: 0, end: count }).r
}

interface Pairs {
  lag: number
  /** Places in the first series, half-open. */
  from: number
  end: number
}

/** Counts the pairs (x[t], y[t + lag]) that are present and correlates them; NaN for fewer than 2 or without variation. */
export function pairedCorrelation(x: Float64Array, y: Float64Array, pairs: Pairs): { n: number; r: number } {
  const { lag, from, end } = pairs
  let n = 0
  let sumX = 0
  let sumY = 0
  let lowX = Infinity
  let highX = -Infinity
  let lowY = Infinity
  let highY = -Infinity
  for (let time = from; time < end; time++) {
    const a = x[time]
    const b = y[time + lag]
    if (a !== a || b !== b) continue
    n++
    sumX += a
    sumY += b
    if (a < lowX) lowX = a
    if (a > highX) highX = a
    if (b < lowY) lowY = b
    if (b > highY) highY = b
  }
  if (n < 2 || !isVaried(lowX, highX) || !isVaried(lowY, highY)) return { n, r: NaN }
  const value = correlationAbout(x, y, pairs, sumX / n, sumY / n)
  return { n, r: Number.isFinite(value) ? snapCorrelation(value) : NaN }
}

/** Correlates the pairs that are present about a middle of each side. */
function correlationAbout(x: Float64Array, y: Float64Array, pairs: Pairs, middleX: number, middleY: number): number {
  let squaresX = 0
  let squaresY = 0
  let products = 0
  for (let time = pairs.from; time < pairs.end; time++) {
    const a = x[time] - middleX
    const b = y[time + pairs.lag] - middleY
    if (a !== a || b !== b) continue
    squaresX += a * a
    squaresY += b * b
    products += a * b
  }
  // The two roots are taken apart, because the product of two small squares may be 0 although they are not.
  return products / (Math.sqrt(squaresX) * Math.sqrt(squaresY))
}

const isVaried = (low: number, high: number) => high - low > VARIATION * Math.max(Math.abs(low), Math.abs(high))

/**
 * Ranks of two sides of the same pairs, as twice the average rank because that is a whole number. Sums of whole numbers
 * are exact, so a rank correlation depends on neither the order of the pairs nor any scale.
 */
export class RankPairs {
  readonly #sorter: ValueOrder
  readonly ranksX: Float64Array
  readonly ranksY: Float64Array

  constructor(capacity: number) {
    this.#sorter = new ValueOrder(capacity)
    this.ranksX = new Float64Array(capacity)
    this.ranksY = new Float64Array(capacity)
  }

  /** Computes Spearman’s correlation where x is ascending; NaN where a side does not vary. */
  spearmanOfAscending(x: Float64Array, y: Float64Array, count: number): number {
    rankAscending(x, count, this.ranksX)
    return this.#correlate(x[0], x[count - 1], y, count)
  }

  #correlate(lowX: number, highX: number, y: Float64Array, count: number): number {
    if (count < 2 || !isVaried(lowX, highX)) return NaN
    const order = this.#sorter.sort(y, count)
    const { sorted } = this.#sorter
    if (!isVaried(sorted[0], sorted[count - 1])) return NaN
    rankOrdered(sorted, order, count, this.ranksY)
    return correlateRanks(this.ranksX, this.ranksY, count)
  }
}

/** Writes twice the average ranks of ascending values. */
function rankAscending(values: Float64Array, count: number, ranks: Float64Array): void {
  for (let start = 0; start < count;) {
    let end = start + 1
    const value = values[start]
    while (end < count && values[end] === value) end++
    const rank = start + 1 + end
    for (let at = start; at < end; at++) ranks[at] = rank
    start = end
  }
}

/** Writes twice the average ranks of ascending values to their places. */
function rankOrdered(sorted: Float64Array, order: Int32Array, count: number, ranks: Float64Array): void {
  for (let start = 0; start < count;) {
    let end = start + 1
    const value = sorted[start]
    while (end < count && sorted[end] === value) end++
    const rank = start + 1 + end
    for (let at = start; at < end; at++) ranks[order[at]] = rank
    start = end
  }
}

function correlateRanks(x: Float64Array, y: Float64Array, count: number): number {
  const middle = count + 1
  return snapCorrelation(correlationAbout(x, y, { lag: 0, from: 0, end: count }, middle, middle))
}
