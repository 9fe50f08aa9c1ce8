/** A piece of the text of a query, as far as an editor tells them apart. */
export interface SqlToken {
  kind: 'keyword' | 'name' | 'string' | 'number' | 'comment' | 'parameter' | 'space' | 'sign'
  text: string
  /** Place of the first character. */
  start: number
}

/** Words that an editor marks and offers; DuckDB decides what they mean. */
export const sqlKeywords: readonly string[] = (
  'SELECT DISTINCT FROM WHERE GROUP BY ORDER HAVING QUALIFY LIMIT OFFSET WITH AS ON USING JOIN LEFT RIGHT INNER FULL OUTER CROSS ' +
  'ASOF LATERAL UNION ALL EXCEPT INTERSECT AND OR NOT IN IS NULL BETWEEN LIKE ILIKE CASE WHEN THEN ELSE END OVER PARTITION WINDOW ' +
  'ROWS RANGE PRECEDING FOLLOWING UNBOUNDED CURRENT ROW FILTER ASC DESC NULLS FIRST LAST INTERVAL TIMESTAMP DATE CAST TRUE FALSE ' +
  'VALUES DESCRIBE SUMMARIZE SHOW TABLES PIVOT UNPIVOT EXISTS SAMPLE RECURSIVE EXCLUDE REPLACE'
).split(' ')
const keywords = new Set(sqlKeywords)

const shapes: readonly (readonly [Exclude<SqlToken['kind'], 'keyword' | 'sign'>, RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['string', /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)/y],
  ['parameter', /\$[\p{L}\p{N}_]+/uy],
  ['number', /\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['name', /[\p{L}_][\p{L}\p{N}_]*/uy],
]

/** Splits a text into tokens; together they are the whole text. */
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
  for (const [kind, shape] of shapes) {
    shape.lastIndex = start
    const text = shape.exec(sql)?.[0]
    if (text === undefined) continue
    return { kind: kind === 'name' && keywords.has(text.toUpperCase()) ? 'keyword' : kind, text, start }
  }
  // A character outside of the basic plane is two units, which belong together.
  return { kind: 'sign', text: String.fromCodePoint(sql.codePointAt(start) ?? 0), start }
}

/** Words that begin a line of a formatted query. */
const lineStarts = new Set(
  'SELECT FROM WHERE GROUP ORDER HAVING QUALIFY LIMIT WITH UNION EXCEPT INTERSECT JOIN LEFT RIGHT INNER FULL CROSS ASOF AND OR ON'.split(
    ' ',
  ),
)
const joined: Readonly<Record<string, readonly string[]>> = {
  JOIN: ['LEFT', 'RIGHT', 'INNER', 'FULL', 'CROSS', 'ASOF', 'OUTER', 'LATERAL'],
  ASOF: ['LEFT'],
}

/** Puts each clause on a line of its own, with keywords in capitals; strings and comments stay as they are. */
export function formatSql(sql: string): string {
  const tokens = sqlTokens(sql).filter(({ kind }) => kind !== 'space')
  const gapBefore = spacesOf(sql)
  let out = ''
  let depth = 0
  let last = ''
  let isBetween = false
  for (const { kind, text, start } of tokens) {
    const word = kind === 'keyword' ? text.toUpperCase() : text
    const isBound = word === 'AND' && isBetween
    if (word === 'BETWEEN') isBetween = true
    if (isBound) isBetween = false
    const begins =
      kind === 'keyword' && depth === 0 && lineStarts.has(word) && !isBound && !joined[word]?.includes(last)
    if (text === ')') depth = Math.max(0, depth - 1)
    if (begins || last.startsWith('--'))
      out = out.trimEnd() + (out === '' ? '' : '\n') + (begins && innerStarts.has(word) ? '  ' : '')
    else if (gapBefore(start)) out += ' '
    out += word
    if (text === '(') depth += 1
    last = word
  }
  return out.trim()
}

const innerStarts = new Set(['AND', 'OR', 'ON'])

/** Tells whether white space is before a place of a text. */
const spacesOf = (sql: string) => (start: number) => start > 0 && /\s/.test(sql[start - 1])
