/** Encodings in which people's tools write text files. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

const SAMPLE_BYTES = 4096

/**
 * Recognises the encoding of a text by its first bytes: by a byte order mark, or by the zero bytes that Latin letters have in UTF-16.
 * Everything else passes for UTF-8 until a byte proves otherwise.
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

/** Decodes a text file in UTF-8, UTF-16 or, where it is neither, Latin-1 as Windows writes it. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = sniffEncoding(bytes)
  try {
    return new TextDecoder(encoding, { fatal: encoding === 'utf-8' }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Place from which the bytes may be the beginning of a character that goes on in the next part. */
function cutAt(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    if (bytes[at] < 0x80) return at + 1
    if (bytes[at] >= 0xc0) return at
  }
  return bytes.length
}

/**
 * Makes a decoder of a text that comes in parts, which reads the encodings that `decodeText` reads; without a part it ends the
 * text. It throws where UTF-8 continues as something else, because what came before would have to be decoded again.
 */
export function createTextDecoder(): (part?: Uint8Array) => string {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let isPlain = true
  let rest = new Uint8Array(0)
  return (part) => {
    decoder ??= new TextDecoder(sniffEncoding(part ?? rest), { fatal: sniffEncoding(part ?? rest) === 'utf-8' })
    if (decoder.encoding !== 'utf-8') return decoder.decode(part, { stream: part !== undefined })
    const bytes = rest.length === 0 ? (part ?? rest) : joined(rest, part)
    const end = part === undefined ? bytes.length : cutAt(bytes)
    rest = bytes.slice(end)
    const whole = bytes.subarray(0, end)
    try {
      const text = decoder.decode(whole, { stream: true })
      isPlain &&= text.length === whole.length
      return text
    } catch (thrown) {
      // Bytes that were all ASCII so far mean the same in Latin-1.
      if (!isPlain) throw thrown
      decoder = new TextDecoder('windows-1252')
      return decoder.decode(bytes, { stream: part !== undefined })
    }
  }
}

function joined(first: Uint8Array, second: Uint8Array = new Uint8Array(0)): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
