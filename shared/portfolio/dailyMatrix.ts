import type { Frame, NumberColumn } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '../time.ts'
import type { DayNumber } from '../time/periods.ts'
import { type DailySeries, missingColumn, orderDays, type SeriesProblems } from './dailySeries.ts'

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
export const dailyMatrixOf = (frame: Frame): ReadMatrix => runSteps(dailyMatrixSteps(frame))

/** Reads a matrix ticker by ticker, because hundreds of them over years would block the window too long. */
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

/** Extracts one ticker over all days; all values are missing if the matrix lacks it. */
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

/** Runs a computation in pieces to its end at once, for callers without a window to keep responsive. */
export function runSteps<Value>(steps: Generator<void, Value, void>): Value {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Values by day and column, row after row; NaN where there is none. Days ascend, each once. */
export interface DayMatrix {
  days: Int32Array
  columns: string[]
  values: Float64Array
}

/** The state at one moment; NaN where a column has no value. */
export interface Snapshot {
  day: DayNumber
  createdAtMs: number
  columns: string[]
  values: Float64Array
}

/** Numbers as a column of a frame; NaN is what is missing. Takes the array over. */
export function gappyColumn(name: string, values: Float64Array): NumberColumn {
  let valid: Uint8Array | null = null
  for (let row = 0; row < values.length; row++) {
    if (!Number.isNaN(values[row])) continue
    valid ??= new Uint8Array(values.length).fill(1)
    valid[row] = 0
    values[row] = 0
  }
  return { name, kind: 'number', values, valid }
}

/** `time` (the start of the day), then a column each. */
export function dayFrame({ days, columns, values }: DayMatrix): Frame {
  const width = columns.length
  const times = Float64Array.from(days, (day) => day * MS_PER_DAY)
  const numbers = columns.map((name, column) => {
    const cells = new Float64Array(days.length)
    for (let row = 0; row < days.length; row++) cells[row] = values[row * width + column]
    return gappyColumn(name, cells)
  })
  return { rows: days.length, columns: [{ name: 'time', kind: 'time', values: times, valid: null }, ...numbers] }
}
