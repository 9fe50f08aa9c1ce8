/**
 * Decodes Parquet's hybrid of repeated and bit-packed runs, used for dictionary indexes, definition levels and
 * booleans.
 * @returns offset after the runs
 */
export function decodeHybridRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  bitWidth: number,
  target: Int32Array | Uint8Array,
  count: number,
): number {
  if (bitWidth === 0) {
    target.fill(0, 0, count)
    return start
  }
  if (bitWidth > 32) throw new Error(`a bit width of ${bitWidth}`)
  let offset = start
  let done = 0
  while (done < count) {
    let header = 0
    let shift = 0
    let byte: number
    do {
      if (offset >= end) throw new Error('runs end too early')
      byte = bytes[offset++]
      header |= (byte & 0x7f) << shift
      shift += 7
    } while (byte & 0x80)
    if (header & 1) {
      const values = Math.min((header >>> 1) * 8, count - done)
      if (offset + Math.ceil((values * bitWidth) / 8) > end) throw new Error('a bit-packed run ends too early')
      unpackBits(bytes, offset, bitWidth, target, done, values)
      offset += (header >>> 1) * bitWidth
      done += values
    } else {
      const values = Math.min(header >>> 1, count - done)
      const width = (bitWidth + 7) >> 3
      if (offset + width > end) throw new Error('a repeated run ends too early')
      let value = 0
      for (let i = 0; i < width; i++) value |= bytes[offset++] << (8 * i)
      target.fill(value, done, done + values)
      done += values
    }
  }
  return offset
}

/** Unpacks `count` values of a bit width from `start` on into the target. */
type Unpack = (
  bytes: Uint8Array,
  start: number,
  bitWidth: number,
  target: Int32Array | Uint8Array,
  from: number,
  count: number,
) => void

const unpackBits: Unpack = (bytes, start, bitWidth, target, from, count) => {
  if (bitWidth > 25) {
    unpackWideBits(bytes, start, bitWidth, target, from, count)
    return
  }
  // A value and the bits before it in its first byte fit into 32 bits, read at once; the last bytes are padded.
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start)
  const mask = (1 << bitWidth) - 1
  const quick = Math.max(0, Math.min(count, Math.floor(((view.byteLength - 4) * 8) / bitWidth)))
  for (let i = 0, bit = 0; i < quick; i++, bit += bitWidth) {
    target[from + i] = (view.getUint32(bit >>> 3, true) >>> (bit & 7)) & mask
  }
  const done = quick * bitWidth
  const restStart = start + (done >>> 3)
  let buffered = bytes[restStart] >>> (done & 7)
  let bits = 8 - (done & 7)
  let at = restStart + 1
  for (let i = quick; i < count; i++) {
    while (bits < bitWidth) {
      buffered |= bytes[at++] << bits
      bits += 8
    }
    target[from + i] = buffered & mask
    buffered >>>= bitWidth
    bits -= bitWidth
  }
}

/** Unpacks widths at which a value and the bits before it exceed 32 bits. */
const unpackWideBits: Unpack = (bytes, start, bitWidth, target, from, count) => {
  for (let i = 0; i < count; i++) {
    const firstBit = i * bitWidth
    let value = 0
    for (let bit = 0; bit < bitWidth; bit++) {
      const position = firstBit + bit
      value |= ((bytes[start + (position >> 3)] >> (position & 7)) & 1) << bit
    }
    target[from + i] = value
  }
}
