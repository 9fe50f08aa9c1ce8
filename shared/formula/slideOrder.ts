import { lowerBound } from '../search.ts'
/** Sorted values of a window. They are valid only during the callback that receives them. */
export interface OrderedWindow {
  readonly count: number
  /** Counts the values below the value of the current row, which must have one. */
  below(): number
  /** Counts the values equal to the value of the current row, itself included. */
  equal(): number
  /** Returns the value at a position in ascending order. */
  valueAt(place: number): number
}

const LEAST_CHUNK_ROWS = 4096

/**
 * Slides a window of `width` rows over a series in O(n·log(width)) time. It works in chunks, so that the sorted values
 * of a chunk and its preceding window fit a small counting tree.
 */
export function slideOrder(
  values: Float64Array,
  valid: Uint8Array | null,
  width: number,
  visit: (row: number, window: OrderedWindow) => void,
): void {
  const rows = values.length
  const chunkRows = Math.max(Math.min(width, rows), LEAST_CHUNK_ROWS)
  for (let start = 0; start < rows; start += chunkRows) {
    const from = Math.max(0, start - width + 1)
    const end = Math.min(rows, start + chunkRows)
    const distinctValues = distinctOf(values, valid, from, end)
    const window = new CountTree(distinctValues)
    const placeByRow = new Int32Array(end - from)
    for (let row = from; row < end; row++) placeByRow[row - from] = lowerBound(distinctValues, values[row])
    for (let row = from; row < end; row++) {
      const place = placeByRow[row - from]
      if (!valid || valid[row]) window.add(place, 1)
      if (row < start) continue
      window.currentPlace = place
      visit(row, window)
      const leavingRow = row - width + 1
      if (leavingRow >= from && (!valid || valid[leavingRow])) window.add(placeByRow[leavingRow - from], -1)
    }
  }
}

function distinctOf(values: Float64Array, valid: Uint8Array | null, from: number, end: number): Float64Array {
  const present = valid ? values.slice(from, end).filter((_, at) => valid[from + at]) : values.slice(from, end)
  // Adding 0 turns −0 into 0, because −0 sorts before 0 although they are equal.
  const sorted = present.map((value) => value + 0).sort()
  return sorted.filter((value, at) => at === 0 || value !== sorted[at - 1])
}

/** Fenwick tree that counts how often each value is in the window. */
class CountTree implements OrderedWindow {
  count = 0
  readonly #distinct: Float64Array
  readonly #tree: Int32Array
  readonly #firstStep: number
  /** Position of the current row's value. */
  currentPlace = 0

  constructor(distinct: Float64Array) {
    this.#distinct = distinct
    this.#tree = new Int32Array(distinct.length + 1)
    this.#firstStep = 2 ** Math.floor(Math.log2(Math.max(1, distinct.length)))
  }

  add(place: number, change: 1 | -1): void {
    this.count += change
    for (let at = place + 1; at < this.#tree.length; at += at & -at) this.#tree[at] += change
  }

  below(): number {
    return this.#upTo(this.currentPlace)
  }

  equal(): number {
    return this.#upTo(this.currentPlace + 1) - this.#upTo(this.currentPlace)
  }

  valueAt(place: number): number {
    let found = 0
    let remaining = place
    for (let step = this.#firstStep; step > 0; step >>= 1) {
      const next = found + step
      if (next >= this.#tree.length || this.#tree[next] > remaining) continue
      found = next
      remaining -= this.#tree[next]
    }
    return this.#distinct[found]
  }

  #upTo(end: number): number {
    let sum = 0
    for (let at = end; at > 0; at -= at & -at) sum += this.#tree[at]
    return sum
  }
}
