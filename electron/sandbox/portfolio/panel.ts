import type { AssetPath } from '../market/assetPath.ts'
import { assetsOf } from '../market/assets.ts'
import type { DailyMarket } from '../market/daily.ts'
import { WORLD_START } from '../market/days.ts'

/** The days of one ticker, one value per day of its panel; NaN where it does not trade. */
export interface TickerDays {
  close: Float64Array
  /** Log return of the close over the previous one; NaN on the panel's first day. */
  logReturn: Float64Array
  /** Dollars traded. */
  notional: Float64Array
  /** Taker buys less taker sells, in dollars. */
  netFlow: Float64Array
  funding: Float64Array
  /** Dollars. */
  openInterest: Float64Array
}

/** The market as factors see it: the same span of days for every ticker. */
export interface Panel {
  tickers: readonly string[]
  startDay: number
  dayCount: number
  series: readonly TickerDays[]
}

const tickerCount = 150

/** Lists the tickers of the service in the order of all its columns. Indices of the market are not assets to hold. */
export function tickersOf(seed: number): string[] {
  const held = assetsOf(seed).filter(({ base }) => !/-(DOM|IDX)$/.test(base))
  return held
    .slice(0, tickerCount)
    .map(({ base }) => base)
    .sort()
}

function emptyDays(dayCount: number): TickerDays {
  const column = () => new Float64Array(dayCount).fill(Number.NaN)
  return {
    close: column(),
    logReturn: column(),
    notional: column(),
    netFlow: column(),
    funding: column(),
    openInterest: column(),
  }
}

function readDays(path: AssetPath, startDay: number, dayCount: number): TickerDays {
  const days = emptyDays(dayCount)
  for (let i = 0; i < dayCount; i++) {
    const day = startDay + i
    if (!path.isTrading(day)) continue
    days.close[i] = path.close(day)
    if (i > 0) days.logReturn[i] = Math.log(days.close[i] / days.close[i - 1])
    days.notional[i] = path.notional(day)
    days.netFlow[i] = path.flow(day) * days.notional[i]
    days.funding[i] = path.fundingLevel(day)
    days.openInterest[i] = path.openInterest(day)
  }
  return days
}

/** Creates a panel of whole days from `startDay` up to `endDay`, exclusive. */
export function createPanel(market: DailyMarket, startDay: number, endDay: number): Panel {
  const tickers = tickersOf(market.seed)
  const dayCount = endDay - startDay
  const series = tickers.map((ticker) => {
    const path = market.path(ticker)
    return path ? readDays(path, startDay, dayCount) : emptyDays(dayCount)
  })
  return { tickers, startDay, dayCount, series }
}

/** More than any factor looks back. */
const liveLookBackDays = 120

/**
 * The days before `day` and, as the last row, the day as it stands at a full hour: the price of that hour, sums over the
 * last 24 hours, levels on their way from one midnight to the next.
 */
export function createLivePanel(market: DailyMarket, day: number, hour: number): Panel {
  const startDay = Math.min(day, Math.max(WORLD_START, day - liveLookBackDays))
  const panel = createPanel(market, startDay, day + 1)
  const last = panel.dayCount - 1
  const part = hour / 24
  panel.series.forEach((days, i) => {
    if (Number.isNaN(days.close[last])) return
    days.close[last] = market.hourPrice(panel.tickers[i], day, hour)
    days.logReturn[last] = last > 0 ? Math.log(days.close[last] / days.close[last - 1]) : Number.NaN
    days.funding[last] = market.fundingRate(panel.tickers[i], day, Math.floor(hour / 8))
    for (const column of [days.notional, days.netFlow, days.openInterest]) {
      const before = last > 0 ? column[last - 1] : Number.NaN
      if (!Number.isNaN(before)) column[last] = part * column[last] + (1 - part) * before
    }
  })
  return panel
}
