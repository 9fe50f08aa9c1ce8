import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noPanelCheck } from '#core/lab/panelCheck.ts'
import { createPortfolioTestService, type PortfolioTestRequest } from '#core/lab/portfolio/portfolioTestService.ts'
import { createStudyService } from '#core/lab/studyService.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import type { Store } from '#core/store/store.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findFundingIn } from '../fakes/findFunding.ts'
import { addFundingEvents, addMetricFiles, type MarketRow } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { openTestLedger } from '../fakes/openTestLedger.ts'
import { openTestStore } from '../fakes/openTestStore.ts'
import { HOUR_MS, randomOf } from '../fakes/panelWorld.ts'

const FIRST_DAY = dayNumberOf('2026-06-28')
const END_DAY = dayNumberOf('2026-07-08')
const periods = ['2026-06', '2026-07']
const instruments = ['venuea-futures', 'venuec-perps'].flatMap((exchange) =>
  ['BTC', 'ETH', 'SOL'].map((base) => ({ exchange, base, symbol: `perpetual-${base}-USDT:USDT` })),
)
type Instrument = (typeof instruments)[number]

const datasets = { ohlcv: ['close', 'volume_notional'], l1_liquidity: ['spread_bps_avg'], funding: ['funding_rate'] }

interface Market extends Instrument {
  rows: MarketRow[]
}

/** Returns hourly rows of all instruments with missing values. */
function markets(): Market[] {
  const random = randomOf(5)
  const orMissing = (value: number) => (random() < 0.04 ? NaN : value)
  return instruments.map((instrument) => {
    let price = 100 * (1 + random())
    const rows: MarketRow[] = []
    for (let time = FIRST_DAY * MS_PER_DAY; time < END_DAY * MS_PER_DAY; time += HOUR_MS) {
      price *= Math.exp(0.02 * (random() - 0.5))
      rows.push({
        time,
        close: orMissing(price),
        volume_notional: orMissing(1e6 * random()),
        spread_bps_avg: orMissing(4 * random()),
        funding_rate: orMissing(0.001 * (random() - 0.4)),
      })
    }
    return { ...instrument, rows }
  })
}

type FillOptions = { interval?: string; without?: (dataset: string, instrument: Instrument) => boolean }

function fillCache(
  store: Store,
  dataDir: string,
  all: readonly Market[],
  { interval = '1h', without }: FillOptions = {},
) {
  for (const { rows, ...instrument } of all) {
    for (const [dataset, columns] of Object.entries(datasets)) {
      if (without?.(dataset, instrument)) continue
      addMetricFiles(store, dataDir, { dataset, ...instrument, interval, columns, rows }, periods)
    }
  }
}

/**
 * Computes what longs pay in an hour with the simplest possible loop: every `hours` hours, the latest rate of the last
 * `hours` hours.
 */
const fundingCell = (byTime: ReadonlyMap<number, MarketRow>, time: number, hours: number): number | '' => {
  const dueMs = time + HOUR_MS
  if (dueMs % (hours * HOUR_MS) !== 0) return 0
  for (let at = time; at >= dueMs - hours * HOUR_MS; at -= HOUR_MS) {
    const rate = byTime.get(at)?.funding_rate ?? NaN
    if (!Number.isNaN(rate)) return rate
  }
  return ''
}

const cellText = (value: number) => (Number.isNaN(value) ? '' : String(value))

/** Writes the same rows as a panel, whose funding considers every hour of the grid, even hours without a row. */
function panelFile(folder: string, all: readonly Market[], hours: number): string {
  const lines = all.flatMap(({ exchange, symbol, rows }) => {
    const byTime = new Map(rows.map((row) => [row.time, row]))
    return rows.map((row) =>
      [
        row.time,
        `${exchange}/${symbol}`,
        cellText(row.close),
        cellText(row.volume_notional),
        cellText(row.spread_bps_avg),
        fundingCell(byTime, row.time, hours),
      ].join(','),
    )
  })
  const path = join(folder, `panel-${hours}.csv`)
  const head = 'time,symbol,ohlcv.close,ohlcv.volume_notional,l1_liquidity.spread_bps_avg,funding'
  writeFileSync(path, [head, ...lines, ''].join('\n'))
  return path
}

