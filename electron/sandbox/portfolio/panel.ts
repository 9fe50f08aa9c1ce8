import type { AssetPath } from '../market/assetPath.ts'
import { assetsOf } from '../market/assets.ts'
import type { DailyMarket } from '../market/daily.ts'
import { WORLD_START } from '../market/days.ts'

/** Daily values of one ticker, one per day of its panel; NaN while it does not trade. */
export interface TickerDays {
  close: Float64Array
  /** Log return of the close over the previous close; NaN on the first day of the panel or of the ticker. */
  logReturn: Float64Array
  /** Traded notional in dollars. */
  notional: Float64Array
  /** Taker buys minus taker sells, in dollars. */
  netFlow: Float64Array
  funding: Float64Array
  /** Open interest in dollars. */
  openInterest: Float64Array
}

/** Input of the factors: the same range of days for every ticker. */
export interface FactorPanel {
  tickers: readonly string[]
  startDay: number
  dayCount: number
  series: readonly TickerDays[]
}

const tickerCount = 150

/**
 * Lists the tickers of the service, in the order of its columns. Market indices are left out, because they cannot be
 * held.
 */
export function panelTickers(seed: number): string[] {
  const assets = assetsOf(seed).filter(({ base }) => !/-(DOM|IDX)$/.test(base))
  return assets
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

/** Creates a panel of complete days from `startDay` to `endDay` (exclusive). */
export function createPanel(market: DailyMarket, startDay: number, endDay: number): FactorPanel {
  const tickers = panelTickers(market.seed)
  const dayCount = endDay - startDay
  const series = tickers.map((ticker) => {
    const path = market.path(ticker)
    return path ? readDays(path, startDay, dayCount) : emptyDays(dayCount)
  })
  return { tickers, startDay, dayCount, series }
}

/** Number of complete days in a live panel, more than any factor looks back. */
const liveLookBackDays = 120

/**
 * Creates a panel of the days before `day`, with the current day as its last row: price and funding rate at the start
 * of an hour, sums over the last 24 hours, and open interest interpolated between the two midnights.
 */
export function createLivePanel(market: DailyMarket, day: number, hour: number): FactorPanel {
  const startDay = Math.min(day, Math.max(WORLD_START, day - liveLookBackDays))
  const panel = createPanel(market, startDay, day + 1)
  const last = panel.dayCount - 1
  const elapsedShare = hour / 24
  panel.series.forEach((days, i) => {
    if (Number.isNaN(days.close[last])) return
    days.close[last] = market.hourPrice(panel.tickers[i], day, hour)
    days.logReturn[last] = last > 0 ? Math.log(days.close[last] / days.close[last - 1]) : Number.NaN
    days.funding[last] = market.fundingRate(panel.tickers[i], day, Math.floor(hour / 8))
    for (const column of [days.notional, days.netFlow, days.openInterest]) {
      const valueBefore = last > 0 ? column[last - 1] : Number.NaN
      if (!Number.isNaN(valueBefore)) column[last] = elapsedShare * column[last] + (1 - elapsedShare) * valueBefore
    }
  })
  return panel
}
