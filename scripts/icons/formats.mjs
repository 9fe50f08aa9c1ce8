/** The three file formats of icons. */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BYTES_PER_PIXEL = 4

/** @param {Uint8Array} pixels RGBA of a square */
export function encodePng(pixels, sizePx) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(sizePx, 0)
  header.writeUInt32BE(sizePx, 4)
  // Writes a PNG with eight bits a channel: red, green, blue, alpha.
  header.set([8, 6, 0, 0, 0], 8)
  const stride = sizePx * BYTES_PER_PIXEL
  const rows = Buffer.alloc((stride + 1) * sizePx)
  for (let row = 0; row < sizePx; row++)
    rows.set(pixels.subarray(row * stride, (row + 1) * stride), row * (stride + 1) + 1)
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows, { level: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Reads what `encodePng` writes. */
export function decodePng(file) {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('no PNG file')
  const data = []
  let sizePx = 0
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at)
    const [name, body] = [file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, at + 8 + length)]
    if (crc32(file.subarray(at + 4, at + 8 + length)) !== file.readUInt32BE(at + 8 + length))
      throw new Error(`${name} is damaged`)
    if (name === 'IHDR') sizePx = body.readUInt32BE(0)
    if (name === 'IDAT') data.push(body)
    at += 12 + length
  }
  const rows = inflateSync(Buffer.concat(data))
  const stride = sizePx * BYTES_PER_PIXEL
  if (rows.length !== (stride + 1) * sizePx) throw new Error('rows are missing')
  const pixels = new Uint8Array(stride * sizePx)
  for (let row = 0; row < sizePx; row++) {
    if (rows[row * (stride + 1)] !== 0) throw new Error('a filter that is not ours')
    pixels.set(rows.subarray(row * (stride + 1) + 1, (row + 1) * (stride + 1)), row * stride)
  }
  return { sizePx, pixels }
}

function pngChunk(name, body) {
  const chunk = Buffer.alloc(12 + body.length)
  chunk.writeUInt32BE(body.length, 0)
  chunk.write(name, 4, 'latin1')
  chunk.set(body, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + body.length)), 8 + body.length)
  return chunk
}

/** @param {{ sizePx: number, png: Buffer }[]} images none above 256 pixels */
export function encodeIco(images) {
  const directory = Buffer.alloc(6 + 16 * images.length)
  directory.writeUInt16LE(1, 2)
  directory.writeUInt16LE(images.length, 4)
  let offset = directory.length
  images.forEach(({ sizePx, png }, index) => {
    const at = 6 + 16 * index
    // A byte: 256 is written as 0.
    directory.set([sizePx % 256, sizePx % 256], at)
    directory.writeUInt16LE(1, at + 4)
    directory.writeUInt16LE(32, at + 6)
    directory.writeUInt32LE(png.length, at + 8)
    directory.writeUInt32LE(offset, at + 12)
    offset += png.length
  })
  return Buffer.concat([directory, ...images.map(({ png }) => png)])
}

export function decodeIco(file) {
  if (file.readUInt16LE(0) !== 0 || file.readUInt16LE(2) !== 1) throw new Error('no icon file')
  return Array.from({ length: file.readUInt16LE(4) }, (_, index) => {
    const at = 6 + 16 * index
    const offset = file.readUInt32LE(at + 12)
    return { sizePx: file[at] || 256, png: file.subarray(offset, offset + file.readUInt32LE(at + 8)) }
  })
}

/** Names of PNG images in an icns file, by their side. */
const icnsTypes = { 16: 'icp4', 32: 'icp5', 64: 'icp6', 128: 'ic07', 256: 'ic08', 512: 'ic09', 1024: 'ic10' }

export function encodeIcns(images) {
  const parts = images.map(({ sizePx, png }) => {
    const head = Buffer.alloc(8)
    head.write(icnsTypes[sizePx], 0, 'latin1')
    head.writeUInt32BE(8 + png.length, 4)
    return Buffer.concat([head, png])
  })
  const head = Buffer.alloc(8)
  head.write('icns', 0, 'latin1')
  head.writeUInt32BE(8 + parts.reduce((sum, { length }) => sum + length, 0), 4)
  return Buffer.concat([head, ...parts])
}

export function decodeIcns(file) {
  if (file.toString('latin1', 0, 4) !== 'icns' || file.readUInt32BE(4) !== file.length) throw new Error('no icns file')
  const images = []
  for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4)) {
    const type = file.toString('latin1', at, at + 4)
    const size = Object.keys(icnsTypes).find((each) => icnsTypes[each] === type)
    images.push({ sizePx: Number(size), png: file.subarray(at + 8, at + file.readUInt32BE(at + 4)) })
  }
  return images
}
