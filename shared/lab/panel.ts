import type { Grid } from '#shared/formula/alignSeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import type { StudyRange } from './studyRange.ts'

/** Rows in long form, in file order. NaN and infinities are missing values. */
export interface LongRows {
  /** Starts of intervals, in milliseconds. */
  times: Float64Array
  /** Indexes into `names`. */
  symbols: Int32Array
  names: readonly string[]
  columns: ReadonlyMap<string, Float64Array>
  /** Membership by row, 1 for a member; null if all symbols are always members. */
  member: Uint8Array | null
  /** Requested columns that exist but are not numeric. */
  otherColumns: readonly string[]
  /** Names of all columns, for suggestions. */
  columnNames: readonly string[]
}

/** A numeric column. Its cells are at `symbol · timeCount + time` unless `grids` is present. */
export interface PanelColumn {
  values: Float64Array
  /** Presence by cell: 1 with a value, 0 without. */
  valid: Uint8Array
  /**
   * Grid of each symbol, if some have a different interval from the study's; absent for a column on the panel's grid.
   */
  grids?: readonly SymbolGrid[]
}

/** Grid of one symbol in a column. */
interface SymbolGrid extends Grid {
  /** Index of the first row among the cells of the column. */
  from: number
}

/** Times and symbols of a study. */
export interface StudyGrid {
  intervalMs: number
  /** Number of the first interval, counted from the epoch. */
  firstSlot: number
  timeCount: number
  /** Symbols, sorted by code units. */
  symbols: readonly string[]
}

/**
 * Rows of a study on its grid of times × symbols. Columns are ordered by symbol because formulas run along time;
 * `hasRow` and `member` are ordered by time (`time · symbols + symbol`), because cross-sections run across symbols.
 */
export interface Panel extends StudyGrid {
  columns: ReadonlyMap<string, PanelColumn>
  hasRow: Uint8Array
  /** Membership by cell; null if every symbol is always a member. */
  member: Uint8Array | null
  otherColumns: readonly string[]
  columnNames: readonly string[]
  /** Number of rows in the range of the study. */
  rows: number
  /** Number of these rows that a later row replaced. */
  duplicates: number
}

/** Error of a panel that cannot be used, for example because a row is off the grid. */
export class PanelError extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'PanelError'
  }
}

/** Error of a study whose rows are not in the cache. */
export class NoRowsError extends PanelError {}

/** Reads a column of one symbol on its own grid. */
export function symbolSeries(
  { intervalMs, firstSlot, timeCount }: Pick<StudyGrid, 'intervalMs' | 'firstSlot' | 'timeCount'>,
  { values, valid, grids }: PanelColumn,
  symbol: number,
) {
  const { from, rows, ...grid } = grids?.[symbol] ?? {
    intervalMs,
    firstSlot,
    rows: timeCount,
    from: symbol * timeCount,
  }
  return { ...grid, values: values.subarray(from, from + rows), valid: valid.subarray(from, from + rows) }
}

export const timeAt = ({ firstSlot, intervalMs }: Pick<StudyGrid, 'firstSlot' | 'intervalMs'>, time: number): number =>
  (firstSlot + time) * intervalMs

/** Memory for a cell in the matrices of a study, in bytes, in addition to 9 bytes per column. */
const BYTES_PER_CELL = 48
/** Maximum memory of a study, in bytes. */
export const MOST_MEMORY_BYTES = 4 * 2 ** 30
/** Maximum size in bytes of a study that keeps all its cells in memory; a larger one keeps them in a file. */
export const MOST_IN_MEMORY_BYTES = 640 * 2 ** 20

/** Estimates the memory of a study that is kept in memory completely, in bytes. */
export const studyBytes = (cellCount: number, columnCount: number): number =>
  cellCount * (BYTES_PER_CELL + 9 * columnCount)

/** Puts rows on the grid of a study; throws a `PanelError` if they are off the grid or need too much memory. */
export function buildPanel(rows: LongRows, range: StudyRange): Panel {
  const { intervalMs } = range
  checkGrid(rows, intervalMs)
  const { firstSlot, timeCount, symbols, places } = extentOf(rows, range)
  const cellCount = timeCount * symbols.length
  refuseTooLarge({ timeCount, symbolCount: symbols.length, columnCount: rows.columns.size, intervalMs })
  const { rowOfCell, count, duplicates } = lastRows(rows, range, { firstSlot, timeCount, places, cellCount })
  const columns = new Map([...rows.columns].map(([name, values]) => [name, columnOf(values, rowOfCell)]))
  const { hasRow, member } = masksOf(rowOfCell, rows.member, timeCount, symbols.length)
  const { otherColumns, columnNames } = rows
  const grid = { intervalMs, firstSlot, timeCount, symbols }
  return { ...grid, columns, hasRow, member, otherColumns, columnNames, rows: count, duplicates }
}

/** Computes the size of the panel that rows would fill; throws a `PanelError` if they do not fit the grid. */
export function sizeOfRows(rows: LongRows, range: StudyRange): PanelSize {
  checkGrid(rows, range.intervalMs)
  const { timeCount, symbols } = extentOf(rows, range)
  return { timeCount, symbolCount: symbols.length, columnCount: rows.columns.size, intervalMs: range.intervalMs }
}

