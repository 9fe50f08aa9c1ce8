/** Daily values, as one series or as a matrix by ticker: sorts their days and reports corrections. */
import { lowerBound } from '../search.ts'
import type { Frame, NumberColumn } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { plural } from '#shared/units/plurals.ts'

/** One number per day. The days are unique and ascending; where `valid` is 0, the day has no value. */
export interface DailySeries {
  days: Int32Array
  values: Float64Array
  valid: Uint8Array | null
}

/** Corrections made while reading a series; all 0 for a clean one. */
interface SeriesProblems {
  /** Number of rows whose day appears again in a later row; the last row of a day counts. */
  duplicateDays: number
  /** Number of rows whose day precedes the day of the previous row. */
  outOfOrder: number
  /** Number of rows without a valid date. */
  invalidDates: number
  /** Number of values that are not finite, which count as missing. */
  invalidValues: number
}

interface SortedDays {
  days: Int32Array
  /** The source row of each day. */
  rows: Int32Array
  problems: SeriesProblems
}

/** Unsorted days: day numbers (Int32Array) or milliseconds (Float64Array). */
type RawDays = Int32Array | Float64Array

/** Sorts rows by day and keeps one per day. */
function sortDays(raw: RawDays): SortedDays {
  const problems = { duplicateDays: 0, outOfOrder: 0, invalidDates: 0, invalidValues: 0 }
  const rowByDay = new Map<DayNumber, number>()
  let before = -Infinity
  for (let row = 0; row < raw.length; row++) {
    const day = raw instanceof Int32Array ? raw[row] : Math.floor(raw[row] / MS_PER_DAY)
    if (!Number.isFinite(day)) {
      problems.invalidDates++
      continue
    }
    if (rowByDay.has(day)) problems.duplicateDays++
    if (day < before) problems.outOfOrder++
    rowByDay.set(day, row)
    before = day
  }
  const days = Int32Array.from(rowByDay.keys()).sort()
  return { days, rows: Int32Array.from(days, (day) => rowByDay.get(day) ?? 0), problems }
}

/** Builds a series from rows as a service sent them, and reports corrections. */
export function normaliseDays(
  raw: RawDays,
  values: Float64Array,
  valid: Uint8Array | null,
): { series: DailySeries; problems: SeriesProblems } {
  const { days, rows, problems } = sortDays(raw)
  const series = { days, values: new Float64Array(days.length), valid: new Uint8Array(days.length) }
  rows.forEach((row, at) => {
    if (valid && !valid[row]) return
    if (!Number.isFinite(values[row])) {
      problems.invalidValues++
      return
    }
    series.values[at] = values[row]
    series.valid[at] = 1
  })
  return { series, problems }
}

/** Lists the days with a value from `startDay` (inclusive) to `endDay` (exclusive); an omitted bound is open. */
export function presentDays(
  { days, values, valid }: DailySeries,
  startDay: DayNumber = -Infinity,
  endDay: DayNumber = Infinity,
): { days: Int32Array; values: Float64Array } {
  const from = lowerBound(days, startDay)
  const to = lowerBound(days, endDay, from)
  const chosen = { days: days.slice(from, to), values: values.slice(from, to) }
  if (!valid) return chosen
  let count = 0
  for (let at = from; at < to; at++) {
    if (!valid[at]) continue
    chosen.days[count] = days[at]
    chosen.values[count++] = values[at]
  }
  return { days: chosen.days.slice(0, count), values: chosen.values.slice(0, count) }
}

/** Lists the rows for which `isKept` is true, ascending. */
export function rowsWhere(rows: number, isKept: (row: number) => boolean): Int32Array {
  const chosenRows = new Int32Array(rows)
  let count = 0
  for (let row = 0; row < rows; row++) if (isKept(row)) chosenRows[count++] = row
  return chosenRows.slice(0, count)
}

/** Copies the values of the given rows. */
export function takeRows(values: Float64Array, rows: Int32Array): Float64Array {
  const chosenValues = new Float64Array(rows.length)
  for (let at = 0; at < rows.length; at++) chosenValues[at] = values[rows[at]]
  return chosenValues
}

/** Finds the index of a day among ascending days, or −1. */
export function rowOfDay(days: Int32Array, day: DayNumber): number {
  const row = lowerBound(days, day)
  return days[row] === day ? row : -1
}

const emptySeries = () => ({ ...missingColumn('', 0), days: new Int32Array(0) })

/** Builds a series from a frame with one time column and one number column, and reports corrections. */
export function dailySeriesOf(frame: Frame): { series: DailySeries; problems: SeriesProblems } {
  const time = frame.columns.find(({ kind }) => kind === 'time')
  const column = frame.columns.find(({ kind }) => kind === 'number')
  if (!time || column?.kind !== 'number') {
    const problems = { duplicateDays: 0, outOfOrder: 0, invalidDates: 0, invalidValues: 0 }
    return { series: emptySeries(), problems }
  }
  const instants = Float64Array.from(time.values, (at, row) => (time.valid && !time.valid[row] ? NaN : at))
  return normaliseDays(instants, column.values, column.valid)
}

