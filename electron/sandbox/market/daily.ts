import { AssetPath, FLOW_PER_RETURN } from './assetPath.ts'
import { assetsOf, type Asset } from './assets.ts'
import { MarketFactor } from './marketFactor.ts'
import { Memo } from './memo.ts'
import { plantedLogShifts, wideHour } from './plantedEffects.ts'
import { numberFromText, type Key, mix, normalOf } from './random.ts'

const HOURS_PER_DAY = 24
const SQRT_HOURS_PER_YEAR = Math.sqrt(365 * HOURS_PER_DAY)

const clampHour = (hour: number) => Math.max(0, Math.min(HOURS_PER_DAY, hour))

/**
 * Daily values of the synthetic market, a function of seed, asset and day. Days are day numbers (days.ts); a day
 * without a price (before the listing, after the delisting, or of an unknown asset) gives NaN.
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

  /** Returns the path of one asset, for loops over many days. */
  path(base: string): AssetPath | null {
    const cached = this.#paths.get(base)
    const asset = this.#assets.get(base)
    if (cached || !asset) return cached ?? null
    const path = new AssetPath(this.seed, asset, this.factor)
    this.#paths.set(base, path)
    return path
  }

  /** Returns the price at 00:00 UTC of the day. */
  dayOpen(base: string, day: number): number {
    return this.path(base)?.open(day) ?? Number.NaN
  }

  /** Returns the price at 00:00 UTC after the day. */
  dayClose(base: string, day: number): number {
    return this.path(base)?.close(day) ?? Number.NaN
  }

  /** Returns the annualised volatility of the day. */
  dayVolatility(base: string, day: number): number {
    return this.path(base)?.volatility(day) ?? Number.NaN
  }

  /** Returns the day's notional in dollars over all venues; an instrument has its `share` of it. */
  dayNotional(base: string, day: number): number {
    return this.path(base)?.notional(day) ?? Number.NaN
  }

  /** Returns taker buys minus taker sells as a share of the day's notional. */
  dayFlow(base: string, day: number): number {
    return this.path(base)?.flow(day) ?? Number.NaN
  }

  /**
   * Computes taker buys minus taker sells as a share of the notional of every hour (0 … 23): the day's idiosyncratic
   * flow, which does not predict prices, plus a part that follows the return of that hour only.
   */
  hourFlows(base: string, day: number): Float64Array {
    const prices = this.hourPrices(base, day)
    const deviation = this.dayVolatility(base, day) / SQRT_HOURS_PER_YEAR
    const idiosyncraticFlow = this.path(base)?.idiosyncraticFlow(day) ?? Number.NaN
    return Float64Array.from({ length: HOURS_PER_DAY }, (_, hour) => {
      const change = Math.log(prices[hour + 1] / prices[hour]) / deviation
      return idiosyncraticFlow + FLOW_PER_RETURN * Math.tanh(change)
    })
  }

  /**
   * Returns open interest in dollars, summed over all venues, during the day.
   * @param elapsedShare share of the day that is over
   * @param price current price
   */
  openInterestAt(base: string, day: number, elapsedShare: number, price: number): number {
    return this.path(base)?.openInterestAt(day, elapsedShare, price) ?? Number.NaN
  }

  /**
   * Returns open interest in dollars, summed over all venues, at 00:00 UTC after the day; an instrument has its `share`
   * of it.
   */
  openInterest(base: string, day: number): number {
    return this.path(base)?.openInterest(day) ?? Number.NaN
  }

  /**
   * Returns the eight-hour rate that settles at the end of slot 0 … 2 of the day, based on the level of the day before,
   * or on the asset's first day on the level of that day.
   */
  fundingRate(base: string, day: number, slot: number): number {
    const path = this.path(base)
    const level = path?.isTrading(day) ? path.fundingLevel(path.isTrading(day - 1) ? day - 1 : day) : Number.NaN
    const noise = 0.00001 * normalOf(this.seed, 'funding', base, day, slot)
    return Math.round((level + noise) * 1e8) / 1e8
  }

  /**
   * Returns the price at an hour (0 … 24) of the day: hour 0 is the open, hour 24 the close. Live snapshots use it.
   */
  hourPrice(base: string, day: number, hour: number): number {
    return this.hourPrices(base, day)[clampHour(hour)]
  }

  /**
   * Returns the prices at the hours 0 … 24 of the day, on a bridge from open to close that intraday prices pass
   * through.
   */
  hourPrices(base: string, day: number): Float64Array {
    const prices = new Float64Array(HOURS_PER_DAY + 1)
    const [open, close] = [this.dayOpen(base, day), this.dayClose(base, day)]
    const asset = this.#assets.get(base)
    const logDeviations = asset ? this.#logDeviations(asset, day) : prices
    const planted = asset ? plantedLogShifts(this.seed, asset, day) : prices
    const [from, slope] = [Math.log(open), Math.log(close / open) / HOURS_PER_DAY]
    for (let hour = 1; hour < HOURS_PER_DAY; hour++) {
      prices[hour] = Math.exp(from + slope * hour + logDeviations[hour] + planted[hour])
    }
    prices[0] = open
    prices[HOURS_PER_DAY] = close
    return prices
  }

  /**
   * Computes the deviation of the log price from a straight line between open and close. The market moves all assets
   * alike, and a sector all of its assets, as in the day's returns; otherwise hours would predict one another.
   */
  #logDeviations({ base, sector, marketBeta, sectorBeta }: Asset, day: number): Float64Array {
    const { factor } = this
    const idiosyncraticVolatility = this.path(base)?.idiosyncraticVolatility(day) ?? Number.NaN
    const parts: [number, Float64Array][] = [
      [idiosyncraticVolatility, this.#hourBridge('hours', base, day)],
      [marketBeta * factor.volatility(day), this.#hourBridge('market hours', 0, day)],
      [sectorBeta * factor.sectorVolatility(day), this.#hourBridge('sector hours', sector, day)],
    ]
    const sum = new Float64Array(HOURS_PER_DAY + 1)
    for (const [volatility, bridge] of parts) {
      const deviation = volatility / SQRT_HOURS_PER_YEAR
      for (let hour = 1; hour < HOURS_PER_DAY; hour++) sum[hour] += deviation * bridge[hour]
    }
    return sum
  }

  /** Returns the hour of the day in which the asset's spread is wide; −1 if there is none. */
  wideHour(base: string, day: number): number {
    const asset = this.#assets.get(base)
    return asset ? wideHour(this.seed, asset, day) : -1
  }

  /** Draws a bridge over the hours of a day, in units of an hour's standard deviation; it begins and ends at 0. */
  #hourBridge(purpose: string, subject: Key, day: number): Float64Array {
    const key = numberFromText(this.seed, purpose, subject, day)
    return this.#bridges.get(key, () => {
      const walk = new Float64Array(HOURS_PER_DAY + 1)
      for (let hour = 1; hour <= HOURS_PER_DAY; hour++) walk[hour] = walk[hour - 1] + normalOf(mix(key, hour))
      return walk.map((level, hour) => level - (walk[HOURS_PER_DAY] * hour) / HOURS_PER_DAY)
    })
  }
}

const markets = new Memo<number, DailyMarket>(2)

/** Returns the daily market of a seed; there is one instance per seed. */
export function dailyMarketOf(seed: number): DailyMarket {
  return markets.get(seed, () => new DailyMarket(seed))
}
