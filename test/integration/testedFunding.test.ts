import { noPanelCheck } from '#core/lab/panelCheck.ts'
import { createStudyService } from '#core/lab/studyService.ts'
import { createPortfolioTestService } from '#core/lab/portfolio/portfolioTestService.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import type { Store } from '#core/store/store.ts'
import type { Instrument } from '#shared/contract/areas/instruments.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addFundingEvents, addMetricFiles } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { findFundingIn } from '../fakes/findFunding.ts'

import { openTestLedger } from '../fakes/openTestLedger.ts'
import { openTestStore } from '../fakes/openTestStore.ts'

const FIRST_DAY = dayNumberOf('2026-07-01')
const DAYS = 31
const START = FIRST_DAY * MS_PER_DAY
const hourOf = (timeMs: number) => (timeMs - START) / MS_PER_HOUR
const [alpha, beta] = ['alpha-futures', 'beta-perps']
const symbol = 'perpetual-BTC-USDT:USDT'

const document = {
  ...{ version: 1, kind: 'portfolio', interval: '1h', start: '2026-07-02', end: '2026-07-09', signal: '1' },
  source: { exchanges: [alpha], symbols: null, timestamp: 'exchange' },
  ...{ weights: { rule: 'direct' }, rebalance: { every: '1h' }, costs: { feeBps: 0 }, capital: 1000 },
}

/** Rates that differ in every bar, so that nothing can be inferred from them. */
const running = (hour: number) => 0.0001 * (1 + (hour % 97))
/** Rates that change at the multiples of a period. */
const steps = (every: number) => (hour: number) => 0.0001 * (1 + (Math.floor(hour / every) % 89))

function openCache(ratesByVenue: Record<string, (hour: number) => number> = { [alpha]: running }) {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const times = Array.from({ length: DAYS * 24 }, (_, hour) => START + hour * MS_PER_HOUR)
  for (const [exchange, rateAt] of Object.entries(ratesByVenue)) {
    const series = { exchange, symbol, interval: '1h' }
    const prices = times.map((time) => ({ time, close: 100 }))
    addMetricFiles(store, dataDir, { dataset: 'ohlcv', ...series, columns: ['close'], rows: prices }, ['2026-07'])
    const rates = times.map((time) => ({ time, funding_rate: rateAt(hourOf(time)) }))
    addMetricFiles(store, dataDir, { dataset: 'funding', ...series, columns: ['funding_rate'], rows: rates }, [
      '2026-07',
    ])
  }
  return { store, dataDir, ...openService(store) }
}

function openService(store: Store) {
  const clock = fakeClock(Date.UTC(2026, 7, 8))
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
  const options = { signal: new AbortController().signal, who: 'cli' as const, onProgress: () => undefined }
  const run = (fields: object = {}, recordedFunding?: FundingRow[]) =>
    service.run(
      { document: { ...document, ...fields }, panelPath: null, openHoldout: false, keepBars: true, recordedFunding },
      options,
    )
  return { run, ledger, lab }
}

const withEvery = (fundingEvery: string | null, exchanges = [alpha]) => ({
  source: { ...document.source, exchanges, fundingEvery },
})

const instrument = (fields: Partial<Instrument>): Instrument => ({
  ...{ exchange: alpha, symbol, valid_from: null, contract_size: null, quote: null, tick: null, funding_every: null },
  ...{ funding_offset: null, funding_rate_per: null, native: null, listed: null, delisted: null, renamed_from: null },
  ...fields,
})

/** Hours after the start of July at which funding was paid, and what was paid. */
const paidIn = ({ bars = [] }: PortfolioResult) =>
  bars.flatMap(({ time, funding, equity }) =>
    funding === 0 ? [] : [[hourOf(time) + 1, Math.round((-funding / (equity - funding)) * 1e7) / 1e7]],
  )
const hoursPaid = (result: PortfolioResult) => paidIn(result).map(([hour]) => hour)
const codesOf = ({ warnings }: PortfolioResult) => warnings.map(({ code }) => code)
const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step)

