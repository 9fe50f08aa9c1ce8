import type { DayNumber } from '#shared/time/periods.ts'
import { returnsOfPrices } from './benchmark.ts'
import { type CorrelationMatrix, correlationMatrix } from './correlations.ts'
import { type DailyMatrix, tickerSeries } from './dailyMatrix.ts'
import { missingColumn, setCell } from './missingColumn.ts'

/**
 * Every ticker as 100 on its first day with a price above 0 from `startDay` on, so that their courses can be compared.
 * A missing price stays missing, and so does what lies before that day.
 */
export function indexedTo100(prices: DailyMatrix, startDay: DayNumber = -Infinity): DailyMatrix {
  const { days, tickers, values, valid } = prices
  const width = tickers.length
  const indexed = missingColumn('indexed', values.length)
  const bases = new Float64Array(width)
  days.forEach((day, row) => {
    if (day < startDay) return
    for (let at = 0; at < width; at++) {
      const cell = row * width + at
      if (!valid[cell]) continue
      if (bases[at] === 0 && values[cell] > 0) bases[at] = values[cell]
      if (bases[at] > 0) setCell(indexed, cell, (values[cell] / bases[at]) * 100)
    }
  })
  return { ...prices, values: indexed.values, valid: indexed.valid }
}

/** Correlation of the daily returns of every pair of tickers, over the days both have one. */
export function priceCorrelations(prices: DailyMatrix): CorrelationMatrix {
  return correlationMatrix(
    prices.tickers.map((name) => {
      const { values, valid } = returnsOfPrices(tickerSeries(prices, name))
      return { name, kind: 'number', values, valid }
    }),
  )
}

export interface PriceSummary {
  ticker: string
  firstDay: DayNumber | null
  lastDay: DayNumber | null
  days: number
  /** Days from the first to the last that have no price. */
  missing: number
  last: number | null
  /** Last over first, minus 1. */
  change: number | null
}

/** What there is of each ticker. */
export function priceSummaries(prices: DailyMatrix): PriceSummary[] {
  return prices.tickers.map((ticker) => {
    const { days, values, valid } = tickerSeries(prices, ticker)
    const present = (row: number) => !valid || valid[row] === 1
    const first = days.findIndex((_, row) => present(row))
    const last = days.findLastIndex((_, row) => present(row))
    if (first < 0) return { ticker, firstDay: null, lastDay: null, days: 0, missing: 0, last: null, change: null }
    const count = days.reduce((sum, _, row) => sum + Number(present(row)), 0)
    return {
      ticker,
      firstDay: days[first],
      lastDay: days[last],
      days: count,
      missing: days[last] - days[first] + 1 - count,
      last: values[last],
      change: values[first] > 0 ? values[last] / values[first] - 1 : null,
    }
  })
}
