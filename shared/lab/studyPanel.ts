import type { Series } from '#shared/formula/series.ts'
import { type Panel, type StudyGrid, symbolSeries } from './panel.ts'

/** Cells of a study, of which the rows of any times and any symbol can be read. */
export interface CellRows<Cells> {
  /** Reads the times `from` to `to` (excluded): cell `(time − from) · symbols + symbol`. Valid until the next read. */
  rows(from: number, to: number): Cells
  /** Reads the cells of one symbol along time. */
  symbol(at: number, from?: number, to?: number): Cells
}

/** Values of a formula, NaN where missing. */
export interface StudyMatrix extends CellRows<Float64Array> {
  /** Writes the series of some symbols that follow one another. */
  writeSymbols(first: number, tile: readonly Series[]): void
  /** Writes the rows from a time on. */
  writeRows(from: number, cells: Float64Array): void
  /** Gives its memory or disk space back. */
  close(): void
}

/**
 * Rows of a study as its engine reads them: columns symbol by symbol, because formulas run along time, and cells in blocks of
 * times, because statistics run across symbols. A panel that fits into memory is one; larger ones keep their cells on disk.
 */
export interface StudyPanel extends StudyGrid {
  /** Number of rows in range, and of those that a later row replaced. */
  rows: number
  duplicates: number
  otherColumns: readonly string[]
  columnNames: readonly string[]
  /** Names of the columns that formulas can read. */
  seriesNames: readonly string[]
  /** Reads a column of one symbol on the grid of the column; null where there is no such column. */
  series(name: string, symbol: number): Series | null
  hasRow: CellRows<Uint8Array>
  /** Membership by cell; null if every symbol is a member at all times. */
  member: CellRows<Uint8Array> | null
  newMatrix(): StudyMatrix
  /** Number of times that are worked on together. */
  blockTimes: number
  /** Number of symbols whose series are computed before they are written. */
  tileSymbols: number
}

/** Range of times that is worked on together. */
export interface TimeBlock {
  from: number
  to: number
}

/** Lists the blocks of times of a study. */
export function* timeBlocks({ times, blockTimes }: Pick<StudyPanel, 'times' | 'blockTimes'>): Generator<TimeBlock> {
  for (let from = 0; from < times; from += blockTimes) yield { from, to: Math.min(times, from + blockTimes) }
}

/** Cells of a block in memory: few enough to stay in the processor's cache for every horizon. */
const CELLS_OF_BLOCK = 2 ** 18
const LEAST_BLOCK = 256

const blockTimesOf = (symbols: number) => Math.max(LEAST_BLOCK, Math.floor(CELLS_OF_BLOCK / Math.max(1, symbols)))

/** Reads a panel in memory. */
export function wholePanel(panel: Panel, blockTimes = blockTimesOf(panel.symbols.length)): StudyPanel {
  const { columns, times, symbols, hasRow, member } = panel
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
    hasRow: wholeCells(hasRow, width),
    member: member && wholeCells(member, width),
    newMatrix: () => new WholeMatrix(new Float64Array(times * width), width),
  }
}

/** Reads cells in memory. */
function wholeCells<Cells extends Float64Array | Uint8Array>(cells: Cells, width: number): CellRows<Cells> {
  return {
    rows: (from, to) => cells.subarray(from * width, to * width) as Cells,
    symbol(at, from = 0, to = cells.length / width) {
      const own = new (cells.constructor as new (length: number) => Cells)(to - from)
      for (let time = from, cell = from * width + at; time < to; time++, cell += width) own[time - from] = cells[cell]
      return own
    },
  }
}

/** Symbols that are written together, so that cells beside each other in memory are written together. */
const TILE_SYMBOLS = 16
/** Times of a tile that are written at a time; their cells stay in the processor's cache. */
const TILE_TIMES = 256

/** A matrix in memory: cell `time · symbols + symbol`. */
export class WholeMatrix implements StudyMatrix {
  readonly cells: Float64Array
  readonly #width: number
  readonly rows: StudyMatrix['rows']
  readonly symbol: StudyMatrix['symbol']

  constructor(cells: Float64Array, width: number) {
    this.cells = cells
    this.#width = width
    const { rows, symbol } = wholeCells(cells, width)
    this.rows = rows
    this.symbol = symbol
  }

  writeSymbols(first: number, tile: readonly Series[]): void {
    const width = this.#width
    const { cells } = this
    const times = cells.length / width
    for (let start = 0; start < times; start += TILE_TIMES) {
      const end = Math.min(times, start + TILE_TIMES)
      for (let at = 0; at < tile.length; at++) {
        const { values, valid } = tile[at]
        for (let time = start, cell = start * width + first + at; time < end; time++, cell += width) {
          cells[cell] = valid === null || valid[time] !== 0 ? values[time] : NaN
        }
      }
    }
  }

  writeRows(from: number, cells: Float64Array): void {
    this.cells.set(cells, from * this.#width)
  }

  close(): void {
    // Memory is freed once nothing refers to the matrix.
  }
}