describe('funding of a tested portfolio', () => {
  it('is unknown in every bar where no source names a period, with a sentence that says what to do', async () => {
    const { run } = openCache()
    const { unknown, assumed, data, warnings, costs } = await run()
    expect([unknown.fundingShare, assumed.fundingShare, costs.funding]).toEqual([1, 0, 0])
    expect(data.funding).toEqual([
      { symbol: `${alpha}/${symbol}`, from: START + MS_PER_DAY, to: START + 9 * MS_PER_DAY, every: null, basis: null },
    ])
    const { message } = warnings.find(({ code }) => code === 'funding-unknown')!
    expect(message).toContain(`${alpha}/${symbol}`)
    expect(message).toMatch(/raw funding_rate events.*instruments.*fundingEvery/)
  })

  it('is the same announced every hour as asked for, to the bit, but counts as assumed only where asked for', async () => {
    const { run, store } = openCache()
    const asked = await run(withEvery('1h'))
    store.instruments.replace([instrument({ funding_every: '1h' })])
    const announced = await run()
    expect(announced.bars).toEqual(asked.bars)
    expect(paidIn(announced)).toHaveLength(8 * 24 - 2)
    expect([asked.assumed.fundingShare, announced.assumed.fundingShare]).toEqual([1, 0])
    expect([codesOf(asked).includes('funding-assumed'), codesOf(announced)]).toEqual([true, []])
  })

  it('of a dated change is the sum of its halves', async () => {
    const { run, store } = openCache()
    const eight = await run(withEvery('8h'))
    const one = await run(withEvery('1h'))
    store.instruments.replace([
      instrument({ funding_every: '8h' }),
      instrument({ valid_from: '2026-07-05', funding_every: '1h' }),
    ])
    const changed = paidIn(await run())
    const changeHour = 4 * 24
    expect(changed).toEqual([
      ...paidIn(eight).filter(([hour]) => hour <= changeHour),
      ...paidIn(one).filter(([hour]) => hour > changeHour),
    ])
  })

  it('divides a rate that refers to a longer period than the one at which it is paid', async () => {
    const { run, store } = openCache()
    const whole = await run(withEvery('1h'))
    store.instruments.replace([instrument({ funding_every: '1h', funding_rate_per: '8h' })])
    const scaled = paidIn(await run())
    expect(scaled).toHaveLength(8 * 24 - 2)
    for (const [at, [hour, rate]] of paidIn(whole).entries())
      expect([scaled[at][0], scaled[at][1]]).toEqual([hour, expect.closeTo(rate / 8, 6)])
  })

  it('is inferred by month from the bars at which the served rate changes, for each venue its own period', async () => {
    const { run } = openCache({ [alpha]: steps(8), [beta]: steps(4) })
    const result = await run(withEvery(null, [alpha, beta]))
    expect(result.data.funding?.map(({ every, basis }) => [every, basis])).toEqual([
      ['8h', 'inferred'],
      ['4h', 'inferred'],
    ])
    expect(hoursPaid(result)).toEqual(range(28, 9 * 24, 4))
    expect([codesOf(result), result.assumed.fundingShare, result.unknown.fundingShare]).toEqual([
      ['funding-inferred'],
      1,
      0,
    ])
  })

  it('is observed where raw events are, and elsewhere as if they were not there', async () => {
    const { run, store, dataDir } = openCache()
    const before = await run(withEvery('8h'))
    const day = FIRST_DAY + 3
    const events = range(0, 22, 2).map((hour) => ({
      ...{ published: day * MS_PER_DAY + hour * MS_PER_HOUR, rate: 0 },
      next: day * MS_PER_DAY + (hour + 2) * MS_PER_HOUR,
    }))
    addFundingEvents(store, dataDir, { exchange: alpha, symbol }, dayFromNumber(day), events)
    const after = await run(withEvery('8h'))
    const isObserved = (hour: number) => hour > 74 && hour <= 96
    expect(hoursPaid(after).filter((hour) => hour >= 74 && hour <= 96)).toEqual(range(74, 96, 2))
    expect(paidIn(after).filter(([hour]) => !isObserved(hour) && hour !== 74)).toEqual(
      paidIn(before).filter(([hour]) => !isObserved(hour)),
    )
    const alone = await run()
    expect(hoursPaid(alone)).toEqual(range(76, 96, 2))
    expect(alone.unknown.fundingShare).toBeCloseTo(1 - 22 / (8 * 24 - 2), 2)
  })

  it('says where raw events contradict what was announced, and never fails over a raw file', async () => {
    const { run, store, dataDir } = openCache()
    store.instruments.replace([instrument({ funding_every: '8h' })])
    const events = [8, 12, 16].map((hour) => ({
      published: START + 24 * MS_PER_HOUR + (hour - 4) * MS_PER_HOUR,
      rate: 0,
      next: START + (24 + hour) * MS_PER_HOUR,
    }))
    addFundingEvents(store, dataDir, { exchange: alpha, symbol }, '2026-07-02', events)
    const silent = [0, 1].map((hour) => ({ published: START + (48 + hour) * MS_PER_HOUR, rate: 0, next: null }))
    addFundingEvents(store, dataDir, { exchange: alpha, symbol }, '2026-07-03', silent)
    const { warnings } = await run()
    expect(warnings).toMatchObject([{ code: 'funding-conflict' }])
    expect(warnings[0].message).toMatch(
      /2026-07-02 08:00 to 2026-07-02 16:00 every 4h by raw events, every 8h announced/,
    )
  })

  it('counts 8, 4 and 1 hours asked for as one family of three trials', async () => {
    const { run } = openCache()
    const results = [await run(withEvery('8h')), await run(withEvery('4h')), await run(withEvery('1h'))]
    expect(new Set(results.map(({ family }) => family)).size).toBe(1)
    expect(results.map(({ overfitting }) => overfitting.trials)).toEqual([1, 2, 3])
  })

  it('is part of the run in the ledger: other periods are another trial, and a replay uses the recorded ones', async () => {
    const { run, store, ledger } = openCache()
    store.instruments.replace([instrument({ funding_every: '8h' })])
    const first = await run()
    store.instruments.replace([instrument({ funding_every: '4h', funding_offset: '2h' })])
    const second = await run()
    expect(second.overfitting.trials).toBe(2)
    const [before, after] = [...ledger.tables.entries()].map(({ entry }) => (entry.event === 'run' ? entry : null))
    expect(before?.key).not.toBe(after?.key)
    expect(after?.inputs.map(({ name }) => name)).toEqual(['cache', 'funding-periods'])
    const again = await run({}, second.data.funding && [...second.data.funding])
    expect([again.bars, again.overfitting.trials]).toEqual([second.bars, 2])
    store.instruments.replace([])
    const replayed = await run({}, first.data.funding && [...first.data.funding])
    expect([replayed.bars, replayed.overfitting.trials]).toEqual([first.bars, 2])
  })

  it('goes by the periods of each symbol in formulas, too', async () => {
    const { run, store } = openCache({ [alpha]: running, [beta]: running })
    store.fundingDefaults.set({ exchange: alpha, symbol: null, every: '8h' })
    const source = { ...document.source, exchanges: [alpha, beta] }
    const { bars = [], data } = await run({ source, signal: 'fundinghours(ohlcv.close) / 8', funding: 'none' })
    expect(new Set(bars.flatMap(({ units }) => Object.keys(units)))).toEqual(new Set([`${alpha}/${symbol}`]))
    expect(data.funding?.map(({ every }) => every)).toEqual(['8h', null])
  })

  it('purges training by the longest funding period where the signal names what is settled', async () => {
    const { run, store } = openCache()
    const grid = {
      signal: '-sma(settled(funding.funding_rate), {n}, 1)',
      ...{ parameters: { n: [10, 20] }, walkForward: { folds: 2 } },
    }
    await expect(run(grid)).rejects.toThrow('walkForward.lookbackBars')
    store.instruments.replace([
      instrument({ funding_every: '8h' }),
      instrument({ valid_from: '2026-07-05', funding_every: '4h' }),
    ])
    // The delay, one rebalancing and the look-back of the mean come on top.
    expect((await run(grid)).walkForward?.purgeBars).toBe(1 + 1 + 20 + 8)
    const lookbackBars = 30
    expect((await run({ ...grid, walkForward: { folds: 2, lookbackBars } })).walkForward?.purgeBars).toBe(1 + 1 + 30)
  })

  it('uses a period that was typed for a venue, and before it one for the symbol', async () => {
    const { run, store } = openCache()
    store.fundingDefaults.set({ exchange: alpha, symbol: null, every: '8h' })
    expect(hoursPaid(await run())).toEqual(range(32, 216, 8))
    store.fundingDefaults.set({ exchange: alpha, symbol, every: '12h' })
    expect(hoursPaid(await run())).toEqual(range(36, 216, 12))
    expect(hoursPaid(await run(withEvery('24h')))).toEqual(range(48, 216, 24))
  })
})

