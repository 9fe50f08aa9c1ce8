import type { Database } from './database.ts'

/** Figures of one pair, and the version of the files from which they were computed. */
export interface StoredFigures {
  exchange: string
  symbol: string
  fingerprint: string
  /** Figures as JSON. */
  figures: string
}

/** Figures of watched pairs, stored so that a page of hundreds of symbols opens without reading files. */
export interface WatchStore {
  /**
   * Returns a text for each pair, keyed by `pairKey`. It changes when a metric file of the pair is added or removed, or
   * when a file that begins after `sinceDay` is downloaded again.
   */
  fingerprints(connectionIds: readonly string[], sinceDay: number): Map<string, string>
  storedFigures(connectionId: string, name: string): Map<string, StoredFigures>
  remember(connectionId: string, name: string, figures: readonly StoredFigures[]): void
}

export const pairKey = ({ exchange, symbol }: { exchange: string; symbol: string }): string => `${exchange}\n${symbol}`

interface StateRow {
  exchange: string
  symbol: string
  state: string
}

export function createWatchStore({ reads, writes }: Database): WatchStore {
  return {
    fingerprints(connectionIds, sinceDay) {
      const owners = JSON.stringify(connectionIds)
      const ownedCondition = "series.connection_id IN (SELECT value FROM json_each(?)) AND series.kind = 'metrics'"
      // The totals are stored; only recent files are inspected one by one, because older ones are rarely downloaded
      // again.
      const totals = reads.all<StateRow>(
        `SELECT exchange, symbol, count(*) || ' ' || total(files) || ' ' || total(size_bytes) AS state
         FROM series WHERE ${ownedCondition} GROUP BY exchange, symbol`,
        owners,
      )
      const recentRows = reads.all<StateRow>(
        `SELECT series.exchange, series.symbol, count(*) || ' ' || max(files.fetched_at_ms) AS state
         FROM series JOIN files ON files.series_id = series.id
         WHERE ${ownedCondition} AND files.start_day > ? GROUP BY series.exchange, series.symbol`,
        owners,
        sinceDay,
      )
      const found = new Map(totals.map((row) => [pairKey(row), row.state]))
      for (const row of recentRows) found.set(pairKey(row), `${found.get(pairKey(row))} ${row.state}`)
      return found
    },
    storedFigures: (connectionId, name) =>
      new Map(
        reads
          .all<StoredFigures>(
            'SELECT exchange, symbol, fingerprint, figures FROM watch_figures WHERE connection_id = ? AND name = ?',
            connectionId,
            name,
          )
          .map((row) => [pairKey(row), row]),
      ),
    remember(connectionId, name, figures) {
      if (figures.length === 0) return
      writes.inTransaction(() => {
        for (const { exchange, symbol, fingerprint, figures: text } of figures)
          writes.run(
            `INSERT OR REPLACE INTO watch_figures (connection_id, name, exchange, symbol, fingerprint, figures)
             VALUES (?, ?, ?, ?, ?, ?)`,
            connectionId,
            name,
            exchange,
            symbol,
            fingerprint,
            text,
          )
      })
    },
  }
}
