import { describe, expect, test } from 'vitest'
import { bookLevels, sideCodes } from '#shared/metrics/events.ts'
import { MarketDay } from '../../../../electron/sandbox/events/marketDay.ts'
import { dailyMarketOf } from '../../../../electron/sandbox/market/daily.ts'
import { marketDay } from '../../../../electron/sandbox/market/days.ts'
import { findInstrument, type SandboxInstrument } from '../../../../electron/sandbox/market/instruments.ts'
import { documentedVenue, type VenueKind } from '../../../../electron/sandbox/market/venues.ts'

const seed = 1
const day = marketDay('2026-09-02')

function instrumentOf(venue: VenueKind, symbol: string): SandboxInstrument {
  const instrument = findInstrument(seed, documentedVenue(venue), symbol)
  if (!instrument) throw new Error(`no ${symbol} on ${venue}`)
  return instrument
}

const bitcoin = instrumentOf('venuea-futures', 'perpetual-BTC-USDT:USDT')
const contracts = instrumentOf('venueb-perps', 'perpetual-SOL-USDT:USDT')
const coin = instrumentOf('venuec-perps', 'perpetual-DOGE-USD:USDC')
const subjects = [bitcoin, contracts, coin]
const feeds = ['trades', 'quotes', 'mark', 'index', 'funding', 'openInterest', 'book'] as const

const sum = (values: ArrayLike<number>) => Array.from(values).reduce((total, value) => total + value, 0)
const share = (values: ArrayLike<number>, is: (value: number) => boolean) =>
  Array.from(values).filter(is).length / values.length

describe.each(subjects)('$venue.id $symbol', (instrument) => {
  const events = new MarketDay(seed, instrument, day)

  test.each(feeds)('%s lie inside the day in order and arrive later, by milliseconds', (feed) => {
    const { exchangeUs, localUs } = events[feed]
    const startUs = day * 86_400e6
    expect(exchangeUs[0]).toBeGreaterThanOrEqual(startUs)
    expect(exchangeUs[exchangeUs.length - 1]).toBeLessThan(startUs + 86_400e6)
    for (let i = 0; i < exchangeUs.length; i++) {
      if (i > 0 && exchangeUs[i] < exchangeUs[i - 1]) throw new Error(`${feed} ${i} is out of order`)
      const latencyUs = localUs[i] - exchangeUs[i]
      if (!(latencyUs > 1000 && latencyUs < 60e6 && Number.isInteger(latencyUs)))
        throw new Error(`latency ${latencyUs}`)
    }
  })

  test.each(feeds)('some %s arrive after midnight, in their order', (feed) => {
    const { exchangeUs, localUs } = events[feed]
    const midnightUs = (day + 1) * 86_400e6
    const late = localUs.filter((arrivedUs) => arrivedUs >= midnightUs)
    const isSparse = exchangeUs[exchangeUs.length - 1] < midnightUs - 12e6
    if (!isSparse) expect(late.length).toBeGreaterThan(0)
    expect([...late]).toEqual([...late].sort((a, b) => a - b))
    expect(late.every((arrivedUs) => arrivedUs < midnightUs + 5e6)).toBe(true)
  })

  test('the price goes from the daily open to the daily close', () => {
    const market = dailyMarketOf(seed)
    const { value } = events.index
    expect(value[0] / market.dayOpen(instrument.base, day)).toBeCloseTo(1, 3)
    expect(value[value.length - 1] / market.dayClose(instrument.base, day)).toBeCloseTo(1, 3)
  })

  test('trades meet the quotes: hardly any slippage, a bid below the ask', () => {
    const { trades, quotes } = events
    for (let i = 0; i < quotes.bidPrice.length; i++) {
      if (!(quotes.bidPrice[i] > 0 && quotes.bidPrice[i] < quotes.askPrice[i])) throw new Error(`quote ${i} is crossed`)
      if (!(quotes.bidAmount[i] > 0 && quotes.askAmount[i] > 0)) throw new Error(`quote ${i} is empty`)
    }
    let quote = 0
    const bps = Array.from(trades.price, (price, i) => {
      while (quote + 1 < quotes.exchangeUs.length && quotes.exchangeUs[quote + 1] <= trades.exchangeUs[i]) quote++
      const mid = (quotes.bidPrice[quote] + quotes.askPrice[quote]) / 2
      return (Math.abs(price - mid) / mid) * 1e4
    })
    expect(sum(bps) / bps.length).toBeLessThan(8)
  })

  test('prices and amounts are whole ticks and lots, without crooked digits', () => {
    const { price, amount } = events.trades
    for (let i = 0; i < price.length; i += 97) {
      expect(String(price[i]).length).toBeLessThanOrEqual(12)
      expect(price[i] / instrument.tickSize).toBeCloseTo(Math.round(price[i] / instrument.tickSize), 5)
      expect(amount[i] / instrument.lotSize).toBeCloseTo(Math.round(amount[i] / instrument.lotSize), 5)
    }
  })

  test('the sides come in runs, and turnover is that of the daily market', () => {
    const { side, price, amount } = events.trades
    const pairs = Array.from(side.subarray(1), (code, i) => (code === side[i] ? 1 : 0))
    expect(sum(pairs) / pairs.length).toBeGreaterThan(0.6)
    expect(share(side, (code) => code === sideCodes.buy)).toBeGreaterThan(0.3)
    expect(share(side, (code) => code === sideCodes.sell)).toBeGreaterThan(0.3)
    const turnover = sum(Array.from(price, (value, i) => value * amount[i])) * instrument.contractSize
    const expected = dailyMarketOf(seed).dayNotional(instrument.base, day) * instrument.share
    expect(turnover / expected).toBeGreaterThan(0.4)
    expect(turnover / expected).toBeLessThan(2.5)
  })

  test('the book has amounts on 25 levels a side, and the best are those of the quotes', () => {
    const { exchangeUs, bidAmount, askAmount } = events.book
    for (const amounts of [bidAmount, askAmount]) {
      expect(amounts).toHaveLength(exchangeUs.length * bookLevels)
      expect(amounts.every((amount) => amount > 0)).toBe(true)
    }
    const { quotes } = events
    for (let row = 100; row < exchangeUs.length; row += 997) {
      const quote = quotes.exchangeUs.findLastIndex((timeUs) => timeUs <= exchangeUs[row])
      expect(bidAmount[row * bookLevels]).toBe(quotes.bidAmount[quote])
      expect(askAmount[row * bookLevels]).toBe(quotes.askAmount[quote])
    }
  })
})

