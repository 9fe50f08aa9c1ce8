import { RequestError } from './httpErrors.ts'

/**
 * Largest JSON document that a service may send, so that a parsed one stays below about a gigabyte of memory. The
 * longest honest documents are matrices of some million numbers and catalogs of some hundred thousand rows.
 */
export const jsonLimits = {
  depth: 64,
  /** Objects and lists. */
  containers: 2_000_000,
  /** Names and texts. */
  strings: 8_000_000,
  /** Values of any kind. */
  values: 20_000_000,
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/** Counts what a JSON document would become while its bytes arrive; throws as soon as one limit is passed. */
export function createJsonMeter(address: string, limits: typeof jsonLimits = jsonLimits) {
  const found = { depth: 0, containers: 0, strings: 0, values: 1 }
  let isInString = false
  let isEscaped = false

  function refuseExcess(): void {
    for (const name of ['depth', 'containers', 'strings', 'values'] as const)
      if (found[name] > limits[name])
        throw new RequestError('too-large', `GET ${address}: its JSON has more than ${limits[name]} ${labels[name]}`)
  }

  return {
    add(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) isInString = false
        } else if (byte === QUOTE) {
          isInString = true
          found.strings++
        } else if (byte === COMMA) found.values++
        else if ((byte | 0x20) === 0x7b) {
          // This bit is all that tells `[` from `{`.
          found.depth++
          found.containers++
          found.values++
          if (found.depth > limits.depth) refuseExcess()
        } else if ((byte | 0x20) === 0x7d) found.depth--
      }
      refuseExcess()
    },
  }
}

const labels: Record<keyof typeof jsonLimits, string> = {
  depth: 'levels',
  containers: 'objects and lists',
  strings: 'texts',
  values: 'values',
}
