import { stat } from 'node:fs/promises'
import { connectionOfOwner, computedOwner } from '#shared/contract/computedOwner.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import type { MissingSqlData } from '#shared/contract/areas/sql.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { periodCoverage } from '#core/downloads/plan.ts'
import type { Clock } from '#core/ports.ts'
import { type FileSlice, planSeries } from '#core/series/planSeries.ts'
import type { FileFilter } from '#core/store/fileFilter.ts'
import type { QueryFile } from '#core/store/queryRows.ts'
import type { StoredFileColumn } from '#core/store/storedJson.ts'
import type { Store } from '#core/store/store.ts'
import { findTable, type SqlTable } from './tableCatalog.ts'
import type { TableConditions, TableUse } from './sqlTask.ts'

/** A file that a query reads, with the time range for which it is used. */
export interface QuerySlice extends FileSlice<QueryFile> {
  path: string
  /** Columns of the file; only given if it has changed since it was indexed. */
  columns?: readonly StoredFileColumn[]
}

/** Number of days by which the arrival times in a file may lie outside its period. */
const ARRIVAL_MARGIN_DAYS = 1
/** Longest interval in days; `known_at` is later than `time` by at most this. */
const LONGEST_INTERVAL_DAYS = 1

/** Maximum number of files found by a search whose result is kept for the next run of the same query. */
const MOST_REMEMBERED_FILES = 10_000

/** Finds the files of a query, and searches again for the same query only if the index has changed. */
export class FileSearch {
  readonly #store: Store
  #last: {
    uses: readonly TableUse[]
    connectionId: string
    indexVersion: number
    byTable: Map<SqlTable, QuerySlice[]>
  } | null = null

  constructor(store: Store) {
    this.#store = store
  }

  /** Returns the files of a table that a query needs; `uses` are the uses of all tables of the query. */
  filesOf(connectionId: string, uses: readonly TableUse[], table: SqlTable): readonly QuerySlice[] {
    const indexVersion = this.#store.database.version()
    const last = this.#last
    const isSame = last?.uses === uses && last.connectionId === connectionId && last.indexVersion === indexVersion
    if (!isSame) this.#last = { uses, connectionId, indexVersion, byTable: new Map() }
    const { byTable } = this.#last!
    const found = byTable.get(table) ?? findQueryFiles(this.#store, connectionId, table, fileUses(uses, table))
    if (found.length <= MOST_REMEMBERED_FILES) byTable.set(table, found)
    return found
  }
}

/** Returns the uses of one table. */
export const fileUses = (uses: readonly TableUse[], { schema, name }: SqlTable): TableUse[] =>
  uses.filter((use) => use.schema === schema && use.name === name)

/** Finds the files of a table that any of its uses in a query may need; uses the index and never lists folders. */
function findQueryFiles(store: Store, connectionId: string, table: SqlTable, uses: readonly TableUse[]): QuerySlice[] {
  const found = new Map<string, QueryFile>()
  const readingUses = uses.filter(({ isDescribed }) => !isDescribed)
  for (const use of readingUses.length > MOST_SEARCHES ? [combined(readingUses)] : readingUses) {
    for (const file of filesOfUse(store, connectionId, table, use))
      found.set(`${seriesKeyOf(file)}\n${file.period}`, file)
  }
  const bySeries = Map.groupBy(found.values(), seriesKeyOf)
  return [...bySeries.values()].flatMap((files) => slicesOf(store, files))
}

/** Number of uses of a table up to which each is searched by itself; a query may name a table thousands of times. */
const MOST_SEARCHES = 50

/** Combines uses of a table into one that needs at least the files of each. */
function combined(uses: readonly TableUse[]): TableUse {
  const [first, ...others] = uses
  const inAll = (key: 'equals' | 'times') =>
    Object.keys(first[key]).filter((column) => others.every((use) => Object.hasOwn(use[key], column)))
  const bounds = (column: string, end: 'fromMs' | 'toMs') => uses.map(({ times }) => times[column][end])
  const outermost = (values: (number | null)[], choose: (...values: number[]) => number) =>
    values.includes(null) ? null : choose(...values.filter((value) => value !== null))
  return {
    ...first,
    equals: Object.fromEntries(
      inAll('equals').map((column) => [column, [...new Set(uses.flatMap(({ equals }) => equals[column]))]]),
    ),
    times: Object.fromEntries(
      inAll('times').map((column) => [
        column,
        {
          fromMs: outermost(bounds(column, 'fromMs'), Math.min),
          toMs: outermost(bounds(column, 'toMs'), Math.max),
        },
      ]),
    ),
  }
}

