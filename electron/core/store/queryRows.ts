import { computedOwner } from '#shared/contract/computedOwner.ts'
import { dayFromNumber, type DayNumber, type Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { type FileFilter, filesCondition, seriesCondition } from './fileFilter.ts'
import { CELLS, type ColumnLists, createColumnLists, type StoredCells } from './portfolioCells.ts'
import { ownVenues } from './venueStore.ts'
import { createdOf } from './portfolioSnapshots.ts'
import type { OwnedSeries } from './seriesIndex.ts'
import { areFileColumns, type StoredFileColumn, isDay, storedJsonOr } from './storedJson.ts'

/** A cached file with everything that a view over it needs. */
export interface QueryFile extends OwnedSeries {
  period: Period
  origin: 'service' | 'import' | 'computed'
  startDay: DayNumber
  /** First day after the file. */
  endDay: DayNumber
  sizeBytes: number
  sha256: string
  /** Modification time of the file; null for a file that an earlier version of the app recorded. */
  changedAtMs: number | null
  columnListId: number
  firstTimeMs: number | null
  lastTimeMs: number | null
  duplicateTimes: number
  /** 1 if the first column of the file has a value in every row, otherwise 0. */
  isFirstColumnComplete: 0 | 1
  /** Indexes of the columns whose statistics must not be used, with commas; null if they were not checked. */
  doubtfulColumns: string | null
}

/** Columns of the SQL table `cache.files`, each with the SQL expression that computes it from the index. */
const fileExpressions: Readonly<Record<string, string>> = {
  dataset: 'series.dataset',
  exchange: 'series.exchange',
  symbol: 'series.symbol',
  interval: "nullif(series.interval, '')",
  clock: "nullif(series.timestamp, '')",
  period: 'files.period',
  bytes: 'files.size_bytes',
  sha256: 'lower(hex(files.sha256))',
  downloaded_at: 'files.fetched_at_ms',
  state: 'files.state',
}

/**
 * Bytes of text per cell, for the columns whose cells all have the same length; in other columns every cell must be
 * measured.
 */
const textBytes: Readonly<Record<string, number>> = { bytes: 0, downloaded_at: 0, sha256: 64 }

/** A row of a stored history, with the request that it belongs to. */
export interface StoredPortfolioDay {
  query: string
  day: DayNumber
  columns: readonly string[]
  values: Float64Array
}

export interface StoredPortfolioSnapshot extends StoredPortfolioDay {
  createdAtMs: number | null
}

/** Reads the rows from which the tables of a SQL query are built. */
export interface QueryRows {
  /** Lists the files that match a filter, by series and period. */
  files(filter: FileFilter): QueryFile[]
  columns(columnListId: number): StoredFileColumn[]
  /** Lists the distinct column lists of the files of a dataset. */
  columnLists(connectionIds: readonly string[], kind: 'metrics' | 'raw', dataset: string): StoredFileColumn[][]
  /** Lists the datasets of a kind of which files are cached, except those of results of our own. */
  datasets(connectionIds: readonly string[], kind: 'metrics' | 'raw'): string[]
  /** Counts the series of each dataset of which files are cached, except results of our own. */
  seriesCounts(connectionIds: readonly string[]): { kind: 'metrics' | 'raw'; dataset: string; series: number }[]
  /** Counts the requests of each endpoint of the portfolio service whose answers are stored. */
  answerCounts(connectionId: string): { endpoint: string; answers: number }[]
  /** Returns the number of a connection's files, and the bytes of their texts in the named columns. */
  cachedFilesSize(connectionIds: readonly string[], columns: readonly string[]): { rows: number; textBytes: number }
  /** Returns values of a connection's files, column by column, for the named columns only. */
  cachedFiles(connectionIds: readonly string[], columns: readonly string[]): (string | number | null)[][]
  days(connectionId: string, endpoint: string): Generator<StoredPortfolioDay>
  snapshots(connectionId: string, endpoint: string): Generator<StoredPortfolioSnapshot>
  symbols(connectionId: string): { exchange: string; symbol: string }[]
  /** Lists the symbols of each venue, or those of its cached files if its list is not known. */
  knownSymbols(connectionId: string): { exchange: string; symbol: string }[]
  studies(): {
    id: string
    name: string | null
    kind: string
    documentHash: string
    document: string
    lastRunMs: number
  }[]
}

export function createQueryRows(database: Database): QueryRows {
  const { reads } = database
  const columnLists = createColumnLists(database)
  const columnsById = new Map<number, StoredFileColumn[]>()
  return {
    files(filter) {
      const series = seriesCondition(filter)
      const files = filesCondition(filter)
      return reads.all<QueryFile>(
        `SELECT series.connection_id AS connectionId, series.kind, series.dataset, series.exchange, series.symbol,
           series.interval, series.timestamp, files.period, files.origin, files.start_day AS startDay, files.end_day AS endDay,
           files.size_bytes AS sizeBytes, lower(hex(files.sha256)) AS sha256, files.changed_at_ms AS changedAtMs,
           files.doubtful_columns AS doubtfulColumns, file_facts.column_list_id AS columnListId, file_facts.first_time_ms AS firstTimeMs,
           file_facts.last_time_ms AS lastTimeMs, file_facts.duplicate_times AS duplicateTimes,
           substr(file_facts.column_values, 1, 8) = zeroblob(8) AS isFirstColumnComplete
         FROM series JOIN files ON files.series_id = series.id
           JOIN file_facts ON file_facts.series_id = files.series_id AND file_facts.period = files.period
         WHERE ${series.sql} AND ${files.sql} ORDER BY series.id, files.start_day, files.end_day`,
        ...series.values,
        ...files.values,
      )
    },
    columns(columnListId) {
      const cached = columnsById.get(columnListId)
      if (cached) return cached
      const row = reads.first<{ columns: string }>('SELECT columns FROM column_lists WHERE id = ?', columnListId)
      const columns = storedJsonOr(row?.columns, areFileColumns, [])
      columnsById.set(columnListId, columns)
      return columns
    },
    columnLists: (connectionIds, kind, dataset) =>
      reads
        .all<{ columns: string }>(
          `SELECT DISTINCT column_lists.columns FROM series JOIN file_facts ON file_facts.series_id = series.id
             JOIN column_lists ON column_lists.id = file_facts.column_list_id
           WHERE series.connection_id IN (SELECT value FROM json_each(?)) AND series.kind = ? AND series.dataset = ?`,
          JSON.stringify(connectionIds),
          kind,
          dataset,
        )
        .map(({ columns }) => storedJsonOr(columns, areFileColumns, [])),
    cachedFilesSize(connectionIds, columns) {
      const lengths = columns.map((name) => textBytes[name] ?? `ifnull(octet_length(${fileExpressions[name]}), 0)`)
      const size = reads.first<{ rows: number; textBytes: number }>(
        `SELECT count(*) AS rows, ifnull(sum(${lengths.join(' + ')}), 0) AS textBytes
         FROM series JOIN files ON files.series_id = series.id
         WHERE series.connection_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(connectionIds),
      )
      return size ?? { rows: 0, textBytes: 0 }
    },
    cachedFiles(connectionIds, columns) {
      const wanted = columns.map((name) => fileExpressions[name])
      // Reads one text per column, because building an object for each of a million rows would take longer than the
      // query.
      const row = reads.first<Record<string, string>>(
        `SELECT ${wanted.map((column, at) => `json_group_array(${column}) AS c${at}`).join(', ')}
         FROM series JOIN files ON files.series_id = series.id
         WHERE series.connection_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(connectionIds),
      )
      return wanted.map((_, at) => JSON.parse(row?.[`c${at}`] ?? '[]') as (string | number | null)[])
    },
    ...createPortfolioRows(database, columnLists),
    symbols: (connectionId) =>
      reads.all('SELECT exchange, symbol FROM symbols WHERE connection_id = ? ORDER BY exchange, symbol', connectionId),
    datasets: (connectionIds, kind) =>
      reads
        .all<{ dataset: string }>(
          `SELECT DISTINCT dataset FROM series WHERE connection_id IN (SELECT value FROM json_each(?))
             AND kind = ? AND files > 0 AND exchange NOT IN (SELECT value FROM json_each(?)) ORDER BY dataset`,
          JSON.stringify(connectionIds),
          kind,
          JSON.stringify(ownVenues),
        )
        .map(({ dataset }) => dataset),
    seriesCounts: (connectionIds) =>
      reads.all(
        `SELECT kind, dataset, count(*) AS series FROM series WHERE connection_id IN (SELECT value FROM json_each(?))
           AND files > 0 AND exchange NOT IN (SELECT value FROM json_each(?)) GROUP BY kind, dataset`,
        JSON.stringify(connectionIds),
        JSON.stringify(ownVenues),
      ),
    answerCounts: (connectionId) =>
      reads.all(
        'SELECT endpoint, count(*) AS answers FROM portfolio_requests WHERE connection_id = ? GROUP BY endpoint',
        connectionId,
      ),
    knownSymbols: (connectionId) =>
      reads.all(
        `SELECT exchange, symbol FROM symbols WHERE connection_id = ?
         UNION SELECT exchange, symbol FROM series WHERE connection_id IN (?, ?)
           AND exchange NOT IN (SELECT exchange FROM symbols WHERE connection_id = ?)
         ORDER BY exchange, symbol`,
        connectionId,
        ...[connectionId, computedOwner(connectionId)],
        connectionId,
      ),
    studies: () =>
      reads.all(
        `SELECT id, name, kind, document_hash AS documentHash, document, last_run_ms AS lastRunMs FROM studies
         ORDER BY last_run_ms DESC, id`,
      ),
  }
}

interface DayRow extends StoredCells {
  day: number
  created_at_ms: number
  is_created_said: number
}

/** Number of rows of a request read at a time. */
const PAGE_ROWS = 512

function createPortfolioRows({ reads }: Database, columnLists: ColumnLists): Pick<QueryRows, 'days' | 'snapshots'> {
  const requests = (connectionId: string, endpoint: string) =>
    reads.all<{ id: number; query: string }>(
      'SELECT id, query FROM portfolio_requests WHERE connection_id = ? AND endpoint = ? ORDER BY id',
      connectionId,
      endpoint,
    )
  const namedValuesOf = (row: DayRow, query: string) =>
    columnLists.readOrThrow(
      row,
      `The stored portfolio answer of ${isDay(row.day) ? dayFromNumber(row.day) : 'an invalid day'} (${query.slice(0, 200)})`,
    )
  return {
    *days(connectionId, endpoint) {
      for (const { id, query } of requests(connectionId, endpoint)) {
        for (let from = -1e9, rows: DayRow[] = []; from !== Infinity; from = rows.at(-1)?.day ?? Infinity) {
          rows = reads.all<DayRow>(
            `SELECT day, columns_id, ${CELLS} FROM portfolio_days WHERE request_id = ? AND day > ? ORDER BY day LIMIT ?`,
            id,
            from,
            PAGE_ROWS,
          )
          for (const row of rows) yield { query, day: row.day, ...namedValuesOf(row, query) }
        }
      }
    },
    *snapshots(connectionId, endpoint) {
      for (const { id, query } of requests(connectionId, endpoint)) {
        const rows = reads.all<DayRow>(
          `SELECT created_at_ms, is_created_said, day, columns_id, ${CELLS} FROM portfolio_snapshots WHERE request_id = ? ORDER BY created_at_ms`,
          id,
        )
        for (const row of rows) yield { query, day: row.day, createdAtMs: createdOf(row), ...namedValuesOf(row, query) }
      }
    },
  }
}
