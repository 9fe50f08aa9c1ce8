import type { Packing } from './panelStudy.ts'

/** Minimum length of the lists of numbers that are packed. */
const LEAST_PACKED = 1024

/**
 * Replaces the long number lists of a result, in place, by arrays that can be transferred to another thread. Otherwise
 * each number would be copied as an object, and a year of minutes has millions.
 */
export function packLists(value: unknown): unknown {
  if (Array.isArray(value)) return packedList(value) ?? replaceParts(value, packLists)
  return replaceParts(value, packLists)
}

/** Replaces the parts of a value one after the other, so that the memory of each is freed before the next is built. */
function replaceParts(value: unknown, replacePart: (part: unknown) => unknown): unknown {
  // A packed list has no parts, and listing its places would take longer than packing it.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const parts = value as Record<string, unknown>
  for (const key of Object.keys(parts)) if (typeof parts[key] === 'object') parts[key] = replacePart(parts[key])
  return value
}

/** Packs a list of numbers and nulls; null if the list is short or has anything else in it, such as a NaN. */
function packedList(list: readonly unknown[]): Float64Array | null {
  if (list.length < LEAST_PACKED) return null
  const packed = new Float64Array(list.length)
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    if (typeof item === 'number' && !Number.isNaN(item)) packed[index] = item
    else if (item === null) packed[index] = NaN
    else return null
  }
  return packed
}

/** Turns packed lists back into lists of numbers and nulls; the memory of the packed ones is freed. */
export const unpackLists = (value: unknown): unknown =>
  value instanceof Float64Array ? unpackedList(value) : replaceParts(value, unpackLists)

function unpackedList(packed: Float64Array): (number | null)[] {
  // A list created with its length takes only the memory of its numbers; a growing one takes half as much again.
  const list = new Array<number | null>(packed.length)
  for (let index = 0; index < packed.length; index++) {
    const value = packed[index]
    // Two assignments, because V8 would allocate a value that may be a number or null as an object first.
    if (Number.isNaN(value)) list[index] = null
    else list[index] = value
  }
  // The memory is freed at once, because the garbage collector would let the memory of many lists add up first.
  ;(packed.buffer as ArrayBuffer).transfer(0)
  return list
}

/** Lists the buffers of packed lists, to transfer instead of copying. */
export function packedBuffers(value: unknown): ArrayBuffer[] {
  if (value instanceof Float64Array) return [value.buffer as ArrayBuffer]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(packedBuffers)
}

/** Keeps the lists of a study packed from the start; they are unpacked where the result is received. */
export const packing: Packing = {
  onHorizon: packLists,
  numberList: (numbers) => numbers as unknown as number[],
}
