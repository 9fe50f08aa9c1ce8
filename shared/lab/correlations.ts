import { ValueOrder } from '#shared/statistics/orderValues.ts'
import { snapCorrelation, VARIATION } from './samples.ts'

/** Computes Pearson’s correlation of the first `count` pairs, x ascending; NaN for fewer than 2 or where a side does not vary. */
export function pearsonOfAscending(x: Float64Array, y: Float64Array, count: number): number {
  if (count < 2 || !isVaried(x[0], x[count - 1])) return NaN
  let sumX = 0
  let sumY = 0
  let lowY = Infinity
  let highY = -Infinity
  for (let i = 0; i < count; i++) {
    const value = y[i]
    sumX += x[i]
    sumY += value
    if (value < lowY) lowY = value
    if (value > highY) highY = value
  }
  if (!isVaried(lowY, highY)) return NaN
  const middleX = sumX / count
  const middleY = sumY / count
  let squaresX = 0
  let squaresY = 0
  let products = 0
  for (let i = 0; i < count; i++) {
    const a = x[i] - middleX
    const b = y[i] - middleY
    squaresX += a * a
    squaresY += b * b
    products += a * b
  }
  return correlationOfMoments(squaresX, squaresY, products)
}

interface Pairs {
  lag: number
  /** Positions in the first series, half-open. */
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
  return { n, r: correlationAbout(x, y, pairs, sumX / n, sumY / n) }
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
  return correlationOfMoments(squaresX, squaresY, products)
}

function correlationOfMoments(squaresX: number, squaresY: number, products: number): number {
  // The two roots are taken apart, because the product of two small squares may be 0 although they are not.
  const value = products / (Math.sqrt(squaresX) * Math.sqrt(squaresY))
  return Number.isFinite(value) ? snapCorrelation(value) : NaN
}

const isVaried = (low: number, high: number) => high - low > VARIATION * Math.max(Math.abs(low), Math.abs(high))

/**
 * Rank correlations of two sides of the same pairs. Ranks are twice the average rank, less their mean, because those are whole
 * numbers. Sums of whole numbers are exact, so a rank correlation depends on neither the order of the pairs nor any scale.
 */
export class RankPairs {
  readonly #sorter: ValueOrder
  readonly #ranksX: Float64Array

  constructor(capacity: number) {
    this.#sorter = new ValueOrder(capacity)
    this.#ranksX = new Float64Array(capacity)
  }

  /** Computes Spearman’s correlation where x is ascending; NaN where a side does not vary. */
  spearmanOfAscending(x: Float64Array, y: Float64Array, count: number): number {
    if (count < 2 || !isVaried(x[0], x[count - 1])) return NaN
    const order = this.#sorter.sort(y, count)
    return spearmanOfOrdered(x, { values: this.#sorter.sorted, order }, count, this.#ranksX)
  }
}

/** Rank correlation of pairs whose order by y is known, x ascending; NaN where a side does not vary. */
export function spearmanOfOrdered(
  x: Float64Array,
  ordered: { values: Float64Array; order: Int32Array },
  count: number,
  ranks: Float64Array,
): number {
  const { values, order } = ordered
  if (count < 2 || !isVaried(x[0], x[count - 1]) || !isVaried(values[0], values[count - 1])) return NaN
  return correlateOrdered(ranks, rankAscending(x, count, ranks), values, order, count)
}

/** Writes the centred ranks of ascending values; returns the sum of their squares. */
function rankAscending(values: Float64Array, count: number, ranks: Float64Array): number {
  let squares = 0
  for (let start = 0; start < count;) {
    let end = start + 1
    const value = values[start]
    while (end < count && values[end] === value) end++
    const rank = start + end - count
    for (let at = start; at < end; at++) ranks[at] = rank
    squares += (end - start) * rank * rank
    start = end
  }
  return squares
}

/** Correlates centred ranks with those of ascending values whose places are in `order`. */
function correlateOrdered(
  ranksX: Float64Array,
  squaresX: number,
  sorted: Float64Array,
  order: Int32Array,
  count: number,
): number {
  let squaresY = 0
  let products = 0
  for (let start = 0; start < count;) {
    let end = start + 1
    let sumX = ranksX[order[start]]
    const value = sorted[start]
    while (end < count && sorted[end] === value) sumX += ranksX[order[end++]]
    const rank = start + end - count
    squaresY += (end - start) * rank * rank
    products += sumX * rank
    start = end
  }
  return correlationOfMoments(squaresX, squaresY, products)
}
