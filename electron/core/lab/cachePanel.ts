import { basename } from 'node:path'
import { isChangedFile } from '#core/parquet/fileVersion.ts'
import type { ParquetFile } from '#core/parquet/parquetFile.ts'
import { isNumeric } from '#core/parquet/quantityColumns.ts'
import { readNumbers, type FileRowRange } from '#core/parquet/readColumn.ts'
import { openValidated } from '#core/series/readSeries.ts'
import { readTimesMs } from '#core/series/rowSelection.ts'
import { alignSeries } from '#shared/formula/alignSeries.ts'
import type { Series } from '#shared/formula/series.ts'
import { type Panel, type PanelColumn, PanelError, refuseTooLarge, type StudyGrid } from '#shared/lab/panel.ts'
import { type CellRows, memoryPanel } from '#shared/lab/studyPanel.ts'
import { membershipTest, type UniverseRows } from '#shared/lab/universe.ts'
import type { CachePlan, PlannedDataset, PlannedFile } from './cachePlan.ts'
import { markOwnBars } from './ownBars.ts'

/** Rows of one dataset on its grid, ordered by symbol: cell `symbol · rows + row`. */
export interface DatasetRows {
  hasRow: Uint8Array
  columns: Map<string, PanelColumn>
  /** Requested columns that at least one file has as numbers. */
  numericColumns: Set<string>
  /** Requested columns that at least one file has as something other than numbers. */
  otherColumns: Set<string>
  columnNames: string[]
  duplicates: number
  bytes: number
}

/** The panel of a study from the cache. */
export interface CachePanel {
  panel: Panel
  /** Number of files that are not cached, and number of cells that have no row because a file is missing. */
  notDownloaded: { files: number; cells: number }
}

/** Maximum number of bytes of decoded columns that are cached for the next run. */
const MOST_KEPT_BYTES = 768 * 2 ** 20

/** Cache of decoded datasets by their keys, the most recently used last. */
export class DatasetCache {
  readonly #rowsByKey = new Map<string, DatasetRows>()

  get(key: string, columns: readonly string[]): DatasetRows | null {
    const cachedRows = this.#rowsByKey.get(key)
    if (!cachedRows || !columns.every((name) => isKnown(cachedRows, name))) return null
    this.#rowsByKey.delete(key)
    this.#rowsByKey.set(key, cachedRows)
    return cachedRows
  }

  /** Empties the cache, before a study that needs the memory. */
  clear(): void {
    this.#rowsByKey.clear()
  }

  /** Adds a dataset; columns that were decoded for an earlier study stay. */
  keep(key: string, rows: DatasetRows): DatasetRows {
    const previous = this.#rowsByKey.get(key)
    for (const [name, column] of previous?.columns ?? []) if (!rows.columns.has(name)) rows.columns.set(name, column)
    rows.bytes = rows.hasRow.length * (1 + 9 * rows.columns.size)
    this.#rowsByKey.delete(key)
    this.#rowsByKey.set(key, rows)
    let total = [...this.#rowsByKey.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    for (const [leastRecent, { bytes }] of this.#rowsByKey) {
      if (total <= MOST_KEPT_BYTES || leastRecent === key) break
      this.#rowsByKey.delete(leastRecent)
      total -= bytes
    }
    return rows
  }
}

const isKnown = ({ columns, otherColumns, columnNames }: DatasetRows, name: string) =>
  columns.has(name) || otherColumns.has(name) || (columnNames.length > 0 && !columnNames.includes(name))

/** Builds the panel of a plan; throws a `PanelError` if a file cannot be used. */
export function readCachePanel(
  plan: CachePlan,
  universe: UniverseRows | null,
  cache: DatasetCache,
  onShare: (share: number) => void,
): CachePanel {
  const readDatasets = plan.datasets.map((dataset, index) => {
    const cachedRows = cache.get(dataset.key, dataset.columns)
    const reader = new DatasetReader(dataset, (share) => onShare((index + share) / plan.datasets.length))
    return { dataset, rows: cachedRows ?? cache.keep(dataset.key, reader.read()) }
  })
  return assemble(plan, readDatasets, universe)
}

interface ReadingOptions {
  /** False to find only which rows and columns exist. */
  readsValues?: boolean
  /** True to take all columns of the files as requested. */
  readsAllColumns?: boolean
}

