import type { Checkpoint } from '#shared/lab/checkpoint.ts'
import type { ClockColumn, ClockRows, ClockValues } from '#shared/lab/clockRows.ts'
import type { ClockStudy } from '#shared/lab/kinds/clocks/fields.ts'
import { type PanelColumn, NoRowsError, PanelError } from '#shared/lab/panel.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { memoryPanel, type StudyPanel } from '#shared/lab/studyPanel.ts'
import { membershipTest, type UniverseRows } from '#shared/lab/universe.ts'
import { type CachePanel, DatasetReader, type DatasetRows, lostCells } from './cachePanel.ts'
import { type CachePlan, type PlannedDataset, type PlannedSymbol, symbolDataset } from './cachePlan.ts'

const clocks = ['exchange', 'true'] as const

/** Cached rows of a study of clocks, by both clocks. */
type BothClocks = Record<(typeof clocks)[number], { plan: CachePlan; universe: UniverseRows | null }>

interface ClockContext {
  checkpoint: Checkpoint
  /** Reports the fraction of the files that are read. */
  onShare: (share: number) => void
}

interface OpenedClocks {
  /** Grid and number of rows; it has no cells. */
  panel: StudyPanel
  clocks: ClockRows
  notDownloaded: CachePanel['notDownloaded']
}

/** Fraction of the progress for finding rows and columns, before any value is read. */
const FINDING_SHARE = 0.2

/** Finds the rows and columns that the cache has by both clocks; their values are read column by column. */
export function openClocks(study: ClockStudy, rows: BothClocks, context: ClockContext): OpenedClocks {
  const pairs = pairedDatasets(rows)
  if (pairs.length === 0)
    throw new NoRowsError('no dataset is cached by both clocks, exchange and true, for any symbol of the study.')
  const found = pairs.map((pair, at) => {
    context.checkpoint()
    context.onShare((FINDING_SHARE * at) / pairs.length)
    return findRows(pair, study.columns)
  })
  refuseUnknown(study, found)
  const withColumns = found.filter(({ columns }) => columns.length > 0)
  const panel = gridOf(study, rows.exchange.plan, withColumns)
  const report = progressOf(withColumns, context)
  const bySymbol = Map.groupBy(withColumns, ({ symbol }) => symbol.name)
  return {
    panel,
    clocks: {
      symbols: panel.symbols.map((name) => ({
        symbol: name,
        columns: () => readColumns(bySymbol.get(name) ?? [], rows, report),
      })),
    },
    notDownloaded: missingIn(rows, panel, withColumns),
  }
}

/** A dataset of one symbol by both clocks. */
interface DatasetPair {
  symbol: PlannedSymbol
  exchange: PlannedDataset
  true: PlannedDataset
}

/** Lists the datasets that have files by both clocks, symbol by symbol in the order of their names. */
function pairedDatasets({ exchange: { plan }, true: { plan: other } }: BothClocks): DatasetPair[] {
  const arrivalPlaces = new Map(other.symbols.map(({ name }, at) => [name, at]))
  return plan.symbols.flatMap((symbol, at) =>
    plan.datasets.flatMap((dataset) => {
      const arrivalPlace = arrivalPlaces.get(symbol.name)
      const arrival = other.datasets.find((one) => one.dataset === dataset.dataset)
      if (arrivalPlace === undefined || !arrival) return []
      if (dataset.files[at].length === 0 || arrival.files[arrivalPlace].length === 0) return []
      return [{ symbol, exchange: symbolDataset(dataset, at), true: symbolDataset(arrival, arrivalPlace) }]
    }),
  )
}

interface FoundPair extends DatasetPair {
  /** Names of the columns to compare, without their dataset. */
  columns: string[]
  hasRow: Record<(typeof clocks)[number], Uint8Array>
  duplicates: number
}

const ignoreShare = () => undefined

/** Finds the rows of a dataset and the columns that are numbers by both clocks. */
function findRows(pair: DatasetPair, wanted: readonly string[] | null): FoundPair {
  const rowsOf = (dataset: PlannedDataset): DatasetRows =>
    new DatasetReader(dataset, ignoreShare, { readsValues: false, readsAllColumns: true }).read()
  const [exchange, arrival] = [rowsOf(pair.exchange), rowsOf(pair.true)]
  return {
    ...pair,
    columns: exchange.columnNames.filter(
      (name) =>
        exchange.numericColumns.has(name) &&
        arrival.numericColumns.has(name) &&
        (wanted === null || wanted.includes(`${pair.exchange.dataset}.${name}`)),
    ),
    hasRow: { exchange: exchange.hasRow, true: arrival.hasRow },
    duplicates: exchange.duplicates + arrival.duplicates,
  }
}

/** Throws a `StudyError` for a column that the study names and that no symbol has by both clocks. */
function refuseUnknown({ columns }: ClockStudy, found: readonly FoundPair[]): void {
  const known = new Set(found.flatMap((pair) => pair.columns.map((name) => `${pair.exchange.dataset}.${name}`)))
  const unknown = columns?.findIndex((name) => !known.has(name)) ?? -1
  if (columns && unknown >= 0)
    throw new StudyError(
      `columns[${unknown}]`,
      `${columns[unknown]} is not a column of numbers that is cached by both clocks.`,
    )
}

