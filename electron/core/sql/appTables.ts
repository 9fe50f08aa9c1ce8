import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import { type Column, numberColumn, textColumn } from '#shared/contract/frame.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { columnUnit } from '#shared/units/measureUnits.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { fundingList } from '#core/funding/fundingRows.ts'
import type { InstrumentFunding } from '#core/funding/instrumentFunding.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { LedgerEntry } from '#core/store/ledger/ledgerEntry.ts'
import type { StoredPortfolioDay, StoredPortfolioSnapshot } from '#core/store/queryRows.ts'
import type { Store } from '#core/store/store.ts'
import { storedJsonOr } from '#core/store/storedJson.ts'
import { SqlStopped } from './sqlErrors.ts'
import type { AppTable } from './sqlTask.ts'
import { servedDatasets, type ServedDataset } from './servedTables.ts'
import { type SqlColumn, type SqlTable, tableName } from './tableCatalog.ts'

export interface AppTableDeps {
  store: Store
  ledger: () => Ledger
  /** What is known of the funding periods of all instruments; empty if the query does not read them. */
  funding?: readonly InstrumentFunding[]
}

type Cell = string | number | boolean | null
type Row = Record<string, Cell>

/** Memory that the tables of one query may still use. */
interface TableMemory {
  bytes: number
}

/** Memory limit for the tables of a query, because the process that collects their rows also does everything else. */
export const MOST_APP_TABLE_BYTES = 2 ** 30

/** Bytes of a cell, not counting its text. */
const CELL_BYTES = 16

/**
 * Returns a function that counts the bytes of a table and throws at the limit, because the stored responses of a
 * service may not fit into memory.
 */
function createMemoryCounter(name: string, memory: TableMemory): (bytes: number) => void {
  return (bytes) => {
    memory.bytes -= bytes
    if (memory.bytes >= 0) return
    throw new SqlStopped(
      `The query reads more of ${name} than fits into memory. Select only the columns that you need, from fewer tables.`,
    )
  }
}

/** Builds a table of the app for a query, with only the columns that the query names. */
export function appTable(
  deps: AppTableDeps,
  connection: { id: string; name: string },
  table: SqlTable,
  { columnNames, memory }: { columnNames: readonly string[] | null; memory: TableMemory },
): AppTable {
  const namedColumns = table.columns.filter(
    (column) => columnNames === null || columnNames.includes(column.name.toLowerCase()),
  )
  // A table without columns would have no rows, so a query that only counts rows gets one column.
  const columns = namedColumns.length > 0 ? namedColumns : table.columns.slice(0, 1)
  const { schema, name } = table
  const reserveMemory = createMemoryCounter(tableName(table), memory)
  const values =
    tableName(table) === 'cache.files'
      ? cachedFiles(deps, connection, columns, reserveMemory)
      : columnsFrom(rowsOf(deps, connection, table), columns, reserveMemory)
  const frame = { rows: values[0].length, columns: columns.map((column, at) => packColumn(column, values[at])) }
  return { schema, name, columns: [...columns], frame }
}

function packColumn({ name, type }: SqlColumn, cells: readonly Cell[]): Column {
  const isText = type === 'VARCHAR' || type === 'JSON'
  return isText
    ? textColumn(name, cellsAs(cells, 'string', String))
    : numberColumn(name, cellsAs(cells, 'number', Number))
}

/** Converts cells to one type; copies nothing if all cells already have that type. */
function cellsAs<Type extends string | number>(
  cells: readonly Cell[],
  name: 'string' | 'number',
  convert: (cell: Cell) => Type,
): readonly (Type | null)[] {
  const isOfType = (cell: Cell) => cell === null || typeof cell === name
  return cells.every(isOfType)
    ? (cells as (Type | null)[])
    : cells.map((cell) => (cell === null ? null : convert(cell)))
}