const seriesKeyOf = ({ connectionId, exchange, symbol, interval, timestamp }: QueryFile) =>
  `${connectionId}\n${exchange}\n${symbol}\n${interval}\n${timestamp}`

const ALL_TIMES = { startMs: -200_000 * MS_PER_DAY, endMs: 200_000 * MS_PER_DAY }

/**
 * Selects the time range of each file. Daily files take precedence over the monthly file, which is used for the other
 * days, in one or several slices.
 */
function slicesOf({ folder }: Store, files: readonly QueryFile[]): QuerySlice[] {
  return planSeries(files, ALL_TIMES).map((slice) => ({ ...slice, path: folder.pathOf(slice.file, slice.file.period) }))
}

function filesOfUse({ queryRows }: Store, connectionId: string, { rows, name }: SqlTable, use: TableUse): QueryFile[] {
  const days = daysOf(use)
  const filter: FileFilter = {
    connectionIds: ownersOf(connectionId, rows, use),
    kind: rows === 'raw' ? 'raw' : 'metrics',
    datasets: [name],
    ...(Object.hasOwn(use.equals, 'exchange') && { exchanges: use.equals.exchange }),
    ...(Object.hasOwn(use.equals, 'symbol') && { symbols: use.equals.symbol }),
    ...(rows === 'metrics' && Object.hasOwn(use.equals, 'interval') && { intervals: use.equals.interval }),
    ...(rows === 'metrics' && Object.hasOwn(use.equals, 'clock') && { timestamps: use.equals.clock }),
    // The search covers whole months; the last filter below keeps only files that overlap the days.
    ...(days.from !== null && { startDay: startOfMonth(days.from, 0) }),
    ...(days.to !== null && { endDay: startOfMonth(days.to, 1) }),
  }
  const bases = Object.hasOwn(use.equals, 'base') ? use.equals.base : null
  return queryRows
    .files(filter)
    .filter(({ symbol }) => bases === null || bases.includes(parseSymbol(symbol)?.base ?? ''))
    .filter(({ startDay, endDay }) => endDay > (days.from ?? -Infinity) && startDay <= (days.to ?? Infinity))
}

/** Returns the first day of the month that contains a day, or of the month after it. */
function startOfMonth(day: number, monthsLater: 0 | 1): number {
  const date = new Date(day * MS_PER_DAY)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1) / MS_PER_DAY
}

function ownersOf(connectionId: string, rows: SqlTable['rows'], { equals }: TableConditions): string[] {
  if (rows === 'raw') return [connectionId]
  const origins = Object.hasOwn(equals, 'origin') ? equals.origin : ['service', 'imported', 'computed']
  return [
    ...(origins.includes('service') || origins.includes('imported') ? [connectionId] : []),
    ...(origins.includes('computed') ? [computedOwner(connectionId)] : []),
  ]
}

/**
 * Returns the first and last day (inclusive) that may have rows which meet the conditions on times; null if unlimited.
 */
function daysOf({ times }: TableConditions): { from: number | null; to: number | null } {
  let from: number | null = null
  let to: number | null = null
  for (const [column, { fromMs, toMs }] of Object.entries(times)) {
    const daysBefore =
      column === 'known_at' ? LONGEST_INTERVAL_DAYS : column === 'local_timestamp' ? ARRIVAL_MARGIN_DAYS : 0
    const daysAfter = column === 'local_timestamp' ? ARRIVAL_MARGIN_DAYS : 0
    if (fromMs !== null && Number.isFinite(fromMs))
      from = Math.max(from ?? -Infinity, Math.floor(fromMs / MS_PER_DAY) - daysBefore)
    if (toMs !== null && Number.isFinite(toMs)) to = Math.min(to ?? Infinity, Math.floor(toMs / MS_PER_DAY) + daysAfter)
  }
  return { from, to }
}

/** A file that a query needs but cannot read, or that has changed since its validation. */
interface ChangedFile {
  slice: QuerySlice
  isGone: boolean
}

const STATS_AT_ONCE = 64

/** Finds files that are missing or have changed since they were validated. */
export async function changedFilesIn(files: readonly QuerySlice[]): Promise<ChangedFile[]> {
  const changedFiles: ChangedFile[] = []
  for (let at = 0; at < files.length; at += STATS_AT_ONCE) {
    const checked = await Promise.all(files.slice(at, at + STATS_AT_ONCE).map(changeOf))
    changedFiles.push(...checked.filter((each) => each !== null))
  }
  return changedFiles
}

