import type { Database } from './database.ts'
import { isTextRecord, storedJsonOr } from './storedJson.ts'

/** A query whose result is stored as a series, and the version of the data that it read. */
export interface QuerySeries {
  /** Owner of the series; together with the symbol it identifies the series. */
  owner: string
  symbol: string
  interval: string
  /** Name of the query. */
  name: string
  sql: string
  parameters: Record<string, string>
  /**
   * Text that changes whenever a file that the query reads changes, or whenever the app's own tables have a different
   * total number of rows.
   */
  fingerprint: string
  /** Files that the query read, with their hashes. */
  sources: { path: string; sha256: string }[]
  ranAtMs: number
}

export interface QuerySeriesStore {
  find(owner: string, symbol: string): QuerySeries | null
  save(series: QuerySeries): void
}

interface QuerySeriesRow {
  owner: string
  symbol: string
  interval: string
  name: string
  sql: string
  parameters: string
  fingerprint: string
  sources: string
  ran_at_ms: number
}

const areSources = (value: unknown): value is QuerySeries['sources'] =>
  Array.isArray(value) &&
  value.every((each) => isTextRecord(each) && each.path !== undefined && each.sha256 !== undefined)

export function createQuerySeriesStore({ reads, writes }: Database): QuerySeriesStore {
  return {
    find(owner, symbol) {
      const row = reads.first<QuerySeriesRow>('SELECT * FROM sql_series WHERE owner = ? AND symbol = ?', owner, symbol)
      if (!row) return null
      const { parameters, sources, ran_at_ms: ranAtMs, ...rest } = row
      return {
        ...rest,
        ranAtMs,
        parameters: storedJsonOr(parameters, isTextRecord, {}),
        sources: storedJsonOr(sources, areSources, []),
      }
    },
    save: ({ owner, symbol, interval, name, sql, parameters, fingerprint, sources, ranAtMs }) =>
      void writes.run(
        'INSERT OR REPLACE INTO sql_series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        owner,
        symbol,
        interval,
        name,
        sql,
        JSON.stringify(parameters),
        fingerprint,
        JSON.stringify(sources),
        ranAtMs,
      ),
  }
}
