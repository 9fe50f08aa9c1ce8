/** Number of moves per event up to which an insertion sort is faster than a merge sort. */
const movesPerEvent = 8

/** Counts the leading events that are in time order. */
function sortedCount(timesUs: Float64Array): number {
  let leadingSorted = 1
  while (leadingSorted < timesUs.length && timesUs[leadingSorted] >= timesUs[leadingSorted - 1]) leadingSorted++
  return leadingSorted
}

export const isInTimeOrder = (timesUs: Float64Array) => sortedCount(timesUs) >= timesUs.length

/** Returns the indices of the events in time order (stable); null if they are sorted already. */
export function timeOrder(timesUs: Float64Array): Uint32Array | null {
  const count = timesUs.length
  const leadingSorted = sortedCount(timesUs)
  if (leadingSorted >= count) return null
  const order = new Uint32Array(count)
  for (let i = 0; i < count; i++) order[i] = i
  return insertionOrder(timesUs, order, leadingSorted) ?? mergedOrder(timesUs, order)
}

/**
 * Sorts by insertion, which is fast if events are only slightly out of order, such as by arrival time in a file ordered
 * by exchange time. Returns null once the sort has taken too many moves.
 */
function insertionOrder(timesUs: Float64Array, start: Uint32Array, leadingSorted: number): Uint32Array | null {
  const order = start.slice()
  let moves = order.length * movesPerEvent
  for (let i = leadingSorted; i < order.length; i++) {
    const timeUs = timesUs[i]
    let position = i
    while (position > 0 && timesUs[order[position - 1]] > timeUs) {
      order[position] = order[position - 1]
      position--
    }
    order[position] = i
    moves -= i - position
    if (moves < 0) return null
  }
  return order
}

function mergedOrder(timesUs: Float64Array, start: Uint32Array): Uint32Array {
  const count = start.length
  let from = start
  let to: Uint32Array = new Uint32Array(count)
  for (let width = 1; width < count; width *= 2) {
    for (let low = 0; low < count; low += 2 * width) {
      const middle = Math.min(low + width, count)
      const high = Math.min(low + 2 * width, count)
      let left = low
      let right = middle
      for (let index = low; index < high; index++) {
        const isLeftNext = left < middle && (right >= high || timesUs[from[left]] <= timesUs[from[right]])
        to[index] = isLeftNext ? from[left++] : from[right++]
      }
    }
    const merged = to
    to = from
    from = merged
  }
  return from
}
