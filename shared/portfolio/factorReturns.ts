import type { NumberColumn } from '#shared/contract/frame.ts'
import { momentsOf, variance } from '#shared/metrics/moments.ts'
import { correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import { averageRanks } from '#shared/statistics/ranks.ts'
import { type DailyMatrix, matrixCell } from './dailyMatrix.ts'
import { rowOfDay } from './dailySeries.ts'
import { finite, missingColumn, setCell } from './missingColumn.ts'

/** The factor values of one day beside the price returns of the days after it, for the tickers that have both. */
interface DayPairs {
  factors: Float64Array
  returns: Float64Array
}

/** Calls back for every day of the factor, with no pairs where prices lack. */
function forEachDay(
  factor: DailyMatrix,
  prices: DailyMatrix,
  horizonDays: number,
  visit: (row: number, pairs: DayPairs) => void,
): void {
  const priceTickers = factor.tickers.map((ticker) => prices.tickers.indexOf(ticker))
  factor.days.forEach((day, row) => {
    const from = rowOfDay(prices.days, day)
    const to = rowOfDay(prices.days, day + horizonDays)
    const factors: number[] = []
    const returns: number[] = []
    priceTickers.forEach((column, ticker) => {
      const value = matrixCell(factor, row, ticker)
      if (value === null || column < 0 || from < 0 || to < 0) return
      const before = matrixCell(prices, from, column)
      const after = matrixCell(prices, to, column)
      if (before === null || after === null || !(before > 0)) return
      factors.push(value)
      returns.push(after / before - 1)
    })
    visit(row, { factors: Float64Array.from(factors), returns: Float64Array.from(returns) })
  })
}

export interface InformationCoefficient {
  /** Spearman correlation of factor and following return, by the factor's day; missing with fewer than 3 tickers. */
  byDay: NumberColumn
  days: number
  mean: number | null
  deviation: number | null
  /** Mean over deviation of the daily values, not annualised. */
  ratio: number | null
  /** Share of days above 0. */
  hitRate: number | null
}

const LEAST_TICKERS = 3

/** How well the factor of a day ranks the returns of the `horizonDays` calendar days after it. */
export function informationCoefficient(
  factor: DailyMatrix,
  prices: DailyMatrix,
  horizonDays = 1,
): InformationCoefficient {
  const byDay = missingColumn('information coefficient', factor.days.length)
  forEachDay(factor, prices, horizonDays, (row, { factors, returns }) => {
    if (factors.length < LEAST_TICKERS) return
    setCell(byDay, row, correlationOf(pairMomentsOf(averageRanks(factors), null, averageRanks(returns), null)))
  })
  const present = byDay.values.filter((_, row) => byDay.valid[row])
  if (present.length === 0) return { byDay, days: 0, mean: null, deviation: null, ratio: null, hitRate: null }
  const moments = momentsOf(present)
  const deviation = finite(Math.sqrt(variance(moments)))
  return {
    byDay,
    days: present.length,
    mean: moments.mean,
    deviation,
    ratio: deviation ? moments.mean / deviation : null,
    hitRate: present.filter((value) => value > 0).length / present.length,
  }
}

export interface QuantileReturn {
  /** From 1: the tickers with the lowest factor values. */
  quantile: number
  /** Mean over days of the equally weighted return of the days after; null without a day. */
  meanReturn: number | null
  days: number
}

/** Mean return after a day, by the group its factor value put a ticker in; equal values are in one group. */
export function quantileReturns(
  factor: DailyMatrix,
  prices: DailyMatrix,
  { quantiles = 5, horizonDays = 1 } = {},
): QuantileReturn[] {
  const sums = new Float64Array(quantiles)
  const days = new Int32Array(quantiles)
  forEachDay(factor, prices, horizonDays, (_, { factors, returns }) => {
    if (factors.length < quantiles) return
    const daySums = new Float64Array(quantiles)
    const counts = new Int32Array(quantiles)
    averageRanks(factors).forEach((rank, ticker) => {
      const group = Math.floor(((rank - 0.5) / factors.length) * quantiles)
      daySums[group] += returns[ticker]
      counts[group]++
    })
    daySums.forEach((sum, group) => {
      if (counts[group] === 0) return
      sums[group] += sum / counts[group]
      days[group]++
    })
  })
  return Array.from(sums, (sum, group) => ({
    quantile: group + 1,
    meanReturn: days[group] === 0 ? null : sum / days[group],
    days: days[group],
  }))
}
