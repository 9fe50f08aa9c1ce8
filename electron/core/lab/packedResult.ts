/** Lists of numbers that are at least this long are packed. */
const LEAST_PACKED = 1024

/**
 * Replaces the long lists of numbers of a result by arrays whose memory another thread takes over: each number would be an
 * object there, and a year of minutes has millions.
 */
export function packLists(value: unknown): unknown {
  if (Array.isArray(value)) return packedList(value) ?? value.map(packLists)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, packLists(one)]))
}

/** Packs a list of numbers and nulls; null for any other, or for one with a number that would be taken for a null. */
function packedList(list: readonly unknown[]): Float64Array | null {
  if (list.length < LEAST_PACKED) return null
  const packed = new Float64Array(list.length)
  for (let at = 0; at < list.length; at++) {
    const one = list[at]
    if (one !== null && (typeof one !== 'number' || Number.isNaN(one))) return null
    packed[at] = one ?? NaN
  }
  return packed
}

/** Turns packed lists into lists of numbers and nulls again. */
export function unpackLists(value: unknown): unknown {
  if (value instanceof Float64Array) return unpackedList(value)
  if (Array.isArray(value)) return value.map(unpackLists)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unpackLists(one)]))
}

function unpackedList(packed: Float64Array): (number | null)[] {
  // Without a null the list stays one of plain numbers, which take a third of the memory.
  if (!packed.some(Number.isNaN)) return Array.from(packed)
  return Array.from(packed, (one) => (Number.isNaN(one) ? null : one))
}

/** Lists the memory of packed lists, which is handed over and not copied. */
export function packedBuffers(value: unknown): ArrayBuffer[] {
  if (value instanceof Float64Array) return [value.buffer as ArrayBuffer]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(packedBuffers)
}
