import { alignSeries } from '#shared/formula/alignSeries.ts'
import type { Series } from '#shared/formula/series.ts'
import type { Checkpoint } from '#shared/lab/checkpoint.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { FILE_BLOCK_CELLS } from '#shared/lab/studyMemory.ts'
import type { CellRows, StudyPanel } from '#shared/lab/studyPanel.ts'
import { membershipTest, type UniverseRows } from '#shared/lab/universe.ts'
import { DatasetReader, type DatasetRows, lostCells, namesOf } from './cachePanel.ts'
import { type CachePlan, type PlannedDataset, symbolDataset } from './cachePlan.ts'
import { type CellShape, type SpillFile, SpilledMatrix, spilledFlags } from './spill.ts'

const MIN_BLOCK_TIMES = 16

const blockTimesOf = (symbolCount: number): number =>
  Math.max(MIN_BLOCK_TIMES, Math.floor(FILE_BLOCK_CELLS / symbolCount))

/** Describes how a panel that is read block by block stores its cells, wherever its rows come from. */
export function blockReading(spill: SpillFile, shape: CellShape) {
  return {
    blockTimes: blockTimesOf(shape.symbolCount),
    tileSymbols: 1,
    newMatrix: () => new SpilledMatrix(spill, shape),
  }
}

interface BlockPanelContext {
  spill: SpillFile
  checkpoint: Checkpoint
  onShare: (share: number) => void
}

/**
 * Opens the panel of a plan whose cells do not fit into memory: a file marks the cells that have a row, and columns are
 * read symbol by symbol whenever a formula needs them. Throws a `PanelError` if a file cannot be used.
 */
export function openCacheBlocks(plan: CachePlan, universe: UniverseRows | null, context: BlockPanelContext) {
  const { spill } = context
  const { intervalMs } = plan
  const { facts, symbols, rows, plannedGrid, extent } = findRows(plan, context)
  const shape = { timeCount: extent.to - extent.from, symbolCount: symbols.length }
  const grid = { intervalMs, firstSlot: plannedGrid.firstSlot + extent.from, timeCount: shape.timeCount }
  const hasRow = rows.viewOf(extent.from, shape)
  const duplicates = facts.reduce((sum, one) => sum + one.rows.duplicates, 0)
  const columns = Map.groupBy(facts.flatMap(columnsOf), ([name]) => name)
  const reader = new SymbolReader(symbols)
  const panel: StudyPanel = {
    ...grid,
    ...blockReading(spill, shape),
    symbols: symbols.map((index) => plan.symbols[index].name),
    rows: extent.count + duplicates,
    duplicates,
    otherColumns: namesOf(facts, ({ otherColumns }) => [...otherColumns]),
    columnNames: namesOf(facts, ({ columnNames }) => columnNames),
    seriesNames: [...columns.keys()],
    series(name, symbol) {
      const places = columns.get(name)?.map(([, place]) => place)
      if (!places) return null
      const column = places.find(({ dataset }) => dataset.files[symbols[symbol]].length > 0) ?? places[0]
      const series = reader.read(column, symbol)
      if (column.dataset.intervalMs !== intervalMs) return series
      return alignSeries(series, { intervalMs, firstSlot: grid.firstSlot, rows: grid.timeCount })
    },
    hasRow,
    member: universe && new MemberCells(hasRow, grid, membershipTestsOf(plan, symbols, universe)),
  }
  return { panel, notDownloaded: { files: plan.missingFiles, cells: lostCells(plan, panel, symbols) } }
}

interface DatasetFacts {
  dataset: PlannedDataset
  rows: DatasetRows
}

interface ColumnPlace {
  dataset: PlannedDataset
  name: string
}

const columnsOf = ({ dataset, rows: { numericColumns } }: DatasetFacts) =>
  [...numericColumns].map((name): [string, ColumnPlace] => [
    `${dataset.alias ?? dataset.dataset}.${name}`,
    { dataset, name },
  ])