async function changeOf(slice: QuerySlice): Promise<ChangedFile | null> {
  const facts = await stat(slice.path).catch(() => null)
  const { sizeBytes, changedAtMs } = slice.file
  const isSame = facts?.size === sizeBytes && (changedAtMs === null || facts.mtimeMs === changedAtMs)
  return isSame ? null : { slice, isGone: facts === null }
}

export function originOf({ connectionId, kind, origin }: QueryFile): 'service' | 'imported' | 'computed' {
  if (connectionOfOwner(connectionId) !== connectionId) return 'computed'
  return kind === 'metrics' && origin === 'import' ? 'imported' : 'service'
}

/** Tells whether a served and a computed file of a series overlap in time, so that a query reads both files' rows. */
export function hasRowsTwice(slices: readonly QuerySlice[]): boolean {
  const isComputed = ({ file }: QuerySlice) => originOf(file) === 'computed'
  if (!slices.some(isComputed)) return false
  const bySeries = Map.groupBy(slices, ({ file }) => seriesKeyOf({ ...file, connectionId: '' }))
  return [...bySeries.values()].some((ofSeries) => {
    let [servedEndMs, computedEndMs] = [-Infinity, -Infinity]
    return ofSeries
      .toSorted((a, b) => a.startMs - b.startMs)
      .some((slice) => {
        if (isComputed(slice)) computedEndMs = Math.max(computedEndMs, slice.endMs)
        else servedEndMs = Math.max(servedEndMs, slice.endMs)
        return slice.startMs < (isComputed(slice) ? servedEndMs : computedEndMs)
      })
  })
}

/** Writes the warnings for a table of which a query reads several intervals or clocks and does not tell them apart. */
export function mixedRowsWarnings(
  { rows, schema, name }: SqlTable,
  files: readonly QuerySlice[],
  choosingColumns: readonly string[],
): string[] {
  if (rows !== 'metrics') return []
  const intervals = [...new Set(files.map(({ file }) => file.interval))].sort(
    (a, b) => (parseInterval(a) ?? 0) - (parseInterval(b) ?? 0),
  )
  const clocks = [...new Set(files.map(({ file }) => file.timestamp))].sort()
  const warning = (column: string, values: readonly string[]) =>
    values.length < 2 || choosingColumns.includes(column)
      ? []
      : [
          `mixed ${column}s: ${schema}.${name} has rows of ${listText(values)} here; choose with WHERE ${column} = '${values[0]}'`,
        ]
  return [...warning('interval', intervals), ...warning('clock', clocks)]
}

const listText = (values: readonly string[]) => `${values.slice(0, -1).join(', ')} and ${values.at(-1)}`

/** Maximum number of series whose missing periods are counted before a query runs, for each use of a table. */
const MOST_COUNTED_SERIES = 200

/**
 * Counts the periods of each series that could be downloaded but are not cached, for uses of a table that name the
 * series and limit the time at both ends.
 */
export function missingOf(
  { store, clock }: { store: Store; clock: Clock },
  { id, tier }: { id: string; tier: number | null },
  uses: readonly TableUse[],
): MissingSqlData[] {
  return uses.slice(0, MOST_SEARCHES).flatMap((use) => {
    const table = findTable(use.schema, use.name)
    const { from, to } = daysOf(use)
    const { exchange = [], symbol = [], interval = [''], clock: clocks = ['exchange'] } = use.equals
    const isNamed = exchange.length > 0 && symbol.length > 0 && from !== null && to !== null && from <= to
    if (!table || table.rows === 'app' || use.isDescribed || !isNamed) return []
    const kind = table.rows
    if (kind === 'metrics' && !Object.hasOwn(use.equals, 'interval')) return []
    const series = exchange.flatMap((venue) =>
      symbol.flatMap((each) =>
        (kind === 'raw' ? [''] : interval).flatMap((length) =>
          (kind === 'raw' ? [''] : clocks).map((timestamp) => ({
            exchange: venue,
            symbol: each,
            interval: length,
            timestamp,
          })),
        ),
      ),
    )
    return series.slice(0, MOST_COUNTED_SERIES).flatMap((one): MissingSqlData[] => {
      const range = { startDay: dayFromNumber(from), endDay: dayFromNumber(to) }
      const query = { series: { connectionId: id, kind, dataset: use.name, ...one }, ...range, tier }
      const periods = periodCoverage(store, clock.nowMs(), query)
      const missingPeriods = periods.filter(({ state }) => state === 'missing' || state === 'failed')
      if (missingPeriods.length === 0) return []
      const { timestamp, ...fields } = one
      const named = { kind, dataset: use.name, ...fields, clock: timestamp }
      return [{ ...named, periods: missingPeriods.length, of: periods.length, ...range }]
    })
  })
}
