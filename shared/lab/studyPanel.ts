import type { Series } from '#shared/formula/series.ts'
import { type Panel, type StudyGrid, symbolSeries } from './panel.ts'

/** Cells of a study, readable by range of times or by symbol. */
export interface CellRows<Cells> {
  /** Reads the times `from` to `to` (exclusive): cell `(time − from) · symbols + symbol`. Valid until the next read. */
  rows(from: number, to: number): Cells
  /** Reads the cells of one symbol over time. */
  symbol(at: number, from?: number, to?: number): Cells
}

/** Values of a formula, NaN if missing. */
export interface StudyMatrix extends CellRows<Float64Array> {
  /** Writes the series of consecutive symbols. */
  writeSymbols(firstSymbol: number, tile: readonly Series[]): void
  /** Writes consecutive rows, starting at the given time. */
  writeRows(from: number, cells: Float64Array): void
  /** Frees the memory or disk space of the matrix. */
  close(): void
}

/**
 * Rows of a study as the engine reads them: columns symbol by symbol, because formulas run along time, and cells in
 * blocks of times, because statistics run across symbols. The cells of small panels are in memory, those of larger ones
 * on disk.
 */
export interface StudyPanel extends StudyGrid {
  /** Number of rows in the range of the study. */
  rows: number
  /** Number of these rows that a later row replaced. */
  duplicates: number
  otherColumns: readonly string[]
  columnNames: readonly string[]
  /** Names of the columns that formulas can read. */
  seriesNames: readonly string[]
  /** Reads a column of one symbol on the column's grid; null if there is no such column. */
  series(name: string, symbol: number): Series | null
  hasRow: CellRows<Uint8Array>
  /** Membership by cell; null if every symbol is always a member. */
  member: CellRows<Uint8Array> | null
  newMatrix(): StudyMatrix
  /** Number of grid times per block. */
  blockTimes: number
  /** Number of symbols per tile; the series of a tile are all computed before they are written. */
  tileSymbols: number
}

/** Range of times that is processed together. */
export interface TimeBlock {
  from: number
  to: number
}

/** Lists the blocks of times of a study. */
export function* timeBlocks({
  timeCount,
  blockTimes,
}: Pick<StudyPanel, 'timeCount' | 'blockTimes'>): Generator<TimeBlock> {
  for (let from = 0; from < timeCount; from += blockTimes) yield { from, to: Math.min(timeCount, from + blockTimes) }
}

/** Number of cells of a block in memory, small enough to stay in the processor's cache for every horizon. */
const MEMORY_BLOCK_CELLS = 2 ** 18
const LEAST_BLOCK_TIMES = 256

const blockTimesOf = (symbolCount: number) =>
  Math.max(LEAST_BLOCK_TIMES, Math.floor(MEMORY_BLOCK_CELLS / Math.max(1, symbolCount)))

/** Gives block-wise access to a panel in memory. */
export function memoryPanel(panel: Panel, blockTimes = blockTimesOf(panel.symbols.length)): StudyPanel {
  const { columns, timeCount, symbols, hasRow, member } = panel
  const width = symbols.length
  return {
    ...panel,
    blockTimes,
    tileSymbols: TILE_SYMBOLS,
    seriesNames: [...columns.keys()],
    series(name, symbol) {
      const column = columns.get(name)
      return column ? symbolSeries(panel, column, symbol) : null
    },
    hasRow: memoryCells(hasRow, width),
    member: member && memoryCells(member, width),
    newMatrix: () => new MemoryMatrix(new Float64Array(timeCount * width), width),
  }
}

/** Gives row and symbol access to cells in memory. */
function memoryCells<Cells extends Float64Array | Uint8Array>(cells: Cells, width: number): CellRows<Cells> {
  return {
    rows: (from, to) => cells.subarray(from * width, to * width) as Cells,
    symbol(at, from = 0, to = cells.length / width) {
      const symbolCells = new (cells.constructor as new (length: number) => Cells)(to - from)
      for (let time = from, cell = from * width + at; time < to; time++, cell += width)
        symbolCells[time - from] = cells[cell]
      return symbolCells
    },
  }
}

/** Number of symbols per tile. Their cells are written together, because they are adjacent in memory. */
const TILE_SYMBOLS = 16
/** Number of grid times of a tile that are written together, so that their cells stay in the processor's cache. */
const TILE_TIMES = 256

/** A matrix in memory, with cells at `time · symbols + symbol`. */
export class MemoryMatrix implements StudyMatrix {
  readonly cells: Float64Array
  readonly #width: number
  readonly rows: StudyMatrix['rows']
  readonly symbol: StudyMatrix['symbol']

  constructor(cells: Float64Array, width: number) {
    this.cells = cells
    this.#width = width
    const { rows, symbol } = memoryCells(cells, width)
    this.rows = rows
    this.symbol = symbol
  }

  writeSymbols(firstSymbol: number, tile: readonly Series[]): void {
    const width = this.#width
    const { cells } = this
    const timeCount = cells.length / width
    for (let start = 0; start < timeCount; start += TILE_TIMES) {
      const end = Math.min(timeCount, start + TILE_TIMES)
      for (let at = 0; at < tile.length; at++) {
        const { values, valid } = tile[at]
        for (let time = start, cell = start * width + firstSymbol + at; time < end; time++, cell += width) {
          cells[cell] = valid === null || valid[time] !== 0 ? values[time] : NaN
        }
      }
    }
  }

  writeRows(from: number, cells: Float64Array): void {
    this.cells.set(cells, from * this.#width)
  }

  close(): void {
    // There is nothing to free: the garbage collector frees the matrix.
  }
}
