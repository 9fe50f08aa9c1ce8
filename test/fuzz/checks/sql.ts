import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exampleQueriesOn } from '#shared/sql/exampleQueries.ts'
import { QueryGate } from '../../../electron/sqlEngine/checkQuery.ts'
import { bytesOf, type Check, textOf } from '../check.ts'

const gate = new QueryGate()
const settings = {
  memoryBytes: 64 * 2 ** 20,
  threads: 1,
  tempBytes: 1e9,
  folder: mkdtempSync(join(tmpdir(), 'perpscope-fuzz-sql-')),
}

process.on('exit', () => rmSync(settings.folder, { recursive: true, force: true }))

/** Checks the text of a query with DuckDB's own parser, as the app does before it runs a query. */
export const check: Check = {
  seeds: () => exampleQueriesOn(['heron-perps']).map(({ sql }) => bytesOf(sql)),
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
    return 'failed' in answer && answer.failed.message === '' ? 'fails without a reason' : null
  },
}
