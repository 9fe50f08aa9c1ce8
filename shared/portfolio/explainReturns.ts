import type { NumberColumn } from '#shared/contract/frame.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { type DailyMatrix, matrixCell } from './dailyMatrix.ts'
import { type DailySeries, rowOfDay } from './dailySeries.ts'
import { type FillableColumn, missingColumn, setCell } from './missingColumn.ts'
import { twoWayTurnover, weightsOfDay } from './weightsHistory.ts'

/** Cost of trading, in basis points of what is traded. */
export const DEFAULT_COST_BPS = 5

export interface ExplainedReturns {
  /** The days of the weights. */
  days: Int32Array
  /** Σ w_t−1 · price change − cost; missing on a day whose day before has no weights, or when nothing held has a price. */
  explained: NumberColumn
  /** Cost of the day's turnover, at least 0. */
  cost: NumberColumn
  /** Served minus explained return. */
  residual: NumberColumn
  /** Absolute weight held without both prices: its part of the day's return is not explained. */
  unpriced: NumberColumn
  /** Weight of the day before times price change, a cell a day and ticker; missing without a weight or a price. */
  contributions: DailyMatrix
}

export function explainReturns(
  weights: DailyMatrix,
  prices: DailyMatrix,
  served: DailySeries,
  costBps: number = DEFAULT_COST_BPS,
): ExplainedReturns {
  const { days, tickers } = weights
  const [explained, cost, residual, unpriced] = ['explained', 'cost', 'residual', 'unpriced'].map((name) =>
    missingColumn(name, days.length),
  )
  const parts = missingColumn('contributions', days.length * tickers.length)
  const priceTickers = tickers.map((ticker) => prices.tickers.indexOf(ticker))
  const changeOf = (ticker: number, row: number) => priceChange(prices, priceTickers[ticker], days[row])
  for (let row = 1; row < days.length; row++) {
    const before = weightsOfDay(weights, row - 1)
    const after = weightsOfDay(weights, row)
    if (!before || !after || days[row - 1] !== days[row] - 1) continue
    const day = explainDay(before, parts, row, changeOf)
    setCell(unpriced, row, day.unpriced)
    const dayCost = (costBps / 1e4) * twoWayTurnover(before, after)
    setCell(cost, row, dayCost)
    if (day.isUnexplained) continue
    setCell(explained, row, day.gross - dayCost)
    const servedRow = rowOfDay(served.days, days[row])
    const hasServed = servedRow >= 0 && (!served.valid || served.valid[servedRow] === 1)
    if (hasServed) setCell(residual, row, served.values[servedRow] - (day.gross - dayCost))
  }
  const contributions = { days, tickers, values: parts.values, valid: parts.valid }
  return { days, explained, cost, residual, unpriced, contributions }
}

function explainDay(
  before: Float64Array,
  parts: FillableColumn,
  row: number,
  changeOf: (ticker: number, row: number) => number | null,
): { gross: number; unpriced: number; isUnexplained: boolean } {
  let gross = 0
  let unpriced = 0
  let priced = 0
  before.forEach((weight, ticker) => {
    if (weight === 0) return
    const change = changeOf(ticker, row)
    if (change === null) {
      unpriced += Math.abs(weight)
      return
    }
    priced++
    gross += weight * change
    setCell(parts, row * before.length + ticker, weight * change)
  })
  return { gross, unpriced, isUnexplained: unpriced > 0 && priced === 0 }
}

/** Return from the day before to the day; null without both prices. */
function priceChange(prices: DailyMatrix, ticker: number, day: DayNumber): number | null {
  const row = rowOfDay(prices.days, day)
  if (ticker < 0 || row < 1 || prices.days[row - 1] !== day - 1) return null
  const before = matrixCell(prices, row - 1, ticker)
  const after = matrixCell(prices, row, ticker)
  return before === null || after === null || !(before > 0) ? null : after / before - 1
}

/** Summed contribution of each ticker over days from `startDay` (included) to `endDay` (not), the largest first. */
export function contributionsByTicker(
  contributions: DailyMatrix,
  startDay: DayNumber,
  endDay: DayNumber,
): { ticker: string; contribution: number; days: number }[] {
  const totals = contributions.tickers.map((ticker) => ({ ticker, contribution: 0, days: 0 }))
  contributions.days.forEach((day, row) => {
    if (day < startDay || day >= endDay) return
    totals.forEach((total, ticker) => {
      const part = matrixCell(contributions, row, ticker)
      if (part === null) return
      total.contribution += part
      total.days++
    })
  })
  return totals.filter(({ days }) => days > 0).sort((a, b) => b.contribution - a.contribution)
}
