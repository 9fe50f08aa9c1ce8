import { sideCodes } from '#shared/metrics/events.ts'
import { CHEAP_HOUR, CHEAP_SPREAD } from '../market/effectsToFind.ts'
import { WIDE_SPREAD } from '../market/plantedEffects.ts'
import type { RandomStream } from '../market/random.ts'
import { GrowingColumn } from './growingColumn.ts'
import { venuePrice, type InstrumentDay } from './instrumentDay.ts'
import { SizeDraw } from './sizeDraw.ts'
import { Steps } from './steps.ts'
import { withArrivals } from './arrival.ts'
import { MINUTES_PER_DAY, SECONDS_PER_DAY } from './fairPath.ts'

const { unknown, buy, sell } = sideCodes

interface Times {
  /** Microseconds since the epoch, ascending. */
  exchangeUs: Float64Array
  localUs: Float64Array
}

export interface Trades extends Times {
  /** Codes of `sideCodes`. */
  side: Uint8Array
  price: Float64Array
  amount: Float64Array
}

export interface Quotes extends Times {
  bidPrice: Float64Array
  bidAmount: Float64Array
  askPrice: Float64Array
  askAmount: Float64Array
}

/** Mean number of trades that one trade triggers. */
const BRANCHING_RATIO = 0.63
/** Share of the outstanding triggered trades that is executed each second. */
const EXCITATION_DECAY = 0.35
const SECOND_US = 1e6

/** Sorts a few numbers in place. */
function sortFew(values: number[]): void {
  for (let i = 1; i < values.length; i++) {
    const value = values[i]
    let at = i
    for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1]
    values[at] = value
  }
}

/**
 * Draws the trades and quotes of one day together, because each trade depends on the quote that is current at its time.
 */
class TapeMaker {
  private readonly input: InstrumentDay
  private readonly random: RandomStream
  private readonly ticks: Steps
  private readonly lots: Steps
  private readonly sizes: SizeDraw
  private readonly tradeTimes: GrowingColumn
  private readonly sides: GrowingColumn
  private readonly prices: GrowingColumn
  private readonly amounts: GrowingColumn
  private readonly quoteTimes: GrowingColumn
  private readonly bidPrices: GrowingColumn
  private readonly bidAmounts: GrowingColumn
  private readonly askPrices: GrowingColumn
  private readonly askAmounts: GrowingColumn
  /** Probability that a new order is a buy order, by hour. */
  private readonly buyTilts: Float64Array
  private buyTilt = 0.5
  private readonly persistence: number
  private readonly unknownShare: number
  private readonly wideHour: number
  private readonly moments: number[] = []
  private side: number = buy
  private bidTicks = 0
  private askTicks = 0
  private bidLots = 0
  private askLots = 0
  private lean = 0
  private lastQuoteUs = 0

  constructor(input: InstrumentDay) {
    this.input = input
    this.random = input.random('tape')
    this.ticks = new Steps(input.instrument.tickSize)
    this.lots = new Steps(input.instrument.lotSize)
    this.sizes = new SizeDraw(input, this.random)
    const tradeCapacity = input.tradeTarget * 1.4
    const quoteCapacity = tradeCapacity * 1.8 + 6000
    const columns = (count: number, capacity: number) =>
      Array.from({ length: count }, () => new GrowingColumn(capacity))
    ;[this.tradeTimes, this.sides, this.prices, this.amounts] = columns(4, tradeCapacity)
    ;[this.quoteTimes, this.bidPrices, this.bidAmounts, this.askPrices, this.askAmounts] = columns(5, quoteCapacity)
    const flows = input.market.hourFlows(input.instrument.base, input.day)
    this.buyTilts = flows.map((flow) => 0.5 + Math.max(-0.2, Math.min(0.2, flow / 2)))
    this.wideHour = input.market.wideHour(input.instrument.base, input.day)
    this.persistence = this.random.between(0.35, 0.6)
    this.unknownShare = input.instrument.venue.kind === 'venueb-perps' ? 0.002 : 0
  }

