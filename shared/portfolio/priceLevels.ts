import type { DayNumber } from '#shared/time/periods.ts'
import { returnsOfPrices } from './benchmark.ts'
import { type CorrelationMatrix, correlationMatrix } from './correlations.ts'
import { missingColumn, setCell, type DailyMatrix, tickerSeries } from './dailySeries.ts'

/**
 * Rebases every ticker to 100 on its first day with a positive price from `startDay` on, to make prices comparable.
 * Days before that first day, and days without a price, have no value.
 */
export function indexTo100(prices: DailyMatrix, startDay: DayNumber = -Infinity): DailyMatrix {
  const { days, tickers, values, valid } = prices
  const width = tickers.length
  const indexed = missingColumn('indexed', values.length)
  const basePrices = new Float64Array(width)
  days.forEach((day, row) => {
    if (day < startDay) return
    for (let at = 0; at < width; at++) {
      const cell = row * width + at
      if (!valid[cell]) continue
      if (basePrices[at] === 0 && values[cell] > 0) basePrices[at] = values[cell]
      if (basePrices[at] > 0) setCell(indexed, cell, (values[cell] / basePrices[at]) * 100)
    }
  })
  return { ...prices, values: indexed.values, valid: indexed.valid }
}

/** Correlates the daily returns of every pair of tickers over their common days. Yields after every pair. */
export function priceCorrelations(prices: DailyMatrix): Generator<void, CorrelationMatrix, void> {
  return correlationMatrix(
    prices.tickers.map((name) => {
      const { values, valid } = returnsOfPrices(tickerSeries(prices, name))
      return { name, kind: 'number', values, valid }
    }),
  )
}

interface PriceSummary {
  ticker: string
  firstDay: DayNumber | null
  lastDay: DayNumber | null
  days: number
  /** Number of days without a price between the first and the last price. */
  missing: number
  last: number | null
  /** Last over first price, minus 1. */
  change: number | null
}

/** Summarises the prices available for each ticker. */
export function priceSummaries({ days, tickers, values, valid }: DailyMatrix): PriceSummary[] {
  const width = tickers.length
  const [counts, firsts, lasts] = [0, 0, 0].map(() => new Int32Array(width))
  for (let row = 0, cell = 0; row < days.length; row++)
    for (let at = 0; at < width; at++, cell++) {
      if (!valid[cell]) continue
      if (counts[at]++ === 0) firsts[at] = row
      lasts[at] = row
    }
  return tickers.map((ticker, at) => {
    const count = counts[at]
    if (count === 0) return { ticker, firstDay: null, lastDay: null, days: 0, missing: 0, last: null, change: null }
    const [firstDay, lastDay] = [days[firsts[at]], days[lasts[at]]]
    const [first, last] = [values[firsts[at] * width + at], values[lasts[at] * width + at]]
    const missing = lastDay - firstDay + 1 - count
    return { ticker, firstDay, lastDay, days: count, missing, last, change: first > 0 ? last / first - 1 : null }
  })
}
