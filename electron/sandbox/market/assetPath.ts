import type { Asset } from './assets.ts'
import { DailyColumn } from './dailyColumn.ts'
import { crowdingLogShift, hasEffectsToFind } from './effectsToFind.ts'
import type { MarketFactor } from './marketFactor.ts'
import { RandomStream } from './random.ts'

const sqrtYear = Math.sqrt(365)

const powersOfTen = Float64Array.from({ length: 41 }, (_, i) => 10 ** (i - 20))

/**
 * Rounds a price to seven significant digits, so that it is the same number wherever it is used, as if a venue had
 * published it.
 */
function roundedPrice(logPrice: number): number {
  const scale = powersOfTen[26 - Math.floor(logPrice * Math.LOG10E)]
  return Math.round(Math.exp(logPrice) * scale) / scale
}

/**
 * Largest excess of taker buys over taker sells that a rise of the price causes, as a share of the notional; a rise of
 * one standard deviation causes about three quarters of this excess.
 */
export const FLOW_PER_RETURN = 0.03

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value))

/**
 * The daily values of one asset, from its listing on. A day depends only on the days before it, so a later day never
 * changes an earlier one. Days outside the asset's life have no values (NaN).
 */
export class AssetPath {
  readonly asset: Asset
  readonly #seed: number
  readonly #market: MarketFactor
  readonly #random: RandomStream
  readonly #close = new DailyColumn()
  readonly #volatility = new DailyColumn()
  readonly #idiosyncraticVolatility = new DailyColumn()
  readonly #notional = new DailyColumn()
  readonly #flow = new DailyColumn()
  readonly #idiosyncraticFlow = new DailyColumn()
  readonly #funding = new DailyColumn()
  readonly #openInterest = new DailyColumn()
  readonly #leverage = new DailyColumn()
  #count = 0
  #logPrice: number
  /** Deviation of the asset's idiosyncratic log price from its mean, to which it slowly reverts. */
  #idiosyncraticLogPrice = 0
  #drift = 0
  #lastShock = 0
  #lastChange = 0
  #logVolatility: number
  #activity = 0
  #crowding = 0
  #logLeverage = 0
  #slowFlow = 0
  #momentum = 0

  constructor(seed: number, asset: Asset, market: MarketFactor) {
    this.asset = asset
    this.#seed = seed
    this.#market = market
    this.#random = new RandomStream(seed, 'daily', asset.base)
    this.#logPrice = Math.log(asset.startPrice)
    this.#logVolatility = Math.log(asset.idiosyncraticVolatility * 1.4)
  }

  /** Computes the price at 00:00 UTC after the day. */
  close(day: number): number {
    return this.#at(this.#close, day)
  }

  /** Computes the price at 00:00 UTC of the day: the close of the day before, or the price at listing. */
  open(day: number): number {
    if (day === this.asset.firstDay) return this.asset.startPrice
    return this.isTrading(day) ? this.#at(this.#close, day - 1) : Number.NaN
  }

  /** Computes the annualised volatility of the day: the idiosyncratic and the market part, but not the sector. */
  volatility(day: number): number {
    return this.#at(this.#volatility, day)
  }

  /** Computes the traded notional in dollars over all venues. */
  notional(day: number): number {
    return this.#at(this.#notional, day)
  }

  /** Computes taker buys minus taker sells as a share of the day's notional, between −0.4 and 0.4. */
  flow(day: number): number {
    return this.#at(this.#flow, day)
  }

  /** Computes the day's level of the eight-hour funding rate. */
  fundingLevel(day: number): number {
    return this.#at(this.#funding, day)
  }

  /** Returns open interest in dollars at 00:00 UTC after the day, over all venues. */
  openInterest(day: number): number {
    return this.#at(this.#openInterest, day)
  }

  /**
   * Computes open interest in dollars within a day. It follows the current price, and a leverage that moves from the
   * value of the day before to the day's own; the leverage does not depend on the day's returns, so it does not predict
   * them.
   * @param elapsedShare share of the day that is over
   */
  openInterestAt(day: number, elapsedShare: number, price: number): number {
    const end = this.#at(this.#leverage, day)
    const before = this.#at(this.#leverage, day - 1)
    const start = Number.isNaN(before) ? end : before
    return this.#openInterestOf(Math.log(price), start + (end - start) * elapsedShare)
  }

  /** Computes the part of the day's annualised volatility that is due to neither the market nor the sector. */
  idiosyncraticVolatility(day: number): number {
    return this.#at(this.#idiosyncraticVolatility, day)
  }

  /** Computes the part of the day's flow that does not follow the price. */
  idiosyncraticFlow(day: number): number {
    return this.#at(this.#idiosyncraticFlow, day)
  }