export interface PanelSize {
  timeCount: number
  symbolCount: number
  columnCount: number
  intervalMs: number
}

export const gibText = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`

/** Throws a `PanelError` if a study needs more than `mostBytes` of memory; the message says how much. */
export function refuseTooLarge(
  { timeCount, symbolCount, columnCount, intervalMs }: PanelSize,
  mostBytes = MOST_MEMORY_BYTES,
): void {
  const bytes = studyBytes(timeCount * symbolCount, columnCount)
  if (bytes <= mostBytes) return
  const days = Math.round((timeCount * intervalMs) / MS_PER_DAY)
  throw new PanelError(
    `${plainPlural(symbolCount, 'symbol')} × ${plainPlural(timeCount, 'interval')} over ${plainPlural(days, 'day')} need about ${gibText(bytes)} of memory; a study may take ${gibText(mostBytes)}. Narrow start and end, name fewer symbols or choose a longer interval.`,
  )
}

function checkGrid({ times }: LongRows, intervalMs: number): void {
  const row = times.findIndex((time) => time % intervalMs !== 0)
  if (row >= 0) throw new PanelError(offGridMessage(row, times[row], intervalMs))
}

/** Builds the message for a panel row that is off the grid; `row` counts from 0. */
export const offGridMessage = (row: number, time: number, intervalMs: number): string =>
  `row ${row + 1} is off the grid: its time ${time} is not a multiple of the interval (${intervalMs} ms).${looksLikeSeconds(time) ? ' It looks like seconds; a panel has milliseconds.' : ''}`

/** Tells whether a time that should be in milliseconds is probably in seconds: as seconds, it lies in this century. */
const looksLikeSeconds = (time: number): boolean => time >= 946_684_800 && time < 4_102_444_800

const isInRange = (time: number, { startMs, endMs }: StudyRange) => time >= startMs && time < endMs

/** Finds the times and symbols with rows in range. */
function extentOf({ times, symbols: symbolOfRow, names }: LongRows, range: StudyRange) {
  let firstMs = Infinity
  let lastMs = -Infinity
  const seen = new Uint8Array(names.length)
  for (let row = 0; row < times.length; row++) {
    const time = times[row]
    if (!isInRange(time, range)) continue
    if (time < firstMs) firstMs = time
    if (time > lastMs) lastMs = time
    seen[symbolOfRow[row]] = 1
  }
  if (firstMs === Infinity) throw new PanelError('no row is in the range of the study.')
  const symbols = names.filter((_, at) => seen[at] === 1).sort(byCodeUnits)
  const placeByName = new Map(symbols.map((name, at) => [name, at]))
  const places = Int32Array.from(names, (name) => placeByName.get(name) ?? -1)
  const firstSlot = firstMs / range.intervalMs
  return { firstSlot, timeCount: lastMs / range.intervalMs - firstSlot + 1, symbols, places }
}

export const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

interface PanelExtent {
  firstSlot: number
  timeCount: number
  places: Int32Array
  cellCount: number
}

/** Finds the last row of every cell, ordered by symbol; −1 if there is none. */
function lastRows({ times, symbols }: LongRows, range: StudyRange, grid: PanelExtent) {
  const rowOfCell = new Int32Array(grid.cellCount).fill(-1)
  let count = 0
  let duplicates = 0
  for (let row = 0; row < times.length; row++) {
    if (!isInRange(times[row], range)) continue
    const cell = grid.places[symbols[row]] * grid.timeCount + times[row] / range.intervalMs - grid.firstSlot
    count++
    if (rowOfCell[cell] >= 0) duplicates++
    rowOfCell[cell] = row
  }
  return { rowOfCell, count, duplicates }
}

function columnOf(valuesByRow: Float64Array, rowOfCell: Int32Array): PanelColumn {
  const values = new Float64Array(rowOfCell.length)
  const valid = new Uint8Array(rowOfCell.length)
  for (let cell = 0; cell < rowOfCell.length; cell++) {
    const row = rowOfCell[cell]
    if (row < 0) continue
    const value = valuesByRow[row]
    if (value - value !== 0) continue
    values[cell] = value
    valid[cell] = 1
  }
  return { values, valid }
}

/** Builds the masks ordered by time; in a panel with a membership column, a cell without a row is not a member. */
function masksOf(rowOfCell: Int32Array, memberOfRow: Uint8Array | null, timeCount: number, symbolCount: number) {
  const hasRow = new Uint8Array(rowOfCell.length)
  const member = memberOfRow && new Uint8Array(rowOfCell.length)
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    for (let time = 0; time < timeCount; time++) {
      const row = rowOfCell[symbol * timeCount + time]
      if (row < 0) continue
      hasRow[time * symbolCount + symbol] = 1
      if (member && memberOfRow) member[time * symbolCount + symbol] = memberOfRow[row]
    }
  }
  return { hasRow, member }
}