const source = {
  exchanges: ['venuea-futures', 'venuec-perps'],
  symbols: null,
  universe: null,
  timestamp: 'exchange',
  fundingEvery: '8h',
}
const test = {
  version: 1,
  kind: 'portfolio',
  interval: '1h',
  start: '2026-06-28',
  end: '2026-07-07',
  signal: '-pct(ohlcv.close, 6)',
  price: 'ohlcv.close',
  rebalance: { every: '12h' },
  costs: {
    feeBps: 4,
    spreadBps: 'l1_liquidity.spread_bps_avg',
    slippage: { k: 0.5, sigma: 'std(pct(ohlcv.close, 1), 12, 4)' },
    volume: 'ohlcv.volume_notional',
  },
  capital: 20_000,
  capacity: { levels: [1e4, 1e5] },
}

function openService(store: Store) {
  const clock = fakeClock(Date.UTC(2026, 6, 8))
  const access = () => Promise.reject(new Error('offline'))
  const openPortfolio = (connectionId: string) => createPortfolio(store.portfolio, clock, { connectionId, access })
  const ledger = openTestLedger()
  const fundingOf = findFundingIn(store)
  const cache = { store, clock, openPortfolio, fundingOf, changedFiles: null, dataDir: dataFolder() }
  const service = createPortfolioTestService(() => ledger, noPanelCheck, cache)
  const lab = createStudyService({ panelCheck: noPanelCheck, ...cache, ledger: () => ledger })
  onTestFinished(async () => {
    await service.close()
    await lab.close()
  })
  const run = (document: object, fields: Partial<PortfolioTestRequest> = {}) =>
    service.run(
      { document, panelPath: null, openHoldout: false, keepBars: true, ...fields },
      { signal: new AbortController().signal, who: 'cli', onProgress: () => undefined },
    )
  const writePanel = (document: object, outPath: string) =>
    service.writePanel(
      { document, panelPath: null, openHoldout: false, keepBars: false },
      outPath,
      new AbortController().signal,
    )
  return { run, ledger, lab, writePanel }
}

function openCache(options: FillOptions = {}, all = markets()) {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  fillCache(store, dataDir, all, options)
  return { all, dataDir, store, ...openService(store) }
}

/** Returns the fields of a result that do not depend on where its rows were read. */
function figuresOf(result: PortfolioResult): object {
  const {
    study: _study,
    warnings: _warnings,
    documentHash: _hash,
    family: _family,
    overfitting: _luck,
    assumed: _assumed,
    data: { funding: _funding, ...data },
    ...rest
  } = result
  return { ...rest, data }
}

