/** Encodings of text files in common use. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

const SAMPLE_BYTES = 4096

/**
 * Detects the encoding of a text by its first bytes: a byte order mark, or the zero bytes of Latin letters in UTF-16.
 * Everything else counts as UTF-8 until a byte proves otherwise.
 */
export function sniffEncoding(bytes: Uint8Array): TextEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const zeros = [0, 0]
  sample.forEach((byte, at) => (zeros[at % 2] += byte === 0 ? 1 : 0))
  const half = sample.length / 2
  if (half >= 2 && zeros[1] > half * 0.4 && zeros[0] === 0) return 'utf-16le'
  if (half >= 2 && zeros[0] > half * 0.4 && zeros[1] === 0) return 'utf-16be'
  return 'utf-8'
}

/** Decodes a text file in UTF-8 or UTF-16; any other file is decoded as Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = sniffEncoding(bytes)
  try {
    return new TextDecoder(encoding, { fatal: encoding === 'utf-8' }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/**
 * Returns the index where a possibly incomplete UTF-8 character at the end of a chunk starts; the chunk's length if
 * there is none.
 */
export function cutAt(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    if (bytes[at] < 0x80) return at + 1
    if (bytes[at] >= 0xc0) return at
  }
  return bytes.length
}

/**
 * Creates a decoder for text in chunks, with the encodings of `decodeText`; a call without a chunk ends the text. It
 * throws if invalid UTF-8 follows chunks with non-ASCII characters, because those would have to be decoded again.
 */
export function createTextDecoder(): (part?: Uint8Array) => string {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let isAscii = true
  let remainder = new Uint8Array(0)
  return (part) => {
    decoder ??= new TextDecoder(sniffEncoding(part ?? remainder), {
      fatal: sniffEncoding(part ?? remainder) === 'utf-8',
    })
    if (decoder.encoding !== 'utf-8') return decoder.decode(part, { stream: part !== undefined })
    const bytes = remainder.length === 0 ? (part ?? remainder) : concatenated(remainder, part)
    const end = part === undefined ? bytes.length : cutAt(bytes)
    remainder = bytes.slice(end)
    const completeBytes = bytes.subarray(0, end)
    try {
      const text = decoder.decode(completeBytes, { stream: true })
      isAscii &&= text.length === completeBytes.length
      return text
    } catch (thrown) {
      // Bytes that were all ASCII so far are the same in Windows-1252.
      if (!isAscii) throw thrown
      decoder = new TextDecoder('windows-1252')
      return decoder.decode(bytes, { stream: part !== undefined })
    }
  }
}

function concatenated(first: Uint8Array, second: Uint8Array = new Uint8Array(0)): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
