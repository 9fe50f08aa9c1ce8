import { AssetPath, FLOW_PER_RETURN } from './assetPath.ts'
import { assetsOf, type Asset } from './assets.ts'
import { MarketFactor } from './marketFactor.ts'
import { Memo } from './memo.ts'
import { plantedLogPrices, wideHour } from './plantedEffects.ts'
import { hashOf, type Key, mix, normalOf } from './random.ts'

const HOURS = 24
const HOUR_DEVIATIONS_PER_YEAR = Math.sqrt(365 * HOURS)

const clampHour = (hour: number) => Math.max(0, Math.min(HOURS, hour))

/**
 * The daily layer of the world: a function of seed, asset and day. Days are day numbers (days.ts); a day without a price
 * (before the listing, after the delisting, or an unknown asset) gives NaN.
 */
export class DailyMarket {
  readonly seed: number
  readonly factor: MarketFactor
  readonly #assets: ReadonlyMap<string, Asset>
  readonly #paths = new Map<string, AssetPath>()
  readonly #bridges = new Memo<number, Float64Array>(512)

  constructor(seed: number) {
    this.seed = seed
    this.factor = new MarketFactor(seed)
    this.#assets = new Map(assetsOf(seed).map((asset) => [asset.base, asset]))
  }

  /** The asset's own days, for loops over many of them. */
  path(base: string): AssetPath | null {
    const known = this.#paths.get(base)
    const asset = this.#assets.get(base)
    if (known || !asset) return known ?? null
    const path = new AssetPath(this.seed, asset, this.factor)
    this.#paths.set(base, path)
    return path
  }

  /** Reads the price at 00:00 UTC of the day. */
  dayOpen(base: string, day: number): number {
    return this.path(base)?.open(day) ?? Number.NaN
  }

  /** Reads the price at 00:00 UTC after the day. */
  dayClose(base: string, day: number): number {
    return this.path(base)?.close(day) ?? Number.NaN
  }

  /** Reads the annual volatility of the day. */
  dayVolatility(base: string, day: number): number {
    return this.path(base)?.volatility(day) ?? Number.NaN
  }

  /** Traded notional of the day in dollars, all venues; an instrument has its `share` of it. */
  dayNotional(base: string, day: number): number {
    return this.path(base)?.notional(day) ?? Number.NaN
  }

  /** Reads taker buys less taker sells as a part of the day's notional. */
  dayFlow(base: string, day: number): number {
    return this.path(base)?.flow(day) ?? Number.NaN
  }

  /**
   * Computes taker buys less taker sells as a part of the notional of every hour (0 … 23): the asset's own flow of the day,
   * which tells nothing of its prices, and what goes with the return of that hour alone.
   */
  hourFlows(base: string, day: number): Float64Array {
    const prices = this.hourPrices(base, day)
    const deviation = this.dayVolatility(base, day) / HOUR_DEVIATIONS_PER_YEAR
    const ownFlow = this.path(base)?.ownFlow(day) ?? Number.NaN
    return Float64Array.from({ length: HOURS }, (_, hour) => {
      const change = Math.log(prices[hour + 1] / prices[hour]) / deviation
      return ownFlow + FLOW_PER_RETURN * Math.tanh(change)
    })
  }

  /** Open interest in dollars within a day, all venues, where so much of it is over and the price is this. */
  openInterestAt(base: string, day: number, part: number, price: number): number {
    return this.path(base)?.openInterestAt(day, part, price) ?? Number.NaN
  }

  /** Open interest in dollars at 00:00 UTC after the day, all venues; an instrument has its `share` of it. */
  openInterest(base: string, day: number): number {
    return this.path(base)?.openInterest(day) ?? Number.NaN
  }

  /** The eight-hour rate that settles at the end of slot 0 … 2 of the day, by the level at which the day before ended. */
  fundingRate(base: string, day: number, slot: number): number {
    const path = this.path(base)
    const level = path?.isTrading(day) ? path.fundingLevel(path.isTrading(day - 1) ? day - 1 : day) : Number.NaN
    const noise = 0.00001 * normalOf(this.seed, 'funding', base, day, slot)
    return Math.round((level + noise) * 1e8) / 1e8
  }

  /** Price at a full hour (0 … 24) of the day: hour 0 is the open, hour 24 the close. Live snapshots are made of it. */
  hourPrice(base: string, day: number, hour: number): number {
    return this.hourPrices(base, day)[clampHour(hour)]
  }

  /** Prices at the full hours (0 … 24) of the day, on a bridge from open to close that intraday prices pass through. */
  hourPrices(base: string, day: number): Float64Array {
    const prices = new Float64Array(HOURS + 1)
    const [open, close] = [this.dayOpen(base, day), this.dayClose(base, day)]
    const asset = this.#assets.get(base)
    const wander = asset ? this.#wander(asset, day) : prices
    const planted = asset ? plantedLogPrices(this.seed, asset, day) : prices
    const [from, slope] = [Math.log(open), Math.log(close / open) / HOURS]
    for (let hour = 1; hour < HOURS; hour++) {
      prices[hour] = Math.exp(from + slope * hour + wander[hour] + planted[hour])
    }
    prices[0] = open
    prices[HOURS] = close
    return prices
  }

  /**
   * Computes how far the log price is from the straight way between open and close. Market and sector wander for all of
   * their assets alike, as the day's returns do; otherwise hours would foretell one another.
   */
  #wander({ base, sector, marketBeta, sectorBeta }: Asset, day: number): Float64Array {
    const { factor } = this
    const own = this.path(base)?.ownVolatility(day) ?? Number.NaN
    const parts: [number, Float64Array][] = [
      [own, this.#hourBridge('hours', base, day)],
      [marketBeta * factor.volatility(day), this.#hourBridge('market hours', 0, day)],
      [sectorBeta * factor.sectorVolatility(day), this.#hourBridge('sector hours', sector, day)],
    ]
    const sum = new Float64Array(HOURS + 1)
    for (const [volatility, bridge] of parts) {
      const deviation = volatility / HOUR_DEVIATIONS_PER_YEAR
      for (let hour = 1; hour < HOURS; hour++) sum[hour] += deviation * bridge[hour]
    }
    return sum
  }

  /** Finds the hour of the day in which the asset's spread is wide; −1 where there is none. */
  wideHour(base: string, day: number): number {
    const asset = this.#assets.get(base)
    return asset ? wideHour(this.seed, asset, day) : -1
  }

  /** Draws the way of a day hour by hour, in units of an hour's deviation; it begins and ends at 0. */
  #hourBridge(purpose: string, subject: Key, day: number): Float64Array {
    const key = hashOf(this.seed, purpose, subject, day)
    return this.#bridges.get(key, () => {
      const walk = new Float64Array(HOURS + 1)
      for (let hour = 1; hour <= HOURS; hour++) walk[hour] = walk[hour - 1] + normalOf(mix(key, hour))
      return walk.map((level, hour) => level - (walk[HOURS] * hour) / HOURS)
    })
  }
}

const markets = new Memo<number, DailyMarket>(2)

/** Finds the daily market of a seed, of which there is only one. */
export function dailyMarketOf(seed: number): DailyMarket {
  return markets.get(seed, () => new DailyMarket(seed))
}