describe('a tested portfolio of the cache', () => {
  it.each([1, 4, 8])('is the same as on one panel, bit for bit, with funding every %i h', async (hours) => {
    const { all, dataDir, run } = openCache()
    const cached = await run({ ...test, source: { ...source, fundingEvery: `${hours}h` } })
    const fromFile = await run(test, { panelPath: panelFile(dataDir, all, hours) })
    // A single missing rate leaves a funding time without a rate only if the period is one hour.
    expect(fromFile.unknown.fundingShare > 0).toBe(hours === 1)
    expect(fromFile.costs.slippage).toBeLessThan(0)
    expect(figuresOf(cached)).toEqual(figuresOf(fromFile))
  })

  it('writes its rows as a panel that gives the same result, without those that are sealed', async () => {
    const { run, writePanel, dataDir, ledger } = openCache()
    const path = join(dataDir, 'written.parquet')
    const cached = await run({ ...test, source })
    expect(await writePanel({ ...test, source }, path)).toBe(cached.data.rows)
    expect(figuresOf(await run(test, { panelPath: path }))).toEqual(figuresOf(cached))
    const sealedPath = join(dataDir, 'sealed.csv')
    const entries = ledger.tables.count()
    const rows = await writePanel({ ...test, source, holdout: { fromDay: '2026-07-05' } }, sealedPath)
    expect(rows).toBeLessThan(cached.data.rows)
    expect(readFileSync(sealedPath, 'utf8')).not.toContain(`\n${dayNumberOf('2026-07-05') * MS_PER_DAY},`)
    // Writing the rows is recorded neither as a run nor as an opening of the holdout.
    expect(ledger.tables.count()).toBe(entries)
  })

  it('records the list of its files once, and a seal cuts them before they are read', async () => {
    const { run, ledger, all, dataDir } = openCache()
    const holdout = { fromDay: '2026-07-05' }
    const cached = await run({ ...test, source, holdout })
    const filed = await run({ ...test, holdout }, { panelPath: panelFile(dataDir, all, 8) })
    expect(cached.days.at(-1)).toBe('2026-07-04')
    expect(cached.holdout?.sealedRows).toBeGreaterThan(300)
    expect(figuresOf(cached)).toEqual(figuresOf(filed))
    const [first] = [...ledger.tables.entries()].map(({ entry }) => entry)
    if (first.event !== 'run') throw new Error('not a run')
    expect(first.inputs).toMatchObject([{ name: 'cache' }, { name: 'funding-periods' }])
    const files = ledger.tables.files(first.inputs[0].sha256) as { period: string; dataset: string }[]
    expect(new Set(files.map(({ dataset }) => dataset))).toEqual(new Set(Object.keys(datasets)))
  })

  it('takes funding times from raw events where there are any', async () => {
    const { run, store, dataDir } = openCache({}, [])
    const [{ exchange, symbol }] = instruments
    const rows = Array.from({ length: 48 }, (_, hour) => ({
      time: FIRST_DAY * MS_PER_DAY + hour * HOUR_MS,
      close: 100,
      volume_notional: 1e6,
      spread_bps_avg: 1,
      funding_rate: (hour + 1) / 1000,
    }))
    fillCache(store, dataDir, [{ ...instruments[0], rows }])
    // Funding is due every 5 hours on the second day, but every 8 hours on the first, which has no events.
    const day = (FIRST_DAY + 1) * MS_PER_DAY
    const events = [0, 5, 10, 15, 20].map((hour) => ({
      published: day + hour * HOUR_MS,
      rate: 0,
      next: day + (hour + 5) * HOUR_MS,
    }))
    addFundingEvents(store, dataDir, { exchange, symbol }, dayFromNumber(FIRST_DAY + 1), events)
    const held = { signal: '1', weights: { rule: 'direct' }, rebalance: { every: '1h' }, costs: { feeBps: 0 } }
    const document = { ...test, ...held, end: '2026-06-29', capital: 1000, capacity: null, source }
    const { bars = [] } = await run(document)
    const paid = bars.flatMap(({ time, funding }) =>
      funding === 0 ? [] : [(time + HOUR_MS - FIRST_DAY * MS_PER_DAY) / HOUR_MS],
    )
    expect(paid).toEqual([8, 16, 24, 29, 34, 39, 44])
    const at = (hour: number) => bars.find(({ time }) => time === FIRST_DAY * MS_PER_DAY + (hour - 1) * HOUR_MS)!
    expect(at(8).funding).toBeCloseTo(-1000 * 0.008, 9)
    expect(at(29).funding / (at(29).equity - at(29).funding)).toBeCloseTo(-0.029, 9)
  })

  it('takes an outage of raw events within a day for one long period', async () => {
    const { run, store, dataDir } = openCache({}, [])
    const day = FIRST_DAY * MS_PER_DAY
    const rows = Array.from({ length: 24 }, (_, hour) => ({
      time: day + hour * HOUR_MS,
      close: 100,
      volume_notional: 1e6,
      spread_bps_avg: 1,
      // The bars from 8:00 to 17:00 have no rate, and no event is published between 7:00 and 17:00.
      funding_rate: hour >= 8 && hour < 17 ? NaN : 0.001,
    }))
    fillCache(store, dataDir, [{ ...instruments[0], rows }])
    const events = [0, 1, 7, 17, 20].map((hour) => ({
      published: day + hour * HOUR_MS,
      rate: 0.001,
      next: day + (hour < 8 ? 8 : 24) * HOUR_MS,
    }))
    addFundingEvents(store, dataDir, instruments[0], dayFromNumber(FIRST_DAY), events)
    const held = { signal: '1', weights: { rule: 'direct' }, rebalance: { every: '1h' }, costs: { feeBps: 0 } }
    const document = { ...test, ...held, end: '2026-06-28', capital: 1000, capacity: null, source }
    const { bars = [], unknown } = await run(document)
    expect(bars.filter(({ funding }) => funding !== 0).map(({ time }) => (time - day) / HOUR_MS)).toEqual([7, 23])
    expect(unknown.fundingShare).toBe(0)
  })

  it('takes funding times from the period where raw events name none', async () => {
    const { run, store, dataDir } = openCache()
    const plain = await run({ ...test, source })
    for (const instrument of instruments) {
      const events = [0, 1, 2].map((hour) => ({
        published: FIRST_DAY * MS_PER_DAY + hour * HOUR_MS,
        rate: 0,
        next: null,
      }))
      addFundingEvents(store, dataDir, instrument, dayFromNumber(FIRST_DAY), events)
    }
    const silent = await run({ ...test, source })
    expect(plain.costs.funding).not.toBe(0)
    expect(figuresOf(silent)).toEqual(figuresOf(plain))
  })

  it.each([
    ['1h', true],
    ['1d', false],
    ['1d', true],
  ])(
    'reads %s rates that the signal names without a shorter interval, with raw events: %s',
    async (interval, hasEvents) => {
      const hours = interval === '1h' ? 1 : 24
      const rowsAtInterval = markets().map(({ rows, ...one }) => ({
        ...one,
        rows: rows.filter(({ time }) => time % (hours * HOUR_MS) === 0),
      }))
      const { run, store, dataDir } = openCache({ interval }, rowsAtInterval)
      if (hasEvents)
        for (const instrument of instruments)
          addFundingEvents(store, dataDir, instrument, dayFromNumber(FIRST_DAY), [
            { published: FIRST_DAY * MS_PER_DAY + HOUR_MS, rate: 0, next: FIRST_DAY * MS_PER_DAY + 8 * HOUR_MS },
          ])
      const document = { ...test, interval, source, signal: 'funding.funding_rate', rebalance: { every: '1d' } }
      const { attrition, unknown } = await run(document)
      expect(attrition.decisions - attrition.skipped).toBeGreaterThan(5)
      // A bar of a day needs the rates of its three funding times, which are not cached.
      if (interval === '1d') expect(unknown.fundingShare).toBe(1)
      else expect(unknown.fundingShare).toBeLessThan(0.1)
    },
  )

  it('sums the rates of a bar that is longer than the period, from the shortest interval that is here', async () => {
    const { run, store, dataDir } = openCache({}, [])
    const days = [0, 1, 2, 3].map((day) => ({ time: (FIRST_DAY + day) * MS_PER_DAY, close: 100, volume_notional: 1e6 }))
    const hourly = Array.from({ length: 96 }, (_, hour) => ({
      time: FIRST_DAY * MS_PER_DAY + hour * HOUR_MS,
      // The rates of the eight hours before the last funding time of the third day are unknown.
      funding_rate: hour >= 64 && hour < 72 ? NaN : hour / 1e5,
    }))
    const { exchange, symbol } = instruments[0]
    const daily = { dataset: 'ohlcv', exchange, symbol, interval: '1d', columns: datasets.ohlcv, rows: days }
    addMetricFiles(store, dataDir, daily, periods)
    const rates = { dataset: 'funding', exchange, symbol, interval: '1h', columns: datasets.funding, rows: hourly }
    addMetricFiles(store, dataDir, rates, periods)
    const held = { signal: '1', weights: { rule: 'direct' }, delayBars: 0, costs: { feeBps: 0 } }
    const document = { ...test, ...held, interval: '1d', end: '2026-07-01', capital: 1000, capacity: null, source }
    const { bars = [], unknown, warnings } = await run({ ...document, rebalance: { every: '1d' } })
    expect(bars[1].funding).toBeCloseTo((-1000 * (31 + 39 + 47)) / 1e5, 9)
    expect(bars[2].funding).toBe(0)
    expect(unknown.fundingShare).toBeCloseTo(1 / 3, 1)
    expect(warnings.map(({ code }) => code)).toContain('funding-unknown')
  })

  it('takes the shortest interval of each symbol, and none of another symbol', async () => {
    const { run, store, dataDir } = openCache({}, [])
    const days = [0, 1, 2].map((day) => ({ time: (FIRST_DAY + day) * MS_PER_DAY, close: 100, volume_notional: 1e6 }))
    const [first, second, third] = instruments
    for (const { exchange, symbol } of [first, second, third])
      addMetricFiles(
        store,
        dataDir,
        { dataset: 'ohlcv', exchange, symbol, interval: '1d', columns: datasets.ohlcv, rows: days },
        periods,
      )
    const addRates = ({ exchange, symbol }: Instrument, hours: number, rate: number) => {
      const rows = Array.from({ length: 72 / hours }, (_, at) => ({
        time: FIRST_DAY * MS_PER_DAY + at * hours * HOUR_MS,
        funding_rate: rate,
      }))
      const interval = hours < 1 ? `${hours * 60}m` : `${hours}h`
      addMetricFiles(
        store,
        dataDir,
        { dataset: 'funding', exchange, symbol, interval, columns: datasets.funding, rows },
        periods,
      )
    }
    addRates(first, 1, 0.001)
    addRates(first, 4, 0.5)
    addRates(second, 4, 0.002)
    addRates(third, 0.25, 0.003)
    const held = { signal: '1', weights: { rule: 'direct' }, delayBars: 0, costs: { feeBps: 0 } }
    const document = { ...test, ...held, interval: '1d', end: '2026-06-30', capital: 1000, capacity: null, source }
    const { symbols, unknown } = await run({ ...document, rebalance: { every: '1d' } })
    const paid = [first, second, third].map(
      ({ exchange, symbol: name }) => symbols.find(({ symbol }) => symbol === `${exchange}/${name}`)?.funding ?? NaN,
    )
    expect(paid[0]).toBeLessThan(0)
    // All three symbols pay their own rate at the same times, and their positions are equal.
    expect(paid.map((one) => one / paid[0])).toEqual([1, expect.closeTo(2, 9), expect.closeTo(3, 9)])
    expect(unknown.fundingShare).toBe(0)
  })

  it('takes the rate of a longer interval no earlier than its end', async () => {
    const { run, store, dataDir } = openCache({}, [])
    const day = FIRST_DAY * MS_PER_DAY
    const { exchange, symbol } = instruments[0]
    const prices = Array.from({ length: 24 }, (_, hour) => ({
      time: day + hour * HOUR_MS,
      close: 100,
      volume_notional: 1,
    }))
    const hourly = { dataset: 'ohlcv', exchange, symbol, interval: '1h', columns: datasets.ohlcv, rows: prices }
    addMetricFiles(store, dataDir, hourly, periods)
    const rates = [1, 2, 3, 4, 5, 6].map((rate, at) => ({ time: day + at * 4 * HOUR_MS, funding_rate: rate / 1000 }))
    const slow = { dataset: 'funding', exchange, symbol, interval: '4h', columns: datasets.funding, rows: rates }
    addMetricFiles(store, dataDir, slow, periods)
    const held = { signal: '1', weights: { rule: 'direct' }, rebalance: { every: '1h' }, costs: { feeBps: 0 } }
    const document = { ...test, ...held, end: '2026-06-28', capital: 1000, capacity: null }
    const { bars = [] } = await run({ ...document, source: { ...source, fundingEvery: '2h' } })
    const paid = bars.flatMap(({ time, funding, equity }) =>
      funding === 0 ? [] : [[(time - day) / HOUR_MS + 1, Math.round((-funding / (equity - funding)) * 1000)]],
    )
    // The bar from 4:00 to 8:00 is still running at 6:00, so its rate is not yet known then.
    expect(paid).toEqual([
      [4, 1],
      [6, 1],
      [8, 2],
      [10, 2],
      [12, 3],
      [14, 3],
      [16, 4],
      [18, 4],
      [20, 5],
      [22, 5],
      [24, 6],
    ])
  })

  it('reads a cost of each symbol at the interval of the test, or else at the shortest longer one', async () => {
    const { run, store, dataDir } = openCache({ without: (dataset) => dataset === 'l1_liquidity' })
    const addSpreads = ({ exchange, symbol }: Instrument, interval: string, spread: number) => {
      const hours = { '1h': 1, '4h': 4, '1d': 24 }[interval]!
      const rows = Array.from({ length: 240 / hours }, (_, at) => ({
        time: FIRST_DAY * MS_PER_DAY + at * hours * HOUR_MS,
        spread_bps_avg: spread,
      }))
      const dataset = { dataset: 'l1_liquidity', exchange, symbol, interval, columns: datasets.l1_liquidity, rows }
      addMetricFiles(store, dataDir, dataset, periods)
    }
    const [hourly, slow, daily, ...without] = instruments
    addSpreads(hourly, '1h', 2)
    addSpreads(hourly, '4h', 100)
    addSpreads(slow, '4h', 6)
    addSpreads(slow, '1d', 100)
    addSpreads(daily, '1d', 10)
    const held = { signal: '1', weights: { rule: 'direct' }, rebalance: { every: '2d' }, capacity: null }
    const { symbols, costs, unknown } = await run({ ...test, ...held, source })
    const paid = instruments.map((one) => {
      const { spread, traded } = symbols.find(({ symbol }) => symbol === `${one.exchange}/${one.symbol}`)!
      return Math.round((2e4 * Math.abs(spread)) / traded)
    })
    expect(paid.slice(0, 3)).toEqual([2, 6, 10])
    expect(paid.slice(3)).toEqual(without.map(() => 0))
    const unknownHere = symbols.filter(({ spread }) => spread === 0).reduce((sum, { traded }) => sum + traded, 0)
    expect(unknown.spreadNotional).toBeCloseTo(unknownHere, 6)
    expect(unknownHere).toBeLessThan(costs.traded)
  })

  it('says what is not downloaded, and what is unknown because of it', async () => {
    const isGone = (dataset: string) => dataset !== 'ohlcv'
    const { run, lab } = openCache({ without: isGone })
    const document = { ...test, source: { ...source, symbols: [instruments[0].symbol] } }
    const result = await run(document)
    // Funding is due in one bar of eight; it is 0 in the others.
    expect(result.unknown.fundingShare).toBeCloseTo(1 / 8, 1)
    expect(result.costs.funding).toBe(0)
    expect(result.unknown.spreadNotional).toBeCloseTo(result.costs.traded, 6)
    expect(result.data.notDownloaded?.files).toBeGreaterThan(0)
    expect(result.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['funding-unknown', 'spread-unknown', 'not-downloaded']),
    )
    const missing = await lab.missingFiles({ document })
    if ('refused' in missing) throw new Error(missing.message)
    expect(new Set(missing.requests.flatMap(({ datasets: named }) => named))).toEqual(
      new Set(['l1_liquidity', 'funding']),
    )
  })

  it('runs a grid on the cache as on the panel', async () => {
    const { run, all, dataDir } = openCache()
    const grid = {
      ...test,
      signal: '-pct(ohlcv.close, {n})',
      parameters: { n: [3, 6, 12] },
      walkForward: { folds: 2 },
      capacity: null,
    }
    const cached = await run({ ...grid, source })
    const filed = await run(grid, { panelPath: panelFile(dataDir, all, 8) })
    expect(figuresOf(cached)).toEqual(figuresOf(filed))
    expect(cached.walkForward?.grid).toHaveLength(3)
  })

  it('scales the exposure by a regime, and shows the figures with and without', async () => {
    const { run, store } = openCache()
    const days = Int32Array.from({ length: 60 }, (_, at) => FIRST_DAY - 50 + at)
    const values = Float64Array.from(days, (day) => (day < dayNumberOf('2026-07-02') ? 0.2 : 0.8))
    const key = { connectionId: 'sandbox', endpoint: 'regime', query: 'overlay=calm' }
    const fetched = { fetchedAtMs: Date.UTC(2026, 6, 8), source: 'http://service', problems: [] }
    const range = { start: days[0], end: days[days.length - 1] + 1 }
    store.portfolio.saveDays(key, range, { days, columns: ['value'], values }, fetched)
    const scaled = (scale: unknown) => ({ ...test, source: { ...source, exposureBy: { overlay: 'calm', scale } } })
    const plain = await run({ ...test, source })
    const byCuts = await run(scaled({ cuts: [0.5], factors: [1, 0] }))
    expect(byCuts.unscaled?.net).toEqual(plain.figures.net)
    // The value of 2 July is known on 3 July, so every target is 0 from then on.
    const last = byCuts.days.indexOf('2026-07-02')
    expect(byCuts.exposure.gross.slice(0, last)).toEqual(plain.exposure.gross.slice(0, last))
    expect(byCuts.exposure.gross.slice(last + 1)).toEqual(plain.days.slice(last + 1).map(() => 0))
    const byValue = await run(scaled('value'))
    expect(byValue.exposure.gross[1]).toBeCloseTo(0.2 * plain.exposure.gross[1]!, 1)
    expect(byValue.exposure.gross.at(-1)).toBeCloseTo(0.8 * plain.exposure.gross.at(-1)!, 1)
    await expect(
      run({ ...test, source: { ...source, exposureBy: { overlay: 'other', scale: 'value' } } }),
    ).rejects.toThrow(/the risk regime other cannot be loaded/)
  })

  it('refuses a test without rows, with both clocks, or with names of no dataset', async () => {
    const { run } = openCache()
    await expect(run({ ...test, source: null })).rejects.toThrow(/^source: is null/)
    await expect(run({ ...test, source: { ...source, against: 'true' } })).rejects.toThrow(/^source\.against: /)
    await expect(run({ ...test, signal: 'funding', source })).rejects.toThrow(/^signal: funding names no dataset/)
    await expect(run({ ...test, source: { ...source, exchanges: ['venueb-perps'] } })).rejects.toThrow(/has no rows/)
  })
})
