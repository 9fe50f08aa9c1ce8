import type { NumberColumn } from '#shared/contract/frame.ts'
import { momentsOf, variance } from '#shared/metrics/moments.ts'
import { correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import { averageRanks } from '#shared/statistics/ranks.ts'
import { type DailyMatrix, matrixCell } from './dailyMatrix.ts'
import { rowOfDay, type FillableColumn, finite, missingColumn, setCell } from './dailySeries.ts'

/** The factor values of one day beside the price returns of the days after it, for the tickers that have both. */
interface DayPairs {
  factors: Float64Array
  returns: Float64Array
}

/** The pairs of a row of the factor; none where prices lack. */
function pairsOf(
  factor: DailyMatrix,
  row: number,
  prices: DailyMatrix,
  columns: readonly number[],
  horizonDays: number,
): DayPairs {
  const from = rowOfDay(prices.days, factor.days[row])
  const to = rowOfDay(prices.days, factor.days[row] + horizonDays)
  const factors: number[] = []
  const returns: number[] = []
  if (from >= 0 && to >= 0)
    columns.forEach((column, ticker) => {
      const value = matrixCell(factor, row, ticker)
      if (value === null || column < 0) return
      const before = matrixCell(prices, from, column)
      const after = matrixCell(prices, to, column)
      if (before === null || after === null || !(before > 0)) return
      factors.push(value)
      returns.push(after / before - 1)
    })
  return { factors: Float64Array.from(factors), returns: Float64Array.from(returns) }
}

const LEAST_TICKERS = 3

export interface InformationCoefficient {
  /** Spearman correlation of factor and following return, by the factor's day; missing with fewer than 3 tickers. */
  byDay: NumberColumn
  days: number
  mean: number | null
  deviation: number | null
  /** Mean over deviation of the daily values, not annualised. */
  ratio: number | null
  /** Share of days above 0, where rounding errors count as 0. */
  hitRate: number | null
}

export interface QuantileReturn {
  /** From 1: the tickers with the lowest factor values. */
  quantile: number
  /** Mean over days of the equally weighted return of the days after; null without a day. */
  meanReturn: number | null
  days: number
}

export interface FactorStudy {
  /** Computes how well the factor of a day ranks the returns of the following days. */
  coefficient: InformationCoefficient
  /** Mean return after a day, by the group its factor value put a ticker in; equal values are in one group. */
  groups: QuantileReturn[]
}

/**
 * Computes the returns over the `horizonDays` calendar days after a factor's values. Yields after every day: it may
 * take long.
 */
export function* factorStudy(
  factor: DailyMatrix,
  prices: DailyMatrix,
  { quantiles = 5, horizonDays = 1 } = {},
): Generator<void, FactorStudy, void> {
  const columns = factor.tickers.map((ticker) => prices.tickers.indexOf(ticker))
  const byDay = missingColumn('information coefficient', factor.days.length)
  const groups = groupSums(quantiles)
  for (let row = 0; row < factor.days.length; row++) {
    const { factors, returns } = pairsOf(factor, row, prices, columns, horizonDays)
    const ranks = averageRanks(factors)
    if (factors.length >= LEAST_TICKERS)
      setCell(byDay, row, correlationOf(pairMomentsOf(ranks, null, averageRanks(returns), null)))
    if (factors.length >= quantiles) groups.add(ranks, returns)
    yield
  }
  return { coefficient: summaryOf(byDay), groups: groups.means() }
}

/** Size up to which a correlation that is 0 may come out because of rounding. */
const ROUNDING = 1e-12

function summaryOf(byDay: FillableColumn): InformationCoefficient {
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
    hitRate: present.filter((value) => value > ROUNDING).length / present.length,
  }
}

function groupSums(quantiles: number) {
  const sums = new Float64Array(quantiles)
  const days = new Int32Array(quantiles)
  return {
    add(ranks: Float64Array, returns: Float64Array): void {
      const daySums = new Float64Array(quantiles)
      const counts = new Int32Array(quantiles)
      ranks.forEach((rank, ticker) => {
        const group = Math.floor(((rank - 0.5) / ranks.length) * quantiles)
        daySums[group] += returns[ticker]
        counts[group]++
      })
      daySums.forEach((sum, group) => {
        if (counts[group] === 0) return
        sums[group] += sum / counts[group]
        days[group]++
      })
    },
    means: (): QuantileReturn[] =>
      Array.from(sums, (sum, group) => ({
        quantile: group + 1,
        meanReturn: days[group] === 0 ? null : sum / days[group],
        days: days[group],
      })),
  }
}