function columnsFrom(
  rows: Iterable<Row>,
  columns: readonly SqlColumn[],
  reserveMemory: (bytes: number) => void,
): Cell[][] {
  const values: Cell[][] = columns.map(() => [])
  for (const row of rows)
    columns.forEach(({ name }, at) => {
      const cell = row[name] ?? null
      reserveMemory(CELL_BYTES + (typeof cell === 'string' ? cell.length : 0))
      values[at].push(cell)
    })
  return values
}

/** Creates a table of the app without rows, for a query that lists the tables. */
export function emptyAppTable({ schema, name, columns }: SqlTable): AppTable {
  const frame = { rows: 0, columns: columns.map((column) => packColumn(column, [])) }
  return { schema, name, columns: [...columns], frame }
}

/**
 * Builds the table of cached files. The index may have a million rows, so they are never turned into objects, and the
 * memory that they need is counted before they are read.
 */
function cachedFiles(
  { store }: AppTableDeps,
  { id, name }: { id: string; name: string },
  columns: readonly SqlColumn[],
  reserveMemory: (bytes: number) => void,
) {
  const owners = [id, computedOwner(id)]
  const namedColumns = columns.map((column) => column.name).filter((column) => column !== 'connection')
  const wanted = namedColumns.length > 0 ? namedColumns : ['period']
  const { rows, textBytes } = store.queryRows.cachedFilesSize(owners, wanted)
  reserveMemory(rows * CELL_BYTES * columns.length + textBytes)
  const found = store.queryRows.cachedFiles(owners, wanted)
  return columns.map((column) =>
    column.name === 'connection' ? found[0].map(() => name) : found[wanted.indexOf(column.name)],
  )
}

