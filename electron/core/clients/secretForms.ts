/** Text without escapes, case differences and invisible characters. */
interface NormalisedText {
  text: string
  /** Range of the original text for each character; null if positions are not needed. */
  positions: { starts: Int32Array; ends: Int32Array } | null
}

/** Finds a secret in text in every form in which a service might repeat it. */
interface SecretFinder {
  contains(text: string): boolean
  /** The same for UTF-8. */
  containsIn(bytes: Buffer): boolean
  /** Ranges of the text that contain a secret, in ascending order and without overlap. */
  rangesIn(text: string): [start: number, end: number][]
  /**
   * Length of the longest form of a secret. Slices of a text that overlap by this length miss no secret. Where a text
   * was cut off, dropping this many characters leaves no part of a secret.
   */
  longestFormLength(): number
}

/**
 * Minimum number of letters and digits of a key that is also found with other characters in between; a shorter one
 * might occur by chance.
 */
const SEPARABLE_CHARACTERS = 16
/** Shortest form of a secret that is searched for; a shorter one might occur by chance. */
const SHORTEST_EXACT = 6
/** Shortest piece of Base64 or hex that is searched for; a shorter one might occur by chance. */
const SHORTEST_ENCODED = 10
/**
 * Maximum number of characters assumed to encode one character of a secret: an entity between two zero-width
 * characters, which are entities too.
 */
const WIDEST_CHARACTER = 24

interface SearchPatterns {
  /** Forms searched for with their punctuation. */
  exact: string[]
  /** Forms searched for among letters and digits only. */
  loose: string[]
}

export function createSecretFinder(secrets: ReadonlySet<string>): SecretFinder {
  const patternsBySecret = new Map<string, SearchPatterns>()
  const allPatterns = (): SearchPatterns[] =>
    [...secrets].map((secret) => {
      const patterns = patternsBySecret.get(secret) ?? patternsOf(secret)
      patternsBySecret.set(secret, patterns)
      return patterns
    })

  const hasPattern = (exact: string | Buffer, loose: string | Buffer): boolean =>
    allPatterns().some(
      (each) =>
        each.exact.some((needle) => exact.includes(needle)) || each.loose.some((needle) => loose.includes(needle)),
    )
  const contains = (text: string): boolean => {
    if (secrets.size === 0) return false
    const exact = normalize(text, false)
    return hasPattern(exact.text, lettersOf(exact).text)
  }

  return {
    contains,
    containsIn(bytes) {
      if (secrets.size === 0) return false
      const plain = plainForms(bytes)
      return plain === null ? contains(bytes.toString()) : hasPattern(plain.exact, plain.loose)
    },
    rangesIn(text) {
      const found: [number, number][] = []
      const collect = ({ text: normalised, positions }: NormalisedText, needles: readonly string[]) => {
        if (!positions) return
        for (const needle of needles) {
          for (
            let position = normalised.indexOf(needle);
            position >= 0;
            position = normalised.indexOf(needle, position + 1)
          )
            found.push([positions.starts[position], positions.ends[position + needle.length - 1]])
        }
      }
      const exact = normalize(text, true)
      const loose = lettersOf(exact)
      for (const each of allPatterns()) {
        collect(exact, each.exact)
        collect(loose, each.loose)
      }
      return mergeRanges(found)
    },
    longestFormLength: () => WIDEST_CHARACTER * Math.max(0, ...[...secrets].map((secret) => secret.length)),
  }
}

function patternsOf(secret: string): SearchPatterns {
  const exact = normalize(secret, false)
  const letters = lettersOf(exact).text
  const bytes = Buffer.from(secret)
  const encoded = [...[0, 1, 2].map((offset) => base64Of(bytes, offset)), bytes.toString('hex'), bytes.join('')]
  return {
    exact: [exact.text].filter((form) => form.length >= SHORTEST_EXACT),
    loose: [
      ...encoded
        .map((form) => lettersOf(normalize(form, false)).text)
        .filter((form) => form.length >= SHORTEST_ENCODED),
      ...(letters.length >= SEPARABLE_CHARACTERS ? [letters] : []),
    ],
  }
}

/** Encodes bytes as Base64 after `offset` unknown bytes, without the characters that depend on neighbouring bytes. */
function base64Of(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const isWhole = (offset + bytes.length) % 3 === 0
  return text.slice([0, 2, 3][offset], isWhole ? undefined : -1)
}

