import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { symbolSearch } from '#shared/catalog/resolveSymbol.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { storedJsonOr } from './storedJson.ts'

/** Name of the document with the service's catalog of metric datasets. */
export const METRICS_CATALOG = 'metrics-catalog'
/** Name of the stored raw-event catalog, and beginning of the names of stored symbol lists. */
export const RAW_CATALOG = 'raw-catalog'
/** Name of the note that a service was found to have no catalog of its own. */
export const NO_RAW_CATALOG = 'no-raw-catalog'
/** Name of the note of the address at which a service lists raw events. */
export const RAW_ADDRESS = 'raw-address'
export const SYMBOLS_DOCUMENT = 'symbols/'

/** A document that a service sent, with its origin. */
export interface StoredDocument {
  connectionId: string
  /** Name of the document: `metrics-catalog`, `raw-catalog`, `symbols/<venue>`, or that of a note on the service. */
  name: string
  /** Validated JSON. */
  body: string
  fetchedAtMs: number
  /** Time at which the service generated the document; null if the service does not say. */
  generatedAtMs: number | null
  source: string
}

export interface RawCoverageRow {
  dataset: string
  exchange: string
  symbol: string
  firstDay: DayNumber
  /** Last day, inclusive, as the service states it. */
  lastDay: DayNumber
  /** Number of days with data; if it is below the length of the range, days are missing. */
  days: number
  /** Days without data, joined and in order; null if the service does not name them. */
  missing: readonly DayRange[] | null
  /** Size of all files; null if the service does not say. */
  sizeBytes: number | null
}

/** Half-open range of days. */
export type DayRange = readonly [start: DayNumber, end: DayNumber]

const isDayRanges = (value: unknown): value is DayRange[] | null =>
  value === null || (Array.isArray(value) && value.every((each) => Array.isArray(each) && each.every(Number.isInteger)))

/** Numbers of symbols or series that were added, that are gone, and that cover more days than before. */
export interface CoverageChange {
  added: number
  gone: number
  longer: number
  /** A few examples of each kind, to show to the user. */
  examples: { added: string[]; gone: string[]; longer: string[] }
}

const EXAMPLES_PER_KIND = 5

/** Rank of each dataset in the documentation; datasets known only from a service come last. */
const rankByDataset = new Map<string, number>(rawDatasets.map(({ id }, rank) => [id, rank]))
const rankOf = (dataset: string) => rankByDataset.get(dataset) ?? rankByDataset.size

/** Normalises text for search, so that case and compatibility forms such as full-width letters do not matter. */
export const fold = (text: string) => text.normalize('NFKC').toLowerCase()

const coverageKey = ({ dataset, exchange, symbol }: RawCoverageRow) => `${dataset} · ${exchange} · ${symbol}`

/** Compares the known symbols or series with those that the service lists now. */
function compare<Row>(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
  isLonger: (before: Row, after: Row) => boolean,
): CoverageChange {
  const added = [...after.keys()].filter((key) => !before.has(key))
  const removedKeys = [...before.keys()].filter((key) => !after.has(key))
  const longer = [...after].filter(([key, row]) => {
    const known = before.get(key)
    return known !== undefined && isLonger(known, row)
  })
  const examplesOf = (keys: readonly string[]) => keys.slice(0, EXAMPLES_PER_KIND)
  return {
    added: added.length,
    gone: removedKeys.length,
    longer: longer.length,
    examples: {
      added: examplesOf(added),
      gone: examplesOf(removedKeys),
      longer: examplesOf(longer.map(([key]) => key)),
    },
  }
}

/** Stores the documents of the services, and the symbols and the coverage that they list. */
export interface CoverageStore extends Documents, Symbols, RawCoverage {}

export function createCoverageStore(database: Database): CoverageStore {
  const documents = createDocuments(database)
  return { ...documents, ...createSymbols(database, documents), ...createRawCoverage(database, documents) }
}

interface Documents {
  document(connectionId: string, name: string): StoredDocument | undefined
  saveDocument(document: StoredDocument): void
  removeDocument(connectionId: string, name: string): void
}

interface DocumentRow {
  connection_id: string
  name: string
  body: string
  fetched_at_ms: number
  generated_at_ms: number | null
  source: string
}

function createDocuments({ reads, writes }: Database): Documents {
  return {
    document(connectionId, name) {
      const row = reads.first<DocumentRow>(
        'SELECT * FROM documents WHERE connection_id = ? AND name = ?',
        connectionId,
        name,
      )
      return (
        row && {
          connectionId,
          name,
          body: row.body,
          fetchedAtMs: row.fetched_at_ms,
          generatedAtMs: row.generated_at_ms,
          source: row.source,
        }
      )
    },
    saveDocument: (document) =>
      void writes.run(
        'INSERT OR REPLACE INTO documents (connection_id, name, body, fetched_at_ms, generated_at_ms, source) VALUES (?, ?, ?, ?, ?, ?)',
        document.connectionId,
        document.name,
        document.body,
        document.fetchedAtMs,
        document.generatedAtMs,
        document.source,
      ),
    removeDocument: (connectionId, name) =>
      void writes.run('DELETE FROM documents WHERE connection_id = ? AND name = ?', connectionId, name),
  }
}

