import { benchmarkFigures, commonReturns } from '#shared/portfolio/benchmark.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { figureValues, type FigureValues, returnsView } from '#shared/portfolio/figures.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import type { PortfolioResult } from './testResult.ts'

/** Figures of a tested portfolio and of other returns that it is compared with, over their common days. */
export interface ReturnsComparison {
  days: number
  firstDay: string
  lastDay: string
  test: FigureValues
  other: FigureValues
  /** Figures of the test with the other returns as its benchmark. */
  against: FigureValues
  /** The other returns on these days. */
  otherReturns: DailySeries
}

export const netReturns = ({ days, net }: Pick<PortfolioResult, 'days' | 'net'>): DailySeries => ({
  days: Int32Array.from(days, dayNumberOf),
  values: Float64Array.from(net),
  valid: null,
})

/** Compares the net returns of a test with other returns; null without a common day. */
export function compareReturns(
  result: Pick<PortfolioResult, 'days' | 'net' | 'study'>,
  other: DailySeries,
): ReturnsComparison | null {
  const { days: testDays, values } = netReturns(result)
  const common = commonReturns({ days: testDays, returns: values }, other)
  const { days, returns, benchmark } = common
  if (days.length === 0) return null
  const { riskFree } = result.study
  const figuresOf = (daily: Float64Array) =>
    figureValues(returnsView({ days, values: daily, valid: null }, { riskFree }))
  return {
    days: days.length,
    firstDay: dayFromNumber(days[0]),
    lastDay: dayFromNumber(days[days.length - 1]),
    test: figuresOf(returns),
    other: figuresOf(benchmark),
    against: Object.fromEntries(benchmarkFigures.map(({ id, compute }) => [id, compute(common)])),
    otherReturns: { days, values: benchmark, valid: null },
  }
}
