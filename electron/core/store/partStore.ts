import { rmSync, statSync } from 'node:fs'
import type { Period } from '#shared/time/periods.ts'
import { type CacheFolder, linkedFolder, PART_SUFFIX } from './cacheFolder.ts'
import type { Database } from './database.ts'
import type { OwnedSeries, SeriesIndex } from './seriesIndex.ts'

/** Beginnings of files, kept so that an interrupted transfer can be resumed. */
export interface PartStore {
  pathOf(series: OwnedSeries, period: Period): string
  /** Returns the size of a part that can be resumed, and the version of its file; null if there is none. */
  resumablePart(series: OwnedSeries, period: Period): { sizeBytes: number; etag: string } | null
  /**
   * Records the version of a file before the first byte of its part is written. An `etag` of null means that the
   * service did not state a version, so the part cannot be resumed.
   */
  begin(series: OwnedSeries, period: Period, etag: string | null, nowMs: number): void
  /** Lists the recorded parts that are on disk, oldest first. */
  list(): PartFile[]
  discard(series: OwnedSeries, period: Period): void
  /** Deletes the records of parts that were completed or discarded. */
  forget(parts: readonly { series: OwnedSeries; period: Period }[]): void
  /** Deletes the parts that were begun before this time and that no job waits for. @returns number of parts */
  sweep(beforeMs: number): number
}

interface PartFile {
  series: OwnedSeries
  period: Period
  sizeBytes: number
  /** True while a job waits for the part or writes it. */
  isAwaited: boolean
}

export function createPartStore({ reads, writes }: Database, seriesIndex: SeriesIndex, folder: CacheFolder): PartStore {
  const pathOf = (series: OwnedSeries, period: Period) => folder.pathOf(series, period) + PART_SUFFIX

  const sizeOf = (series: OwnedSeries, period: Period) =>
    statSync(pathOf(series, period), { throwIfNoEntry: false })?.size

  function forget(parts: readonly { series: OwnedSeries; period: Period }[]): void {
    if (parts.length === 0) return
    writes.run(
      'DELETE FROM parts WHERE (series_id, period) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))',
      JSON.stringify(parts.map(({ series, period }) => [seriesIndex.find(series), period])),
    )
  }

  function discard(series: OwnedSeries, period: Period): void {
    const path = pathOf(series, period)
    if (linkedFolder(path, folder.root) === null) rmSync(path, { force: true })
    forget([{ series, period }])
  }

  return {
    pathOf,
    resumablePart(series, period) {
      const id = seriesIndex.find(series)
      const row = reads.first<{ etag: string }>(
        'SELECT etag FROM parts WHERE series_id = ? AND period = ?',
        id ?? -1,
        period,
      )
      const sizeBytes = row?.etag && sizeOf(series, period)
      return row && sizeBytes ? { sizeBytes, etag: row.etag } : null
    },
    begin(series, period, etag, nowMs) {
      seriesIndex.ensure([series])
      writes.run(
        'INSERT OR REPLACE INTO parts (series_id, period, etag, left_at_ms) VALUES (?, ?, ?, ?)',
        seriesIndex.idOf(series),
        period,
        etag ?? '',
        Math.round(nowMs),
      )
    },
    list() {
      const rows = reads.all<{ series_id: number; period: Period; is_awaited: number }>(
        `SELECT series_id, period, EXISTS (SELECT 1 FROM jobs WHERE jobs.series_id = parts.series_id
           AND jobs.period = parts.period AND jobs.ended_at_ms IS NULL) AS is_awaited FROM parts ORDER BY left_at_ms`,
      )
      return rows.flatMap(({ series_id: id, period, is_awaited: isAwaited }) => {
        const series = seriesIndex.byId(id)
        const sizeBytes = series && sizeOf(series, period)
        return series && sizeBytes !== undefined ? [{ series, period, sizeBytes, isAwaited: isAwaited === 1 }] : []
      })
    },
    discard,
    forget,
    sweep(beforeMs) {
      const expiredRows = reads.all<{ series_id: number; period: Period }>(
        `SELECT series_id, period FROM parts WHERE left_at_ms < ? AND NOT EXISTS (SELECT 1 FROM jobs
           WHERE jobs.series_id = parts.series_id AND jobs.period = parts.period AND jobs.ended_at_ms IS NULL)`,
        beforeMs,
      )
      for (const { series_id: id, period } of expiredRows) {
        const series = seriesIndex.byId(id)
        if (series) discard(series, period)
      }
      return expiredRows.length
    },
  }
}
