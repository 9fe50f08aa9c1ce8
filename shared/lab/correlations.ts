import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { keepsDigits, scaledToSquare } from '#shared/statistics/squaring.ts'
import { snapCorrelation, ROUNDING_FRACTION } from './samples.ts'

/**
 * Computes Pearson’s correlation of the first `count` pairs, sorted by x; NaN for fewer than 2 or if x or y is
 * constant.
 */
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
  const meanX = sumX / count
  const meanY = sumY / count
  let squaresX = 0
  let squaresY = 0
  let products = 0
  for (let i = 0; i < count; i++) {
    const a = x[i] - meanX
    const b = y[i] - meanY
    squaresX += a * a
    squaresY += b * b
    products += a * b
  }
  if (keepsDigits(squaresX) && keepsDigits(squaresY)) return correlationOfMoments(squaresX, squaresY, products)
  return scaledPearson(x.subarray(0, count), y.subarray(0, count))
}

/** Correlates pairs whose squares would overflow or underflow. */
function scaledPearson(x: Float64Array, y: Float64Array): number {
  const a = distancesFromMean(scaledToSquare(x).scaled)
  const b = distancesFromMean(scaledToSquare(y).scaled)
  let squaresX = 0
  let squaresY = 0
  let products = 0
  for (let i = 0; i < a.length; i++) {
    squaresX += a[i] * a[i]
    squaresY += b[i] * b[i]
    products += a[i] * b[i]
  }
  return correlationOfMoments(squaresX, squaresY, products)
}

function distancesFromMean(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.map((value) => value - mean)
}

interface PairRange {
  lag: number
  /** Half-open range of indices in the first series. */
  from: number
  end: number
}

/**
 * Correlates the pairs (x[t], y[t + lag]) in which both values are present, and counts them; NaN for fewer than 2 or if
 * x or y is constant.
 */
export function pairedCorrelation(x: Float64Array, y: Float64Array, pairs: PairRange): { n: number; r: number } {
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

/** Correlates the present pairs by the sums of squares and products of their distances from the means. */
function correlationAbout(x: Float64Array, y: Float64Array, pairs: PairRange, meanX: number, meanY: number): number {
  let squaresX = 0
  let squaresY = 0
  let products = 0
  for (let time = pairs.from; time < pairs.end; time++) {
    const a = x[time] - meanX
    const b = y[time + pairs.lag] - meanY
    if (a !== a || b !== b) continue
    squaresX += a * a
    squaresY += b * b
    products += a * b
  }
  if (keepsDigits(squaresX) && keepsDigits(squaresY)) return correlationOfMoments(squaresX, squaresY, products)
  const [pairedX, pairedY] = presentPairs(x, y, pairs)
  return scaledPearson(pairedX, pairedY)
}

function presentPairs(x: Float64Array, y: Float64Array, { lag, from, end }: PairRange): [Float64Array, Float64Array] {
  const xs = x.subarray(from, end)
  const ys = y.subarray(from + lag, end + lag)
  const isPair = (_: number, at: number) => !Number.isNaN(xs[at]) && !Number.isNaN(ys[at])
  return [xs.filter(isPair), ys.filter(isPair)]
}

function correlationOfMoments(squaresX: number, squaresY: number, products: number): number {
  // The square roots are multiplied, because the product of two tiny sums of squares may underflow to 0.
  const value = products / (Math.sqrt(squaresX) * Math.sqrt(squaresY))
  return Number.isFinite(value) ? snapCorrelation(value) : NaN
}

const isVaried = (low: number, high: number) => high - low > ROUNDING_FRACTION * Math.max(Math.abs(low), Math.abs(high))

/**
 * Computes rank correlations of pairs. A rank is stored as twice its distance from the mean rank, because this is an
 * integer. Sums of integers are exact, so a rank correlation depends neither on the order of the pairs nor on scale.
 */
export class RankCorrelator {
  readonly #sorter: ValueSorter
  readonly #ranksX: Float64Array

  constructor(capacity: number) {
    this.#sorter = new ValueSorter(capacity)
    this.#ranksX = new Float64Array(capacity)
  }

  /** Computes Spearman’s correlation of pairs sorted by x; NaN if x or y is constant. */
  spearmanOfAscending(x: Float64Array, y: Float64Array, count: number): number {
    if (count < 2 || !isVaried(x[0], x[count - 1])) return NaN
    const order = this.#sorter.sort(y, count)
    return spearmanOfOrdered(x, { values: this.#sorter.sorted, order }, count, this.#ranksX)
  }
}

/**
 * Computes the rank correlation of pairs sorted by x, given their order by y; NaN if x or y is constant.
 * @param ranks receives the ranks of x
 */
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

/** Writes the centred ranks of ascending values and returns the sum of their squares. */
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

/** Correlates centred ranks of x with those of y, given the ascending values of y and the pair that each belongs to. */
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
