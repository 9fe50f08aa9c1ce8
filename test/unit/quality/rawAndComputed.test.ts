import { expect, it, onTestFinished } from 'vitest'
import { acceptedKey, createQualityService } from '#core/quality/qualityService.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { checkEvents } from '#shared/quality/checkEvents.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
const DAY = '2026-08-01'
const START = Date.parse(DAY)
const place = { exchange: 'venuea-futures', symbol: 'perpetual-CAT-USDT:USDT' }

/** Makes a trade every ten seconds of a day, with a price that moves a little. */
const trades = Array.from({ length: 8640 }, (_, at) => ({
  time: START + at * 10 * SECOND,
  price: 100 + (at % 7) * 0.01,
  amount: 1 + (at % 5),
}))

type Trade = (typeof trades)[number]

function addTrades(store: ReturnType<typeof openTestStore>, dataDir: string, rows: readonly Trade[], period = DAY) {
  const series = {
    connectionId: 'sandbox',
    kind: 'raw' as const,
    dataset: 'trades',
    ...place,
    interval: '',
    timestamp: '',
  }
  const times = rows.map(({ time }) => new Date(time))
  addCachedFile(store, dataDir, series, period, [
    { name: 'exchange_timestamp', type: 'TIMESTAMP', data: times, nullable: false },
    { name: 'local_timestamp', type: 'TIMESTAMP', data: times, nullable: false },
    { name: 'price', type: 'DOUBLE', data: Float64Array.from(rows, ({ price }) => price) },
    { name: 'amount', type: 'DOUBLE', data: Float64Array.from(rows, ({ amount }) => amount) },
  ])
}

async function openQuality() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const quality = createQualityService({ store, clock: fakeClock(), changedFiles: null })
  onTestFinished(() => quality.close())
  const check = (filter: object = {}) =>
    quality.check({ connectionId: 'sandbox', ...filter }, { signal: new AbortController().signal })
  return { dataDir, store, check }
}

it('finds a spike, a silence and an impossible amount in raw trades, and nothing in clean ones', async () => {
  const { dataDir, store, check } = await openQuality()
  addTrades(store, dataDir, trades)
  expect(await check()).toMatchObject({ findings: [], files: 1, unread: [] })

  const hole = { startMs: START + 9 * HOUR, endMs: START + 9 * HOUR + 13 * MINUTE }
  const spoilt = trades
    .filter(({ time }) => time <= hole.startMs || time >= hole.endMs)
    .map((trade, at) => ({
      ...trade,
      ...(at === 1000 && { price: trade.price * 1.5 }),
      ...(at === 2000 && { amount: -1 }),
    }))
  addTrades(store, dataDir, spoilt)
  const { findings } = await check()
  expect(findings.map(({ kind, column, count }) => [kind, column, count])).toEqual([
    ['spike', 'price', 1],
    ['impossible', 'amount', 1],
    ['missing', null, 12],
  ])
  expect(findings[0]).toMatchObject({ dataset: 'trades', interval: '', timestamp: '', day: DAY })
  expect(findings[2]).toMatchObject({
    from: hole.startMs + 1,
    to: hole.endMs,
    detail: 'no events for 13 min 00 s, where up to 5 min 00 s are usual',
  })
  expect((await check({ datasets: ['quotes'] })).files).toBe(0)
})

it('finds a silence around midnight, between two files', async () => {
  const { dataDir, store, check } = await openQuality()
  addTrades(store, dataDir, trades.slice(0, -60))
  const next = trades.map((trade) => ({ ...trade, time: trade.time + 24 * HOUR }))
  addTrades(store, dataDir, next.slice(60), '2026-08-02')
  expect((await check()).findings.map(({ kind, day }) => [kind, day])).toEqual([
    ['missing', DAY],
    ['missing', '2026-08-02'],
  ])
})

it('takes the quiet of a rarely traded symbol for what it is', () => {
  // A trade after 1 to 9 minutes, as chance has it.
  let time = START
  const times = Float64Array.from({ length: 300 }, (_, at) => (time += (1 + ((at * 7919) % 9)) * MINUTE))
  const price = times.map(() => 100)
  expect(checkEvents({ dataset: 'trades', times, columns: new Map([['price', price]]) }).findings).toEqual([])
})

it('judges quotes without a bid or ask, and rows out of order, by what they say', () => {
  const times = Float64Array.from({ length: 100 }, (_, at) => START + (at % 2 === 0 ? at + 1 : at - 1) * SECOND)
  const bid = times.map((_, at) => (at === 50 ? 0 : at === 60 ? 102 : 100 + (at % 3) * 0.01))
  const ask = times.map((_, at) => (at === 70 ? 0 : 101))
  const columns = new Map([
    ['bid_price', bid],
    ['ask_price', ask],
  ])
  const { findings } = checkEvents({ dataset: 'quotes', times, columns })
  expect(findings.map(({ kind, column, detail }) => [kind, column, detail.split(' from ')[0]])).toEqual([
    ['impossible', 'bid_price', 'bid above ask'],
    ['spike', 'bid_price', expect.any(String)],
  ])
})

it('checks files computed here, and keeps their findings apart from those of the service', async () => {
  const { dataDir, store, check } = await openQuality()
  const minutes = Array.from({ length: 1440 }, (_, minute) => START + minute * MINUTE)
  const addCandles = (owner: string, hole: number) => {
    const times = minutes.filter((_, minute) => minute < hole || minute >= hole + 20)
    const series = { connectionId: owner, kind: 'metrics' as const, dataset: 'ohlcv', ...place, interval: '1m' }
    addCachedFile(store, dataDir, { ...series, timestamp: 'exchange' }, DAY, [
      { name: 'time', type: 'INT64', data: BigInt64Array.from(times, BigInt) },
      { name: 'close', type: 'DOUBLE', data: Float64Array.from(times, (time) => 100 + (time % 7) * 0.01) },
    ])
  }
  addCandles('sandbox', 100)
  addCandles(computedOwner('sandbox'), 100)
  const { findings, files } = await check()
  expect(files).toBe(2)
  expect(findings.map(({ kind, count, origin }) => [kind, count, origin ?? 'service'])).toEqual([
    ['missing', 20, 'service'],
    ['missing', 20, 'computed'],
  ])
  const [served, computed] = findings
  store.quality.accept(acceptedKey('sandbox', computed), 'known', 1)
  expect((await check()).findings.map(({ accepted }) => accepted?.note ?? null)).toEqual([null, 'known'])
  expect(acceptedKey('sandbox', served)).not.toBe(acceptedKey('sandbox', computed))
})