describe('minutes to funding', () => {
  const seasons = {
    ...{ version: 1, kind: 'seasonality', interval: '1h', start: '2026-07-02', end: '2026-07-09' },
    ...{ value: 'funding.funding_rate', by: 'minutesToFunding' },
  }
  const runSeasons = async (lab: ReturnType<typeof openService>['lab'], exchanges: string[]) => {
    const source = { exchanges, symbols: null, timestamp: 'exchange' }
    const request = { document: { ...seasons, source }, panelPath: null, againstPath: null }
    const options = {
      signal: new AbortController().signal,
      onStage: () => undefined,
      keep: false,
      who: 'cli' as const,
    }
    const answer = await lab.run(request, options)
    if ('refused' in answer || answer.result.kind !== 'seasonality') throw new Error('no seasonality')
    return answer.result
  }

  it('go by the period of each symbol, and cells without one are counted apart', async () => {
    const { lab } = openCache({ [alpha]: steps(4), [beta]: running })
    const result = await runSeasons(lab, [alpha, beta])
    expect(result.cells.map((cell) => ('minutesToFunding' in cell ? cell.minutesToFunding : null))).toEqual([
      0, 60, 120, 180,
    ])
    expect(result.attrition).toMatchObject({ noFundingTime: 8 * 24, used: 8 * 24, noValue: 0 })
    expect(result.data.funding?.map(({ every }) => every)).toEqual(['4h', null])
    expect(result.warnings.map(({ code }) => code)).toContain('funding-inferred')
  })

  it('average only the symbols with the same minutes at a time', async () => {
    const { lab, store } = openCache({ [alpha]: () => 1, [beta]: () => 3 })
    store.fundingDefaults.set({ exchange: alpha, symbol: null, every: '2h' })
    store.fundingDefaults.set({ exchange: beta, symbol: null, every: '4h' })
    const { cells, times } = await runSeasons(lab, [alpha, beta])
    // At 0 and 60 minutes half of the times have both, the others the venue with the shorter period alone.
    expect(cells.map(({ n, mean }) => [n, mean])).toEqual([
      [96, 1.5],
      [96, 1.5],
      [48, 3],
      [48, 3],
    ])
    expect(times).toBe(288)
  })
})
