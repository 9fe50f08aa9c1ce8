import { exampleQueriesOn } from '#shared/sql/exampleQueries.ts'
import { readQueryFile, writeQueryFile } from '#shared/sql/queryFile.ts'
import { formatSql, sqlTokens } from '#shared/sql/sqlTokens.ts'
import { bytesOf, type Check, textOf } from '../check.ts'

/** Reads a saved query as the app does when it opens one, and formats and colours its text. */
export const check: Check = {
  seeds: () =>
    exampleQueriesOn(['heron-perps']).map(({ sql }, at) =>
      bytesOf(writeQueryFile({ name: `Example ${at}`, sql, parameters: { from: '2026-01-01', 龙: 'a\n"b' } })),
    ),
  tokens: [
    '-- name: ',
    '-- $a = "',
    '\\ud83d',
    '-- $__proto__ = "x"\n',
    '\r\n',
    "'",
    '"',
    '/*',
    '--',
    '$$',
    '(',
    '1e',
    '\u2028',
  ],
  read(bytes) {
    const query = readQueryFile(textOf(bytes), 'query.sql')
    if (!query.name.isWellFormed() || query.name === '') return 'gets no name'
    if (
      sqlTokens(query.sql)
        .map(({ text }) => text)
        .join('') !== query.sql
    )
      return 'loses text where it is coloured'
    formatSql(query.sql)
    const again = readQueryFile(writeQueryFile(query), 'other.sql')
    const isSame = again.sql === query.sql && JSON.stringify(again.parameters) === JSON.stringify(query.parameters)
    return isSame ? null : 'is not read back as it was written'
  },
}
