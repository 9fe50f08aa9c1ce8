import { fold } from './coverageStore.ts'
import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import type { Reads, Writes } from './sql.ts'

/** A series of one connection. */
export interface OwnedSeries extends SeriesKey {
  connectionId: string
}

export interface SeriesRow extends SeriesKey {
  series_id: number
  connection_id: string
}

export const seriesOfRow = (row: SeriesRow): OwnedSeries => ({
  connectionId: row.connection_id,
  kind: row.kind,
  dataset: row.dataset,
  exchange: row.exchange,
  symbol: row.symbol,
  interval: row.interval,
  timestamp: row.timestamp,
})

/** Columns of a series as `SeriesRow`, for a table joined as `series`. */
export const SERIES_COLUMNS =
  'series.id AS series_id, series.connection_id, series.kind, series.dataset, series.exchange, series.symbol, series.interval, series.timestamp'

const SERIES_CONDITION = `connection_id = ? AND kind = ? AND dataset = ? AND exchange = ? AND symbol = ? AND interval = ? AND timestamp = ?`

const valuesOf = (series: OwnedSeries) =>
  [
    series.connectionId,
    series.kind,
    series.dataset,
    series.exchange,
    series.symbol,
    series.interval,
    series.timestamp,
  ] as const

/** Ids of the series in the index. An id never changes, so it is cached. */
export interface SeriesIndex {
  find(series: OwnedSeries): number | undefined
  byId(id: number): OwnedSeries | undefined
  /**
   * Gives each series an id in a separate transaction. Call this before the transaction that uses the ids, because only
   * committed ids may be cached. A series without files is harmless.
   */
  ensure(series: Iterable<OwnedSeries>): void
  /** Returns the id of a series for which `ensure` was called. */
  idOf(series: OwnedSeries): number
}

export function createSeriesIndex(reads: Reads, writes: Writes): SeriesIndex {
  const idByKey = new Map<string, number>()
  const seriesById = new Map<number, OwnedSeries>()

  function find(series: OwnedSeries): number | undefined {
    const values = valuesOf(series)
    const key = values.join('\n')
    const cached = idByKey.get(key)
    if (cached !== undefined) return cached
    const id = reads.first<{ id: number }>(`SELECT id FROM series WHERE ${SERIES_CONDITION}`, ...values)?.id
    if (id !== undefined) idByKey.set(key, id)
    return id
  }

  return {
    find,
    byId(id) {
      const known = seriesById.get(id)
      if (known) return known
      const row = reads.first<SeriesRow>(`SELECT ${SERIES_COLUMNS} FROM series WHERE id = ?`, id)
      if (row) seriesById.set(id, seriesOfRow(row))
      return seriesById.get(id)
    },
    ensure(series) {
      // The set removes repeated objects, because thousands of files may share the object of their series.
      const newSeries = [...new Set(series)].filter((each) => find(each) === undefined)
      if (newSeries.length === 0) return
      writes.inTransaction(() => {
        for (const each of newSeries) {
          writes.run(
            `INSERT INTO series (connection_id, kind, dataset, exchange, symbol, interval, timestamp, search)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
            ...valuesOf(each),
            fold(`${each.dataset} ${each.exchange} ${each.symbol} ${each.interval}`),
          )
        }
      })
    },
    idOf(series) {
      const id = find(series)
      if (id === undefined) throw new Error('a series was used before it was ensured')
      return id
    },
  }
}
