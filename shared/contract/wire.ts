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

/** Bytes of a message, which begin at an offset; zeros are between them. */
interface WirePart {
  offset: number
  bytes: Uint8Array
}

/** Lays out a message whose arrays are not copied yet. */
function layOut(value: unknown): { parts: WirePart[]; size: number } {
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
  const jsonLength = new Uint8Array(4)
  new DataView(jsonLength.buffer).setUint32(0, json.length, true)
  const parts: WirePart[] = [
    { offset: 0, bytes: jsonLength },
    { offset: 4, bytes: json },
  ]
  let offset = padTo8(4 + json.length)
  for (const array of arrays) {
    parts.push({ offset, bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength) })
    offset = padTo8(offset + array.byteLength)
  }
  return { parts, size: offset }
}

export function encodeWire(value: unknown): Uint8Array<ArrayBuffer> {
  const { parts, size } = layOut(value)
  const message = new Uint8Array(size)
  for (const { offset, bytes } of parts) message.set(bytes, offset)
  return message
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
 * Encodes a value in pieces if it is large, each of which is made when it is taken. Each piece begins with two 32-bit
 * numbers. The first is 0, unlike in a message that is sent whole, which begins with the length of its JSON. The second
 * is the length of the whole message.
 */
export function* wirePieces(value: unknown): Generator<Uint8Array, void, void> {
  const { parts, size } = layOut(value)
  const isWhole = size <= MOST_BYTES
  let next = 0
  for (let at = 0; at < size; at += MOST_BYTES) {
    const end = Math.min(at + MOST_BYTES, size)
    const start = isWhole ? 0 : PIECE_HEADER_BYTES
    const piece = new Uint8Array(start + end - at)
    if (!isWhole) new DataView(piece.buffer).setUint32(4, size, true)
    for (let part = next; part < parts.length && parts[part].offset < end; part++) {
      const { offset, bytes } = parts[part]
      const [from, to] = [Math.max(at, offset), Math.min(end, offset + bytes.length)]
      if (from < to) piece.set(bytes.subarray(from - offset, to - offset), start + from - at)
      if (offset + bytes.length <= end) next = part + 1
    }
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
