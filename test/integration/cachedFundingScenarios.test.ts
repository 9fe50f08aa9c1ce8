import { type CacheTestRequest, FUNDING, findTestRows } from '#core/lab/portfolio/cacheTest.ts'
import { readCacheTest } from '#core/lab/portfolio/readCacheTest.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import type { Store } from '#core/store/store.ts'
import { symbolSeries } from '#shared/lab/panel.ts'
import { parsePortfolioStudy } from '#shared/lab/parseStudy.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import { expect, it } from 'vitest'
import { addFundingEvents, addMetricFiles, type Announcement } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { findFundingIn } from '../fakes/findFunding.ts'
import { openTestStore } from '../fakes/openTestStore.ts'
import { HOUR_MS, randomOf } from '../fakes/panelWorld.ts'

const FIRST_DAY = dayNumberOf('2026-07-01')
const DAYS = 4
const START = FIRST_DAY * MS_PER_DAY
const END = START + DAYS * MS_PER_DAY
const MINUTE_MS = 60_000
const msOf = (interval: string) => parseInterval(interval)! * 1000
const intervals = ['15m', '1h', '4h', '1d']

/** Cached data of one symbol: rates by interval, and raw events by day. */
interface Scenario {
  rates: Map<string, { time: number; funding_rate: number }[]>
  events: Map<number, Announcement[]>
}

function scenarioOf(random: () => number): Scenario {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const rates = new Map(
    intervals
      .filter(() => random() < 0.5)
      .map((interval) => {
        const length = (DAYS * MS_PER_DAY) / msOf(interval)
        const rows = Array.from({ length }, (_, at) => ({
          time: START + at * msOf(interval),
          funding_rate: random() < 0.15 ? NaN : Math.round(random() * 1e6) / 1e9,
        }))
        return [interval, rows] as const
      }),
  )
  const period = pick([1, 2, 4, 5, 8]) * HOUR_MS
  const events = new Map<number, Announcement[]>()
  for (let day = 0; day < DAYS; day++) {
    if (random() < 0.5) continue
    const dayStart = START + day * MS_PER_DAY
    const outageFrom = dayStart + Math.floor(random() * 30) * HOUR_MS
    const outageTo = outageFrom + Math.floor(random() * 14) * HOUR_MS
    const own: Announcement[] = []
    for (let published = dayStart + MINUTE_MS; published < dayStart + MS_PER_DAY; published += 30 * MINUTE_MS) {
      if (published >= outageFrom && published < outageTo) continue
      own.push({ published, rate: 0, next: Math.ceil((published + 1) / period) * period })
    }
    if (own.length > 0) events.set(FIRST_DAY + day, own)
  }
  return { rates, events }
}

interface DueTime {
  time: number
  everyMs: number
}

/**
 * Lists funding times with the simplest possible loop over minutes: where two announced times follow each other within
 * a day, in the days of the files, they decide; otherwise the period does. The first announced time of a stretch is due.
 */
function plainTimes({ events }: Scenario, everyMs: number): DueTime[] {
  const announced = [...new Set([...events.values()].flat().map(({ next }) => next!))].sort((a, b) => a - b)
  const pairs = announced.slice(1).map((end, at) => ({ start: announced[at], end }))
  const observed = pairs.filter(({ start, end }) => end - start <= MS_PER_DAY)
  const isInFile = (time: number) =>
    [...events.keys()].some((day) => time > day * MS_PER_DAY && time <= (day + 1) * MS_PER_DAY)
  const pairAt = (time: number) => observed.find(({ start, end }) => isInFile(time) && start < time && time <= end)
  const times: DueTime[] = []
  for (let time = START - everyMs; time <= END; time += MINUTE_MS) {
    const pair = pairAt(time)
    const isFirst = !pair && pairAt(time + MINUTE_MS)?.start === time
    if (pair ? pair.end === time : isFirst || time % everyMs === 0)
      times.push({ time, everyMs: pair ? pair.end - pair.start : everyMs })
  }
  return times
}

/**
 * Returns the last rate of the bars between two funding times; a bar of a longer interval counts only once it has
 * ended.
 */
function plainRate(rates: Scenario['rates'], interval: string, gridMs: number, since: number, time: number): number {
  const rows = rates.get(interval) ?? []
  const ownMs = msOf(interval)
  const seenAt = (start: number) => {
    if (ownMs <= gridMs) return rows.find((row) => row.time === start)?.funding_rate ?? NaN
    const known = start + gridMs
    return rows.find((row) => row.time + ownMs <= known && known < row.time + 2 * ownMs)?.funding_rate ?? NaN
  }
  const stepMs = Math.min(ownMs, gridMs)
  for (let start = Math.ceil(time / stepMs) * stepMs - stepMs; start >= Math.max(since, START); start -= stepMs) {
    const rate = seenAt(start)
    if (!Number.isNaN(rate)) return rate
  }
  return NaN
}