function rowsOf(deps: AppTableDeps, connection: { id: string; name: string }, table: SqlTable): Iterable<Row> {
  const { store } = deps
  switch (tableName(table)) {
    case 'cache.coverage':
      return store.coverage.coverage(connection.id, {}).map((row) => ({
        connection: connection.name,
        dataset: row.dataset,
        exchange: row.exchange,
        symbol: row.symbol,
        first_day: row.firstDay * MS_PER_DAY,
        last_day: row.lastDay * MS_PER_DAY,
        days: row.days,
      }))
    case 'cache.symbols':
      return store.queryRows.symbols(connection.id).map(({ exchange, symbol }) => ({
        connection: connection.name,
        exchange,
        symbol,
        base: parseSymbol(symbol)?.base ?? null,
      }))
    case 'cache.funding_periods':
      return fundingList(deps.funding ?? []).periods.map((row) => ({
        exchange: row.exchange,
        symbol: row.symbol,
        from: row.fromMs,
        to: row.toMs,
        every_hours: row.everyHours,
        offset_hours: row.offsetHours,
        rate_per_hours: row.ratePerHours,
        basis: row.basis,
      }))
    case 'cache.columns':
      return dictionaryRows(connection.name, store.venues.of(connection.id), servedDatasets(store, connection.id))
    case 'lab.studies':
      return store.queryRows.studies().map(({ lastRunMs, document, ...study }) => {
        const { interval, start, end } = storedJsonOr<Record<string, unknown>>(document, isRecord, {})
        return {
          ...study,
          document,
          last_run: lastRunMs,
          interval: textOrNull(interval),
          start: textOrNull(start),
          end: textOrNull(end),
        }
      })
    case 'lab.trials':
      return trialRows(deps.ledger())
    default:
      return portfolioRows(store, connection.id, table)
  }
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

/**
 * Yields the rows of the dictionary: one per column and venue, because the unit of a column may depend on the venue.
 */
function* dictionaryRows(connection: string, venues: Venues, served: readonly ServedDataset[]): Generator<Row> {
  const entries: { kind: string; dataset: string; column: string; label: string; description: string }[] = [
    ...metricDatasets.flatMap(({ id, columns }) =>
      columns.map(({ name, label, formula }) => ({
        kind: 'metrics',
        dataset: id,
        column: name,
        label,
        description: formula,
      })),
    ),
    ...rawDatasets.flatMap(({ id, columns }) =>
      columns.map(({ name, description }) => ({ kind: 'raw', dataset: id, column: name, label: name, description })),
    ),
  ]
  for (const entry of entries)
    for (const { id: exchange } of venues.list)
      yield { connection, exchange, ...entry, unit: columnUnit(entry.dataset, entry.column, exchange, venues) }
  for (const { kind, id: dataset, columns } of served)
    for (const { name: column, label, description, unit } of columns)
      for (const { id: exchange } of venues.list)
        yield {
          ...{ connection, exchange, kind, dataset, column, label, description },
          unit: kind === 'raw' ? unit || null : columnUnit(dataset, column, exchange, venues),
        }
}

function* trialRows(ledger: Ledger): Generator<Row> {
  for (const { entry } of ledger.tables.entries()) yield trialRow(entry)
}

function trialRow(entry: LedgerEntry): Row {
  const { sequence, event, time, who, hash } = entry
  const common = { sequence, event, time, who, hash }
  if (entry.event !== 'run') return { ...common, family: 'family' in entry ? entry.family : null }
  const { kind, role, documentHash, family, isTrial, repeats, summary } = entry
  return {
    ...common,
    kind,
    role,
    documentHash,
    family,
    is_trial: isTrial,
    repeats,
    days: summary?.days ?? null,
    sharpe: summary?.sharpe ?? null,
    total_return: summary?.totalReturn ?? null,
    max_drawdown: summary?.maxDrawdown ?? null,
    ruined: summary?.ruined ?? null,
  }
}

/** Endpoint that each portfolio table is read from, and the request parameter from which each key column is filled. */
export const portfolioSources: Readonly<Record<string, { endpoint: string; keys: Readonly<Record<string, string>> }>> =
  {
    weights: { endpoint: 'history', keys: { portfolio: 'portfolio' } },
    returns: { endpoint: 'returns', keys: { portfolio: 'portfolio' } },
    factors: { endpoint: 'factors', keys: { factor: 'id' } },
    prices: { endpoint: 'prices', keys: {} },
    universe: { endpoint: 'universe', keys: { size: 'size' } },
    overlays: { endpoint: 'overlay', keys: { portfolio: 'portfolio', overlay: 'overlay' } },
    regimes: { endpoint: 'regime', keys: { regime: 'overlay' } },
    live_weights: { endpoint: 'weights', keys: { portfolio: 'portfolio' } },
    live_factors: { endpoint: 'factors-live', keys: { factor: 'id' } },
    live_overlays: { endpoint: 'overlay-live', keys: { portfolio: 'portfolio', overlay: 'overlay' } },
    live_regimes: { endpoint: 'regime-live', keys: { regime: 'overlay' } },
  }

/** Yields one row per cell with a value; for a universe, one row per member. */
function* portfolioRows({ queryRows }: Store, connectionId: string, table: SqlTable): Generator<Row> {
  const { endpoint, keys } = portfolioSources[table.name]
  const isLive = table.name.startsWith('live_')
  const isUniverse = table.name === 'universe'
  const records: Iterable<StoredPortfolioDay | StoredPortfolioSnapshot> = isLive
    ? queryRows.snapshots(connectionId, endpoint)
    : queryRows.days(connectionId, endpoint)
  for (const row of records) {
    const query = new URLSearchParams(row.query)
    const common: Row = {
      ...Object.fromEntries(Object.entries(keys).map(([column, parameter]) => [column, query.get(parameter)])),
      smoothing: query.get('smoothing'),
      exchange: query.get('exchange'),
      day: row.day * MS_PER_DAY,
      ...('createdAtMs' in row && { as_of: query.get('as_of'), created_at: row.createdAtMs }),
    }
    for (const [at, ticker] of row.columns.entries()) {
      const value = row.values[at]
      if (Number.isNaN(value) || (isUniverse && value === 0)) continue
      yield { ...common, ticker, value }
    }
  }
}
