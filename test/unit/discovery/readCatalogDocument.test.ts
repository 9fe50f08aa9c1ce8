import { expect, test } from 'vitest'
import { readCatalogDocument } from '#core/discovery/rawCatalogDocument.ts'

const column = { name: 'price', type: 'float64', nullable: false, description: 'Trade price' }
const line = { dataset: 'trades', exchange: 'venuea-futures', symbols: 3, first: '2026-01-01', last: '2026-02-01' }
const whole = {
  schema_version: 1,
  daily_files_from: '2026-08-01',
  preview: { period: '2026-07', symbols: { 'venuea-futures': 'perpetual-BTC-USDT:USDT' } },
  datasets: [{ id: 'trades', name: 'Trades', description: 'All', exchanges: ['venuea-futures'], columns: [column] }],
  summary: [line],
}

test('a whole document has no problems', () => {
  const { problems, ...read } = readCatalogDocument(whole)
  expect(problems).toEqual([])
  expect(read).toMatchObject({ schemaVersion: 1, datasets: whole.datasets, summary: whole.summary })
})

test.each<[string, Record<string, unknown>, RegExp, Record<string, unknown>]>([
  ['another version', { schema_version: 2 }, /its schema_version is 2, not 1/, { schemaVersion: 2 }],
  ['a version in words', { schema_version: '1.1' }, /its schema_version is "1.1", not 1/, { schemaVersion: null }],
  ['no version', { schema_version: undefined }, /it has no schema_version/, { datasets: whole.datasets }],
  ['no first daily file', { daily_files_from: 3 }, /from which day/, { dailyFilesFrom: null }],
  ['no datasets', { datasets: null }, /no list of datasets/, { datasets: [], summary: [line] }],
  ['no summary', { summary: {} }, /no summary/, { datasets: whole.datasets }],
  ['a line that is none', { summary: [{ dataset: 'trades' }, line] }, /line 1 of the summary/, { summary: [line] }],
  [
    'a dataset without a name',
    { datasets: [{}, ...whole.datasets] },
    /dataset 1 is invalid/,
    { datasets: whole.datasets },
  ],
  ['a dataset twice', { datasets: [...whole.datasets, { id: 'trades' }] }, /trades is listed twice/, whole],
  [
    'columns with holes',
    { datasets: [{ ...whole.datasets[0], columns: [null, { name: 'amount' }] }] },
    /column 1 of trades/,
    { datasets: [{ columns: [{ name: 'amount', type: '', nullable: true, description: '' }] }] },
  ],
])('%s is told, and the rest is used', (_, change, message, used) => {
  const read = readCatalogDocument({ ...whole, ...change })
  expect(read.problems).toHaveLength(1)
  expect(read.problems[0]).toMatch(message)
  const { schema_version: _version, ...expected } = used
  if (used !== whole) expect(read).toMatchObject(expected)
})

test('a document without the field of its version is read, and told', () => {
  const { schema_version: _version, ...rest } = whole
  expect(readCatalogDocument(rest).problems).toEqual([expect.stringContaining('it has no schema_version')])
})

test('a preview with holes shows what it has', () => {
  const read = readCatalogDocument({ ...whole, preview: { symbols: { a: 'perpetual-A-B:B', b: 3 } } })
  expect(read).toMatchObject({ previewPeriod: null, previewSymbols: { a: 'perpetual-A-B:B' } })
})

test('of many problems the first are listed and the rest are counted', () => {
  const { problems } = readCatalogDocument({ ...whole, summary: Array.from({ length: 30 }, () => null) })
  expect([problems.length, problems.at(-1)]).toEqual([21, 'and 10 more'])
})
