import type { Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { filesCondition, seriesCondition, type FileFilter } from './fileFilter.ts'
import type { OwnedSeries, SeriesIndex } from './seriesIndex.ts'

const usageGroups = ['connection', 'dataset', 'exchange', 'symbol'] as const
type UsageGroup = (typeof usageGroups)[number]

interface CacheUsage {
  /** Id of the connection, or name of the dataset, venue or symbol. */
  name: string
  files: number
  /** Number of pinned files, which are kept when space is freed. */
  pinned: number
  sizeBytes: number
}

/** Totals of the cached files, and the pins that keep files from being removed. */
export interface CacheUse {
  /** Counts the cached files and sums their sizes by group, largest first. */
  usage(groupBy: UsageGroup, filter: FileFilter): CacheUsage[]
  /** Tells whether there is a job for this file that has not ended. */
  isAwaited(series: OwnedSeries, period: Period): boolean
  /** Counts the jobs of a connection that have not ended. */
  countAwaitedFiles(connectionId: string): number
  /** Tells whether the cache contains files that were downloaded through the connection. */
  hasFetched(connectionId: string): boolean
  /** Pins or unpins the files that match. @returns how many there are */
  setPinned(filter: FileFilter, pinned: boolean): number
}

const groupColumns: Record<UsageGroup, string> = {
  connection: 'connection_id',
  dataset: 'dataset',
  exchange: 'exchange',
  symbol: 'symbol',
}

export function createCacheUse({ reads, writes }: Database, seriesIndex: SeriesIndex): CacheUse {
  return {
    usage(groupBy, filter) {
      const { sql, values } = seriesCondition(filter)
      const pinned = new Map(
        reads
          .all<{ name: string; files: number }>(
            `SELECT ${groupColumns[groupBy]} AS name, count(*) AS files FROM files INDEXED BY files_pinned
             JOIN series ON series.id = files.series_id WHERE files.pinned = 1 AND ${sql} GROUP BY 1`,
            ...values,
          )
          .map(({ name, files }) => [name, files]),
      )
      return reads
        .all<{ name: string; files: number; size_bytes: number }>(
          `SELECT ${groupColumns[groupBy]} AS name, total(files) AS files, total(size_bytes) AS size_bytes FROM series
           WHERE files > 0 AND ${sql} GROUP BY 1 ORDER BY 3 DESC, 1`,
          ...values,
        )
        .map(({ name, files, size_bytes: sizeBytes }) => ({ name, files, pinned: pinned.get(name) ?? 0, sizeBytes }))
    },
    isAwaited(series, period) {
      const id = seriesIndex.find(series)
      return (
        id !== undefined &&
        reads.first('SELECT 1 FROM jobs WHERE series_id = ? AND period = ? AND ended_at_ms IS NULL', id, period) !==
          undefined
      )
    },
    countAwaitedFiles: (connectionId) =>
      reads.first<{ n: number }>(
        'SELECT count(*) AS n FROM jobs WHERE connection_id = ? AND ended_at_ms IS NULL',
        connectionId,
      )?.n ?? 0,
    hasFetched: (connectionId) =>
      reads.first(
        `SELECT 1 FROM series JOIN files ON files.series_id = series.id
         WHERE series.connection_id = ? AND files.origin = 'service' LIMIT 1`,
        connectionId,
      ) !== undefined,
    setPinned(filter, pinned) {
      const series = seriesCondition(filter)
      const files = filesCondition(filter)
      return writes.run(
        `UPDATE files SET pinned = ? WHERE series_id IN (SELECT id FROM series WHERE ${series.sql}) AND ${files.sql}`,
        pinned ? 1 : 0,
        ...series.values,
        ...files.values,
      )
    },
  }
}