interface Symbols {
  symbols(connectionId: string, exchange: string): string[]
  hasSymbol(connectionId: string, exchange: string, symbol: string): boolean
  /** Finds symbols of all venues whose normalised name contains the text, best match first. */
  searchSymbols(connectionId: string, text: string, limit: number): { exchange: string; symbol: string }[]
  /** Replaces the symbols of one venue in one transaction and returns the differences. */
  replaceSymbols(document: StoredDocument, exchange: string, symbols: readonly string[]): CoverageChange
}

function createSymbols({ reads, writes }: Database, { saveDocument }: Documents): Symbols {
  function symbols(connectionId: string, exchange: string): string[] {
    return reads
      .all<{ symbol: string }>(
        'SELECT symbol FROM symbols WHERE connection_id = ? AND exchange = ? ORDER BY symbol',
        connectionId,
        exchange,
      )
      .map(({ symbol }) => symbol)
  }

  return {
    symbols,
    hasSymbol: (connectionId, exchange, symbol) =>
      reads.first(
        'SELECT 1 FROM symbols WHERE connection_id = ? AND exchange = ? AND symbol = ?',
        connectionId,
        exchange,
        symbol,
      ) !== undefined,
    searchSymbols: (connectionId, text, limit) => {
      const { letters, venue } = symbolSearch(text)
      return reads.all<{ exchange: string; symbol: string }>(
        // Symbols in which the text occurs nearest the beginning come first; among these, shorter ones.
        `SELECT exchange, symbol FROM (
           SELECT *, replace(replace(replace(folded, '-', ''), ':', ''), '_', '') AS letters
           FROM symbols WHERE connection_id = ? AND instr(lower(exchange), ?) = 1)
         WHERE instr(letters, ?) > 0
         ORDER BY instr(letters, ?), length(folded), folded, exchange LIMIT ?`,
        connectionId,
        venue ?? '',
        letters,
        letters,
        limit,
      )
    },
    replaceSymbols: (document, exchange, newSymbols) =>
      writes.inTransaction(() => {
        const { connectionId } = document
        const before = new Map(symbols(connectionId, exchange).map((symbol) => [symbol, symbol]))
        const after = new Map(newSymbols.map((symbol) => [symbol, symbol]))
        const insert = 'INSERT INTO symbols (connection_id, exchange, symbol, folded) VALUES (?, ?, ?, ?)'
        writes.run('DELETE FROM symbols WHERE connection_id = ? AND exchange = ?', connectionId, exchange)
        for (const symbol of after.keys()) writes.run(insert, connectionId, exchange, symbol, fold(symbol))
        saveDocument(document)
        return compare(before, after, () => false)
      }),
  }
}

interface CoverageFilter {
  dataset?: string
  exchange?: string
  symbol?: string
}

/** Days between which a symbol has data in at least one dataset. */
export interface ListedDays {
  firstDay: DayNumber
  /** Last day, inclusive, as the service states it. */
  lastDay: DayNumber
}

interface RawCoverage {
  coverage(connectionId: string, filter: CoverageFilter): RawCoverageRow[]
  /** Returns the days of each symbol of a venue, in one dataset or, without it, in any. */
  listedDays(connectionId: string, exchange: string, dataset?: string): Map<string, ListedDays>
  /** Returns what `listedDays` has of one symbol, without reading the others of its venue. */
  daysOfSymbol(connectionId: string, exchange: string, symbol: string, dataset?: string): ListedDays | undefined
  /** Tells whether the index has any series of a dataset; it says nothing about a dataset that it leaves out. */
  coversDataset(connectionId: string, dataset: string): boolean
  /** Returns the last day of any series; null if the index is empty. */
  newestDay(connectionId: string): DayNumber | null
  /** Replaces the coverage of a connection in one transaction and returns the differences. */
  replaceCoverage(document: StoredDocument, rows: readonly RawCoverageRow[]): CoverageChange
}

interface StoredCoverageRow {
  dataset: string
  exchange: string
  symbol: string
  first_day: number
  last_day: number
  days: number
  missing_days: string | null
  size_bytes: number | null
}