/** Describes the grid from the first to the last row of any symbol by either clock. */
function gridOf({ kind }: ClockStudy, { intervalMs }: CachePlan, found: readonly FoundPair[]): StudyPanel {
  let firstSlot = Infinity
  let endSlot = -Infinity
  for (const pair of found) {
    for (const clock of clocks) {
      const rows = pair.hasRow[clock]
      const first = rows.indexOf(1)
      if (first < 0) continue
      firstSlot = Math.min(firstSlot, pair[clock].firstSlot + first)
      endSlot = Math.max(endSlot, pair[clock].firstSlot + rows.lastIndexOf(1) + 1)
    }
  }
  if (endSlot < firstSlot) throw new PanelError(`no row of the cached files is in the range of the study of ${kind}.`)
  const symbols = [...new Set(found.map(({ symbol }) => symbol.name))]
  const grid = { intervalMs, firstSlot, timeCount: endSlot - firstSlot, symbols }
  const duplicates = found.reduce((sum, pair) => sum + pair.duplicates, 0)
  const count = [...Map.groupBy(found, ({ symbol }) => symbol.name).values()].reduce(
    (sum, own) => sum + rowsOnGrid(own, grid).reduce((rows, one) => rows + one, 0),
    0,
  )
  return memoryPanel({
    ...grid,
    columns: new Map(),
    hasRow: new Uint8Array(0),
    member: null,
    otherColumns: [],
    columnNames: [],
    rows: count + duplicates,
    duplicates,
  })
}

/** Marks the times of the grid at which a symbol has a row of any dataset by either clock. */
function rowsOnGrid(pairs: readonly FoundPair[], grid: { firstSlot: number; timeCount: number }): Uint8Array {
  const hasRow = new Uint8Array(grid.timeCount)
  for (const pair of pairs) {
    for (const clock of clocks) {
      const offset = pair[clock].firstSlot - grid.firstSlot
      pair.hasRow[clock].forEach((one, row) => {
        if (one) hasRow[row + offset] = 1
      })
    }
  }
  return hasRow
}

/** Counts the files that are not cached, and the cells that have no row because of that. */
function missingIn(rows: BothClocks, panel: StudyPanel, found: readonly FoundPair[]): OpenedClocks['notDownloaded'] {
  const bySymbol = Map.groupBy(found, ({ symbol }) => symbol.name)
  const hasRow = { symbol: (at: number) => rowsOnGrid(bySymbol.get(panel.symbols[at]) ?? [], panel) }
  const missing = clocks.map((clock) => {
    const { plan } = rows[clock]
    const places = panel.symbols.map((name) => plan.symbols.findIndex((symbol) => symbol.name === name))
    return { files: plan.missingFiles, cells: lostCells(plan, { ...panel, hasRow }, places) }
  })
  return {
    files: missing.reduce((sum, { files }) => sum + files, 0),
    // A cell without a row lacks it by both clocks, so it is not counted twice.
    cells: Math.max(...missing.map(({ cells }) => cells)),
  }
}

/** Maximum number of values of a clock that are read together. */
const MOST_VALUES = 2 ** 20

function progressOf(found: readonly FoundPair[], { checkpoint, onShare }: ClockContext) {
  const all = found.reduce((sum, { columns }) => sum + columns.length, 0)
  let done = 0
  return (columns: number) => {
    checkpoint()
    onShare(FINDING_SHARE + ((1 - FINDING_SHARE) * done) / Math.max(1, all))
    done += columns
  }
}

/** Reads the columns of a symbol, a few at a time. */
function* readColumns(
  pairs: readonly FoundPair[],
  { exchange: { universe } }: BothClocks,
  report: (columns: number) => void,
): Generator<ClockColumn> {
  for (const { symbol, columns, ...pair } of pairs) {
    const isMember = universe && membershipTest(universe, symbol.symbol)
    const chunk = Math.max(1, Math.floor(MOST_VALUES / Math.max(1, pair.exchange.rows, pair.true.rows)))
    for (let from = 0; from < columns.length; from += chunk) {
      const names = columns.slice(from, from + chunk)
      report(names.length)
      const [exchange, arrival] = clocks.map((clock) => {
        const dataset = { ...pair[clock], columns: names }
        return { dataset, rows: new DatasetReader(dataset, ignoreShare).read() }
      })
      for (const name of names)
        yield {
          column: `${pair.exchange.dataset}.${name}`,
          dataset: pair.exchange.dataset,
          exchange: valuesOf(exchange, name, isMember),
          true: valuesOf(arrival, name, isMember),
        }
    }
  }
}

function valuesOf(
  { dataset, rows }: { dataset: PlannedDataset; rows: DatasetRows },
  name: string,
  isMember: ((timeMs: number) => 0 | 1) | null,
): ClockValues {
  const { values, valid }: PanelColumn = rows.columns.get(name)!
  const { firstSlot, intervalMs } = dataset
  if (isMember)
    for (let row = 0; row < valid.length; row++) if (!isMember((firstSlot + row) * intervalMs)) valid[row] = 0
  return { firstSlot, values, valid }
}
