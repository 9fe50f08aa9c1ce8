import { expect, test } from 'vitest'
import { servedDatasets } from '#core/sql/servedTables.ts'
import { heldOf, sqlDictionary } from '#core/sql/sqlDictionary.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { METRICS_CATALOG } from '#core/store/coverageStore.ts'
import { ownVenues } from '#core/store/venueStore.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { openSqlWorld } from '../../fakes/sqlWorld.ts'

const START_MS = Date.parse('2026-09-02')
const future = 'future-BTC-USDT:USDT-20261225'

/** Opens a store with files of a dataset and of a column that no document names, and the service's words on them. */
function world() {
  const { store, dataDir, query } = openSqlWorld()
  const series = (dataset: string, symbol: string) => ({
    ...{ connectionId: 'sandbox', kind: 'metrics' as const, dataset, exchange: 'alpha-futures', symbol },
    ...{ interval: '1h', timestamp: 'exchange' },
  })
  const times = { name: 'time', data: [BigInt(START_MS), BigInt(START_MS + 3_600_000)], type: 'INT64' as const }
  const numbers = (name: string, data: number[]) => ({ name, data, type: 'DOUBLE' as const })
  for (const symbol of [future, 'ETH-USDT'])
    addCachedFile(store, dataDir, series('derivative_price', symbol), '2026-09-02', [
      times,
      numbers('last_price', [100, 101]),
      numbers('last_price_pct_change', [0.5, -0.5]),
    ])
  addCachedFile(store, dataDir, series('vtwap', future), '2026-09-02', [times, numbers('new_column', [7, 8])])
  store.coverage.saveDocument({
    ...{ connectionId: 'sandbox', name: METRICS_CATALOG, fetchedAtMs: 1, generatedAtMs: null, source: '' },
    body: JSON.stringify([
      {
        id: 'derivative_price',
        name: 'Derivative price',
        fields: [
          { name: 'last_price', label: 'Last price', description: 'Price of the last trade', unit: 'quote' },
          { name: 'mark_price', label: 'Mark price', description: '' },
        ],
      },
      { id: 'not_fetched', name: '', fields: [{ name: 'x', label: '', description: '' }] },
    ]),
  })
  return { store, dataDir, query }
}

test('a dataset that no document names has a table with the columns of its files and of the service’s catalog', async () => {
  const { query } = world()
  expect(
    await query(
      'SELECT symbol, sum(last_price) AS sum, count(mark_price) AS marks FROM metrics.derivative_price GROUP BY symbol ORDER BY symbol',
    ),
  ).toEqual([
    { symbol: 'ETH-USDT', sum: 201, marks: 0 },
    { symbol: future, sum: 201, marks: 0 },
  ])
  expect(await query('SELECT count(x) AS count FROM metrics.not_fetched')).toEqual([{ count: 0 }])
  expect(await query(`SELECT new_column FROM metrics.vtwap WHERE symbol = '${future}'`)).toEqual([
    { new_column: 7 },
    { new_column: 8 },
  ])
  await expect(query('SELECT 1 FROM metrics.nobody_has_it')).rejects.toThrow('There is no table nobody_has_it')
})

test('its columns stand in the dictionary with what the service says, and are offered for completion', async () => {
  const { store, query } = world()
  expect(
    await query(
      "SELECT DISTINCT dataset, \"column\", label, unit FROM cache.columns WHERE dataset IN ('derivative_price', 'vtwap') AND \"column\" IN ('last_price', 'last_price_pct_change', 'new_column') ORDER BY dataset, \"column\"",
    ),
  ).toEqual([
    { dataset: 'derivative_price', column: 'last_price', label: 'Last price', unit: 'quote' },
    { dataset: 'derivative_price', column: 'last_price_pct_change', label: '', unit: null },
    { dataset: 'vtwap', column: 'new_column', label: '', unit: null },
  ])
  const { views } = sqlDictionary([], store.venues.of('sandbox'), servedDatasets(store, 'sandbox'))
  const columnsOf = (name: string) => views.find((view) => view.name === name)?.columns.map((column) => column.name)
  expect(columnsOf('derivative_price')?.slice(-3)).toEqual(['last_price', 'mark_price', 'last_price_pct_change'])
  expect(columnsOf('vtwap')).toContain('new_column')
})

test('the dictionary counts what is here of each table', () => {
  const { store, dataDir } = world()
  const computed = { connectionId: computedOwner('sandbox'), kind: 'metrics', dataset: 'vtwap' } as const
  addCachedFile(
    store,
    dataDir,
    { ...computed, exchange: 'alpha-futures', symbol: future, interval: '7m', timestamp: 'exchange' },
    '2026-09-02',
    [{ name: 'time', data: [BigInt(START_MS)], type: 'INT64' }],
  )
  const result = { connectionId: 'sandbox', kind: 'metrics', dataset: 'ohlcv', exchange: ownVenues[0] } as const
  addCachedFile(store, dataDir, { ...result, symbol: 'x', interval: '1h', timestamp: 'exchange' }, '2026-09-02', [
    { name: 'time', data: [BigInt(START_MS)], type: 'INT64' },
  ])
  store.portfolio.saveDays(
    { connectionId: 'sandbox', endpoint: 'returns', query: 'portfolio=a' },
    { start: 1, end: 2 },
    { days: Int32Array.of(1), columns: ['value'], values: Float64Array.of(0.5) },
    { fetchedAtMs: 1, source: '', problems: [] },
  )
  const { views } = sqlDictionary(
    [],
    store.venues.of('sandbox'),
    servedDatasets(store, 'sandbox'),
    [],
    heldOf(store, 'sandbox'),
  )
  const heldBy = (wanted: string) => views.find(({ schema, name }) => `${schema}.${name}` === wanted)?.held
  expect(heldBy('metrics.derivative_price')).toEqual({ count: 2, of: 'series' })
  expect(heldBy('metrics.vtwap')).toEqual({ count: 2, of: 'series' })
  expect(heldBy('metrics.ohlcv')).toEqual({ count: 0, of: 'series' })
  expect(heldBy('raw.trades')).toEqual({ count: 0, of: 'series' })
  expect(heldBy('portfolio.returns')).toEqual({ count: 1, of: 'answers' })
  expect(heldBy('portfolio.prices')).toEqual({ count: 0, of: 'answers' })
  expect(heldBy('cache.files')).toBeNull()
})
