import { expect, test } from 'vitest'
import { reservedWords, sqlName, sqlTableName } from '#shared/sql/sqlNames.ts'
import { openSqlWorld } from '../../fakes/sqlWorld.ts'

test('names that a query writes without quotes are no reserved words of the engine', async () => {
  const { query } = openSqlWorld()
  const rows = await query("SELECT keyword_name AS word FROM duckdb_keywords() WHERE keyword_category = 'reserved'")
  expect(rows.map(({ word }) => word).toSorted()).toEqual([...reservedWords].toSorted())
})

test.each(['from', 'Order', 'two words', 'a"b', '1m', 'plain_1', 'größe', ''])(
  'the name %o stays what it is',
  (name) => {
    expect(
      sqlName(name)
        .replace(/^"([^]*)"$/, '$1')
        .replaceAll('""', '"'),
    ).toBe(name)
  },
)

test('a query finds columns by the names that are written for it', async () => {
  const { query } = openSqlWorld()
  const table = sqlTableName({ schema: 'cache', name: 'funding_periods' })
  expect(await query(`SELECT ${sqlName('from')}, ${sqlName('to')}, ${sqlName('basis')} FROM ${table}`)).toEqual([])
  expect(await query(`SELECT 1 AS ${sqlName('a"b')}`)).toEqual([{ 'a"b': 1 }])
})
