/** Values to sort: 32 of their bits, changed so that they ascend as the values do, and where they come from. */
interface SortKeys {
  bits: Uint32Array
  order: Uint32Array
}

const noKeys = (count: number): SortKeys => ({ bits: new Uint32Array(count), order: new Uint32Array(count) })

/** First bits of the digits of half a number; the last digit has 10 bits, the others 11. */
const digitShifts = [0, 11, 22]
const DIGITS = 1 << 11
/** Maximum moves per value of the insertion sort that finishes; beyond, sorting by the other half is faster. */
const MOVES_PER_VALUE = 4

/**
 * Returns the indexes of values in ascending order of the values; equal values keep their order, and −0 comes before 0.
 * A radix sort by the upper halves of their bits leaves few pairs to swap unless many values agree in 6 digits; if they
 * do, the values are sorted by the lower halves first.
 */
export function ascendingOrder(values: Float64Array): Uint32Array {
  const order = new Uint32Array(values.length)
  for (let at = 0; at < order.length; at++) order[at] = at
  const byUpperHalf = sortByHalf(values, order, 'upper')
  if (swapRest(values, byUpperHalf)) return byUpperHalf
  return sortByHalf(values, sortByHalf(values, order, 'lower'), 'upper')
}

/** Sorts the indexes by half of the bits of their values, keeping the order of equal ones. */
function sortByHalf(values: Float64Array, order: Uint32Array, half: 'lower' | 'upper'): Uint32Array {
  const count = order.length
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  let keys = noKeys(count)
  let sortedKeys = noKeys(count)
  const offset = half === 'upper' ? 1 : 0
  const positiveMask = half === 'upper' ? 0x80000000 : 0
  keys.order.set(order)
  for (let at = 0; at < count; at++) {
    const place = 2 * order[at]
    // The bits of negative numbers ascend as the numbers descend, and their sign bit is set.
    const mask = words[place + 1] >>> 31 === 1 ? 0xffffffff : positiveMask
    keys.bits[at] = words[place + offset] ^ mask
  }
  for (const shift of digitShifts) {
    if (sortByDigit(keys, sortedKeys, shift)) [keys, sortedKeys] = [sortedKeys, keys]
  }
  return keys.order
}

/** Sorts by one digit, keeping the order of equal ones; false if all digits are equal, so that nothing is written. */
function sortByDigit({ bits, order }: SortKeys, into: SortKeys, shift: number): boolean {
  const count = order.length
  const places = new Uint32Array(DIGITS)
  for (let at = 0; at < count; at++) places[(bits[at] >>> shift) & (DIGITS - 1)]++
  if (count === 0 || places[(bits[0] >>> shift) & (DIGITS - 1)] === count) return false
  for (let digit = 0, sum = 0; digit < DIGITS; digit++) {
    const digitCount = places[digit]
    places[digit] = sum
    sum += digitCount
  }
  const { bits: nextBits, order: nextOrder } = into
  for (let at = 0; at < count; at++) {
    const place = places[(bits[at] >>> shift) & (DIGITS - 1)]++
    nextBits[place] = bits[at]
    nextOrder[place] = order[at]
  }
  return true
}

/** Finishes the order of values that are nearly sorted by insertion; false if that would take too many moves. */
function swapRest(values: Float64Array, order: Uint32Array): boolean {
  let moves = MOVES_PER_VALUE * order.length
  let before = -Infinity
  for (let at = 0; at < order.length; at++) {
    const index = order[at]
    const value = values[index]
    if (value >= before) {
      before = value
      continue
    }
    let place = at
    while (place > 0 && values[order[place - 1]] > value) {
      order[place] = order[place - 1]
      place--
    }
    order[place] = index
    moves -= at - place
    if (moves < 0) return false
  }
  return true
}
