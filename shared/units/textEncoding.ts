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
