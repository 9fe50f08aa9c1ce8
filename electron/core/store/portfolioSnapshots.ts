import type { PortfolioSnapshot } from '#shared/portfolio/dailySeries.ts'
import type { Database } from './database.ts'
import { CELLS, cellsOf, type ColumnLists, type StoredCells } from './portfolioCells.ts'
import { textWithinLimit } from './portfolioRequests.ts'
import { isDay, isInstant } from './storedJson.ts'

interface SnapshotTimes {
  day: number
  /** Null if the service does not say. */
  createdAtMs: number | null
  /** When it was fetched last; where the service does not say when it generated it, first. */
  fetchedAtMs: number
}

/**
 * Live snapshots. All are kept, identified by the time at which the service generated them, or, where it does not say,
 * by the time at which they were first fetched.
 */
export interface PortfolioSnapshots {
  /** Stores a snapshot; call inside a transaction. @returns true if it is new or its values changed */
  keep(requestId: number, snapshot: PortfolioSnapshot, fetchedAtMs: number): boolean
  /** Returns the snapshot of this time; for null, the one that was fetched last. */
  read(requestId: number, atMs: number | null): PortfolioSnapshot | undefined
  /** Returns the time at which the service generated the snapshot that was fetched last; null if nothing says it. */
  lastCreatedMs(requestId: number): number | null
  /** Lists the snapshots of a request, newest first. */
  list(requestId: number, limit: number): SnapshotTimes[]
  /** Lists the snapshots of all requests to an endpoint, newest first. */
  listOf(connectionId: string, endpoint: string, limit: number): (SnapshotTimes & { query: string; source: string })[]
}

interface SnapshotRow extends StoredCells {
  created_at_ms: number
  is_created_said: number
  day: number
  fetched_at_ms: number
}

type TimesRow = Omit<SnapshotRow, keyof StoredCells>

/** Returns the time at which the service generated the snapshot of a row; null if it did not say. */
export const createdOf = (row: Pick<TimesRow, 'created_at_ms' | 'is_created_said'>): number | null =>
  row.is_created_said === 1 ? row.created_at_ms : null

const timesOf = (row: TimesRow): SnapshotTimes => ({
  day: row.day,
  createdAtMs: createdOf(row),
  fetchedAtMs: row.fetched_at_ms,
})

const TIMES = 'created_at_ms, is_created_said, day, fetched_at_ms'
const READ_COLUMNS = `created_at_ms, is_created_said, day, columns_id, ${CELLS}, fetched_at_ms`

/** Order of the snapshot that was fetched last. */
const LAST = 'ORDER BY fetched_at_ms DESC, created_at_ms DESC LIMIT 1'

/** Tells whether a row has valid times; damaged rows are left out of lists. */
const hasValidTimes = (row: TimesRow) => isDay(row.day) && isInstant(row.created_at_ms) && isInstant(row.fetched_at_ms)

export function createPortfolioSnapshots({ reads, writes }: Database, columnLists: ColumnLists): PortfolioSnapshots {
  return {
    keep(requestId, { day, createdAtMs, columns, values }, fetchedAtMs) {
      const row = { columns_id: columnLists.idOf(columns), cells: cellsOf(values) }
      const isEqual = (other: SnapshotRow | undefined) =>
        other !== undefined && other.day === day && columnLists.haveEqualValues(other, row)
      if (createdAtMs === null) {
        const last = writes.first<SnapshotRow>(
          `SELECT ${READ_COLUMNS} FROM portfolio_snapshots WHERE request_id = ? ${LAST}`,
          requestId,
        )
        // Without a time of its own, a snapshot that repeats the last one is that one.
        if (last?.is_created_said === 0 && isEqual(last)) return false
      }
      const atMs = createdAtMs ?? fetchedAtMs
      const known = writes.first<SnapshotRow>(
        `SELECT ${READ_COLUMNS} FROM portfolio_snapshots WHERE request_id = ? AND created_at_ms = ?`,
        requestId,
        atMs,
      )
      const isUnchanged = isEqual(known)
      if (known && !isUnchanged && columnLists.read(known)) {
        writes.run(
          `INSERT INTO portfolio_revisions
             (request_id, day, created_at_ms, columns_id, cells, fetched_at_ms, replaced_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
          requestId,
          known.day,
          createdOf(known),
          known.columns_id,
          known.cells,
          known.fetched_at_ms,
          fetchedAtMs,
        )
      }
      writes.run(
        `INSERT OR REPLACE INTO portfolio_snapshots
           (request_id, created_at_ms, is_created_said, day, columns_id, cells, fetched_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        requestId,
        atMs,
        createdAtMs === null ? 0 : 1,
        day,
        row.columns_id,
        row.cells,
        fetchedAtMs,
      )
      return !isUnchanged
    },
    read(requestId, atMs) {
      const condition = atMs === null ? '' : 'AND created_at_ms = ?'
      const row = reads.first<SnapshotRow>(
        `SELECT ${READ_COLUMNS} FROM portfolio_snapshots WHERE request_id = ? ${condition} ${LAST}`,
        requestId,
        ...(atMs === null ? [] : [atMs]),
      )
      if (!row) return undefined
      return {
        day: row.day,
        createdAtMs: createdOf(row),
        ...columnLists.readOrThrow(row, 'The stored live snapshot'),
      }
    },
    lastCreatedMs(requestId) {
      const row = reads.first<TimesRow>(
        `SELECT ${TIMES} FROM portfolio_snapshots WHERE request_id = ? ${LAST}`,
        requestId,
      )
      return row ? createdOf(row) : null
    },
    list: (requestId, limit) =>
      reads
        .all<TimesRow>(
          `SELECT ${TIMES} FROM portfolio_snapshots WHERE request_id = ?
           ORDER BY created_at_ms DESC LIMIT ?`,
          requestId,
          limit,
        )
        .filter(hasValidTimes)
        .map(timesOf),
    listOf: (connectionId, endpoint, limit) =>
      reads
        .all<TimesRow & { query: string; source: string | null }>(
          `SELECT snapshots.created_at_ms, snapshots.is_created_said, snapshots.day, snapshots.fetched_at_ms, requests.query, ${textWithinLimit('requests.source')} AS source
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
