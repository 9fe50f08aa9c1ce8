import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Database } from './database.ts'

/** A document of a service as it was fetched, and where from. */
export interface StoredDocument {
  connectionId: string
  /** `metrics-catalog`, `raw-catalog` or `symbols/<venue>`. */
  name: string
  /** JSON as it was validated. */
  body: string
  fetchedAtMs: number
  /** The service's own word on when it was made; null where it says nothing. */
  generatedAtMs: number | null
  source: string
}

export interface RawCoverageRow {
  dataset: string
  exchange: string
  symbol: string
  firstDay: DayNumber
  /** Inclusive, as the service states it. */
  lastDay: DayNumber
  /** Days with data; fewer than the span means that days are missing somewhere. */
  days: number
}

export interface CoverageChange {
  added: number
  gone: number
  longer: number
  /** A few of each for the person to see. */
  examples: { added: string[]; gone: string[]; longer: string[] }
}

/** The index of what exists at the services, each part with when and from where. */
export interface CoverageStore {
  document(connectionId: string, name: string): StoredDocument | undefined
  saveDocument(document: StoredDocument): void
  /** Replaces the coverage of a connection in one transaction and says what is different. */
  replaceCoverage(document: StoredDocument, rows: readonly RawCoverageRow[]): CoverageChange
  /** Replaces the symbols of one venue in one transaction and says what is different. */
  replaceSymbols(document: StoredDocument, exchange: string, symbols: readonly string[]): CoverageChange
  symbols(connectionId: string, exchange: string): string[]
  hasSymbol(connectionId: string, exchange: string, symbol: string): boolean
  /** Symbols of all venues whose folded name holds the folded text, best first. */
  searchSymbols(connectionId: string, text: string, limit: number): { exchange: string; symbol: string }[]
  coverage(connectionId: string, filter: { dataset?: string; exchange?: string; symbol?: string }): RawCoverageRow[]
}

const EXAMPLES = 5

/** Datasets as the documents list them, then those that only a service knows. */
const ranks = new Map<string, number>(rawDatasets.map(({ id }, rank) => [id, rank]))
const rankOf = (dataset: string) => ranks.get(dataset) ?? ranks.size

/** Folds text for search, so that case and look-alike forms do not matter. */
export const fold = (text: string) => text.normalize('NFKC').toLowerCase()

interface DocumentRow {
  connection_id: string
  name: string
  body: string
  fetched_at_ms: number
  generated_at_ms: number | null
  source: string
}

const coverageKey = ({ dataset, exchange, symbol }: RawCoverageRow) => `${dataset} · ${exchange} · ${symbol}`

/** Compares the known coverage with the coverage that the service states now. */
function compare<Row>(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
  isLonger: (before: Row, after: Row) => boolean,
): CoverageChange {
  const added = [...after.keys()].filter((key) => !before.has(key))
  const gone = [...before.keys()].filter((key) => !after.has(key))
  const longer = [...after].filter(([key, row]) => {
    const known = before.get(key)
    return known !== undefined && isLonger(known, row)
  })
  const some = (keys: readonly string[]) => keys.slice(0, EXAMPLES)
  return {
    added: added.length,
    gone: gone.length,
    longer: longer.length,
    examples: { added: some(added), gone: some(gone), longer: some(longer.map(([key]) => key)) },
  }
}

export function createCoverageStore({ reads, writes }: Database): CoverageStore {
  function saveDocument(document: StoredDocument): void {
    writes.run(
      'INSERT OR REPLACE INTO documents (connection_id, name, body, fetched_at_ms, generated_at_ms, source) VALUES (?, ?, ?, ?, ?, ?)',
      document.connectionId,
      document.name,
      document.body,
      document.fetchedAtMs,
      document.generatedAtMs,
      document.source,
    )
  }

  function symbols(connectionId: string, exchange: string): string[] {
    return reads
      .all<{ symbol: string }>(
        'SELECT symbol FROM symbols WHERE connection_id = ? AND exchange = ? ORDER BY symbol',
        connectionId,
        exchange,
      )
      .map(({ symbol }) => symbol)
  }

  function coverage(
    connectionId: string,
    filter: { dataset?: string; exchange?: string; symbol?: string },
  ): RawCoverageRow[] {
    const wanted = (['dataset', 'exchange', 'symbol'] as const).flatMap((column) => {
      const value = filter[column]
      return value === undefined ? [] : [{ column, value }]
    })
    return reads
      .all<{ dataset: string; exchange: string; symbol: string; first_day: number; last_day: number; days: number }>(
        `SELECT dataset, exchange, symbol, first_day, last_day, days FROM raw_coverage
         WHERE connection_id = ?${wanted.map(({ column }) => ` AND ${column} = ?`).join('')} ORDER BY dataset, exchange, symbol`,
        connectionId,
        ...wanted.map(({ value }) => value),
      )
      .map(({ first_day, last_day, ...row }) => ({ ...row, firstDay: first_day, lastDay: last_day }))
      .sort((a, b) => rankOf(a.dataset) - rankOf(b.dataset))
  }

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
    saveDocument,
    replaceCoverage: (document, rows) =>
      writes.inTransaction(() => {
        const { connectionId } = document
        const before = new Map(coverage(connectionId, {}).map((row) => [coverageKey(row), row]))
        const after = new Map(rows.map((row) => [coverageKey(row), row]))
        writes.run('DELETE FROM raw_coverage WHERE connection_id = ?', connectionId)
        for (const row of after.values()) {
          writes.run(
            'INSERT INTO raw_coverage (connection_id, dataset, exchange, symbol, first_day, last_day, days) VALUES (?, ?, ?, ?, ?, ?, ?)',
            connectionId,
            row.dataset,
            row.exchange,
            row.symbol,
            row.firstDay,
            row.lastDay,
            row.days,
          )
        }
        saveDocument(document)
        return compare(before, after, (known, now) => now.lastDay > known.lastDay || now.firstDay < known.firstDay)
      }),
    replaceSymbols: (document, exchange, list) =>
      writes.inTransaction(() => {
        const { connectionId } = document
        const before = new Map(symbols(connectionId, exchange).map((symbol) => [symbol, symbol]))
        const after = new Map(list.map((symbol) => [symbol, symbol]))
        writes.run('DELETE FROM symbols WHERE connection_id = ? AND exchange = ?', connectionId, exchange)
        for (const symbol of after.keys()) {
          writes.run(
            'INSERT INTO symbols (connection_id, exchange, symbol, folded) VALUES (?, ?, ?, ?)',
            connectionId,
            exchange,
            symbol,
            fold(symbol),
          )
        }
        saveDocument(document)
        return compare(before, after, () => false)
      }),
    symbols,
    hasSymbol: (connectionId, exchange, symbol) =>
      reads.first(
        'SELECT 1 FROM symbols WHERE connection_id = ? AND exchange = ? AND symbol = ?',
        connectionId,
        exchange,
        symbol,
      ) !== undefined,
    searchSymbols: (connectionId, text, limit) =>
      reads.all<{ exchange: string; symbol: string }>(
        // A base that begins with the text comes first, then shorter ones.
        `SELECT exchange, symbol FROM symbols WHERE connection_id = ? AND instr(folded, ?) > 0
         ORDER BY instr(folded, ?), length(folded), folded, exchange LIMIT ?`,
        connectionId,
        fold(text),
        fold(text),
        limit,
      ),
    coverage,
  }
}