/** Reads the files of a dataset symbol by symbol. */
export class DatasetReader {
  readonly #dataset: PlannedDataset
  readonly #onShare: (share: number) => void
  readonly #rows: DatasetRows
  readonly #options: ReadingOptions
  #scratch = new Float64Array(0)
  #scratchValid = new Uint8Array(0)

  constructor(dataset: PlannedDataset, onShare: (share: number) => void, options: ReadingOptions = {}) {
    this.#dataset = dataset
    this.#options = options
    this.#onShare = onShare
    const cells = dataset.rows * dataset.files.length
    refuseTooLarge({
      timeCount: dataset.rows,
      symbolCount: dataset.files.length,
      columnCount: dataset.columns.length,
      intervalMs: dataset.intervalMs,
    })
    this.#rows = {
      hasRow: new Uint8Array(cells),
      columns: new Map(),
      numericColumns: new Set(),
      otherColumns: new Set(),
      columnNames: [],
      duplicates: 0,
      bytes: 0,
    }
  }

  read(): DatasetRows {
    if (this.#dataset.own) markOwnBars(this.#dataset.own, this.#dataset, this.#rows.hasRow)
    this.#dataset.files.forEach((files, symbol) => {
      this.#onShare(symbol / this.#dataset.files.length)
      for (const file of files) this.#readFile(file, symbol)
    })
    return this.#rows
  }

  #readFile(planned: PlannedFile, symbol: number): void {
    try {
      using file = openValidated(planned)
      const columns = this.#columnsOf(file)
      if (planned.regular) this.#readRegular(file, planned, planned.regular, { symbol, columns })
      else this.#readByTime(file, planned, { symbol, columns })
    } catch (error) {
      // A file that has changed since its validation is validated again by the caller.
      if (error instanceof PanelError || isChangedFile(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new PanelError(`${basename(planned.path)}: ${reason.replaceAll(planned.path, 'the file')}`)
    }
  }

  /** Notes all columns of a file, and returns the arrays for the requested ones whose numbers are to be read. */
  #columnsOf(file: ParquetFile): [string, PanelColumn][] {
    const { columns, numericColumns, otherColumns, hasRow } = this.#rows
    const names = new Set(this.#rows.columnNames)
    for (const { name } of file.columns) if (name !== 'time' && !names.has(name)) this.#rows.columnNames.push(name)
    const { readsValues = true, readsAllColumns = false } = this.#options
    const requested = readsAllColumns ? this.#rows.columnNames : this.#dataset.columns
    return requested.flatMap((name): [string, PanelColumn][] => {
      const position = file.indexOf(name)
      if (position < 0) return []
      if (!isNumeric(file.columns[position])) {
        otherColumns.add(name)
        return []
      }
      numericColumns.add(name)
      if (!readsValues) return []
      const column = columns.get(name) ?? {
        values: new Float64Array(hasRow.length),
        valid: new Uint8Array(hasRow.length),
      }
      columns.set(name, column)
      return [[name, column]]
    })
  }

  /** Reads a file without gaps, whose times are known from the index. */
  #readRegular(
    file: ParquetFile,
    { startMs, endMs }: PlannedFile,
    { rows, firstTimeMs }: { rows: number; firstTimeMs: number },
    { symbol, columns }: { symbol: number; columns: readonly [string, PanelColumn][] },
  ): void {
    const { intervalMs, firstSlot } = this.#dataset
    if (file.rows !== rows) throw new PanelError(`${basename(file.path)}: its rows have changed since it was added.`)
    const fileStartSlot = firstTimeMs / intervalMs
    const from = Math.max(0, Math.ceil(startMs / intervalMs) - fileStartSlot)
    const to = Math.min(rows, Math.ceil(endMs / intervalMs) - fileStartSlot)
    if (to <= from) return
    const cell = symbol * this.#dataset.rows + fileStartSlot + from - firstSlot
    this.#rows.hasRow.fill(1, cell, cell + to - from)
    for (const [name, { values, valid }] of columns) {
      valid.fill(1, cell, cell + to - from)
      readNumbers(file, name, { from, to }, { values, valid, at: cell })
      dropMissing(values, valid, cell, cell + to - from)
    }
  }

  /** Reads a file row by row; of two rows with the same time, the later one replaces the earlier one completely. */
  #readByTime(
    file: ParquetFile,
    { startMs, endMs }: PlannedFile,
    { symbol, columns }: { symbol: number; columns: readonly [string, PanelColumn][] },
  ): void {
    const { intervalMs, firstSlot } = this.#dataset
    const time = file.columns.find(({ name }) => name === 'time')
    if (!time) throw new PanelError(`${basename(file.path)}: the column time is missing.`)
    const times = readTimesMs(file, time, { from: 0, to: file.rows })
    const cells = new Int32Array(times.length).fill(-1)
    for (let row = 0; row < times.length; row++) {
      const timeMs = times[row]
      if (Number.isNaN(timeMs)) throw new PanelError(`${basename(file.path)}: row ${row + 1} has no time.`)
      if (timeMs % intervalMs !== 0) throw offGridError(file, row, timeMs, intervalMs)
      if (timeMs < startMs || timeMs >= endMs) continue
      const cell = symbol * this.#dataset.rows + timeMs / intervalMs - firstSlot
      if (this.#rows.hasRow[cell]) this.#rows.duplicates++
      this.#rows.hasRow[cell] = 1
      cells[row] = cell
    }
    for (const [name, column] of columns) this.#scatter(file, name, cells, column)
  }

  #scatter(file: ParquetFile, name: string, cells: Int32Array, { values, valid }: PanelColumn): void {
    if (this.#scratch.length < file.rows) {
      this.#scratch = new Float64Array(file.rows)
      this.#scratchValid = new Uint8Array(file.rows)
    }
    const range: FileRowRange = { from: 0, to: file.rows }
    this.#scratchValid.fill(1, 0, file.rows)
    readNumbers(file, name, range, { values: this.#scratch, valid: this.#scratchValid, at: 0 })
    dropMissing(this.#scratch, this.#scratchValid, 0, file.rows)
    for (let row = 0; row < cells.length; row++) {
      if (cells[row] < 0) continue
      values[cells[row]] = this.#scratch[row]
      valid[cells[row]] = this.#scratchValid[row]
    }
  }
}

function offGridError(file: ParquetFile, row: number, time: number, intervalMs: number): PanelError {
  return new PanelError(
    `${basename(file.path)}: row ${row + 1} is off the grid: its time ${time} is not a multiple of the interval (${intervalMs} ms).`,
  )
}

/** Marks NaN and infinities as missing values. */
function dropMissing(values: Float64Array, valid: Uint8Array, from: number, to: number): void {
  for (let index = from; index < to; index++) {
    const value = values[index]
    if (value - value === 0 && valid[index]) continue
    values[index] = 0
    valid[index] = 0
  }
}

interface ReadDataset {
  dataset: PlannedDataset
  rows: DatasetRows
}

/** Part of a plan's grid that has rows. */
interface Extent {
  /** Indices, within the plan, of the symbols that have a row. */
  symbols: number[]
  firstSlot: number
  timeCount: number
}

/** Cuts the datasets to a grid that begins and ends with a row and has only symbols with rows. */
function assemble(plan: CachePlan, readDatasets: readonly ReadDataset[], universe: UniverseRows | null): CachePanel {
  const { intervalMs } = plan
  const datasetsAtInterval = readDatasets.filter(({ dataset }) => dataset.intervalMs === intervalMs)
  const extent = extentOf(plan, datasetsAtInterval)
  const { symbols, firstSlot, timeCount } = extent
  const { hasRow, count } = joinRows(datasetsAtInterval, extent)
  const plannedSymbols = symbols.map((index) => plan.symbols[index])
  const duplicates = datasetsAtInterval.reduce((sum, { rows }) => sum + rows.duplicates, 0)
  const columns = [...Map.groupBy(readDatasets, ({ dataset }) => dataset.alias ?? dataset.dataset)].flatMap(
    ([name, parts]) =>
      columnsOf(parts, plan, extent).map(([column, cells]): [string, PanelColumn] => [`${name}.${column}`, cells]),
  )
  const panel: Panel = {
    intervalMs,
    firstSlot,
    timeCount,
    symbols: plannedSymbols.map(({ name }) => name),
    columns: new Map(columns),
    hasRow,
    member: universe && membersOf(hasRow, { plannedSymbols, firstSlot, timeCount, intervalMs, universe }),
    otherColumns: namesOf(readDatasets, ({ otherColumns }) => [...otherColumns]),
    columnNames: namesOf(readDatasets, ({ columnNames }) => columnNames),
    rows: count + duplicates,
    duplicates,
  }
  const cells = lostCells(plan, memoryPanel(panel), symbols)
  return { panel, notDownloaded: { files: plan.missingFiles, cells } }
}

/** Lists the columns of datasets by their full names; a dataset that is read at several intervals counts once. */
export const namesOf = (
  readDatasets: readonly { dataset: PlannedDataset; rows: DatasetRows }[],
  columnsIn: (rows: DatasetRows) => readonly string[],
) => [
  ...new Set(readDatasets.flatMap(({ dataset, rows }) => columnsIn(rows).map((name) => `${dataset.dataset}.${name}`))),
]

function extentOf(plan: CachePlan, datasetsAtInterval: readonly ReadDataset[]): Extent {
  let firstRowSlot = Infinity
  let lastRowSlot = -Infinity
  const symbols = plan.symbols.flatMap((_, symbol) => {
    let isPresent = false
    for (const { dataset, rows } of datasetsAtInterval) {
      const cells = rows.hasRow.subarray(symbol * dataset.rows, (symbol + 1) * dataset.rows)
      const start = cells.indexOf(1)
      if (start < 0) continue
      isPresent = true
      firstRowSlot = Math.min(firstRowSlot, dataset.firstSlot + start)
      lastRowSlot = Math.max(lastRowSlot, dataset.firstSlot + cells.lastIndexOf(1))
    }
    return isPresent ? [symbol] : []
  })
  if (symbols.length === 0) throw new PanelError('no row of the cached files is in the range of the study.')
  return { symbols, firstSlot: firstRowSlot, timeCount: lastRowSlot - firstRowSlot + 1 }
}

/** Marks the cells in which any of the datasets has a row, ordered by time. */
function joinRows(datasetsAtInterval: readonly ReadDataset[], { symbols, firstSlot, timeCount }: Extent) {
  const hasRow = new Uint8Array(timeCount * symbols.length)
  let count = 0
  for (const { dataset, rows } of datasetsAtInterval) {
    symbols.forEach((planIndex, symbol) => {
      const offset = planIndex * dataset.rows + firstSlot - dataset.firstSlot
      const start = Math.max(0, dataset.firstSlot - firstSlot)
      const end = Math.min(timeCount, dataset.firstSlot + dataset.rows - firstSlot)
      for (let time = start; time < end; time++) {
        const cell = time * symbols.length + symbol
        if (!rows.hasRow[offset + time] || hasRow[cell]) continue
        hasRow[cell] = 1
        count++
      }
    })
  }
  return { hasRow, count }
}

/** Cuts a column to an extent; a column that already has this extent is not copied. */
function cutColumn(
  column: PanelColumn,
  dataset: PlannedDataset,
  { symbols, firstSlot, timeCount }: Extent,
): PanelColumn {
  const hasAllSymbols = symbols.length === dataset.files.length
  if (hasAllSymbols && firstSlot === dataset.firstSlot && timeCount === dataset.rows) return column
  const cut = {
    values: new Float64Array(timeCount * symbols.length),
    valid: new Uint8Array(timeCount * symbols.length),
  }
  const start = Math.max(0, dataset.firstSlot - firstSlot)
  const end = Math.min(timeCount, dataset.firstSlot + dataset.rows - firstSlot)
  if (end <= start) return cut
  symbols.forEach((planIndex, symbol) => {
    const offset = planIndex * dataset.rows + firstSlot - dataset.firstSlot
    cut.values.set(column.values.subarray(offset + start, offset + end), symbol * timeCount + start)
    cut.valid.set(column.valid.subarray(offset + start, offset + end), symbol * timeCount + start)
  })
  return cut
}

/** Builds the columns of a dataset, which is read at one interval or, depending on the symbol, at several. */
function columnsOf(parts: readonly ReadDataset[], { intervalMs }: CachePlan, extent: Extent): [string, PanelColumn][] {
  const names = parts.flatMap(({ dataset, rows }) =>
    [...rows.columns.keys()].filter((name) => dataset.columns.includes(name)),
  )
  const [{ dataset, rows }] = parts
  const isOnGrid = parts.length === 1 && dataset.intervalMs === intervalMs
  return [...new Set(names)].map((name) => {
    const column = rows.columns.get(name)
    const cells =
      isOnGrid && column !== undefined
        ? cutColumn(column, dataset, extent)
        : joinColumn(parts, name, { ...extent, intervalMs })
    return [name, cells]
  })
}

/** Concatenates the rows of the symbols, each on the grid of the interval that is read for it. */
function joinColumn(
  parts: readonly ReadDataset[],
  name: string,
  { symbols, intervalMs, firstSlot, timeCount }: Extent & { intervalMs: number },
): PanelColumn {
  const series = symbols.map((planIndex) => {
    const part = parts.find(({ dataset }) => dataset.files[planIndex].length > 0) ?? parts[0]
    const symbolSeries = rowsOfSymbol(part, name, planIndex)
    return symbolSeries.intervalMs === intervalMs
      ? alignSeries(symbolSeries, { intervalMs, firstSlot, rows: timeCount })
      : symbolSeries
  })
  let cells = 0
  const grids = series.map(({ values: { length: rows }, ...grid }) => {
    const from = cells
    cells += rows
    return { intervalMs: grid.intervalMs, firstSlot: grid.firstSlot, rows, from }
  })
  const column = { values: new Float64Array(cells), valid: new Uint8Array(cells), grids }
  series.forEach(({ values, valid }, index) => {
    const { from, rows } = grids[index]
    column.values.set(values, from)
    if (valid) column.valid.set(valid, from)
    else column.valid.fill(1, from, from + rows)
  })
  return column
}

/** Returns a column of a symbol on the grid of a dataset; without values if the files lack the column. */
function rowsOfSymbol({ dataset, rows: { columns } }: ReadDataset, name: string, planIndex: number): Series {
  const { intervalMs, firstSlot, rows } = dataset
  const column = columns.get(name) ?? { values: new Float64Array(0), valid: new Uint8Array(0) }
  const [from, to] = [planIndex * rows, (planIndex + 1) * rows]
  return { intervalMs, firstSlot, values: column.values.subarray(from, to), valid: column.valid.subarray(from, to) }
}

interface MemberContext extends Pick<Panel, 'firstSlot' | 'timeCount' | 'intervalMs'> {
  plannedSymbols: readonly { symbol: string }[]
  universe: UniverseRows
}

/** Marks the members of a universe; as in a panel file, a cell without a row is not a member. */
function membersOf(
  hasRow: Uint8Array,
  { plannedSymbols, firstSlot, timeCount, intervalMs, universe }: MemberContext,
): Uint8Array {
  const member = new Uint8Array(hasRow.length)
  const membershipTests = plannedSymbols.map(({ symbol }) => membershipTest(universe, symbol))
  for (let time = 0, cell = 0; time < timeCount; time++) {
    const timeMs = (firstSlot + time) * intervalMs
    for (let symbol = 0; symbol < plannedSymbols.length; symbol++, cell++)
      member[cell] = hasRow[cell] && membershipTests[symbol](timeMs)
  }
  return member
}

/** Counts the cells that lack a row because a file is missing. */
export function lostCells(
  { missingRanges }: CachePlan,
  panel: StudyGrid & { hasRow: Pick<CellRows<Uint8Array>, 'symbol'> },
  symbols: readonly number[],
): number {
  const { hasRow, intervalMs, firstSlot, timeCount } = panel
  const lostTimes = new Uint8Array(timeCount)
  let cells = 0
  symbols.forEach((planIndex, symbol) => {
    const ranges = missingRanges[planIndex]
    if (ranges.length === 0) return
    lostTimes.fill(0)
    for (const { startMs, endMs } of ranges) {
      const start = Math.max(0, Math.ceil(startMs / intervalMs) - firstSlot)
      const end = Math.min(timeCount, Math.ceil(endMs / intervalMs) - firstSlot)
      if (end > start) lostTimes.fill(1, start, end)
    }
    const rows = hasRow.symbol(symbol)
    for (let time = 0; time < timeCount; time++) if (lostTimes[time] && !rows[time]) cells++
  })
  return cells
}
