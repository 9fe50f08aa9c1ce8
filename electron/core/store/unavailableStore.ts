import { periodDays, type DayNumber, type Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import type { OwnedSeries, SeriesIndex } from './seriesIndex.ts'

/** Records which periods a service does not have and which datasets it refuses, each with the time of its response. */
export interface UnavailableStore {
  recordAbsent(series: OwnedSeries, periods: readonly Period[], nowMs: number): void
  absentPeriods(series: OwnedSeries, startDay: DayNumber, endDay: DayNumber): { period: Period; seenAtMs: number }[]
  recordRefusal(refusal: AccessRefusal): void
  clearRefusal(refusal: RefusedScope & { connectionId: string }): void
  refusals(connectionId: string): AccessRefusal[]
}

/** Part of a service to which a key has no access; an empty dataset or interval stands for all of them. */
export interface RefusedScope {
  kind: OwnedSeries['kind']
  dataset: string
  interval: string
}

/** A refusal of a connection's key. */
export interface AccessRefusal extends RefusedScope {
  connectionId: string
  /** Message that the service sent; null if it sent none. */
  message: string | null
  atMs: number
}

interface RefusalRow {
  connection_id: string
  kind: OwnedSeries['kind']
  dataset: string
  interval: string
  words: string | null
  at_ms: number
}

export function createUnavailableStore({ reads, writes }: Database, seriesIndex: SeriesIndex): UnavailableStore {
  return {
    recordAbsent(series, periods, nowMs) {
      seriesIndex.ensure([series])
      const id = seriesIndex.idOf(series)
      writes.inTransaction(() => {
        for (const period of periods) {
          const days = periodDays(period)
          if (!days) continue
          writes.run(
            'INSERT OR REPLACE INTO absences (series_id, period, start_day, end_day, seen_at_ms) VALUES (?, ?, ?, ?, ?)',
            id,
            period,
            days.start,
            days.end,
            nowMs,
          )
        }
      })
    },
    absentPeriods(series, startDay, endDay) {
      const id = seriesIndex.find(series)
      if (id === undefined) return []
      return reads
        .all<{ period: Period; seen_at_ms: number }>(
          'SELECT period, seen_at_ms FROM absences WHERE series_id = ? AND start_day < ? AND end_day > ? ORDER BY start_day',
          id,
          endDay,
          startDay,
        )
        .map((row) => ({ period: row.period, seenAtMs: row.seen_at_ms }))
    },
    recordRefusal: ({ connectionId, kind, dataset, interval, message, atMs }) =>
      void writes.run(
        'INSERT OR REPLACE INTO refusals (connection_id, kind, dataset, interval, words, at_ms) VALUES (?, ?, ?, ?, ?, ?)',
        connectionId,
        kind,
        dataset,
        interval,
        message,
        atMs,
      ),
    clearRefusal: ({ connectionId, kind, dataset, interval }) =>
      void writes.run(
        'DELETE FROM refusals WHERE connection_id = ? AND kind = ? AND dataset = ? AND interval = ?',
        connectionId,
        kind,
        dataset,
        interval,
      ),
    refusals: (connectionId) =>
      reads
        .all<RefusalRow>(
          'SELECT * FROM refusals WHERE connection_id = ? ORDER BY kind, dataset, interval',
          connectionId,
        )
        .map((row) => ({
          connectionId: row.connection_id,
          kind: row.kind,
          dataset: row.dataset,
          interval: row.interval,
          message: row.words,
          atMs: row.at_ms,
        })),
  }
}
