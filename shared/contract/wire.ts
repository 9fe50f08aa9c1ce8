/**
 * Encodes values that contain typed arrays, for transports that carry only bytes. The layout is: u32 length of the JSON
 * part (little-endian) · JSON · padding to 8 · the arrays, each padded to 8. In the JSON a typed array is written as
 * {"$array": [type, offset, length]}; the offset in bytes counts from the end of the JSON's padding. A key of a value
 * that is `$array` itself, after any number of further `$`, is written with one `$` more.
 */

const arrayTypes = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u8: Uint8Array,
  i64: BigInt64Array,
} as const

type ArrayType = keyof typeof arrayTypes
type WireArray = InstanceType<(typeof arrayTypes)[ArrayType]>

const marker = '$array'
const typeNames = Object.keys(arrayTypes) as ArrayType[]

/** Tells whether a key of a value could be taken for the marker, so that it is written with one `$` more. */
const isLikeMarker = (key: string): boolean => key.charCodeAt(0) === 0x24 && /^\$+array$/.test(key)

/** Renames the keys of an object that are like the marker, in their order; returns the object itself if it has none. */
function renameMarkers(item: object, rename: (key: string) => string): object {
  if (Array.isArray(item) || !Object.keys(item).some(isLikeMarker)) return item
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [isLikeMarker(key) ? rename(key) : key, value as unknown]),
  )
}

const padTo8 = (bytes: number) => (bytes + 7) & ~7

export class WireError extends Error {}

function typeOf(value: WireArray): ArrayType {
  const name = typeNames.find((type) => value instanceof arrayTypes[type])
  if (!name) throw new WireError(`a ${value.constructor.name} cannot be encoded`)
  return name
}

export function encodeWire(value: unknown): Uint8Array<ArrayBuffer> {
  const arrays: WireArray[] = []
  let arrayBytes = 0
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null) return item
    if (!ArrayBuffer.isView(item)) return renameMarkers(item, (key) => `$${key}`)
    const array = item as WireArray
    const reference = { [marker]: [typeOf(array), arrayBytes, array.length] }
    arrays.push(array)
    arrayBytes = padTo8(arrayBytes + array.byteLength)
    return reference
  })
  const json = new TextEncoder().encode(text ?? 'null')
  const start = padTo8(4 + json.length)
  const bytes = new Uint8Array(start + arrayBytes)
  new DataView(bytes.buffer).setUint32(0, json.length, true)
  bytes.set(json, 4)
  let offset = start
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset)
    offset = padTo8(offset + array.byteLength)
  }
  return bytes
}

/** Decodes a value. Arrays are views on `bytes` where the alignment allows that, and copies elsewhere. */
export function decodeWire(bytes: Uint8Array): unknown {
  if (bytes.length < 4) throw new WireError('message is cut short')
  const jsonLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const start = padTo8(4 + jsonLength)
  if (4 + jsonLength > bytes.length) throw new WireError('message is cut short')
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(4, 4 + jsonLength))
  const mayHaveEscapes = text.includes('"$$')
  return JSON.parse(text, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null) return item
    if (Object.hasOwn(item, marker)) return readArray(bytes, start, (item as Record<string, unknown>)[marker])
    return mayHaveEscapes && !ArrayBuffer.isView(item) ? renameMarkers(item, (key) => key.slice(1)) : item
  })
}

/** Largest message that is sent whole, in bytes; receiving 100 MB at once would block a window for almost a second. */
const MOST_BYTES = 1 << 20
const PIECE_HEADER_BYTES = 8

/**
 * Splits a message into pieces if it is large. Each piece begins with two 32-bit numbers. The first is 0, unlike in a
 * message that is sent whole, which begins with the length of its JSON. The second is the length of the whole message.
 */
export function* wirePieces(message: Uint8Array): Generator<Uint8Array, void, void> {
  if (message.length <= MOST_BYTES) return yield message
  for (let at = 0; at < message.length; at += MOST_BYTES) {
    const part = message.subarray(at, at + MOST_BYTES)
    const piece = new Uint8Array(PIECE_HEADER_BYTES + part.length)
    new DataView(piece.buffer).setUint32(4, message.length, true)
    piece.set(part, PIECE_HEADER_BYTES)
    yield piece
  }
}

/** Returns a function that takes pieces in order and returns the message once it is complete. */
export function createWireJoiner(): (piece: Uint8Array) => Uint8Array | null {
  let joined: Uint8Array | null = null
  let receivedBytes = 0
  return (piece) => {
    const header = new DataView(piece.buffer, piece.byteOffset, piece.byteLength)
    if (piece.length < PIECE_HEADER_BYTES || header.getUint32(0, true) !== 0) return piece
    joined ??= new Uint8Array(header.getUint32(4, true))
    joined.set(piece.subarray(PIECE_HEADER_BYTES), receivedBytes)
    receivedBytes += piece.length - PIECE_HEADER_BYTES
    if (receivedBytes < joined.length) return null
    const message = joined
    joined = null
    receivedBytes = 0
    return message
  }
}

function readArray(bytes: Uint8Array, start: number, reference: unknown): WireArray {
  if (!Array.isArray(reference)) throw new WireError('malformed array')
  const [type, offset, length] = reference as unknown[]
  const ArrayClass = arrayTypes[type as ArrayType]
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
  if (!Object.hasOwn(arrayTypes, String(type)) || !isCount(offset) || !isCount(length))
    throw new WireError('malformed array')
  const from = start + offset
  const byteLength = length * ArrayClass.BYTES_PER_ELEMENT
  if (from + byteLength > bytes.length) throw new WireError('array extends beyond the message')
  const absolute = bytes.byteOffset + from
  if (absolute % 8 === 0) return new ArrayClass(bytes.buffer as ArrayBuffer, absolute, length)
  // Copies the bytes by hand, because `slice` of a Node buffer is a view on the pool behind it.
  const copy = new Uint8Array(byteLength)
  copy.set(bytes.subarray(from, from + byteLength))
  return new ArrayClass(copy.buffer, 0, length)
}