test('order sizes fill all three classes, with a heavy tail', () => {
  const { price, amount } = new MarketDay(seed, bitcoin, day).trades
  const notionals = Array.from(price, (value, i) => value * amount[i]).sort((a, b) => a - b)
  expect(share(notionals, (notional) => notional < 100)).toBeGreaterThan(0.15)
  expect(share(notionals, (notional) => notional >= 100 && notional < 1000)).toBeGreaterThan(0.15)
  expect(share(notionals, (notional) => notional >= 1000)).toBeGreaterThan(0.2)
  const top = sum(notionals.slice(Math.floor(notionals.length * 0.99)))
  expect(top / sum(notionals)).toBeGreaterThan(0.1)
})

test('trades come in bursts: far more uneven than chance', () => {
  const { exchangeUs } = new MarketDay(seed, bitcoin, day).trades
  const perSecond = new Float64Array(86_400)
  for (const timeUs of exchangeUs) perSecond[Math.floor(timeUs / 1e6) % 86_400]++
  const mean = exchangeUs.length / 86_400
  const variance = sum(perSecond.map((count) => (count - mean) ** 2)) / 86_400
  expect(variance / mean).toBeGreaterThan(1.5)
})

test('volatility clusters: large moves follow large moves', () => {
  const { exchangeUs, value } = new MarketDay(seed, bitcoin, day).index
  const levelByMinute = new Map<number, number>()
  for (let i = 0; i < value.length; i++) levelByMinute.set(Math.floor(exchangeUs[i] / 60e6), value[i])
  const levels = [...levelByMinute.values()]
  const moves = levels.slice(1).map((level, i) => Math.abs(Math.log(level / levels[i])))
  const mean = sum(moves) / moves.length
  const squareSum = sum(moves.map((move) => (move - mean) ** 2))
  const covarianceSum = sum(moves.slice(1).map((move, i) => (move - mean) * (moves[i] - mean)))
  expect(covarianceSum / squareSum).toBeGreaterThan(0.08)
})

test('all venues see one underlying, and their prices stay close to it', () => {
  const other = instrumentOf('venueb-perps', 'perpetual-BTC-USDT:USDT')
  const [here, there] = [bitcoin, other].map((instrument) => new MarketDay(seed, instrument, day).mark)
  const last = (times: Float64Array, timeUs: number) => times.findLastIndex((time) => time <= timeUs)
  for (let hour = 1; hour < 24; hour++) {
    const timeUs = day * 86_400e6 + hour * 3600e6
    const ratio = here.value[last(here.exchangeUs, timeUs)] / there.value[last(there.exchangeUs, timeUs)]
    expect(Math.abs(ratio - 1)).toBeLessThan(0.004)
  }
})

test('funding settles three times a day on the rate of the daily market', () => {
  const { value, nextUs, exchangeUs } = new MarketDay(seed, bitcoin, day).funding
  const settlements = [...new Set(nextUs)].sort((a, b) => a - b)
  expect(settlements.map((timeUs) => timeUs / 3600e6 - day * 24)).toEqual([8, 16, 24])
  settlements.forEach((timeUs, slot) => {
    const at = exchangeUs.findLastIndex((time) => time < timeUs)
    const rate = dailyMarketOf(seed).fundingRate('BTC', day, slot)
    expect(Math.abs(value[at] - rate)).toBeLessThan(3e-5)
  })
})

test('open interest continues over midnight', () => {
  const [before, after] = [day, day + 1].map((at) => new MarketDay(seed, bitcoin, at).openInterest.value)
  expect(after[0] / before[before.length - 1]).toBeCloseTo(1, 2)
})

test('a day is the same whoever draws it and whatever was drawn before', () => {
  new MarketDay(seed, contracts, day + 3).trades.price.at(0)
  const reversed = new MarketDay(seed, bitcoin, day)
  const forward = new MarketDay(seed, bitcoin, day)
  const drawn = [...feeds].reverse().map((feed) => reversed[feed].localUs)
  feeds.forEach((feed, i) => expect(forward[feed].localUs).toEqual(drawn[feeds.length - 1 - i]))
  expect(new MarketDay(2, bitcoin, day).trades.price[0]).not.toBe(forward.trades.price[0])
  expect(new MarketDay(seed, bitcoin, day, 1).trades.price.length).not.toBe(forward.trades.price.length)
})

test('quotes and prices of a liquid instrument cross midnight every day, and trades on most', () => {
  const lateOn = [day, day + 1, day + 2].map((each) => {
    const events = new MarketDay(seed, bitcoin, each)
    const isLate = (feed: (typeof feeds)[number]) => events[feed].localUs.at(-1)! >= (each + 1) * 86_400e6
    return { always: (['quotes', 'mark', 'index'] as const).every(isLate), trades: isLate('trades') }
  })
  expect(lateOn.map(({ always }) => always)).toEqual([true, true, true])
  expect(lateOn.filter(({ trades }) => trades).length).toBeGreaterThan(1)
})
