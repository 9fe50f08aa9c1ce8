import type { Frame } from '#shared/contract/frame.ts'
import { type DailySeries, orderDays, type SeriesProblems } from './dailySeries.ts'
import { finished } from './finished.ts'
import { missingColumn } from './missingColumn.ts'

/** One number a day and ticker (weights, factor values, prices): ascending days, each once; cells day by day. */
export interface DailyMatrix {
  days: Int32Array
  tickers: string[]
  values: Float64Array
  /** Flags of present cells; 0 marks a missing cell. */
  valid: Uint8Array
}

export interface ReadMatrix {
  matrix: DailyMatrix
  problems: SeriesProblems
}

/** Makes a matrix of a frame that has one time column and a number column a ticker; says what was put right. */
export const dailyMatrixOf = (frame: Frame): ReadMatrix => finished(dailyMatrixSteps(frame))

/** The same, a ticker at a time: hundreds of them over years take longer than a window may stand still. */
export function* dailyMatrixSteps(frame: Frame): Generator<void, ReadMatrix, void> {
  const time = frame.columns.find(({ kind }) => kind === 'time')
  const columns = frame.columns.filter((column) => column.kind === 'number')
  const instants = time ? Float64Array.from(time.values) : new Float64Array(frame.rows).fill(NaN)
  time?.valid?.forEach((isPresent, row) => {
    if (!isPresent) instants[row] = NaN
  })
  const { days, rows, problems } = orderDays(instants)
  const cells = missingColumn('', days.length * columns.length)
  // Plain loops: there may be a million cells.
  for (const [ticker, { values, valid }] of columns.entries()) {
    for (let at = 0, cell = ticker; at < rows.length; at++, cell += columns.length) {
      const row = rows[at]
      if (valid && !valid[row]) continue
      if (!Number.isFinite(values[row])) problems.invalidValues++
      else {
        cells.values[cell] = values[row]
        cells.valid[cell] = 1
      }
    }
    yield
  }
  const tickers = columns.map(({ name }) => name)
  return { matrix: { days, tickers, values: cells.values, valid: cells.valid }, problems }
}

/** The value of a cell, null where it is missing. */
export function matrixCell({ tickers, values, valid }: DailyMatrix, row: number, ticker: number): number | null {
  const at = row * tickers.length + ticker
  return valid[at] ? values[at] : null
}

/** One ticker over all days; all missing for a ticker the matrix does not have. */
export function tickerSeries(matrix: DailyMatrix, ticker: string): DailySeries {
  const column = missingColumn(ticker, matrix.days.length)
  const at = matrix.tickers.indexOf(ticker)
  if (at >= 0)
    for (let row = 0, cell = at; row < matrix.days.length; row++, cell += matrix.tickers.length) {
      column.values[row] = matrix.values[cell]
      column.valid[row] = matrix.valid[cell]
    }
  return { days: matrix.days, values: column.values, valid: column.valid }
}
