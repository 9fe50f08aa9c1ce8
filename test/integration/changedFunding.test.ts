import { fundingOf } from '#core/funding/instrumentFunding.ts'
import { readFundingEvidence } from '#core/series/fundingEvidence.ts'
import type { FundingTask } from '#core/series/readerTask.ts'
import type { SeriesReader } from '#core/series/seriesReader.ts'
import type { Store } from '#core/store/store.ts'
import { MS_PER_HOUR } from '#shared/time.ts'
import type { Period } from '#shared/time/periods.ts'
import { expect, test } from 'vitest'
import { addFundingEvents, addMetricFiles } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { openTestStore } from '../fakes/openTestStore.ts'

const JULY = Date.UTC(2026, 6, 1)
const AUGUST = Date.UTC(2026, 7, 1)
const exchange = 'alpha-futures'
const BTC = { exchange, symbol: 'perpetual-BTC-USDT:USDT' }
const ETH = { exchange, symbol: 'perpetual-ETH-USDT:USDT' }

/** Adds a month of hourly rates that change every `hours`. */
function addRates(store: Store, dataDir: string, pair: typeof BTC, hours: number, month: Period = '2026-07') {
  const rows = Array.from({ length: 62 * 24 }, (_, hour) => ({
    time: JULY + hour * MS_PER_HOUR,
    funding_rate: Math.floor(hour / hours) / 1000,
  }))
  const series = { ...pair, dataset: 'funding', interval: '1h', columns: ['funding_rate'], rows }
  addMetricFiles(store, dataDir, series, [month])
}

function market() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const readPaths: string[] = []
  const run = ((_name: 'funding', task: FundingTask) => {
    readPaths.push(...task.files.map(({ path }) => path))
    return Promise.resolve(readFundingEvidence(task))
  }) as SeriesReader['run']
  const periods = async () => {
    const request = { connectionId: 'sandbox', pairs: null, range: { startMs: null, endMs: null }, timestamp: null }
    const found = await fundingOf({ store, reader: { run } }, request)
    return found.map((one) => one.periods.map(({ startMs, everyMs, basis }) => [startMs, everyMs / MS_PER_HOUR, basis]))
  }
  return { store, dataDir, readPaths, periods }
}

test('periods follow each change of the cached files, of which only the new ones are read', async () => {
  const { store, dataDir, readPaths, periods } = market()
  addRates(store, dataDir, BTC, 8)
  addRates(store, dataDir, ETH, 4)
  const eth = [[JULY, 4, 'inferred']]
  expect(await periods()).toEqual([[[JULY, 8, 'inferred']], eth])
  expect(readPaths).toHaveLength(2)

  // The month is downloaded anew, with the rates of another period.
  addRates(store, dataDir, BTC, 2)
  expect(await periods()).toEqual([[[JULY, 2, 'inferred']], eth])
  addRates(store, dataDir, BTC, 1, '2026-08')
  store.fundingDefaults.set({ ...BTC, every: '1h' })
  const typed = (from: number) => [from, 1, 'asked']
  const beforeAndAfter = [typed(-Infinity), [JULY, 2, 'inferred'], typed(AUGUST)]
  expect(await periods()).toEqual([beforeAndAfter, eth])
  expect(readPaths).toHaveLength(4)

  const published = [0, 4, 8].map((hour) => JULY + hour * MS_PER_HOUR)
  const events = published.map((time) => ({ published: time, rate: 0, next: time + 4 * MS_PER_HOUR }))
  addFundingEvents(store, dataDir, BTC, '2026-07-01', events)
  const [btc] = await periods()
  expect(btc).toContainEqual([JULY + 4 * MS_PER_HOUR, 4, 'observed'])
  expect(await periods()).toEqual([btc, eth])
  expect(readPaths).toHaveLength(5)
})

test('a file that could not be read is read again when the index changes', async () => {
  const { store, dataDir } = market()
  addRates(store, dataDir, BTC, 8)
  let isBroken = true
  const run = ((_name: 'funding', task: FundingTask) =>
    Promise.resolve(isBroken ? task.files.map(() => null) : readFundingEvidence(task))) as SeriesReader['run']
  const request = { connectionId: 'sandbox', pairs: [BTC], range: { startMs: null, endMs: null }, timestamp: null }
  const found = async () => (await fundingOf({ store, reader: { run } }, request))[0].periods.length
  expect(await found()).toBe(0)
  isBroken = false
  store.fundingDefaults.set({ ...ETH, every: '1h' })
  expect(await found()).toBe(1)
})