/** Finds which cells of the grid have a row, symbol by symbol, and which columns the datasets have. */
function findRows(plan: CachePlan, { spill, checkpoint, onShare }: BlockPanelContext) {
  const datasetsAtInterval = plan.datasets.filter(({ intervalMs, rows }) => intervalMs === plan.intervalMs && rows > 0)
  const firstSlot = Math.min(...datasetsAtInterval.map((dataset) => dataset.firstSlot))
  const endSlot = Math.max(...datasetsAtInterval.map((dataset) => dataset.firstSlot + dataset.rows))
  const timeCount = datasetsAtInterval.length === 0 ? 0 : endSlot - firstSlot
  const rows = spilledFlags(spill, { timeCount, symbolCount: plan.symbols.length })
  const facts = plan.datasets.map((dataset): DatasetFacts => ({ dataset, rows: emptyRows() }))
  const symbols: number[] = []
  const extent = { from: Infinity, to: -Infinity, count: 0 }
  for (let symbol = 0; symbol < plan.symbols.length; symbol++) {
    checkpoint()
    onShare(symbol / plan.symbols.length)
    const hasRow = new Uint8Array(timeCount)
    for (const { dataset, rows: mergedRows } of facts) {
      const symbolRows = new DatasetReader(symbolDataset(dataset, symbol), () => undefined, {
        readsValues: false,
      }).read()
      addFacts(mergedRows, symbolRows)
      if (!datasetsAtInterval.includes(dataset)) continue
      const shift = dataset.firstSlot - firstSlot
      for (let row = 0; row < symbolRows.hasRow.length; row++) if (symbolRows.hasRow[row]) hasRow[shift + row] = 1
    }
    const from = hasRow.indexOf(1)
    if (from < 0) continue
    extent.from = Math.min(extent.from, from)
    extent.to = Math.max(extent.to, hasRow.lastIndexOf(1) + 1)
    extent.count += hasRow.reduce((sum, one) => sum + one, 0)
    rows.writeSymbol(symbols.length, hasRow)
    symbols.push(symbol)
  }
  if (symbols.length === 0) throw new PanelError('no row of the cached files is in the range of the study.')
  return { facts, symbols, rows, plannedGrid: { firstSlot }, extent }
}

const emptyRows = (): DatasetRows => ({
  hasRow: new Uint8Array(0),
  columns: new Map(),
  numericColumns: new Set(),
  otherColumns: new Set(),
  columnNames: [],
  duplicates: 0,
  bytes: 0,
})

function addFacts(mergedRows: DatasetRows, symbolRows: DatasetRows): void {
  for (const name of symbolRows.numericColumns) mergedRows.numericColumns.add(name)
  for (const name of symbolRows.otherColumns) mergedRows.otherColumns.add(name)
  for (const name of symbolRows.columnNames)
    if (!mergedRows.columnNames.includes(name)) mergedRows.columnNames.push(name)
  mergedRows.duplicates += symbolRows.duplicates
}

/**
 * Reads all columns of one symbol at a time, because a formula uses all of them before it goes on to the next symbol.
 */
class SymbolReader {
  readonly #symbols: readonly number[]
  readonly #read = new Map<PlannedDataset, DatasetRows>()
  #symbol = -1

  /** @param symbols for each symbol of the panel, its index in the plan */
  constructor(symbols: readonly number[]) {
    this.#symbols = symbols
  }

  /** Returns a column of a symbol on the grid of its dataset. */
  read({ dataset, name }: ColumnPlace, symbol: number): Series {
    if (symbol !== this.#symbol) this.#read.clear()
    this.#symbol = symbol
    const rows =
      this.#read.get(dataset) ??
      new DatasetReader(symbolDataset(dataset, this.#symbols[symbol]), () => undefined).read()
    this.#read.set(dataset, rows)
    const { intervalMs, firstSlot } = dataset
    const column = rows.columns.get(name)
    const values = column?.values ?? new Float64Array(dataset.rows)
    const valid = column?.valid ?? new Uint8Array(dataset.rows)
    return { intervalMs, firstSlot, values, valid }
  }
}

type MemberAt = (timeMs: number) => 0 | 1

const membershipTestsOf = (plan: CachePlan, symbols: readonly number[], universe: UniverseRows): MemberAt[] =>
  symbols.map((index) => membershipTest(universe, plan.symbols[index].symbol))

/** Members of a universe; as in a panel file, a cell without a row is not a member. */
class MemberCells implements CellRows<Uint8Array> {
  readonly #hasRow: CellRows<Uint8Array>
  readonly #grid: Pick<StudyPanel, 'firstSlot' | 'intervalMs' | 'timeCount'>
  readonly #members: readonly MemberAt[]

  constructor(
    hasRow: CellRows<Uint8Array>,
    grid: Pick<StudyPanel, 'firstSlot' | 'intervalMs' | 'timeCount'>,
    members: readonly MemberAt[],
  ) {
    this.#hasRow = hasRow
    this.#grid = grid
    this.#members = members
  }

  rows(from: number, to: number): Uint8Array {
    const { firstSlot, intervalMs } = this.#grid
    const member = this.#hasRow.rows(from, to).slice()
    for (let time = from, cell = 0; time < to; time++) {
      const timeMs = (firstSlot + time) * intervalMs
      for (const isMemberAt of this.#members) {
        if (member[cell] && !isMemberAt(timeMs)) member[cell] = 0
        cell++
      }
    }
    return member
  }

  symbol(index: number, from = 0, to = this.#grid.timeCount): Uint8Array {
    const { firstSlot, intervalMs } = this.#grid
    const isMemberAt = this.#members[index]
    return this.#hasRow
      .symbol(index, from, to)
      .map((has, row) => has && isMemberAt((firstSlot + from + row) * intervalMs))
  }
}
