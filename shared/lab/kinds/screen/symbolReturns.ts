import { ValueSorter } from '#shared/statistics/orderValues.ts'
import { ROUNDING_FRACTION } from '../../samples.ts'

/** Values over time, NaN if missing, with their order. */
export interface OrderedValues {
  values: Float64Array
  /** Times of the present values, ascending by value. */
  order: Int32Array
  /** The present values in this order. */
  sorted: Float64Array
}

/** Computes p[t + d + h] / p[t + d] − 1 by the time of the signal; only finite ones are present. */
export function returnsOver(price: Float64Array, delay: number, horizon: number): Float64Array {
  const returns = new Float64Array(price.length).fill(NaN)
  for (let time = 0; time + delay + horizon < price.length; time++) {
    const change = price[time + delay + horizon] / price[time + delay] - 1
    if (change - change === 0) returns[time] = change
  }
  return returns
}

/** Sorts series of the same length; the order of one is valid until the next is sorted, unless it is copied. */
export class SeriesSorter {
  readonly #sorter: ValueSorter
  readonly #present: Float64Array
  readonly #times: Int32Array
  readonly #order: Int32Array

  constructor(length: number) {
    this.#sorter = new ValueSorter(length)
    this.#present = new Float64Array(length)
    this.#times = new Int32Array(length)
    this.#order = new Int32Array(length)
  }

  sort(values: Float64Array): OrderedValues {
    const present = this.#present
    const times = this.#times
    let count = 0
    for (let time = 0; time < values.length; time++) {
      const value = values[time]
      if (value !== value) continue
      present[count] = value
      times[count++] = time
    }
    const places = this.#sorter.sort(present, count)
    const order = this.#order
    for (let place = 0; place < count; place++) order[place] = times[places[place]]
    return { values, order: order.subarray(0, count), sorted: this.#sorter.sorted.subarray(0, count) }
  }

  sortedCopy(values: Float64Array): OrderedValues {
    const { order, sorted } = this.sort(values)
    return { values, order: order.slice(), sorted: sorted.slice() }
  }
}

/** Tells whether values between these two vary by more than a rounding error. */
export const isVaried = (low: number, high: number): boolean =>
  high - low > ROUNDING_FRACTION * Math.max(Math.abs(low), Math.abs(high))

/** Rank of a time that is not among those that are ranked; ranks are far above it. */
const UNRANKED = -2147483648

/** Marks the times from `from` to `to` (exclusive) at which both series are present; returns their number. */
export function markPairs(
  mask: Uint8Array,
  x: Float64Array,
  y: Float64Array,
  { from, to }: { from: number; to: number },
): number {
  mask.fill(0)
  let count = 0
  for (let time = from; time < to; time++) {
    if (x[time] !== x[time] || y[time] !== y[time]) continue
    mask[time] = 1
    count++
  }
  return count
}

/**
 * Correlates the ranks of two series at the marked times, at which both are present; NaN if either is constant.
 * @param count number of marked times
 * @param ranks receives the ranks of x by time
 */
export function spearmanAt(
  mask: Uint8Array,
  count: number,
  x: OrderedValues,
  y: OrderedValues,
  ranks: Int32Array,
): number {
  if (count < 2) return NaN
  ranks.fill(UNRANKED)
  // A rank is stored as twice its distance from the mean rank: sums of integers are exact.
  let squaresX = 0
  let seen = 0
  let [low, high] = [NaN, NaN]
  for (let at = 0; at < x.order.length;) {
    const value = x.sorted[at]
    const start = at
    let marked = 0
    do marked += mask[x.order[at++]]
    while (x.sorted[at] === value)
    if (marked === 0) continue
    const rank = 2 * seen + marked - count
    for (let place = start; place < at; place++) if (mask[x.order[place]] !== 0) ranks[x.order[place]] = rank
    squaresX += marked * rank * rank
    if (seen === 0) low = value
    high = value
    seen += marked
  }
  if (!isVaried(low, high)) return NaN
  let squaresY = 0
  let products = 0
  seen = 0
  for (let at = 0; at < y.order.length;) {
    const value = y.sorted[at]
    let marked = 0
    let sum = 0
    do {
      const rank = ranks[y.order[at++]]
      if (rank === UNRANKED) continue
      marked++
      sum += rank
    } while (y.sorted[at] === value)
    if (marked === 0) continue
    const rank = 2 * seen + marked - count
    squaresY += marked * rank * rank
    products += sum * rank
    if (seen === 0) low = value
    high = value
    seen += marked
  }
  return isVaried(low, high) ? correlation(squaresX, squaresY, products) : NaN
}

const SNAP = 1e-12

/** Correlates from sums of squares and products of centred ranks; within 1e-12 of −1, 0 or 1 it is that number. */
export function correlation(squaresX: number, squaresY: number, products: number): number {
  const value = products / (Math.sqrt(squaresX) * Math.sqrt(squaresY))
  if (Math.abs(value) <= SNAP) return 0
  return 1 - Math.abs(value) <= SNAP ? Math.sign(value) : value
}
