import { ascendingOrder } from './ascendingOrder.ts'

/** Number of values up to which insertion sort is faster than bucket sort. */
const SMALL = 32
const DIGITS = 256
const DIGIT_BITS = 8
const PASSES = 3
const LEVELS = 2 ** (DIGIT_BITS * PASSES)

/** Maximum moves per value for insertion sort before another sort is cheaper. */
const MOVES_PER_VALUE = 8
/** Number of values from which a sort by their bits is faster than one that compares. */
const MANY = 512

/**
 * Sorts many short lists of finite numbers. Values go into equal buckets between the lowest and the highest, and
 * insertion sort orders them within the buckets. If outliers make most values share a bucket, a 24-bit radix sort is
 * used instead, or if that fails too, a comparison sort or, of many values, one by their bits. The order is always stable. A sorter cannot be shared by
 * concurrent callers, because every call reuses its buffers.
 */
export class ValueSorter {
  /** Indexes of the values in ascending order after `sort`. */
  order: Int32Array
  /** The values in ascending order after `sort`. */
  readonly sorted: Float64Array
  #spare: Int32Array
  readonly #levels: Int32Array
  readonly #counts: Int32Array
  readonly #buckets: number

  constructor(capacity: number) {
    this.order = new Int32Array(capacity)
    this.sorted = new Float64Array(capacity)
    this.#spare = new Int32Array(capacity)
    this.#levels = new Int32Array(capacity)
    this.#buckets = 2 ** Math.ceil(Math.log2(Math.max(DIGITS, 1.5 * capacity)))
    this.#counts = new Int32Array(Math.max(this.#buckets, DIGITS * PASSES))
  }

  /** Sorts the first `count` values; returns `order`, which contains their indexes. */
  sort(values: Float64Array, count: number): Int32Array {
    if (count <= SMALL) {
      this.#copy(values, count)
      this.restoreOrder(count)
      return this.order
    }
    let low = values[0]
    let high = low
    for (let i = 1; i < count; i++) {
      const value = values[i]
      if (value < low) low = value
      else if (value > high) high = value
    }
    const extent = high - low
    if (extent === 0) {
      this.#copy(values, count)
      return this.order
    }
    // Buckets do not work if the extent of the values is infinite or subnormal.
    const canScale = extent < Infinity && LEVELS / extent < Infinity
    if (canScale && this.#bucketSort(values, count, low, extent)) return this.order
    if (canScale && this.#radixSort(values, count, low, extent)) return this.order
    return this.#compareSort(values, count)
  }

  #copy(values: Float64Array, count: number): void {
    const { order, sorted } = this
    for (let i = 0; i < count; i++) {
      order[i] = i
      sorted[i] = values[i]
    }
  }

  #bucketSort(values: Float64Array, count: number, low: number, extent: number): boolean {
    const { order, sorted } = this
    const levels = this.#levels
    const counts = this.#counts.fill(0, 0, this.#buckets)
    // No value falls beyond the last bucket, because the rounding error is far below the width of a bucket.
    const scale = (this.#buckets - 1) / extent
    for (let i = 0; i < count; i++) {
      const level = ((values[i] - low) * scale) | 0
      levels[i] = level
      counts[level]++
    }
    countsToStarts(counts, 0, this.#buckets)
    for (let i = 0; i < count; i++) {
      const at = counts[levels[i]]++
      order[at] = i
      sorted[at] = values[i]
    }
    return this.restoreOrder(count)
  }

  #radixSort(values: Float64Array, count: number, low: number, extent: number): boolean {
    const levels = this.#levels
    const counts = this.#counts.fill(0, 0, DIGITS * PASSES)
    const scale = (LEVELS - 1) / extent
    for (let i = 0; i < count; i++) {
      const level = Math.min(LEVELS - 1, (values[i] - low) * scale) | 0
      this.order[i] = i
      levels[i] = level
      counts[level & 255]++
      counts[DIGITS + ((level >> 8) & 255)]++
      counts[2 * DIGITS + (level >> 16)]++
    }
    for (let pass = 0; pass < PASSES; pass++) {
      countsToStarts(counts, pass * DIGITS, (pass + 1) * DIGITS)
      this.#scatter(count, pass)
    }
    for (let i = 0; i < count; i++) this.sorted[i] = values[this.order[i]]
    return this.restoreOrder(count)
  }

  #scatter(count: number, pass: number): void {
    const { order } = this
    const spare = this.#spare
    const shift = pass * DIGIT_BITS
    for (let i = 0; i < count; i++) {
      const place = order[i]
      spare[this.#counts[pass * DIGITS + ((this.#levels[place] >> shift) & 255)]++] = place
    }
    this.order = spare
    this.#spare = order
  }

  #compareSort(values: Float64Array, count: number): Int32Array {
    const { order } = this
    // Adding 0 turns −0 into 0, because −0 sorts before 0 although they are equal.
    if (count >= MANY) order.set(ascendingOrder(values.subarray(0, count).map((value) => value + 0)))
    else for (let i = 0; i < count; i++) order[i] = i
    if (count < MANY) order.subarray(0, count).sort((a, b) => values[a] - values[b] || a - b)
    for (let i = 0; i < count; i++) this.sorted[i] = values[order[i]]
    return order
  }

  /** Sorts nearly sorted values by insertion; returns false if that takes too many moves. */
  restoreOrder(count: number): boolean {
    const { order, sorted } = this
    let moves = count <= SMALL ? Infinity : MOVES_PER_VALUE * count
    for (let i = 1; i < count; i++) {
      const value = sorted[i]
      if (sorted[i - 1] <= value) continue
      const place = order[i]
      let at = i
      while (at > 0 && sorted[at - 1] > value) {
        sorted[at] = sorted[at - 1]
        order[at] = order[at - 1]
        at--
      }
      sorted[at] = value
      order[at] = place
      moves -= i - at
      if (moves < 0) return false
    }
    return true
  }
}

/** Turns counts from `from` to `end` into start offsets. */
function countsToStarts(counts: Int32Array, from: number, end: number): void {
  let sum = 0
  for (let at = from; at < end; at++) {
    const count = counts[at]
    counts[at] = sum
    sum += count
  }
}