  make(): { trades: Trades; quotes: Quotes } {
    const { activity } = this.input.fair
    const tradesPerActivity = this.input.tradeTarget / SECONDS_PER_DAY
    const quotesPerActivity = (this.input.tradeTarget * 0.8 + 5000) / SECONDS_PER_DAY
    const { random } = this
    let excitement = 0
    // Remaining intensity until the next trade and quote: this draws a Poisson process without a random number for each
    // second.
    let toTrade = random.exponential()
    let toQuote = random.exponential()
    this.requote(0, true)
    for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
      this.buyTilt = this.buyTilts[Math.floor(minute / 60)]
      const tradeRate = tradesPerActivity * (1 - BRANCHING_RATIO) * activity[minute]
      const quoteRate = Math.min(20, quotesPerActivity * activity[minute])
      for (let second = minute * 60; second < minute * 60 + 60; second++) {
        let tradeCount = 0
        let quoteCount = 0
        toTrade -= Math.min(60, tradeRate + excitement * EXCITATION_DECAY)
        toQuote -= quoteRate
        for (; toTrade < 0; toTrade += random.exponential()) tradeCount++
        for (; toQuote < 0; toQuote += random.exponential()) quoteCount++
        excitement = excitement * (1 - EXCITATION_DECAY) + BRANCHING_RATIO * tradeCount
        if (tradeCount + quoteCount > 0) this.playSecond(second, tradeCount, quoteCount)
      }
    }
    return this.finish()
  }

  /** Draws the trades and quotes of one second in time order. A moment is a doubled time, plus 1 for quotes. */
  private playSecond(second: number, tradeCount: number, quoteCount: number): void {
    const moments = this.moments
    moments.length = 0
    let sweepUs = 0
    for (let i = 0; i < tradeCount; i++) {
      // An order that meets several resting orders prints several trades at the same time.
      if (i === 0 || this.random.chance(0.6)) sweepUs = Math.floor(this.random.uniform() * SECOND_US)
      moments.push(sweepUs * 2)
    }
    for (let i = 0; i < quoteCount; i++) moments.push(Math.floor(this.random.uniform() * SECOND_US) * 2 + 1)
    sortFew(moments)
    for (const moment of moments) {
      const dayUs = second * SECOND_US + Math.floor(moment / 2)
      if (moment % 2 === 1) this.requote(dayUs, false)
      else this.trade(dayUs)
    }
  }

  private trade(dayUs: number): void {
    const { random } = this
    if (!random.chance(this.persistence)) this.side = random.chance(this.buyTilt) ? buy : sell
    const isBuy = this.side === buy
    const best = isBuy ? this.askTicks : this.bidTicks
    const size = this.sizes.next()
    // Large orders eat into the book, and occasionally someone trades inside the spread.
    const depth = size.isLarge && random.chance(0.25) ? 1 + random.below(3) : 0
    const isImproved = this.askTicks - this.bidTicks > 1 && random.chance(0.04)
    const priceTicks = Math.max(1, isBuy ? best + depth - Number(isImproved) : best - depth + Number(isImproved))
    const price = this.ticks.value(priceTicks)
    const lots = Math.max(1, this.lots.round(size.notional / (price * this.input.instrument.contractSize)))
    this.tradeTimes.push(this.input.startUs + dayUs)
    this.sides.push(random.chance(this.unknownShare) ? unknown : this.side)
    this.prices.push(price)
    this.amounts.push(this.lots.value(lots))
    if (random.chance(0.3)) this.requote(dayUs + 200 + random.below(900), false)
  }

  /** Draws a new best bid and ask around the venue's price; adds a row only if something changed. */
  private requote(dayUs: number, isFirst: boolean): void {
    const { random, ticks, input } = this
    const seconds = Math.min(dayUs / SECOND_US, SECONDS_PER_DAY - 1e-6)
    const minuteActivity = input.fair.activity[Math.floor(seconds / 60)]
    const price = venuePrice(input, seconds)
    const widening = this.widening(Math.floor(seconds / 3600))
    const spread =
      price * 1e-4 * (0.15 + 5 * (1 - input.liquidity) ** 2) * (0.6 + 0.4 * Math.sqrt(minuteActivity)) * widening
    const bidTicks = Math.max(1, ticks.floor(price - spread / 2))
    const askTicks = bidTicks + Math.max(1, Math.round((spread / ticks.step) * random.between(0.7, 1.3)))
    this.lean = 0.98 * this.lean + 0.12 * random.normal()
    const depth = (this.sizes.typicalLots(price) * 14) / (0.5 + minuteActivity)
    const tilt = Math.exp(this.lean)
    const bidLots = Math.max(1, Math.round(depth * random.exponential() * tilt))
    const askLots = Math.max(1, Math.round((depth * random.exponential()) / tilt))
    const isSame =
      bidTicks === this.bidTicks && askTicks === this.askTicks && bidLots === this.bidLots && askLots === this.askLots
    if (isSame && !isFirst) return
    const timeUs = Math.min(input.startUs + dayUs, input.startUs + SECONDS_PER_DAY * SECOND_US - 1)
    this.bidTicks = bidTicks
    this.askTicks = askTicks
    this.bidLots = bidLots
    this.askLots = askLots
    this.lastQuoteUs = Math.max(timeUs, this.lastQuoteUs)
    this.quoteTimes.push(this.lastQuoteUs)
    this.bidPrices.push(ticks.value(bidTicks))
    this.bidAmounts.push(this.lots.value(bidLots))
    this.askPrices.push(ticks.value(askTicks))
    this.askAmounts.push(this.lots.value(askLots))
  }

  /** Computes the factor by which effects widen the spread in an hour. */
  private widening(hour: number): number {
    if (hour === CHEAP_HOUR && this.input.showsEffects) return CHEAP_SPREAD
    return hour === this.wideHour ? WIDE_SPREAD : 1
  }

  private finish(): { trades: Trades; quotes: Quotes } {
    const { input } = this
    const trades = {
      exchangeUs: this.tradeTimes.toArray(),
      side: Uint8Array.from(this.sides.toArray()),
      price: this.prices.toArray(),
      amount: this.amounts.toArray(),
    }
    const quotes = {
      exchangeUs: this.quoteTimes.toArray(),
      bidPrice: this.bidPrices.toArray(),
      bidAmount: this.bidAmounts.toArray(),
      askPrice: this.askPrices.toArray(),
      askAmount: this.askAmounts.toArray(),
    }
    return {
      trades: withArrivals(trades, input, 'trade arrival'),
      quotes: withArrivals(quotes, input, 'quote arrival'),
    }
  }
}

export const drawTape = (input: InstrumentDay) => new TapeMaker(input).make()
