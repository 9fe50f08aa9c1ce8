import { benchmarkFigures, commonReturns } from '#shared/portfolio/benchmark.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { figureValues, type FigureValues, returnsView } from '#shared/portfolio/figures.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'

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

/** Daily net returns of a test or a blend, whose first day has none. */
interface DailyRun {
  days: readonly string[]
  net: readonly (number | null)[]
}

export function netReturns({ days, net }: DailyRun): DailySeries {
  const rows = [...net.keys()].filter((row) => net[row] !== null)
  return {
    days: Int32Array.from(rows, (row) => dayNumberOf(days[row])),
    values: Float64Array.from(rows, (row) => net[row] ?? NaN),
    valid: null,
  }
}

/** Compares the net returns of a test or a blend with other returns; null without a common day. */
export function compareReturns(
  result: DailyRun & { study: { kind: string; riskFree?: number } },
  other: DailySeries,
): ReturnsComparison | null {
  const { days: testDays, values } = netReturns(result)
  const common = commonReturns({ days: testDays, returns: values }, other)
  const { days, returns, benchmark } = common
  if (days.length === 0) return null
  const { riskFree = 0 } = result.study
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
