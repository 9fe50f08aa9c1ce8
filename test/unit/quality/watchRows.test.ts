import { renameSync } from 'node:fs'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createQualityService } from '#core/quality/qualityService.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import { type WatchRequest, watchRows } from '#core/watch/watchRows.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { addMetricFiles, type MarketRow } from '../../fakes/cacheMarket.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { instrumentRow } from '../../fakes/instrumentRow.ts'

const BTC = 'perpetual-BTC-USDT:USDT'
const VENUE = 'alpha-futures'
const FIRST = Date.parse('2026-08-01')
const HOUR = 3_600_000
const clock = { nowMs: () => Date.parse('2026-08-05T06:00:00Z') }

/** Returns hourly candles whose price rises by one per hour; hour 30 is missing. */
const hours = (from: number, to: number): MarketRow[] =>
  Array.from({ length: to - from }, (_, at) => {
    const close = 1000 + from + at
    return { time: FIRST + (from + at) * HOUR, open: close, high: close, low: close, close, volume: 5 }
  }).filter((_, at) => from + at !== 30)

function desk() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const series = createSeriesService(store, clock)
  const quality = createQualityService({ store, clock, changedFiles: null })
  onTestFinished(async () => {
    await Promise.all([series.close(), quality.close()])
  })
  let reads = 0
  const { reader } = series.deps
  series.deps.reader = { ...reader, run: (...task) => (reads++, reader.run(...task)) }
  const rows = (request: Partial<WatchRequest> = {}) =>
    watchRows(
      { store, clock, series, quality },
      { connectionId: 'sandbox', columns: [], quality: 'check', ...request },
      { signal: new AbortController().signal },
    )
  const add = (from: number, to: number, exchange = VENUE) => {
    const columns = ['open', 'high', 'low', 'close', 'volume']
    const candles = { dataset: 'ohlcv', exchange, symbol: BTC, interval: '1h', columns, rows: hours(from, to) }
    const periods = Array.from({ length: (to - from) / 24 }, (_, at) => new Date(FIRST + from * HOUR + at * MS_PER_DAY))
    addMetricFiles(
      store,
      dataDir,
      candles,
      periods.map((day) => day.toISOString().slice(0, 10)),
    )
  }
  const addRates = () => {
    const rates = hours(0, 72).map(({ time }) => ({ time, funding_rate: 0.0001 }))
    const series = { dataset: 'funding', exchange: VENUE, symbol: BTC, interval: '1h', columns: ['funding_rate'] }
    addMetricFiles(store, dataDir, { ...series, rows: rates }, ['2026-08-01', '2026-08-02', '2026-08-03'])
  }
  return { store, rows, add, addRates, reads: () => reads }
}

let testDesk: ReturnType<typeof desk>
beforeEach(() => {
  testDesk = desk()
  testDesk.add(0, 72)
})

it('answers at once without quality, and again without reading a file', async () => {
  const first = await testDesk.rows({ quality: 'known' })
  expect(first).toMatchObject({ unchecked: 1, rows: [{ last: 1071, change: 1071 / 1047 - 1, quality: null }] })
  expect(first.rows[0]).toMatchObject({ coverage: 3 / 30, interval: '1h', timestamp: 'exchange' })
  const checked = await testDesk.rows()
  expect(checked).toMatchObject({ unchecked: 0, rows: [{ last: 1071, quality: 1 }] })
  const reads = testDesk.reads()
  expect(await testDesk.rows({ quality: 'known' })).toEqual(checked)
  expect(testDesk.reads()).toBe(reads)
})

it('follows new files, notes and formulas', async () => {
  await testDesk.rows()
  testDesk.add(72, 96)
  const { rows, unchecked } = await testDesk.rows({
    quality: 'known',
    columns: [{ name: 'd', formula: 'ohlcv.close * 2' }],
  })
  expect([rows[0].last, rows[0].values, unchecked]).toEqual([1095, [2190], 1])
  expect((await testDesk.rows()).rows[0].quality).toBe(1)
  const identity = [VENUE, BTC, '1h', 'exchange', 'missing', null, FIRST + 30 * HOUR, FIRST + 31 * HOUR]
  testDesk.store.quality.accept(JSON.stringify(['sandbox', 'ohlcv', ...identity]), 'maintenance', 1)
  expect((await testDesk.rows({ quality: 'known' })).unchecked).toBe(1)
  expect((await testDesk.rows()).rows[0].quality).toBe(0)
})

it('computes a formula again once its file can be read', async () => {
  const columns = [{ name: 'd', formula: 'ohlcv.close * 2' }]
  const candles = { dataset: 'ohlcv', exchange: VENUE, symbol: BTC, interval: '1h', timestamp: 'exchange' } as const
  const path = testDesk.store.folder.pathOf({ ...candles, connectionId: 'sandbox', kind: 'metrics' }, '2026-08-03')
  renameSync(path, `${path}.away`)
  expect((await testDesk.rows({ quality: 'known', columns })).rows[0].values).not.toEqual([2142])
  renameSync(`${path}.away`, path)
  expect((await testDesk.rows({ quality: 'known', columns })).rows[0].values).toEqual([2142])
})

it('annualises the last funding rate by the period at its time, and names the pairs without one', async () => {
  const unknown = { unknownFunding: [], rows: [{ funding_annualised: null, funding_every: null, funding_basis: null }] }
  expect(await testDesk.rows()).toMatchObject(unknown)
  testDesk.addRates()
  const columns = [{ name: 'year', formula: 'annual(funding.funding_rate)' }]
  const pair = { exchange: VENUE, symbol: BTC }
  expect(await testDesk.rows({ columns })).toMatchObject({
    ...unknown,
    unknownFunding: [pair],
    rows: [{ ...unknown.rows[0], values: [null] }],
  })
  testDesk.store.fundingDefaults.set({ exchange: VENUE, symbol: null, every: '8h' })
  expect(await testDesk.rows({ columns })).toMatchObject({
    unknownFunding: [],
    rows: [{ funding_annualised: 0.0001 * 1095, funding_every: '8h', funding_basis: 'asked', values: [0.0001 * 1095] }],
  })
  testDesk.store.instruments.replace([
    instrumentRow({ ...pair, funding_every: '8h' }),
    instrumentRow({ ...pair, valid_from: '2026-08-02', funding_every: '1h', funding_rate_per: '4h' }),
    instrumentRow({ ...pair, valid_from: '2026-08-04', funding_every: '2h' }),
  ])
  expect((await testDesk.rows({ columns })).rows).toMatchObject([
    { funding_annualised: 0.0001 * 2190, funding_every: '1h', funding_basis: 'announced', values: [0.0001 * 2190] },
  ])
})

it('converts contracts again after their size changed', async () => {
  const contracts = { exchange: 'venueb-perps', symbol: BTC }
  testDesk.add(0, 72, contracts.exchange)
  const columns = [{ name: 'notional', formula: 'inquote(ohlcv.volume, ohlcv.close)' }]
  const valueAt = async (contractSize: number) => {
    testDesk.store.instruments.replace([instrumentRow({ ...contracts, contract_size: contractSize })])
    const { rows } = await testDesk.rows({ quality: 'known', columns })
    return rows.find(({ exchange }) => exchange === contracts.exchange)!.values
  }
  expect([await valueAt(0.1), await valueAt(0.2)]).toEqual([[expect.closeTo(535.5, 9)], [expect.closeTo(1071, 9)]])
})