function createRawCoverage({ reads, writes }: Database, { saveDocument }: Documents): RawCoverage {
  /** The newest days by connection, kept because every plan asks for one, and finding it reads the whole index. */
  const newestDays = new Map<string, { fetchedAtMs: number | undefined; day: DayNumber | null }>()

  function coverage(connectionId: string, filter: CoverageFilter): RawCoverageRow[] {
    const conditions = (['dataset', 'exchange', 'symbol'] as const).flatMap((column) => {
      const value = filter[column]
      return value === undefined ? [] : [{ column, value }]
    })
    return reads
      .all<StoredCoverageRow>(
        `SELECT dataset, exchange, symbol, first_day, last_day, days, missing_days, size_bytes FROM raw_coverage
         WHERE connection_id = ?${conditions.map(({ column }) => ` AND ${column} = ?`).join('')} ORDER BY dataset, exchange, symbol`,
        connectionId,
        ...conditions.map(({ value }) => value),
      )
      .map(({ first_day, last_day, missing_days, size_bytes, ...row }) => ({
        ...row,
        firstDay: first_day,
        lastDay: last_day,
        missing: storedJsonOr(missing_days, isDayRanges, null),
        sizeBytes: size_bytes,
      }))
      .sort((a, b) => rankOf(a.dataset) - rankOf(b.dataset))
  }

  function insert(connectionId: string, row: RawCoverageRow): void {
    writes.run(
      `INSERT INTO raw_coverage (connection_id, dataset, exchange, symbol, first_day, last_day, days, missing_days,
         size_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      connectionId,
      row.dataset,
      row.exchange,
      row.symbol,
      row.firstDay,
      row.lastDay,
      row.days,
      row.missing && JSON.stringify(row.missing),
      row.sizeBytes,
    )
  }

  return {
    coverage,
    listedDays(connectionId, exchange, dataset) {
      const rows = reads.all<{ symbol: string; firstDay: number; lastDay: number }>(
        `SELECT symbol, min(first_day) AS firstDay, max(last_day) AS lastDay FROM raw_coverage
         WHERE connection_id = ? AND exchange = ? AND (? IS NULL OR dataset = ?) GROUP BY symbol`,
        connectionId,
        exchange,
        dataset ?? null,
        dataset ?? null,
      )
      return new Map(rows.map(({ symbol, ...days }) => [symbol, days]))
    },
    daysOfSymbol(connectionId, exchange, symbol, dataset) {
      const { firstDay, lastDay } = reads.first<{ firstDay: number | null; lastDay: number | null }>(
        `WITH RECURSIVE datasets (name) AS (
           SELECT min(dataset) FROM raw_coverage WHERE connection_id = ?
           UNION ALL
           SELECT (SELECT min(dataset) FROM raw_coverage WHERE connection_id = ? AND dataset > name)
           FROM datasets WHERE name IS NOT NULL)
         SELECT min(first_day) AS firstDay, max(last_day) AS lastDay
         FROM datasets CROSS JOIN raw_coverage ON connection_id = ? AND dataset = name AND exchange = ? AND symbol = ?
         WHERE ? IS NULL OR name = ?`,
        connectionId,
        connectionId,
        connectionId,
        exchange,
        symbol,
        dataset ?? null,
        dataset ?? null,
      )!
      return firstDay === null || lastDay === null ? undefined : { firstDay, lastDay }
    },
    coversDataset: (connectionId, dataset) =>
      reads.first(
        'SELECT 1 FROM raw_coverage WHERE connection_id = ? AND dataset = ? LIMIT 1',
        connectionId,
        dataset,
      ) !== undefined,
    newestDay(connectionId) {
      // The days change only together with the document that lists them, in this process or another.
      const fetchedAtMs = reads.first<{ fetchedAtMs: number }>(
        "SELECT fetched_at_ms AS fetchedAtMs FROM documents WHERE connection_id = ? AND name = 'raw-catalog'",
        connectionId,
      )?.fetchedAtMs
      const known = newestDays.get(connectionId)
      if (known && known.fetchedAtMs === fetchedAtMs) return known.day
      const { day } = reads.first<{ day: number | null }>(
        'SELECT max(last_day) AS day FROM raw_coverage WHERE connection_id = ?',
        connectionId,
      )!
      newestDays.set(connectionId, { fetchedAtMs, day })
      return day
    },
    replaceCoverage: (document, rows) =>
      writes.inTransaction(() => {
        const { connectionId } = document
        const before = new Map(coverage(connectionId, {}).map((row) => [coverageKey(row), row]))
        const after = new Map(rows.map((row) => [coverageKey(row), row]))
        writes.run('DELETE FROM raw_coverage WHERE connection_id = ?', connectionId)
        for (const row of after.values()) insert(connectionId, row)
        newestDays.delete(connectionId)
        saveDocument(document)
        return compare(before, after, (known, now) => now.lastDay > known.lastDay || now.firstDay < known.firstDay)
      }),
  }
}
