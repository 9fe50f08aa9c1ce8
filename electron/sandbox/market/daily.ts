import { AssetPath } from './assetPath.ts'
import { assetsOf, type Asset } from './assets.ts'
import { MarketFactor } from './marketFactor.ts'
import { Memo } from './memo.ts'
import { plantedLogPrice, wideHour } from './plantedEffects.ts'
import { hashOf, mix, normalOf } from './random.ts'

/**
 * The daily layer of the world: a function of seed, asset and day. Days are day numbers (days.ts); a day without a price
 * (before the listing, after the delisting, or an unknown asset) gives NaN.
 */
export class DailyMarket {
  readonly seed: number
  readonly factor: MarketFactor
  readonly #assets: ReadonlyMap<string, Asset>
  readonly #paths = new Map<string, AssetPath>()
  readonly #walks = new Memo<number, Float64Array>(512)

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

  /** Open interest in dollars at 00:00 UTC after the day, all venues; an instrument has its `share` of it. */
  openInterest(base: string, day: number): number {
    return this.path(base)?.openInterest(day) ?? Number.NaN
  }

  /** The eight-hour rate that settles at the end of slot 0 … 2 of the day. */
  fundingRate(base: string, day: number, slot: number): number {
    const level = this.path(base)?.fundingLevel(day) ?? Number.NaN
    const noise = 0.00001 * normalOf(this.seed, 'funding', base, day, slot)
    return Math.round((level + noise) * 1e8) / 1e8
  }

  /**
   * Price at a full hour (0 … 24) of the day, on a bridge from open to close: hour 0 is the open, hour 24 the close.
   * Live snapshots are made of it, and intraday prices pass through it.
   */
  hourPrice(base: string, day: number, hour: number): number {
    const open = this.dayOpen(base, day)
    const close = this.dayClose(base, day)
    if (hour <= 0) return open
    if (hour >= 24) return close
    const hourVolatility = this.dayVolatility(base, day) / Math.sqrt(365 * 24)
    const walk = this.#hourWalk(base, day)
    const bridge = walk[hour] - (walk[24] * hour) / 24
    const asset = this.#assets.get(base)
    const planted = asset ? plantedLogPrice(this.seed, asset, day, hour) : 0
    return Math.exp(Math.log(open) + (Math.log(close / open) * hour) / 24 + hourVolatility * bridge + planted)
  }

  /** Finds the hour of the day in which the asset's spread is wide; −1 where there is none. */
  wideHour(base: string, day: number): number {
    const asset = this.#assets.get(base)
    return asset ? wideHour(this.seed, asset, day) : -1
  }

  #hourWalk(base: string, day: number): Float64Array {
    const key = hashOf(this.seed, 'hours', base, day)
    return this.#walks.get(key, () => {
      const walk = new Float64Array(25)
      for (let hour = 1; hour <= 24; hour++) walk[hour] = walk[hour - 1] + normalOf(mix(key, hour))
      return walk
    })
  }
}

const markets = new Memo<number, DailyMarket>(2)

/** Finds the daily market of a seed, of which there is only one. */
export function dailyMarketOf(seed: number): DailyMarket {
  return markets.get(seed, () => new DailyMarket(seed))
}