/** Computes what longs pay in each bar; NaN means unknown. */
function plainFunding(scenario: Scenario, interval: string, everyMs: number): number[] {
  const gridMs = msOf(interval)
  const cached = intervals.filter((one) => scenario.rates.has(one))
  const own = cached.find((one) => msOf(one) >= gridMs) ?? interval
  const times = plainTimes(scenario, everyMs)
  return Array.from({ length: (END - START) / gridMs }, (_, bar) => {
    const [from, to] = [START + bar * gridMs, START + (bar + 1) * gridMs]
    const due = times.filter(({ time }) => time > from && time <= to)
    return due.reduce((sum, one) => {
      const since = times[times.indexOf(one) - 1]?.time ?? -Infinity
      const shortest = cached.find((each) => msOf(each) < gridMs)
      const needsShorter = one.everyMs < gridMs || due.length > 1
      const isUsable = !needsShorter || (shortest !== undefined && msOf(shortest) <= one.everyMs)
      const chosen = needsShorter ? shortest! : own
      return sum + (isUsable ? plainRate(scenario.rates, chosen, gridMs, since, one.time) : NaN)
    }, 0)
  })
}

function fill(store: Store, dataDir: string, interval: string, symbol: string, { rates, events }: Scenario) {
  const market = { exchange: 'venuea-futures', symbol }
  const length = (DAYS * MS_PER_DAY) / msOf(interval)
  const prices = Array.from({ length }, (_, at) => ({ time: START + at * msOf(interval), close: 100 }))
  const periods = ['2026-07']
  addMetricFiles(store, dataDir, { dataset: 'ohlcv', ...market, interval, columns: ['close'], rows: prices }, periods)
  for (const [own, rows] of rates) {
    const series = { dataset: 'funding', ...market, interval: own, columns: ['funding_rate'], rows }
    addMetricFiles(store, dataDir, series, periods)
  }
  for (const [day, announced] of events) addFundingEvents(store, dataDir, market, dayFromNumber(day), announced)
}

async function readFunding(store: Store, dataDir: string, study: CacheTestRequest['study']) {
  const clock = fakeClock(Date.UTC(2026, 7, 8))
  const access = () => Promise.reject(new Error('offline'))
  const openPortfolio = (connectionId: string) => createPortfolio(store.portfolio, clock, { connectionId, access })
  const deps = { store, clock, openPortfolio, changedFiles: null, dataDir, fundingOf: findFundingIn(store) }
  const request = { study, connectionId: 'sandbox', sealedFromMs: null }
  const { rows } = await findTestRows(deps, request, new AbortController().signal)
  const { input } = readCacheTest(study, rows.content)
  return (symbol: number) => {
    const { values, valid } = symbolSeries(input.panel, input.panel.columns.get(FUNDING)!, symbol)
    return Array.from(values, (value, bar) => (valid[bar] ? value : NaN))
  }
}

const COUNT = Number(process.env.PERPSCOPE_FUNDING_SCENARIOS ?? 12)
const seeds = Array.from({ length: COUNT }, (_, at) => at + 1)

it.each(seeds)('pays the funding that a plain reading of the files says, scenario %i', async (seed) => {
  const random = randomOf(seed)
  const interval = intervals[Math.floor(random() * intervals.length)]
  const everyHours = [1, 4, 8][Math.floor(random() * 3)]
  const scenarios = ['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT'].map((symbol) => ({
    symbol,
    scenario: scenarioOf(random),
  }))
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  for (const { symbol, scenario } of scenarios) fill(store, dataDir, interval, symbol, scenario)
  const study = parsePortfolioStudy(
    {
      ...{ version: 1, kind: 'portfolio', interval, start: '2026-07-01', end: '2026-07-04', signal: 'ohlcv.close' },
      source: { exchanges: ['venuea-futures'], timestamp: 'exchange', fundingEvery: `${everyHours}h` },
    },
    { fromCache: true },
  )
  const fundingOf = await readFunding(store, dataDir, study)
  scenarios.forEach(({ scenario, symbol }, symbolIndex) => {
    const expected = plainFunding(scenario, interval, everyHours * HOUR_MS)
    const actual = fundingOf(symbolIndex)
    const facts = { seed, symbol, interval, every: everyHours, cached: [...scenario.rates.keys()] }
    expect({ facts, paid: actual.map(rounded) }).toEqual({ facts, paid: expected.map(rounded) })
  })
})

const rounded = (value: number) => (Number.isNaN(value) ? null : Math.round(value * 1e12) / 1e12)
