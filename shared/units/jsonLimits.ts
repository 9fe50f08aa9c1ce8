/** Limits for the nesting depth and the number of parts of a JSON document, whatever its size in bytes. */
export interface JsonLimits {
  depth: number
  /** Number of objects and arrays. */
  containers: number
  /** Number of keys and strings. */
  strings: number
  /** Number of values of any kind. */
  values: number
}

/**
 * Limits for documents from a service, a file or the index of the app, so that a parsed one stays below about a
 * gigabyte of memory. The longest legitimate documents are matrices of about a million numbers and catalogs of about a
 * hundred thousand rows.
 */
export const jsonLimits: JsonLimits = {
  depth: 64,
  containers: 2_000_000,
  strings: 8_000_000,
  values: 20_000_000,
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/** Counts the parts of a JSON document, chunk by chunk. */
interface JsonCounter {
  /**
   * Counts the next bytes of the document.
   * @returns what exceeds its limit, or null
   */
  add(bytes: Uint8Array): string | null
}

export function createJsonCounter(limits: JsonLimits = jsonLimits): JsonCounter {
  const counts: JsonLimits = { depth: 0, containers: 0, strings: 0, values: 1 }
  let isInString = false
  let isEscaped = false

  const excess = (): string | null => {
    const name = names.find((each) => counts[each] > limits[each])
    return name === undefined ? null : `more than ${limits[name]} ${labels[name]}`
  }

  return {
    add(bytes) {
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) isInString = false
        } else if (byte === QUOTE) {
          isInString = true
          counts.strings++
        } else if (byte === COMMA) counts.values++
        else if ((byte | 0x20) === 0x7b) {
          // The bit 0x20 is the only difference between `[` and `{`, and between `]` and `}`.
          counts.depth++
          counts.containers++
          counts.values++
          if (counts.depth > limits.depth) return excess()
        } else if ((byte | 0x20) === 0x7d) counts.depth--
      }
      return excess()
    },
  }
}

const labels: Record<keyof JsonLimits, string> = {
  depth: 'levels',
  containers: 'objects and lists',
  strings: 'strings',
  values: 'values',
}
const names = Object.keys(labels) as (keyof JsonLimits)[]

/** Error for a JSON document that exceeds a limit; the message says which one. */
export class JsonExcess extends Error {
  constructor(excess: string) {
    super(`it has ${excess}`)
    this.name = 'JsonExcess'
  }
}

/** Number of characters to encode and count at a time, so that a long text is never in memory twice. */
const CHUNK_CHARACTERS = 2 ** 20

/**
 * Parses JSON within the limits. Throws a `SyntaxError` for invalid JSON, and a `JsonExcess` for a document beyond a
 * limit, before anything of it is built.
 */
export function parseBoundedJson(text: string, limits: JsonLimits = jsonLimits): unknown {
  const counter = createJsonCounter(limits)
  const encoder = new TextEncoder()
  for (let at = 0; at < text.length; at += CHUNK_CHARACTERS) {
    const excess = counter.add(encoder.encode(text.slice(at, at + CHUNK_CHARACTERS)))
    if (excess !== null) throw new JsonExcess(excess)
  }
  return JSON.parse(text) as unknown
}

/** Explains why `parseBoundedJson` threw, as a clause about the document. */
export const notJsonText = (thrown: unknown): string =>
  thrown instanceof JsonExcess ? thrown.message : 'it is not JSON'
