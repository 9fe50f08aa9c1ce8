import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import type { ColumnSource } from 'hyparquet-writer'
import { sqlTables, tableName } from '#core/sql/tableCatalog.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { columnUnit } from '#shared/units/measureUnits.ts'
import { expect, it } from 'vitest'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { runDraft } from '../../fakes/ledgerRuns.ts'
import { openTestLedger } from '../../fakes/openTestLedger.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { openSqlWorld } from '../../fakes/sqlWorld.ts'

const day = dayNumberOf('2026-08-01')
const fetched = { fetchedAtMs: 1_000, source: 'http://127.0.0.1', problems: [] }

it('has a table for each dataset, and answers for one without files', async () => {
  const { query } = openSqlWorld()
  const names = sqlTables.map(tableName)
  expect(names.filter((name) => name.startsWith('metrics.'))).toEqual(metricDatasets.map(({ id }) => `metrics.${id}`))
  expect(names.filter((name) => name.startsWith('raw.'))).toEqual(rawDatasets.map(({ id }) => `raw.${id}`))
  const shown = await query('SHOW ALL TABLES')
  expect(shown.map(({ schema, name }) => `${schema}.${name}`).sort()).toEqual([...names].sort())
  const counts = names.map((name) => `SELECT count(*) AS n FROM ${name}`).join(' UNION ALL ')
  const rows = await query(counts)
  expect(rows.map(({ n }) => Number(n) > 0)).toEqual(names.map((name) => name === 'cache.columns'))
})

it('keeps every event of a raw file, in its order, with microseconds, duplicates and the kind of its time', async () => {
  const { query, store, dataDir } = openSqlWorld()
  const micros = [5, 5, 3, 7].map((each) => BigInt(day * MS_PER_DAY) * 1000n + BigInt(each))
  const stamps = (name: string): ColumnSource => ({
    name,
    data: micros.map((each) => new Date(Number(each / 1000n))),
    type: 'TIMESTAMP',
  })
  const columns: ColumnSource[] = [
    stamps('exchange_timestamp'),
    stamps('local_timestamp'),
    { name: 'local_timestamp_kind', type: 'STRING', data: micros.map(() => 'measured') },
    { name: 'mark_price', type: 'DOUBLE', data: [1, -0, NaN, 4] },
    { name: 'of_the_service', type: 'STRING', data: ['a', 'b', 'c', 'd'] },
  ]
  const series = flowSeries({ kind: 'raw', dataset: 'mark_price', interval: '', timestamp: '' })
  addCachedFile(store, dataDir, series, '2026-08-01', columns)
  const rows = await query('FROM raw.mark_price')
  expect(rows.map(({ mark_price: price }) => price)).toEqual([1, -0, NaN, 4])
  expect(rows[0]).toEqual({
    exchange: 'venuea-futures',
    symbol: 'perpetual-BTC-USDT:USDT',
    base: 'BTC',
    exchange_timestamp: day * MS_PER_DAY,
    exchange_timestamp_kind: null,
    local_timestamp: day * MS_PER_DAY,
    local_timestamp_kind: 'measured',
    mark_price: 1,
    of_the_service: 'a',
  })
})

it('has a row for each cell of the kept portfolio answers', async () => {
  const { query, store } = openSqlWorld()
  const { portfolio } = store
  const matrix = {
    days: Int32Array.of(day, day + 1),
    columns: ['BTC', 'ETH'],
    values: Float64Array.of(0.6, -0, NaN, 0.4),
  }
  const key = (endpoint: string, text: string) => ({ connectionId: 'sandbox', endpoint, query: text })
  const range = { start: day, end: day + 2 }
  portfolio.saveDays(key('history', 'portfolio=momentum.20&smoothing=5&exchange=unconstrained'), range, matrix, fetched)
  const members = { ...matrix, values: Float64Array.of(1, 0, NaN, 1) }
  portfolio.saveDays(key('universe', 'size=20&exchange=venuea'), range, members, fetched)
  const snapshot = { day, createdAtMs: day * MS_PER_DAY + 5, columns: ['BTC'], values: Float64Array.of(0.5) }
  portfolio.saveSnapshot(key('weights', 'portfolio=momentum.20&as_of=latest'), snapshot, fetched)
  const weights = await query('FROM portfolio.weights')
  expect(weights.map(({ day: at, ticker, value }) => [Number(at) / MS_PER_DAY, ticker, value])).toEqual([
    [day, 'BTC', 0.6],
    [day, 'ETH', -0],
    [day + 1, 'ETH', 0.4],
  ])
  expect(weights[0]).toMatchObject({ portfolio: 'momentum.20', smoothing: '5', exchange: 'unconstrained' })
  const universe = await query('SELECT size, ticker, day FROM portfolio.universe')
  expect(universe.map(({ ticker, day: at }) => `${ticker} ${Number(at) / MS_PER_DAY - day}`)).toEqual([
    'BTC 0',
    'ETH 1',
  ])
  expect(await query('SELECT portfolio, as_of, created_at, ticker, value FROM portfolio.live_weights')).toEqual([
    { portfolio: 'momentum.20', as_of: 'latest', created_at: day * MS_PER_DAY + 5, ticker: 'BTC', value: 0.5 },
  ])
})

