import type { NumberColumn } from '#shared/contract/frame.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { finiteQuotient } from '#shared/statistics/finiteQuotient.ts'
import { slideMoments } from '#shared/statistics/slideMoments.ts'
import { slidePairs } from '#shared/statistics/slidePairs.ts'
import { betaOf } from '#shared/statistics/pairMoments.ts'
import type { CommonReturns } from './benchmark.ts'
import { missingColumn, setCell } from './dailySeries.ts'
import { DAYS_PER_YEAR, type ReturnsView } from './returnsView.ts'

export const rollingWindows = [30, 90, 180, 365] as const
export const DEFAULT_ROLLING_WINDOW = 365

/** Rolling statistics, for the screen and the command line. */
export const rollingFigures: readonly { id: string; name: string; unit: NumberKind; formula: string }[] = [
  {
    id: 'rollingSharpe',
    name: 'Rolling Sharpe',
    unit: 'ratio',
    formula: 'Sharpe of the last w days with a return, also days before the range; none until there are w',
  },
  {
    id: 'rollingVolatility',
    name: 'Rolling volatility',
    unit: 'share',
    formula: 'Volatility of the last w days with a return, also days before the range; none until there are w',
  },
  {
    id: 'rollingBeta',
    name: 'Rolling beta',
    unit: 'ratio',
    formula: 'Beta over the last w dates both have, also dates before the range; none until there are w',
  },
]

/** Sharpe and volatility over each `window` days that have a return; missing until the window is full. */
export function rollingRisk(
  { returns, riskFreeDaily }: ReturnsView,
  window: number,
): { sharpe: NumberColumn; volatility: NumberColumn } {
  const sharpe = missingColumn('sharpe', returns.length)
  const volatility = missingColumn('volatility', returns.length)
  slideMoments(returns, null, window, (row, count, mean, squares) => {
    if (count < window || count < 2) return
    const deviation = Math.sqrt(squares / (count - 1))
    setCell(volatility, row, deviation * Math.sqrt(DAYS_PER_YEAR))
    const daily = finiteQuotient(mean - riskFreeDaily, deviation)
    if (daily !== null) setCell(sharpe, row, daily * Math.sqrt(DAYS_PER_YEAR))
  })
  return { sharpe, volatility }
}

/** Beta over each `window` days that both have; missing until the window is full. One row a common day. */
export function rollingBeta({ returns, benchmark }: CommonReturns, window: number): NumberColumn {
  const beta = missingColumn('beta', returns.length)
  slidePairs(
    benchmark,
    returns,
    () => true,
    window,
    (row, moments) => {
      if (moments.count === window) setCell(beta, row, betaOf(moments))
    },
  )
  return beta
}
