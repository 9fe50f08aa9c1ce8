import { ascendingOrder } from '#shared/statistics/ascendingOrder.ts'

/** Sorted values of a window. They are valid only during the callback that receives them. */
export interface OrderedWindow {
  readonly count: number
  /** Counts the values below the value of the current row, which must have one. */
  below(): number
  /** Counts the values equal to the value of the current row, itself included. */
  equal(): number
  /**
   * Returns the value at a position in ascending order. Each walker (0 to 2) begins where it ended, also in the previous
   * window, so that one which is asked for places near each other hardly searches.
   */
  valueAt(place: number, walker?: 0 | 1 | 2): number
}

const WALKERS = 3
/** Values up to which a walker steps from one to the next; farther away, a search from the top is faster. */
const MOST_STEPS = 12
/** Words without a value up to which a step looks for the next value. */
const MOST_EMPTY_WORDS = 8

const LEAST_CHUNK_ROWS = 4096
/** Number of windows up to which a series is sorted whole, because sorting a chunk also sorts the window before it. */
const MOST_WINDOWS_AT_ONCE = 3

/**
 * Slides a window of `width` rows over a series in O(n·log(width)) time. It works in chunks, so that the sorted values
 * of a chunk and its preceding window fit small sets.
 */
export function slideOrder(
  values: Float64Array,
  valid: Uint8Array | null,
  width: number,
  visit: (row: number, window: OrderedWindow) => void,
): void {
  const rows = values.length
  const isOneChunk = rows <= MOST_WINDOWS_AT_ONCE * width
  const chunkRows = isOneChunk ? rows : Math.max(width, LEAST_CHUNK_ROWS)
  for (let start = 0; start < rows; start += chunkRows) {
    const from = Math.max(0, start - width + 1)
    const end = Math.min(rows, start + chunkRows)
    const chunk = sortedChunk(values, valid, from, end)
    const { slots, firstSlots } = chunk
    const window = new SlotSet(chunk)
    for (let row = from; row < end; row++) {
      const slot = slots[row - from]
      if (slot >= 0) window.add(slot)
      if (row < start) continue
      window.currentFirst = firstSlots[row - from]
      visit(row, window)
      const leavingRow = row - width + 1
      if (leavingRow >= from && slots[leavingRow - from] >= 0) window.remove(slots[leavingRow - from])
    }
  }
}

/** Present values of some rows in ascending order. */
interface SortedChunk {
  sorted: Float64Array
  /** Place of each row's value among the sorted ones, its own for each row; −1 if it is missing. */
  slots: Int32Array
  /** First place of the values that are equal to each row's; −1 if it is missing. */
  firstSlots: Int32Array
  /** Number of equal values, by their first place. */
  equalCounts: Int32Array
}

function sortedChunk(values: Float64Array, valid: Uint8Array | null, from: number, end: number): SortedChunk {
  const present = new Float64Array(end - from)
  const rows = new Int32Array(end - from)
  let count = 0
  for (let row = from; row < end; row++) {
    if (valid && valid[row] === 0) continue
    // Adding 0 turns −0 into 0, because −0 sorts before 0 although they are equal.
    present[count] = values[row] + 0
    rows[count++] = row - from
  }
  const order = ascendingOrder(present.subarray(0, count))
  const sorted = new Float64Array(count)
  for (let slot = 0; slot < count; slot++) sorted[slot] = present[order[slot]]
  const slots = new Int32Array(end - from).fill(-1)
  const firstSlots = new Int32Array(end - from).fill(-1)
  const equalCounts = new Int32Array(count)
  let first = 0
  for (let slot = 0; slot < count; slot++) {
    if (sorted[slot] !== sorted[first]) first = slot
    const row = rows[order[slot]]
    slots[row] = slot
    firstSlots[row] = first
    equalCounts[first]++
  }
  return { sorted, slots, firstSlots, equalCounts }
}

/** Counts the bits of a 32-bit word. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Number of children of a node of the tree, as a power of two: few levels, and each is read in sequence. */
const FAN_OUT_BITS = 4
const FAN_OUT = 1 << FAN_OUT_BITS

/**
 * Set of places in a sorted list: a bit for each place in words of 32 bits, and a tree over the words whose nodes count
 * the bits below them.
 */
class SlotSet implements OrderedWindow {
  count = 0
  /** First place of the values that are equal to the current row's. */
  currentFirst = -1
  readonly #sorted: Float64Array
  readonly #equalCounts: Int32Array
  readonly #words: Int32Array
  /** Counts by level, the one over the words first; the last level has at most `FAN_OUT` nodes. */
  readonly #levels: Int32Array[] = []
  /** Slot that each walker is at, and how many slots of the set are before it. */
  readonly #walkerSlots = new Int32Array(WALKERS)
  readonly #walkerPlaces = new Int32Array(WALKERS)

