import type { Series } from '#shared/formula/series.ts'
import { byCodeUnits, type LongRows, offGridMessage, PanelError, type StudyGrid } from '#shared/lab/panel.ts'
import type { StudyRange } from '#shared/lab/studyRange.ts'
import type { PanelBatch } from './panelBatches.ts'
import { type SpilledCells, type SpillFile, spilledFlags } from './spill.ts'

/** Number of rows of a symbol that are written to the file together. */
const RUN_ROWS = 256
const BYTES_PER_VALUE = 8

/** Consecutive rows of one symbol in the panel: times, columns and membership one after the other. */
interface RowRun {
  times: Float64Array
  columns: Float64Array[]
  member: Uint8Array
}

const bytesOfRun = (columns: number): number => RUN_ROWS * (BYTES_PER_VALUE * (1 + columns) + 1)

/** Divides the memory of a run into its arrays of times, columns and membership. */
function runOf(bytes: ArrayBuffer, columns: number): RowRun {
  const columnAt = (index: number) => new Float64Array(bytes, index * RUN_ROWS * BYTES_PER_VALUE, RUN_ROWS)
  return {
    times: columnAt(0),
    columns: Array.from({ length: columns }, (_, index) => columnAt(1 + index)),
    member: new Uint8Array(bytes, (1 + columns) * RUN_ROWS * BYTES_PER_VALUE, RUN_ROWS),
  }
}

/** Rows of a symbol: the offsets of the full runs in the file, and the run that is being filled. */
class SymbolRuns {
  readonly offsets: number[] = []
  readonly buffer: ArrayBuffer
  readonly run: RowRun
  filledRows = 0

  constructor(columns: number) {
    this.buffer = new ArrayBuffer(bytesOfRun(columns))
    this.run = runOf(this.buffer, columns)
  }
}

/** Cells of a symbol on the grid of a study. */
interface SymbolCells {
  hasRow: Uint8Array
  member: Uint8Array
  columns: Float64Array[]
  rows: number
}

/** Grid of the rows added, with marks for the cells that have a row. */
interface SpilledGrid extends StudyGrid {
  hasRow: SpilledCells<Uint8Array>
  member: SpilledCells<Uint8Array> | null
  rows: number
  duplicates: number
}

/**
 * Rows of a panel file that do not fit into memory. They may arrive in any order, so those of each symbol are collected
 * and written in runs; the cells of a symbol are reassembled whenever a formula needs them.
 */
export class SpilledRows {
  readonly #spill: SpillFile
  readonly #range: StudyRange
  readonly #columns: readonly string[]
  /** Rows by the code of their symbol. */
  readonly #runs: SymbolRuns[] = []
  readonly #scratch: ArrayBuffer
  #firstMs = Infinity
  #lastMs = -Infinity
  #rows = 0
  #offGridProblem: string | null = null
  #hasMember = false
  /** Codes of the symbols, sorted by name. */
  #codes: number[] = []
  #grid: Pick<StudyGrid, 'firstSlot' | 'timeCount'> = { firstSlot: 0, timeCount: 0 }
  #lastRead: { symbol: number; cells: SymbolCells } | null = null

  constructor(spill: SpillFile, range: StudyRange, columns: readonly string[]) {
    this.#spill = spill
    this.#range = range
    this.#columns = columns
    this.#scratch = new ArrayBuffer(bytesOfRun(columns.length))
  }

