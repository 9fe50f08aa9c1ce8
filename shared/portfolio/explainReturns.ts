import type { NumberColumn } from '#shared/contract/frame.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import {
  type DailySeries,
  rowOfDay,
  type FillableColumn,
  missingColumn,
  setCell,
  type DailyMatrix,
} from './dailySeries.ts'
import { twoWayTurnover, weightsOfDay } from './weightsHistory.ts'

/** Default trading cost, in basis points of traded notional. */
export const DEFAULT_COST_BPS = 5

export interface ExplainedReturns {
  /** Days of the weights. */
  days: Int32Array
  /**
   * Σ w_t−1 · price change − cost; missing if the day or the one before it has no weights, or if nothing held has a
   * price.
   */
  explained: NumberColumn
  /** Cost of the day's turnover, at least 0. */
  cost: NumberColumn
  /** Served minus explained return. */
  residual: NumberColumn
  /** Absolute weight of holdings without both prices, whose part of the return is not explained. */
  unpriced: NumberColumn
  /** Previous day's weight times price change, by day and ticker; missing without a weight or a price. */
  contributions: DailyMatrix
}

/**
 * Explains returns from weights and prices, one day per step, because hundreds of tickers over years would freeze a
 * window.
 */
export function* explainReturns(
  weights: DailyMatrix,
  prices: DailyMatrix,
  servedReturns: DailySeries,
  costBps: number = DEFAULT_COST_BPS,
): Generator<void, ExplainedReturns, void> {
  const { days, tickers } = weights
  const [explained, cost, residual, unpriced] = ['explained', 'cost', 'residual', 'unpriced'].map((name) =>
    missingColumn(name, days.length),
  )
  const contributionCells = missingColumn('contributions', days.length * tickers.length)
  const priceTickers = tickers.map((ticker) => prices.tickers.indexOf(ticker))
  let after = days.length > 0 ? weightsOfDay(weights, 0) : null
  for (let row = 1; row < days.length; row++) {
    yield
    const before = after
    after = weightsOfDay(weights, row)
    if (!before || !after || days[row - 1] !== days[row] - 1) continue
    const day = explainDay(before, contributionCells, row, changesOn(prices, days[row]), priceTickers)
    setCell(unpriced, row, day.unpriced)
    const dayCost = (costBps / 1e4) * twoWayTurnover(before, after)
    setCell(cost, row, dayCost)
    if (day.isUnexplained) continue
    setCell(explained, row, day.gross - dayCost)
    const servedRow = rowOfDay(servedReturns.days, days[row])
    const hasServed = servedRow >= 0 && (!servedReturns.valid || servedReturns.valid[servedRow] === 1)
    if (hasServed) setCell(residual, row, servedReturns.values[servedRow] - (day.gross - dayCost))
  }
  const contributions = { days, tickers, values: contributionCells.values, valid: contributionCells.valid }
  return { days, explained, cost, residual, unpriced, contributions }
}

function explainDay(
  before: Float64Array,
  contributionCells: FillableColumn,
  row: number,
  changes: Float64Array | null,
  priceTickers: readonly number[],
): { gross: number; unpriced: number; isUnexplained: boolean } {
  let gross = 0
  let unpriced = 0
  let pricedCount = 0
  for (let ticker = 0; ticker < before.length; ticker++) {
    const weight = before[ticker]
    if (weight === 0) continue
    const change = changes && priceTickers[ticker] >= 0 ? changes[priceTickers[ticker]] : NaN
    if (Number.isNaN(change)) {
      unpriced += Math.abs(weight)
      continue
    }
    pricedCount++
    gross += weight * change
    const cell = row * before.length + ticker
    contributionCells.values[cell] = weight * change
    contributionCells.valid[cell] = 1
  }
  return { gross, unpriced, isUnexplained: unpriced > 0 && pricedCount === 0 }
}

/**
 * Computes returns of all tickers from the previous day, NaN without both prices; null if either day has no prices at
 * all.
 */
function changesOn({ days, tickers, values, valid }: DailyMatrix, day: DayNumber): Float64Array | null {
  const row = rowOfDay(days, day)
  if (row < 1 || days[row - 1] !== day - 1) return null
  const width = tickers.length
  const changes = new Float64Array(width)
  for (let ticker = 0, after = row * width, before = after - width; ticker < width; ticker++, after++, before++) {
    const isPriced = valid[before] && valid[after] && values[before] > 0
    changes[ticker] = isPriced ? values[after] / values[before] - 1 : NaN
  }
  return changes
}

/** Sums each ticker's contribution over days from `startDay` (inclusive) to `endDay` (exclusive), largest first. */
export function contributionsByTicker(
  contributions: DailyMatrix,
  startDay: DayNumber,
  endDay: DayNumber,
): { ticker: string; contribution: number; days: number }[] {
  const { days, tickers, values, valid } = contributions
  const width = tickers.length
  const sums = new Float64Array(width)
  const counts = new Int32Array(width)
  days.forEach((day, row) => {
    if (day < startDay || day >= endDay) return
    for (let at = 0, cell = row * width; at < width; at++, cell++) {
      if (!valid[cell]) continue
      sums[at] += values[cell]
      counts[at]++
    }
  })
  return tickers
    .map((ticker, at) => ({ ticker, contribution: sums[at], days: counts[at] }))
    .filter((total) => total.days > 0)
    .sort((a, b) => b.contribution - a.contribution)
}
