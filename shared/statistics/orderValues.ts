/** Below this number of values an insertion sort is faster than counting digits. */
const SMALL = 40
const BUCKETS = 256
const BUCKET_BITS = 8
const PASSES = 3
const LEVELS = 2 ** (BUCKET_BITS * PASSES) - 1

/**
 * Sorts many short lists of finite numbers by radix: each value becomes a 24-bit level between the lowest and the highest
 * value, and an insertion sort mends what the level rounds off. The order is stable. One sorter serves one caller at a
 * time, because its buffers are used again by every call.
 */
export class ValueOrder {
  /** Places of the values in ascending order after `sort`. */
  order: Int32Array
  #spare: Int32Array
  #levels: Int32Array
  readonly #counts = new Int32Array(BUCKETS * PASSES)

  constructor(capacity: number) {
    this.order = new Int32Array(capacity)
    this.#spare = new Int32Array(capacity)
    this.#levels = new Int32Array(capacity)
  }

  /** Sorts the first `count` values; `order` holds their places afterwards. */
  sort(values: Float64Array, count: number): Int32Array {
    for (let i = 0; i < count; i++) this.order[i] = i
    const isNearlySorted = count <= SMALL || this.#radix(values, count)
    const { order } = this
    if (isNearlySorted && insertionSort(values, order, count)) return order
    order.subarray(0, count).sort((a, b) => values[a] - values[b] || a - b)
    return order
  }

  /** Orders by levels; false where the values span too much for levels to be told apart. */
  #radix(values: Float64Array, count: number): boolean {
    let low = values[0]
    let high = low
    for (let i = 1; i < count; i++) {
      const value = values[i]
      if (value < low) low = value
      else if (value > high) high = value
    }
    const scale = LEVELS / (high - low)
    if (high === low) return true
    if (!(scale > 0 && scale < Infinity)) return false
    this.#count(values, count, low, scale)
    this.#scatter(count)
    return true
  }

  #count(values: Float64Array, count: number, low: number, scale: number): void {
    const counts = this.#counts.fill(0)
    const levels = this.#levels
    for (let i = 0; i < count; i++) {
      const level = Math.min(LEVELS, (values[i] - low) * scale) | 0
      levels[i] = level
      counts[level & 255]++
      counts[BUCKETS + ((level >> 8) & 255)]++
      counts[2 * BUCKETS + (level >> 16)]++
    }
    for (let pass = 0; pass < PASSES; pass++) {
      let sum = 0
      for (let at = pass * BUCKETS, end = at + BUCKETS; at < end; at++) {
        const here = counts[at]
        counts[at] = sum
        sum += here
      }
    }
  }

  #scatter(count: number): void {
    const counts = this.#counts
    const levels = this.#levels
    for (let pass = 0; pass < PASSES; pass++) {
      const { order } = this
      const spare = this.#spare
      const shift = pass * BUCKET_BITS
      const base = pass * BUCKETS
      for (let i = 0; i < count; i++) {
        const place = order[i]
        spare[counts[base + ((levels[place] >> shift) & 255)]++] = place
      }
      this.order = spare
      this.#spare = order
    }
  }
}

/** Moves that an insertion sort may make per value before another sort is cheaper. */
const MOVES_PER_VALUE = 24

/** Sorts places by their values; false where that would take too many moves, with the work half done. */
function insertionSort(values: Float64Array, order: Int32Array, count: number): boolean {
  let moves = MOVES_PER_VALUE * Math.max(count, SMALL)
  for (let i = 1; i < count; i++) {
    const place = order[i]
    const value = values[place]
    let at = i
    while (at > 0 && values[order[at - 1]] > value) {
      order[at] = order[at - 1]
      at--
    }
    order[at] = place
    moves -= i - at
    if (moves < 0) return false
  }
  return true
}