  add({ firstRow, times, symbols, columns, member }: PanelBatch): void {
    const { startMs, endMs, intervalMs } = this.#range
    const values = this.#columns.map((name) => columns.get(name) ?? null)
    this.#hasMember ||= member !== null
    for (let row = 0; row < times.length; row++) {
      const time = times[row]
      if (time % intervalMs !== 0) this.#offGridProblem ??= offGridMessage(firstRow + row, time, intervalMs)
      if (time < startMs || time >= endMs) continue
      const runs = (this.#runs[symbols[row]] ??= new SymbolRuns(this.#columns.length))
      const { run, filledRows } = runs
      run.times[filledRows] = time
      for (let index = 0; index < values.length; index++) run.columns[index][filledRows] = values[index]?.[row] ?? NaN
      run.member[filledRows] = member ? member[row] : 1
      runs.filledRows++
      if (runs.filledRows === RUN_ROWS) this.#write(runs)
      if (time < this.#firstMs) this.#firstMs = time
      if (time > this.#lastMs) this.#lastMs = time
      this.#rows++
    }
  }

  #write(runs: SymbolRuns): void {
    const offset = this.#spill.reserve(runs.buffer.byteLength)
    this.#spill.write(new Uint8Array(runs.buffer), offset)
    runs.offsets.push(offset)
    runs.filledRows = 0
  }

  /** Computes the size of the grid; throws a `PanelError` if there are no rows or one is off the grid. */
  size(): { timeCount: number; symbolCount: number } {
    if (this.#offGridProblem !== null) throw new PanelError(this.#offGridProblem)
    if (this.#rows === 0) throw new PanelError('no row is in the range of the study.')
    const timeCount = (this.#lastMs - this.#firstMs) / this.#range.intervalMs + 1
    return { timeCount, symbolCount: this.#runs.reduce((sum) => sum + 1, 0) }
  }

  /** Puts the rows on the grid, and marks in the file which cells have a row. */
  grid(names: LongRows['names']): SpilledGrid {
    const { timeCount, symbolCount } = this.size()
    const { intervalMs } = this.#range
    this.#grid = { firstSlot: this.#firstMs / intervalMs, timeCount }
    this.#codes = [...this.#runs.keys()].filter((code) => this.#runs[code] !== undefined)
    this.#codes.sort((a, b) => byCodeUnits(names[a], names[b]))
    const hasRow = spilledFlags(this.#spill, { timeCount, symbolCount })
    const member = this.#hasMember ? spilledFlags(this.#spill, { timeCount, symbolCount }) : null
    let cells = 0
    this.#codes.forEach((_, symbol) => {
      const cellsOfSymbol = this.#cellsOf(symbol, false)
      cells += cellsOfSymbol.rows
      hasRow.writeSymbol(symbol, cellsOfSymbol.hasRow)
      member?.writeSymbol(symbol, cellsOfSymbol.member)
    })
    const grid = { ...this.#grid, intervalMs, symbols: this.#codes.map((code) => names[code]) }
    return { ...grid, hasRow, member, rows: this.#rows, duplicates: this.#rows - cells }
  }

  /** Reads a column of one symbol; null if the column was not collected. */
  series(name: string, symbol: number): Series | null {
    const column = this.#columns.indexOf(name)
    if (column < 0) return null
    if (this.#lastRead?.symbol !== symbol) this.#lastRead = { symbol, cells: this.#cellsOf(symbol, true) }
    const values = this.#lastRead.cells.columns[column].slice()
    const valid = new Uint8Array(values.length)
    for (let time = 0; time < values.length; time++) {
      const value = values[time]
      if (value - value === 0) valid[time] = 1
      else values[time] = 0
    }
    return { intervalMs: this.#range.intervalMs, firstSlot: this.#grid.firstSlot, values, valid }
  }

  /**
   * Puts the rows of a symbol on the grid in file order; of two rows with the same time, the later one replaces the
   * earlier one completely.
   */
  #cellsOf(symbol: number, readsValues: boolean): SymbolCells {
    const { timeCount } = this.#grid
    const columns = this.#columns.map(() => new Float64Array(readsValues ? timeCount : 0).fill(NaN))
    const cells = { hasRow: new Uint8Array(timeCount), member: new Uint8Array(timeCount), columns, rows: 0 }
    const runs = this.#runs[this.#codes[symbol]]
    const scratch = runOf(this.#scratch, this.#columns.length)
    for (const offset of runs.offsets) {
      this.#spill.read(new Uint8Array(this.#scratch), offset)
      this.#put(scratch, RUN_ROWS, cells)
    }
    this.#put(runs.run, runs.filledRows, cells)
    return cells
  }

  #put(run: RowRun, count: number, cells: SymbolCells): void {
    const { intervalMs } = this.#range
    const { hasRow, member, columns } = cells
    const readsValues = columns.length > 0 && columns[0].length > 0
    for (let row = 0; row < count; row++) {
      const time = run.times[row] / intervalMs - this.#grid.firstSlot
      cells.rows += 1 - hasRow[time]
      hasRow[time] = 1
      member[time] = run.member[row]
      if (!readsValues) continue
      for (let index = 0; index < columns.length; index++) columns[index][time] = run.columns[index][row]
    }
  }
}