function mergeRanges(ranges: [number, number][]): [number, number][] {
  const sorted = ranges.sort((a, b) => a[0] - b[0])
  const result: [number, number][] = []
  for (const [start, end] of sorted) {
    const last = result.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else result.push([start, end])
  }
  return result
}

const escapes: readonly [pattern: RegExp, radix: number | null][] = [
  [/%([0-9a-f]{2})/iy, 16],
  [/&#x([0-9a-f]{1,6});?/iy, 16],
  [/&#(\d{1,7});?/y, 10],
  [/&[a-z]{2,8};/iy, null],
  [/\\{1,4}u\{?([0-9a-f]{1,6})\}?/iy, 16],
  [/\\{1,4}x([0-9a-f]{2})/iy, 16],
]

/** Resolves escapes, lowers the case and drops invisible characters. */
function normalize(text: string, withPositions: boolean): NormalisedText {
  const codes = Buffer.allocUnsafe(text.length)
  const starts = new Int32Array(withPositions ? text.length : 0)
  const ends = new Int32Array(withPositions ? text.length : 0)
  let size = 0
  for (let position = 0, end = 0; position < text.length; position = end) {
    const code = text.charCodeAt(position)
    end = position + 1
    let plain = code < 0x80 ? plainAscii[code] : 0
    if (code === 0x25 || code === 0x26 || code === 0x5c) {
      const escape = escapeAt(text, position)
      if (escape) {
        end = escape.end
        plain = plainCode(escape.code)
      }
    } else if (code >= 0x80) {
      const point = text.codePointAt(position) ?? code
      plain = plainCode(point)
      if (point > 0xffff) end = position + 2
    }
    if (plain === 0) continue
    codes[size] = plain
    if (withPositions) {
      starts[size] = position
      ends[size] = end
    }
    size++
  }
  return { text: codes.toString('latin1', 0, size), positions: withPositions ? { starts, ends } : null }
}

/**
 * Returns what `normalize` and `lettersOf` make of a text that has neither escapes nor letters beyond ASCII, as long
 * bodies of numbers are, in a fraction of their time; null for any other text.
 */
function plainForms(bytes: Buffer): { exact: Buffer; loose: Buffer } | null {
  const [exact, loose] = [Buffer.allocUnsafe(bytes.length), Buffer.allocUnsafe(bytes.length)]
  let [exactSize, looseSize] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte >= 0x80 || byte === 0x25 || byte === 0x26 || byte === 0x5c) return null
    const plain = plainAscii[byte]
    if (plain === 0) continue
    exact[exactSize++] = plain
    if (isLetterOrDigit(plain)) loose[looseSize++] = plain
  }
  return { exact: exact.subarray(0, exactSize), loose: loose.subarray(0, looseSize) }
}

const isLetterOrDigit = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)

/** Keeps the letters and digits of a normalised text. */
function lettersOf({ text, positions }: NormalisedText): NormalisedText {
  const codes = Buffer.allocUnsafe(text.length)
  const lettersAt = positions && { starts: new Int32Array(text.length), ends: new Int32Array(text.length) }
  let size = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (!isLetterOrDigit(code)) continue
    codes[size] = code
    if (lettersAt && positions) {
      lettersAt.starts[size] = positions.starts[index]
      lettersAt.ends[size] = positions.ends[index]
    }
    size++
  }
  return { text: codes.toString('latin1', 0, size), positions: lettersAt }
}

function escapeAt(text: string, index: number): { code: number; end: number } | null {
  for (const [pattern, radix] of escapes) {
    pattern.lastIndex = index
    const match = pattern.exec(text)
    if (match) return { code: radix === null ? 0 : Number.parseInt(match[1], radix), end: pattern.lastIndex }
  }
  return null
}

/**
 * Returns the code of the lower-case ASCII character that a character looks like; 0 if it is invisible or looks like
 * none.
 */
function plainCode(code: number): number {
  if (code < 0x20 || code === 0x7f || code > 0x10ffff) return 0
  const character = String.fromCodePoint(code)
  const plain = (code < 0x80 ? character : character.normalize('NFKC')).toLowerCase()
  return plain.length === 1 && plain >= ' ' && plain < '\x7f' ? plain.charCodeAt(0) : 0
}

const plainAscii = Uint8Array.from({ length: 0x80 }, (_, code) => plainCode(code))