it('has the texts of a long table as they are, with quotes, and NULL where there is none', async () => {
  const { query, store } = openSqlWorld()
  const columns = ["O'BRIEN", '[x]', 'a"b', ...Array.from({ length: 97 }, (_, at) => `T${at}`)]
  const days = 120
  const values = Float64Array.from({ length: days * columns.length }, (_, at) => at)
  const matrix = { days: Int32Array.from({ length: days }, (_, at) => day + at), columns, values }
  const key = { connectionId: 'sandbox', endpoint: 'prices', query: 'exchange=venuea' }
  store.portfolio.saveDays(key, { start: day, end: day + days }, matrix, fetched)
  const rows = await query(
    'SELECT ticker, count(*) AS n, sum(value) AS total FROM portfolio.prices GROUP BY ticker ORDER BY min(value)',
  )
  expect(rows.map(({ ticker }) => ticker)).toEqual(columns)
  const totals = columns.map((_, at) => values.filter((_value, cell) => cell % columns.length === at))
  expect(rows.map(({ n }) => n)).toEqual(totals.map(({ length }) => length))
  expect(rows.map(({ total }) => total)).toEqual(totals.map((own) => own.reduce((a, b) => a + b, 0)))
  expect(await query('SELECT count(*) AS n FROM portfolio.prices WHERE smoothing IS NULL')).toEqual([
    { n: days * columns.length },
  ])
})

it('has the index, the dictionary and the symbols', async () => {
  const { query, store, dataDir } = openSqlWorld()
  addCachedFile(store, dataDir, flowSeries({ dataset: 'ohlcv' }), '2026-08-01')
  const file = store.files.find(flowSeries({ dataset: 'ohlcv' }), '2026-08-01')
  expect(await query('SELECT dataset, period, bytes, sha256, state, connection FROM cache.files')).toEqual([
    {
      dataset: 'ohlcv',
      period: '2026-08-01',
      bytes: file?.sizeBytes,
      sha256: file?.sha256,
      state: 'final',
      connection: 'Sandbox',
    },
  ])
  const units = await query(
    "SELECT exchange, unit FROM cache.columns WHERE dataset = 'ohlcv' AND \"column\" = 'volume'",
  )
  for (const { exchange, unit } of units)
    expect(unit).toBe(columnUnit('ohlcv', 'volume', String(exchange), venuesOfDocuments))
  expect(units).toHaveLength(3)
  expect(await query('SELECT count(*) AS n FROM cache.files')).toEqual([{ n: 1 }])
})

it('has every trial of the ledger and every study', async () => {
  const ledger = openTestLedger()
  const drafts = [
    runDraft({ feeBps: 5, returns: [-0.01, 0.01, 0.03] }),
    runDraft({ feeBps: 7, returns: [0.01, 0.02, 0.03] }),
  ]
  ledger.append(drafts, 'cli')
  const { query, store } = openSqlWorld(() => ledger)
  const trials = await query(
    'SELECT sequence, event, who, is_trial, sharpe, days, hash FROM lab.trials ORDER BY sequence',
  )
  expect(trials.map(({ hash: _hash, ...row }) => row)).toEqual([
    { sequence: 1, event: 'run', who: 'cli', is_trial: 'true', sharpe: expect.closeTo(0.5, 12), days: 3 },
    { sequence: 2, event: 'run', who: 'cli', is_trial: 'true', sharpe: expect.closeTo(2, 12), days: 3 },
  ])
  const { study } = runDraft()
  const id = store.studyRuns.save(study, {} as never)
  const [row] = await query("SELECT id, kind, document ->> '$.kind' AS kind_of_document FROM lab.studies")
  expect(row).toEqual({ id, kind: 'portfolio', kind_of_document: 'portfolio' })
})