/** Describes the corrections of a series; empty for a clean one. */
export function problemMessages({ duplicateDays, outOfOrder, invalidDates, invalidValues }: SeriesProblems): string[] {
  const phrase = (count: number, one: string, many: string) =>
    count === 0 ? [] : [count === 1 ? one : `${count} ${many}`]
  return [
    ...phrase(
      duplicateDays,
      'one day appears twice: the later row was used',
      'rows repeat a day: the later row was used',
    ),
    ...phrase(outOfOrder, 'one row was out of order', 'rows were out of order'),
    ...phrase(invalidDates, 'one row has no date and was left out', 'rows have no date and were left out'),
    ...phrase(
      invalidValues,
      'one value is not numeric and was treated as missing',
      'values are not numeric and were treated as missing',
    ),
  ]
}

/**
 * Warns of losses above 100 %, because they flip the sign of the equity, and describes corrected rows; empty for clean
 * returns.
 */
export function returnsWarnings(series: DailySeries, problems: SeriesProblems): string[] {
  const { days, values, valid } = series
  const rows = rowsWhere(days.length, (row) => (!valid || valid[row] === 1) && values[row] < -1)
  if (rows.length === 0) return problemMessages(problems)
  const countText = plural(rows.length, 'value is', 'values are')
  const lossWarning = `${countText} below −100 % (first on ${dayFromNumber(days[rows[0]])}), so equity and everything derived from it are meaningless from then on`
  return [...problemMessages(problems), lossWarning]
}

export interface FillableColumn extends NumberColumn {
  valid: Uint8Array
}

/** Makes a column of missing values, to be filled by `setCell`. */
export function missingColumn(name: string, rows: number): FillableColumn {
  return { name, kind: 'number', values: new Float64Array(rows), valid: new Uint8Array(rows) }
}

/** Writes a value; null, NaN and infinities leave the cell missing. */
export function setCell(column: FillableColumn, row: number, value: number | null): void {
  if (value === null || !Number.isFinite(value)) return
  column.values[row] = value
  column.valid[row] = 1
}

function areFinite(values: Float64Array): boolean {
  for (const value of values) if (!Number.isFinite(value)) return false
  return true
}

/** Builds a column of values; non-finite ones are missing. */
export function finiteColumn(name: string, values: Float64Array): NumberColumn {
  if (areFinite(values)) return { name, kind: 'number', values, valid: null }
  const column = missingColumn(name, values.length)
  values.forEach((value, row) => setCell(column, row, value))
  return column
}

/**
 * One number per day and ticker (weights, factor values, prices), with unique ascending days; cells are stored day by
 * day.
 */
export interface DailyMatrix {
  days: Int32Array
  tickers: string[]
  values: Float64Array
  /** Flags of cells: 1 present, 0 missing. */
  valid: Uint8Array
}

export interface ParsedMatrix {
  matrix: DailyMatrix
  problems: SeriesProblems
}

/** Builds a matrix from a frame with a time column and a number column per ticker, and reports corrections. */
export const dailyMatrixOf = (frame: Frame): ParsedMatrix => runSteps(dailyMatrixSteps(frame))

/** Builds a matrix ticker by ticker, because hundreds of tickers over years would block the window too long. */
export function* dailyMatrixSteps(frame: Frame): Generator<void, ParsedMatrix, void> {
  const time = frame.columns.find(({ kind }) => kind === 'time')
  const columns = frame.columns.filter((column) => column.kind === 'number')
  const instants = time ? Float64Array.from(time.values) : new Float64Array(frame.rows).fill(NaN)
  time?.valid?.forEach((isPresent, row) => {
    if (!isPresent) instants[row] = NaN
  })
  const { days, rows, problems } = sortDays(instants)
  const cells = missingColumn('', days.length * columns.length)
  // Plain loops for speed, because there may be a million cells.
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

/** Returns the value of a cell, null if missing. */
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

/** Runs a stepwise computation without pauses, for callers that have no window to keep responsive. */
export function runSteps<Value>(steps: Generator<void, Value, void>): Value {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Values by day and column, row by row; NaN if missing. Days are unique and ascending. */
export interface HistoryMatrix {
  days: Int32Array
  columns: string[]
  values: Float64Array
}

/** Live values of all columns, as the service returned them at one time; NaN if missing. */
export interface PortfolioSnapshot {
  day: DayNumber
  /** Null if the service did not say. */
  createdAtMs: number | null
  columns: string[]
  values: Float64Array
}

/**
 * Makes a frame column from numbers, among which NaN marks a missing value. The array is not copied: each NaN in it
 * is replaced by 0.
 */
export function columnWithGaps(name: string, values: Float64Array): NumberColumn {
  let valid: Uint8Array | null = null
  for (let row = 0; row < values.length; row++) {
    if (!Number.isNaN(values[row])) continue
    valid ??= new Uint8Array(values.length).fill(1)
    valid[row] = 0
    values[row] = 0
  }
  return { name, kind: 'number', values, valid }
}

/** Builds a frame with `time` (start of the day) and a column for each name. */
export function dayFrame({ days, columns, values }: HistoryMatrix): Frame {
  const width = columns.length
  const times = Float64Array.from(days, (day) => day * MS_PER_DAY)
  const numbers = columns.map((name, column) => {
    const cells = new Float64Array(days.length)
    for (let row = 0; row < days.length; row++) cells[row] = values[row * width + column]
    return columnWithGaps(name, cells)
  })
  return { rows: days.length, columns: [{ name: 'time', kind: 'time', values: times, valid: null }, ...numbers] }
}
