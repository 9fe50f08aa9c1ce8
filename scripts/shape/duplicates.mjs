/**
 * Finds pairs of places in the app's sources that share six lines or more; names, texts and numbers in these lines may
 * differ.
 */

/** Number of consecutive lines that two places must share to count as duplicates. */
export const SHARED_LINES = 6
/** Lines that occur in more places than this are an idiom rather than a copy. */
const MOST_PLACES = 8
/** Minimum number of words, texts and numbers in the shared lines; with fewer they are mostly punctuation. */
const LEAST_TOKENS = 20

const keywords = new Set(
  'as async await break case catch class const continue default else export extends false finally for from function if in interface let new null of return static switch this throw true try type typeof undefined void while yield'.split(
    ' ',
  ),
)
const TOKEN_PATTERN = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\d[\w.]*|[\p{L}_$][\p{L}\p{N}_$]*|\S/gu

const isIgnored = (line) =>
  /^<\/?(script|template|style)\b/.test(line) ||
  /^(\/\/|\/\*|\*|<!--)/.test(line) ||
  /^(import\b|\} from )/.test(line) ||
  !/[\p{L}\p{N}]/u.test(line)

/**
 * Reduces a line to its shape, in which each name, text and number is replaced by a placeholder, and counts its tokens:
 * words (keywords included), texts and numbers.
 */
function shapeOf(line) {
  let tokenCount = 0
  const shape = (line.match(TOKEN_PATTERN) ?? []).map((token) => {
    if (!/[\p{L}\p{N}'"`]/u.test(token[0]) && token.length === 1) return token
    tokenCount += 1
    if (/['"`]/.test(token[0])) return 's'
    if (/\d/.test(token[0])) return '0'
    return keywords.has(token) ? token : 'n'
  })
  return { shape: shape.join(' '), tokenCount }
}

function linesOf({ path, text }) {
  return text.split('\n').flatMap((raw, at) => {
    const line = raw.trim()
    return line === '' || isIgnored(line) ? [] : [{ path, line: at + 1, ...shapeOf(line) }]
  })
}

/** Lists each pair of files (or a file with itself) once, with the first place where they share lines. */
export function findDuplicates(sources) {
  const places = new Map()
  for (const source of sources) {
    const lines = linesOf(source)
    for (let at = 0; at + SHARED_LINES <= lines.length; at += 1) {
      const run = lines.slice(at, at + SHARED_LINES)
      if (run.reduce((sum, { tokenCount }) => sum + tokenCount, 0) < LEAST_TOKENS) continue
      const key = run.map(({ shape }) => shape).join('\n')
      places.set(key, [...(places.get(key) ?? []), { path: run[0].path, line: run[0].line, at }])
    }
  }
  const pairs = new Map()
  for (const found of places.values()) {
    if (found.length > MOST_PLACES) continue
    for (const [index, first] of found.entries())
      for (const second of found.slice(index + 1)) {
        if (first.path === second.path && second.at - first.at < SHARED_LINES) continue
        const key = `${first.path}\n${second.path}`
        if (!pairs.has(key))
          pairs.set(key, { path: first.path, line: first.line, other: `${second.path}:${second.line}` })
      }
  }
  return [...pairs.values()]
}
