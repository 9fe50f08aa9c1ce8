/** A token of a query, of a kind that an editor distinguishes. */
export interface SqlToken {
  kind: 'keyword' | 'name' | 'string' | 'number' | 'comment' | 'parameter' | 'space' | 'sign'
  text: string
  /** Index of the first character. */
  start: number
}

/** Keywords that an editor highlights and suggests; DuckDB decides what they mean. */
export const sqlKeywords: readonly string[] = (
  'SELECT DISTINCT FROM WHERE GROUP BY ORDER HAVING QUALIFY LIMIT OFFSET WITH AS ON USING JOIN LEFT RIGHT INNER FULL OUTER CROSS ' +
  'ASOF LATERAL UNION ALL EXCEPT INTERSECT AND OR NOT IN IS NULL BETWEEN LIKE ILIKE CASE WHEN THEN ELSE END OVER PARTITION WINDOW ' +
  'ROWS RANGE PRECEDING FOLLOWING UNBOUNDED CURRENT ROW FILTER ASC DESC NULLS FIRST LAST INTERVAL TIMESTAMP DATE CAST TRUE FALSE ' +
  'VALUES DESCRIBE SUMMARIZE SHOW TABLES PIVOT UNPIVOT EXISTS SAMPLE RECURSIVE EXCLUDE REPLACE'
).split(' ')
const keywords = new Set(sqlKeywords)

const patterns: readonly (readonly [Exclude<SqlToken['kind'], 'keyword' | 'sign'>, RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['string', /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)/y],
  ['parameter', /\$[\p{L}\p{N}_]+/uy],
  ['number', /\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['name', /[\p{L}_][\p{L}\p{N}_]*/uy],
]

/** Splits a text into tokens, which together make up the complete text. */
export function sqlTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = []
  for (let start = 0; start < sql.length;) {
    const token = tokenAt(sql, start)
    tokens.push(token)
    start += token.text.length
  }
  return tokens
}

function tokenAt(sql: string, start: number): SqlToken {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = start
    const text = pattern.exec(sql)?.[0]
    if (text === undefined) continue
    return { kind: kind === 'name' && keywords.has(text.toUpperCase()) ? 'keyword' : kind, text, start }
  }
  // A character outside the basic plane has two code units, which must stay together.
  return { kind: 'sign', text: String.fromCodePoint(sql.codePointAt(start) ?? 0), start }
}

/** Words that start a new line in a formatted query. */
const lineStarts = new Set(
  'SELECT FROM WHERE GROUP ORDER HAVING QUALIFY LIMIT WITH UNION EXCEPT INTERSECT JOIN LEFT RIGHT INNER FULL CROSS ASOF AND OR ON'.split(
    ' ',
  ),
)
/** Keywords that stay on one line with the keywords before them. */
const continuedLines: Readonly<Record<string, readonly string[]>> = {
  JOIN: ['LEFT', 'RIGHT', 'INNER', 'FULL', 'CROSS', 'ASOF', 'OUTER', 'LATERAL'],
  ASOF: ['LEFT'],
}

/**
 * Formats a query with each clause outside parentheses on its own line, and keywords in capitals; strings and comments
 * are unchanged.
 */
export function formatSql(sql: string): string {
  const tokens = sqlTokens(sql).filter(({ kind }) => kind !== 'space')
  const gapBefore = gapTest(sql)
  let out = ''
  let depth = 0
  let lastWord = ''
  let isBetween = false
  for (const { kind, text, start } of tokens) {
    const word = kind === 'keyword' ? text.toUpperCase() : text
    const belongsToBetween = word === 'AND' && isBetween
    if (word === 'BETWEEN') isBetween = true
    if (belongsToBetween) isBetween = false
    const startsLine =
      kind === 'keyword' &&
      depth === 0 &&
      lineStarts.has(word) &&
      !belongsToBetween &&
      !continuedLines[word]?.includes(lastWord)
    if (text === ')') depth = Math.max(0, depth - 1)
    if (startsLine || lastWord.startsWith('--'))
      out = out.trimEnd() + (out === '' ? '' : '\n') + (startsLine && indentedStarts.has(word) ? '  ' : '')
    else if (gapBefore(start)) out += ' '
    out += word
    if (text === '(') depth += 1
    lastWord = word
  }
  return out.trim()
}

const indentedStarts = new Set(['AND', 'OR', 'ON'])

/** Returns a function that tells whether whitespace precedes an index. */
const gapTest = (sql: string) => (start: number) => start > 0 && /\s/.test(sql[start - 1])