  #openInterestOf(logPrice: number, logLeverage: number): number {
    const priceFactor = Math.exp(0.6 * (logPrice - Math.log(this.asset.startPrice)))
    return this.asset.typicalNotional * 0.6 * clamp(priceFactor, 0.15, 8) * Math.exp(clamp(logLeverage, -2, 2))
  }

  /** Tells whether the asset trades on the day. */
  isTrading(day: number): boolean {
    const { firstDay, lastDay } = this.asset
    return day >= firstDay && (lastDay === null || day <= lastDay)
  }

  #at(series: DailyColumn, day: number): number {
    if (!this.isTrading(day)) return Number.NaN
    const index = day - this.asset.firstDay
    while (this.#count <= index) this.#step(this.#count++)
    return series.get(index)
  }

  #step(index: number): void {
    const change = this.#stepPrice(index)
    this.#stepActivity(index, change)
    this.#stepPositioning(index, change)
  }

  #stepPrice(index: number): number {
    const { asset } = this
    const random = this.#random
    const day = asset.firstDay + index
    const marketVolatility = this.#market.volatility(day)
    const targetLogVolatility = Math.log(asset.idiosyncraticVolatility) + 0.5 * Math.log(marketVolatility / 0.5)
    this.#logVolatility += 0.07 * (targetLogVolatility - this.#logVolatility) + 0.13 * random.normal()
    const idiosyncraticVolatility = Math.exp(this.#logVolatility)
    // Standard deviation of the day's idiosyncratic return.
    const dailyDeviation = idiosyncraticVolatility / sqrtYear
    this.#drift = 0.97 * this.#drift + 0.017 * dailyDeviation * random.normal()
    const jump = random.chance(0.006) ? 2.5 * dailyDeviation * random.heavyTail() : 0
    const shock = random.heavyTail()
    const predictedReturn =
      this.#drift - 0.055 * dailyDeviation * this.#lastShock - 0.06 * dailyDeviation * this.#crowding
    const idiosyncraticReturn =
      predictedReturn + dailyDeviation * shock + jump - (0.4 * this.#idiosyncraticLogPrice) / 365
    this.#lastShock = shock
    this.#idiosyncraticLogPrice += idiosyncraticReturn
    const commonReturn =
      asset.marketBeta * this.#market.return(day) + asset.sectorBeta * this.#market.sectorReturn(asset.sector, day)
    // High volatility alone must not earn anything: for a normal x, the mean of exp(x) is exp(mean + variance / 2).
    const change = clamp(idiosyncraticReturn + commonReturn - 0.55 * dailyDeviation ** 2, -0.75, 0.75)
    this.#logPrice += change
    const shift = hasEffectsToFind(asset) ? crowdingLogShift(this.#seed, (day + 1) * 24) : 0
    this.#close.set(index, roundedPrice(this.#logPrice + shift))
    this.#idiosyncraticVolatility.set(index, idiosyncraticVolatility)
    this.#volatility.set(index, Math.sqrt(idiosyncraticVolatility ** 2 + (asset.marketBeta * marketVolatility) ** 2))
    return change / (dailyDeviation * 1.5)
  }

  /** @param change the day's return in units of its usual size */
  #stepActivity(index: number, change: number): void {
    const random = this.#random
    this.#activity += -0.06 * this.#activity + 0.16 * random.normal()
    const heat = this.#volatility.get(index) / (this.asset.idiosyncraticVolatility + 0.4)
    const surge = Math.min(2.2, 0.3 * Math.abs(change))
    const listingRush = 1.2 * Math.exp(-index / 12)
    const logRatio = this.#activity + 0.7 * Math.log(heat) + surge - 0.25 + listingRush
    this.#notional.set(index, this.asset.typicalNotional * Math.exp(clamp(logRatio, -2.5, 3)))
    this.#slowFlow += -0.1 * this.#slowFlow + 0.012 * random.normal()
    const drivenFlow = FLOW_PER_RETURN * Math.tanh(change) + 2 * this.#drift
    const idiosyncraticFlow = this.#slowFlow + 0.02 * random.normal()
    this.#idiosyncraticFlow.set(index, idiosyncraticFlow)
    this.#flow.set(index, clamp(idiosyncraticFlow + drivenFlow, -0.4, 0.4))
  }

  #stepPositioning(index: number, change: number): void {
    const random = this.#random
    // The day's leverage depends only on earlier days, so that its path within the day does not predict the day's
    // return.
    const target = 0.12 * this.#crowding + 0.15 * Math.abs(this.#momentum)
    const leverageDrop = this.#lastChange < -3 ? 0.2 : 0
    this.#lastChange = change
    this.#momentum += -0.12 * this.#momentum + 0.12 * clamp(change, -4, 4)
    this.#crowding += -0.08 * this.#crowding + 0.16 * random.normal() + 0.25 * this.#momentum * 0.3
    const funding = 0.00007 + 0.00007 * this.#crowding + 0.00008 * this.#momentum
    this.#funding.set(index, clamp(funding + 0.00002 * random.heavyTail(), -0.0025, 0.0025))
    this.#logLeverage += 0.05 * (target - this.#logLeverage) + 0.03 * random.normal() - leverageDrop
    this.#leverage.set(index, this.#logLeverage)
    this.#openInterest.set(index, this.#openInterestOf(this.#logPrice, this.#logLeverage))
  }
}
