import type { PortfolioSnapshot } from '#shared/portfolio/dailySeries.ts'
import type { Database } from './database.ts'
import { CELLS, cellsOf, type ColumnLists, type StoredCells } from './portfolioCells.ts'
import { textWithinLimit } from './portfolioRequests.ts'
import { isDay, isInstant } from './storedJson.ts'

export interface SnapshotTimes {
  day: number
  createdAtMs: number
  fetchedAtMs: number
}

/** Live snapshots. All are kept, identified by the time at which the service generated them. */
export interface PortfolioSnapshots {
  /** Stores a snapshot; call inside a transaction. @returns true if it is new or its values changed */
  keep(requestId: number, snapshot: PortfolioSnapshot, fetchedAtMs: number): boolean
  /** Returns the snapshot that the service generated at this time; for null, the one that was fetched last. */
  read(requestId: number, createdAtMs: number | null): PortfolioSnapshot | undefined
  /** Returns the time at which the service generated the snapshot that was fetched last; null if there is none. */
  lastCreatedMs(requestId: number): number | null
  /** Lists the snapshots of a request, newest first. */
  list(requestId: number, limit: number): SnapshotTimes[]
  /** Lists the snapshots of all requests to an endpoint, newest first. */
  listOf(connectionId: string, endpoint: string, limit: number): (SnapshotTimes & { query: string; source: string })[]
}

interface SnapshotRow extends StoredCells {
  created_at_ms: number
  day: number
  fetched_at_ms: number
}

type TimesRow = Omit<SnapshotRow, keyof StoredCells>

const timesOf = (row: TimesRow): SnapshotTimes => ({
  day: row.day,
  createdAtMs: row.created_at_ms,
  fetchedAtMs: row.fetched_at_ms,
})

const READ_COLUMNS = `created_at_ms, day, columns_id, ${CELLS}, fetched_at_ms`

/** Tells whether a row has valid times; damaged rows are left out of lists. */
const hasValidTimes = (row: TimesRow) => isDay(row.day) && isInstant(row.created_at_ms) && isInstant(row.fetched_at_ms)

export function createPortfolioSnapshots({ reads, writes }: Database, columnLists: ColumnLists): PortfolioSnapshots {
  return {
    keep(requestId, { day, createdAtMs, columns, values }, fetchedAtMs) {
      const known = writes.first<SnapshotRow>(
        `SELECT ${READ_COLUMNS} FROM portfolio_snapshots WHERE request_id = ? AND created_at_ms = ?`,
        requestId,
        createdAtMs,
      )
      const row = { columns_id: columnLists.idOf(columns), cells: cellsOf(values) }
      const isUnchanged = known !== undefined && known.day === day && columnLists.haveEqualValues(known, row)
      if (known && !isUnchanged && columnLists.read(known)) {
        writes.run(
          `INSERT INTO portfolio_revisions
             (request_id, day, created_at_ms, columns_id, cells, fetched_at_ms, replaced_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
          requestId,
          known.day,
          createdAtMs,
          known.columns_id,
          known.cells,
          known.fetched_at_ms,
          fetchedAtMs,
        )
      }
      writes.run(
        `INSERT OR REPLACE INTO portfolio_snapshots (request_id, created_at_ms, day, columns_id, cells, fetched_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
        requestId,
        createdAtMs,
        day,
        row.columns_id,
        row.cells,
        fetchedAtMs,
      )
      return !isUnchanged
    },
    read(requestId, createdAtMs) {
      const condition = createdAtMs === null ? '' : 'AND created_at_ms = ?'
      const row = reads.first<SnapshotRow>(
        `SELECT ${READ_COLUMNS} FROM portfolio_snapshots WHERE request_id = ? ${condition}
         ORDER BY fetched_at_ms DESC, created_at_ms DESC LIMIT 1`,
        requestId,
        ...(createdAtMs === null ? [] : [createdAtMs]),
      )
      if (!row) return undefined
      return {
        day: row.day,
        createdAtMs: row.created_at_ms,
        ...columnLists.readOrThrow(row, 'The stored live snapshot'),
      }
    },
    lastCreatedMs: (requestId) =>
      reads.first<{ created_at_ms: number }>(
        `SELECT created_at_ms FROM portfolio_snapshots WHERE request_id = ?
         ORDER BY fetched_at_ms DESC, created_at_ms DESC LIMIT 1`,
        requestId,
      )?.created_at_ms ?? null,
    list: (requestId, limit) =>
      reads
        .all<TimesRow>(
          `SELECT created_at_ms, day, fetched_at_ms FROM portfolio_snapshots WHERE request_id = ?
           ORDER BY created_at_ms DESC LIMIT ?`,
          requestId,
          limit,
        )
        .filter(hasValidTimes)
        .map(timesOf),
    listOf: (connectionId, endpoint, limit) =>
      reads
        .all<TimesRow & { query: string; source: string | null }>(
          `SELECT snapshots.created_at_ms, snapshots.day, snapshots.fetched_at_ms, requests.query, ${textWithinLimit('requests.source')} AS source
           FROM portfolio_snapshots AS snapshots JOIN portfolio_requests AS requests ON requests.id = snapshots.request_id
           WHERE requests.connection_id = ? AND requests.endpoint = ?
           ORDER BY snapshots.created_at_ms DESC, snapshots.fetched_at_ms DESC LIMIT ?`,
          connectionId,
          endpoint,
          limit,
        )
        .filter(hasValidTimes)
        .map((row) => ({ ...timesOf(row), query: row.query, source: row.source ?? '' })),
  }
}
