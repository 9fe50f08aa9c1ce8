import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exampleQueries } from '#shared/sql/exampleQueries.ts'
import { QueryGate } from '../../../electron/sqlEngine/checkQuery.ts'
import { bytesOf, type Check, textOf } from '../check.ts'

const gate = new QueryGate()
const settings = { memoryBytes: 64 * 2 ** 20, threads: 1, folder: mkdtempSync(join(tmpdir(), 'perpscope-fuzz-sql-')) }

/** Functions and statements that reach beyond the tables of the app. */
const forbidden = /\b(read_\w+|glob|sniff_csv|attach|install|copy|pragma|getenv|which_secret)\s*[('a-z]/i

/** Checks the text of a query as running it does, with DuckDB's own parser. */
export const check: Check = {
  seeds: () => exampleQueries.map(({ sql }) => bytesOf(sql)),
  tokens: [
    '(',
    ')',
    "'",
    '"',
    ';',
    '--',
    '/*',
    '$a',
    '(SELECT ',
    'UNION ALL ',
    'NOT ',
    "read_csv('/etc/passwd')",
    'ATTACH ',
    '\0',
    '1e999',
    '[',
    '{',
    '::',
  ],
  async read(bytes) {
    const text = textOf(bytes)
    const answer = await gate.check(text, { a: '1' }, settings)
    if ('failed' in answer) return answer.failed.message === '' ? 'fails without a reason' : null
    if ('refused' in answer) return null
    // Strings, names in quotes and comments may say anything.
    const code = text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"/g, "''")
    return forbidden.test(code) ? 'is allowed though it reaches beyond the tables' : null
  },
}
