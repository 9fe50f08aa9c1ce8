/** Hash table of the values seen so far: the index of each value plus 1; 0 for a free slot. */
let slots = new Int32Array(0)

/**
 * Tells whether more than half of the values are distinct; NaN does not count as a value. A dictionary would not make
 * such a column shorter, and the writer, once told so, need not find out from a sample of 1,000 values.
 */
export function areMostlyDistinct(values: Float64Array<ArrayBuffer>): boolean {
  let valueCount = 0
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) valueCount++
  const bits = bitsOf(values)
  const bitWidth = emptySlots(values.length)
  let distinctCount = 0
  for (let i = 0; i < values.length && distinctCount * 2 <= valueCount; i++)
    if (!Number.isNaN(values[i]) && firstEqual(bits, i, bitWidth) === i) distinctCount++
  return distinctCount * 2 > valueCount
}

/**
 * Writes the index of each value among the distinct ones into `indexes`, which tells −0 from 0, and the rows where these
 * stand first into `firstRows`.
 * @returns how many there are; -1 if they are more than `firstRows` has room for
 */
export function indexDistinct(values: Float64Array<ArrayBuffer>, indexes: Int32Array, firstRows: Int32Array): number {
  const bits = bitsOf(values)
  const bitWidth = emptySlots(values.length)
  let distinctCount = 0
  for (let i = 0; i < values.length; i++) {
    const first = firstEqual(bits, i, bitWidth)
    if (first < i) {
      indexes[i] = indexes[first]
      continue
    }
    if (distinctCount === firstRows.length) return -1
    firstRows[distinctCount] = i
    indexes[i] = distinctCount++
  }
  return distinctCount
}

const bitsOf = (values: Float64Array<ArrayBuffer>) =>
  new Int32Array(values.buffer, values.byteOffset, values.length * 2)

/** Frees the slots that a number of values needs; returns the number of bits of their indexes. */
function emptySlots(count: number): number {
  const bitWidth = Math.ceil(Math.log2(count + 1)) + 1
  if (slots.length < 2 ** bitWidth) slots = new Int32Array(2 ** bitWidth)
  slots.fill(0, 0, 2 ** bitWidth)
  return bitWidth
}

/** Returns the index of the first value with the same bits, which is its own if it is new, and adds a new one. */
function firstEqual(bits: Int32Array, index: number, bitWidth: number): number {
  const low = bits[2 * index]
  const high = bits[2 * index + 1]
  // The slot comes from the upper bits of the product, which depend on all bits of the value. The lower bits of many
  // values, such as whole numbers, are all 0.
  let slot = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x9e3779b1) >>> (32 - bitWidth)
  while (slots[slot] !== 0) {
    const knownIndex = slots[slot] - 1
    if (bits[2 * knownIndex] === low && bits[2 * knownIndex + 1] === high) return knownIndex
    slot = (slot + 1) & (2 ** bitWidth - 1)
  }
  slots[slot] = index + 1
  return index
}
