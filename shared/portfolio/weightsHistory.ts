import type { NumberColumn } from '#shared/contract/frame.ts'
import { exposureFigures, weightSums } from './exposure.ts'
import { type FillableColumn, missingColumn, setCell, type DailyMatrix } from './dailySeries.ts'

/** Returns one day's weights with nulls as 0; null if no ticker has a weight, because that day has no portfolio. */
export function weightsOfDay({ tickers, values, valid }: DailyMatrix, row: number): Float64Array | null {
  const start = row * tickers.length
  const end = start + tickers.length
  if (!valid.subarray(start, end).includes(1)) return null
  const weights = new Float64Array(tickers.length)
  for (let ticker = 0, cell = start; cell < end; ticker++, cell++) if (valid[cell]) weights[ticker] = values[cell]
  return weights
}

/** Computes Σ |w_t − w_t−1| between two days, counting both buys and sells. */
export function twoWayTurnover(before: Float64Array, after: Float64Array): number {
  let turnover = 0
  for (let ticker = 0; ticker < after.length; ticker++) turnover += Math.abs(after[ticker] - before[ticker])
  return turnover
}

/** Halves the two-way turnover, as if buys and sells were equal. */
export const oneWayTurnover = (twoWay: number): number => twoWay / 2

export interface WeightFigures {
  days: Int32Array
  /** Every exposure figure by day, under its id. */
  exposure: Record<string, NumberColumn>
  /** Two-way turnover from the previous calendar day; missing if either day has no weights. */
  turnover: NumberColumn
}

/** Computes weight figures one day per step, because hundreds of tickers over years at once would freeze a window. */
export function* weightFigures(weights: DailyMatrix): Generator<void, WeightFigures, void> {
  const { days } = weights
  const exposure: Record<string, FillableColumn> = {}
  for (const { id, name } of exposureFigures) exposure[id] = missingColumn(name, days.length)
  const turnover = missingColumn('turnover two-way', days.length)
  let before: Float64Array | null = null
  for (let row = 0; row < days.length; row++) {
    const dayWeights = weightsOfDay(weights, row)
    if (dayWeights) {
      const sums = weightSums(dayWeights)
      for (const { id, compute } of exposureFigures) setCell(exposure[id], row, compute(sums))
      if (before && days[row - 1] === days[row] - 1) setCell(turnover, row, twoWayTurnover(before, dayWeights))
    }
    before = dayWeights
    yield
  }
  return { days, exposure, turnover }
}
