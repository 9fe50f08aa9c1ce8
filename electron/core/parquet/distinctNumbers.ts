/** Hash table of the values seen so far, as their index plus 1; 0 is a free slot. */
let slots = new Int32Array(0)

/**
 * Tells whether more than half of the values are distinct; NaN does not count as a value. A dictionary of such a column
 * is never shorter than the column, and here that is certain before the writer's own sample of 1,000 values is taken.
 */
export function areMostlyDistinct(values: Float64Array<ArrayBuffer>): boolean {
  let present = 0
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) present++
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
  const bitWidth = Math.ceil(Math.log2(values.length + 1)) + 1
  if (slots.length < 2 ** bitWidth) slots = new Int32Array(2 ** bitWidth)
  slots.fill(0, 0, 2 ** bitWidth)
  let distinct = 0
  for (let i = 0; i < values.length && distinct * 2 <= present; i++)
    if (!Number.isNaN(values[i]) && addBits(bits, i, bitWidth)) distinct++
  return distinct * 2 > present
}

/** Adds a value to the table; returns whether it is new. */
function addBits(bits: Int32Array, index: number, bitWidth: number): boolean {
  const low = bits[2 * index]
  const high = bits[2 * index + 1]
  // The upper bits of the product depend on all bits of the value, of which short decimals leave most at 0.
  let slot = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x9e3779b1) >>> (32 - bitWidth)
  while (slots[slot] !== 0) {
    const known = slots[slot] - 1
    if (bits[2 * known] === low && bits[2 * known + 1] === high) return false
    slot = (slot + 1) & (2 ** bitWidth - 1)
  }
  slots[slot] = index + 1
  return true
}
