import { betaOf, correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { type DailySeries, presentDays, rowOfDay, rowsWhere, takeRows, finite } from './dailySeries.ts'
import { DAYS_PER_YEAR } from './returnsView.ts'

/** Returns on the days that both the portfolio and its benchmark have. */
export interface CommonReturns {
  days: Int32Array
  returns: Float64Array
  benchmark: Float64Array
}

export function commonReturns(
  { days, returns }: { days: Int32Array; returns: Float64Array },
  benchmark: DailySeries,
): CommonReturns {
  const other = presentDays(benchmark)
  const otherRows = days.map((day) => rowOfDay(other.days, day))
  const rows = rowsWhere(days.length, (row) => otherRows[row] >= 0)
  return {
    days: rows.map((row) => days[row]),
    returns: takeRows(returns, rows),
    benchmark: takeRows(
      other.values,
      rows.map((row) => otherRows[row]),
    ),
  }
}

export interface BenchmarkFigure {
  id: string
  name: string
  unit: NumberKind
  formula: string
  /** Set where tools define the figure differently, so that its formula always stands beside it. */
  differs?: true
  compute(common: CommonReturns): number | null
}

const moments = ({ returns, benchmark }: CommonReturns) => pairMomentsOf(benchmark, null, returns, null)

function alpha(common: CommonReturns): number | null {
  const pairs = moments(common)
  const beta = betaOf(pairs)
  return beta === null ? null : finite((pairs.meanY - beta * pairs.meanX) * DAYS_PER_YEAR)
}

/** Against a benchmark b, on the days both have. */
export const benchmarkFigures: readonly BenchmarkFigure[] = [
  {
    id: 'beta',
    name: 'Beta',
    unit: 'ratio',
    formula: 'Covariance of r and b over the variance of b, on dates both have',
    compute: (common) => betaOf(moments(common)),
  },
  {
    id: 'alpha',
    name: 'Alpha',
    unit: 'share',
    formula:
      '(Mean r − beta · mean b) · 365, on dates both have: arithmetic, a year of 365 days, the risk-free rate not taken off',
    differs: true,
    compute: alpha,
  },
  {
    id: 'correlation',
    name: 'Correlation',
    unit: 'ratio',
    formula: 'Pearson correlation of r and b, on dates both have',
    compute: (common) => correlationOf(moments(common)),
  },
  {
    id: 'commonDays',
    name: 'Common days',
    unit: 'count',
    formula: 'Days on which both have a return',
    compute: ({ days }) => days.length,
  },
]

/** Simple returns of prices from the calendar day before; missing where either price is missing or not above 0. */
export function returnsOfPrices(prices: DailySeries): DailySeries {
  const { days, values, valid } = prices
  const present = new Uint8Array(days.length)
  const returns = values.map((price, row) => {
    const hasBoth = row > 0 && days[row - 1] === days[row] - 1 && (!valid || (valid[row] && valid[row - 1]))
    if (!hasBoth || !(values[row - 1] > 0) || !(price > 0)) return 0
    present[row] = 1
    return price / values[row - 1] - 1
  })
  return { days, values: returns, valid: present }
}

/** Computes levels whose changes are the returns, from 1 before the first day; a day without a return has none. */
export function levelsOfReturns({ days, values, valid }: DailySeries): DailySeries {
  let level = 1
  return { days, valid, values: values.map((value, row) => (level *= valid?.[row] === 0 ? 1 : 1 + value)) }
}
