import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { expect, it } from 'vitest'
import { sqlDictionary } from '#core/sql/sqlDictionary.ts'
import { formatSql, sqlTokens } from '#shared/sql/sqlTokens.ts'
import { readQueryFile, writeQueryFile } from '#shared/sql/queryFile.ts'
import { placeAt, sqlCompletions } from '../../../renderer/editor/sqlCompletion.ts'

const dictionary = sqlDictionary(['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT'], venuesOfDocuments)

/** Returns the titles that are offered at the position of `|` in a text. */
function offered(text: string, isRequested = false): string[] {
  const cursor = text.indexOf('|')
  return sqlCompletions(text.replace('|', ''), cursor, dictionary, isRequested).options.map(({ title }) => title)
}

it.each([
  ['SELECT fund| FROM metrics.funding', 'funding_rate'],
  ['SELECT * FROM met|', 'metrics.flow'],
  ['SELECT * FROM metrics.fun|', 'metrics.funding'],
  ['SELECT f.fund| FROM metrics.funding AS f', 'funding_rate'],
  ["FROM metrics.ohlcv WHERE exchange = '|", 'venuea-futures'],
  ["FROM metrics.ohlcv WHERE symbol IN ('perpetual-BTC-USDT:USDT', 'perp|')", 'perpetual-ETH-USDT:USDT'],
  ["FROM metrics.ohlcv WHERE interval = '1|'", '1h'],
  ['SELECT rank_i|', 'rank_ic(x, y)'],
  ['SELECT funding_r|', 'funding_rate'],
  ['SEL|', 'SELECT'],
])('%s offers %s', (text, title) => {
  expect(offered(text)).toContain(title)
})

it.each(['-- fund|', "SELECT 'fund|", 'SELECT 1 AS fund|', 'SELECT $fund|', 'SELECT 12|', 'SELECT |'])(
  '%s offers nothing',
  (text) => {
    expect(offered(text)).toEqual([])
  },
)

it('offers the columns of the views that the query names where it is asked', () => {
  expect(offered('SELECT | FROM metrics.funding', true)).toContain('known_at')
})

it('quotes a column that is named like a word of the language', () => {
  const { options } = sqlCompletions('SELECT fro FROM cache.funding_periods', 10, dictionary)
  expect(options.map(({ text }) => text)).toContain('"from"')
})

it('names the unit of a column by venue', () => {
  const { options } = sqlCompletions('SELECT volum FROM metrics.ohlcv', 12, dictionary)
  expect(options[0]).toMatchObject({ text: 'volume', hint: expect.stringContaining('contracts') as string })
})

it('splits a text without losing anything, and formats it without changing what it says', () => {
  const text =
    "select a, 'it''s' -- note\nfrom metrics.ohlcv t where a between 1 and 2 and b in (select 1 from x) 龙 $p /* x"
  expect(
    sqlTokens(text)
      .map((token) => token.text)
      .join(''),
  ).toBe(text)
  const formatted = formatSql(text)
  expect(formatted).toBe(
    "SELECT a, 'it''s' -- note\nFROM metrics.ohlcv t\nWHERE a BETWEEN 1 AND 2\n  AND b IN (SELECT 1 FROM x) 龙 $p /* x",
  )
  expect(formatSql(formatted)).toBe(formatted)
})

it('finds a place in characters', () => {
  expect(placeAt('a\n龙b', 2, 2)).toBe(3)
  expect(placeAt('𝒳y', 1, 2)).toBe(2)
})

it('reads a shared query as it was written, and any other text as a query', () => {
  const query = { name: 'Carry', sql: 'SELECT $a', parameters: { a: 'x"\n' } }
  expect(readQueryFile(writeQueryFile(query), 'other.sql')).toEqual(query)
  expect(readQueryFile('SELECT 1\n', 'my query.sql')).toEqual({ name: 'my query', sql: 'SELECT 1', parameters: {} })
})
