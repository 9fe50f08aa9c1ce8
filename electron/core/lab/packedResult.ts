/** Lists of numbers that are at least this long are packed. */
const LEAST_PACKED = 1024

/**
 * Replaces the long lists of numbers of a result, in place, by arrays whose memory another thread takes over: each number
 * would be an object there, and a year of minutes has millions.
 */
export function packLists(value: unknown): unknown {
  if (Array.isArray(value)) return packedList(value) ?? replaced(value, packLists)
  return replaced(value, packLists)
}

/** Replaces the parts of a value one after the other, so that the memory of each is free before the next one is made. */
function replaced(value: unknown, by: (part: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const parts = value as Record<string, unknown>
  for (const key of Object.keys(parts)) if (typeof parts[key] === 'object') parts[key] = by(parts[key])
  return value
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
export const unpackLists = (value: unknown): unknown =>
  value instanceof Float64Array ? unpackedList(value) : replaced(value, unpackLists)

function unpackedList(packed: Float64Array): (number | null)[] {
  // A list of a known length takes no more memory than its numbers, and one that grows takes half as much again.
  const list = new Array<number | null>(packed.length)
  for (let at = 0; at < packed.length; at++) list[at] = Number.isNaN(packed[at]) ? null : packed[at]
  return list
}

/** Lists the memory of packed lists, which is handed over and not copied. */
export function packedBuffers(value: unknown): ArrayBuffer[] {
  if (value instanceof Float64Array) return [value.buffer as ArrayBuffer]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(packedBuffers)
}
