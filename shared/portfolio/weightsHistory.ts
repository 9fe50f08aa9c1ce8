import type { NumberColumn } from '#shared/contract/frame.ts'
import type { DailyMatrix } from './dailyMatrix.ts'
import { exposureFigures, weightSums } from './exposure.ts'
import { type FillableColumn, missingColumn, setCell } from './missingColumn.ts'

/** One day's weights with nulls as 0; null where no ticker has one: there is no portfolio of that day. */
export function weightsOfDay({ tickers, values, valid }: DailyMatrix, row: number): Float64Array | null {
  const start = row * tickers.length
  const end = start + tickers.length
  if (!valid.subarray(start, end).includes(1)) return null
  const weights = new Float64Array(tickers.length)
  for (let ticker = 0, cell = start; cell < end; ticker++, cell++) if (valid[cell]) weights[ticker] = values[cell]
  return weights
}

/** Σ |w_t − w_t−1| of two days' weights, buys and sells both counted. */
export function twoWayTurnover(before: Float64Array, after: Float64Array): number {
  let turnover = 0
  for (let ticker = 0; ticker < after.length; ticker++) turnover += Math.abs(after[ticker] - before[ticker])
  return turnover
}

/** Buys or sells only. */
export const oneWayTurnover = (twoWay: number): number => twoWay / 2

/** Turnover of each day against the calendar day before; missing where either has no weights. */
export function turnoverColumn(weights: DailyMatrix): NumberColumn {
  const column = missingColumn('turnover two-way', weights.days.length)
  let before: Float64Array | null = null
  weights.days.forEach((day, row) => {
    const after = weightsOfDay(weights, row)
    if (before && after && weights.days[row - 1] === day - 1) setCell(column, row, twoWayTurnover(before, after))
    before = after
  })
  return column
}

/** Every exposure figure by day. */
export function exposureHistory(weights: DailyMatrix): Record<string, NumberColumn> {
  const columns: Record<string, FillableColumn> = {}
  for (const { id, name } of exposureFigures) columns[id] = missingColumn(name, weights.days.length)
  weights.days.forEach((_, row) => {
    const ofDay = weightsOfDay(weights, row)
    if (!ofDay) return
    const sums = weightSums(ofDay)
    for (const { id, compute } of exposureFigures) setCell(columns[id], row, compute(sums))
  })
  return columns
}