  constructor({ sorted, equalCounts }: SortedChunk) {
    const wordCount = Math.ceil(sorted.length / 32)
    this.#sorted = sorted
    this.#equalCounts = equalCounts
    this.#words = new Int32Array(wordCount)
    for (let nodes = wordCount; nodes > FAN_OUT || this.#levels.length === 0;) {
      nodes = Math.ceil(nodes / FAN_OUT)
      this.#levels.push(new Int32Array(nodes))
    }
  }

  add(slot: number): void {
    this.#words[slot >>> 5] |= 1 << (slot & 31)
    this.#change(slot, 1)
  }

  remove(slot: number): void {
    this.#words[slot >>> 5] &= ~(1 << (slot & 31))
    this.#change(slot, -1)
  }

  #change(slot: number, change: 1 | -1): void {
    this.count += change
    let node = slot >>> 5
    for (const counts of this.#levels) counts[(node >>>= FAN_OUT_BITS)] += change
    for (let walker = 0; walker < WALKERS; walker++)
      if (slot < this.#walkerSlots[walker]) this.#walkerPlaces[walker] += change
  }

  below(): number {
    return this.#countBefore(this.currentFirst)
  }

  equal(): number {
    const first = this.currentFirst
    const most = this.#equalCounts[first]
    return most === 1 ? 1 : this.#countBefore(first + most) - this.#countBefore(first)
  }

  valueAt(place: number, walker: 0 | 1 | 2 = 0): number {
    const near = this.#step(this.#walkerSlots[walker], place - this.#walkerPlaces[walker])
    const slot = near < 0 ? this.#slotAt(place) : near
    this.#walkerSlots[walker] = slot
    this.#walkerPlaces[walker] = place
    return this.#sorted[slot]
  }

  /** Returns the slot of the set that is a number of steps from a slot; −1 if it is too far away to step there. */
  #step(from: number, steps: number): number {
    if (Math.abs(steps) > MOST_STEPS) return -1
    let slot = steps < 0 ? from : this.#next(from)
    for (let left = steps; left > 0 && slot >= 0; left--) slot = this.#next(slot + 1)
    for (let left = steps; left < 0 && slot >= 0; left++) slot = this.#previous(slot)
    return slot
  }

  /** Returns the first slot of the set that is not before a slot; −1 if it is not near. */
  #next(from: number): number {
    const bitsByWord = this.#words
    let word = from >>> 5
    const end = Math.min(word + MOST_EMPTY_WORDS, bitsByWord.length)
    if (word >= end) return -1
    let bits = bitsByWord[word] & (-1 << (from & 31))
    while (bits === 0) {
      if (++word === end) return -1
      bits = bitsByWord[word]
    }
    return (word << 5) + 31 - Math.clz32(bits & -bits)
  }

  /** Returns the last slot of the set before a slot; −1 if it is not near. */
  #previous(from: number): number {
    const bitsByWord = this.#words
    let word = from >>> 5
    const end = Math.max(word - MOST_EMPTY_WORDS, -1)
    let bits = bitsByWord[word] & ((1 << (from & 31)) - 1)
    while (bits === 0) {
      if (--word === end) return -1
      bits = bitsByWord[word]
    }
    return (word << 5) + 31 - Math.clz32(bits)
  }

  #slotAt(place: number): number {
    const levels = this.#levels
    let remaining = place
    let node = 0
    for (let level = levels.length - 1; level >= 0; level--) {
      const counts = levels[level]
      while (counts[node] <= remaining) remaining -= counts[node++]
      node <<= FAN_OUT_BITS
    }
    const bitsByWord = this.#words
    let bits = bitsByWord[node]
    for (let count = countBits(bits); count <= remaining; count = countBits(bits)) {
      remaining -= count
      bits = bitsByWord[++node]
    }
    for (; remaining > 0; remaining--) bits &= bits - 1
    return (node << 5) + 31 - Math.clz32(bits & -bits)
  }

  /** Counts the places of the set before `slot`. */
  #countBefore(slot: number): number {
    const bitsByWord = this.#words
    let node = slot >>> 5
    let sum = slot & 31 ? countBits(bitsByWord[node] & ((1 << (slot & 31)) - 1)) : 0
    for (let word = node & ~(FAN_OUT - 1); word < node; word++) sum += countBits(bitsByWord[word])
    const { length } = this.#levels
    for (let level = 0; level < length; level++) {
      const counts = this.#levels[level]
      node >>>= FAN_OUT_BITS
      const from = level === length - 1 ? 0 : node & ~(FAN_OUT - 1)
      for (let at = from; at < node; at++) sum += counts[at]
    }
    return sum
  }
}
