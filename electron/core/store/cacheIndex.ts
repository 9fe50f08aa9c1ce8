import type { EventConditions } from '#shared/contract/areas/raw.ts'
import type { Period } from '#shared/time/periods.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import type { Database } from './database.ts'
import { type OwnedSeries, SERIES_COLUMNS, type SeriesIndex, seriesOfRow, type SeriesRow } from './seriesIndex.ts'
import type { Reads } from './sql.ts'
import { storedJsonOr } from './storedJson.ts'

/** The cache index lists everything that a connection has cached, for screens that show all of it. */
export interface CacheIndex {
  /** Lists the series that have files, without reading the files. */
  series(connectionId: string): { series: OwnedSeries; files: number; sizeBytes: number }[]
  /**
   * Counts the days that the files of each raw-event series cover; a day in both a monthly and a daily file counts
   * once.
   */
  rawDays(connectionId: string): { dataset: string; exchange: string; symbol: string; days: number }[]
  /**
   * Lists the metric series with uncovered days between their first and last cached day, with the number of such days.
   */
  gaps(connectionId: string): { dataset: string; exchange: string; symbol: string; interval: string; missing: number }[]
  /** Returns the periods for which a download job has failed, even if a later job succeeded. */
  failedPeriods(series: OwnedSeries): ReadonlySet<Period>
}

export function createCacheIndex(reads: Reads, seriesIndex: SeriesIndex): CacheIndex {
  return {
    series: (connectionId) =>
      reads
        .all<SeriesRow & { files: number; size_bytes: number }>(
          `SELECT ${SERIES_COLUMNS}, series.files, series.size_bytes FROM series WHERE connection_id = ? AND files > 0
           ORDER BY kind, dataset, exchange, symbol, interval, timestamp`,
          connectionId,
        )
        .map((row) => ({ series: seriesOfRow(row), files: row.files, sizeBytes: row.size_bytes })),
    rawDays: (connectionId) =>
      reads.all(
        // Days that an earlier file has too are counted once: of each file, only the days after all earlier files count.
        `SELECT series.dataset, series.exchange, series.symbol, covered.days FROM series JOIN (
           SELECT series_id, sum(max(0, end_day - max(start_day, reached))) AS days FROM (
             SELECT series_id, start_day, end_day, coalesce(max(end_day) OVER (
               PARTITION BY series_id ORDER BY start_day, end_day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
             ), 0) AS reached
             FROM files WHERE series_id IN (SELECT id FROM series WHERE connection_id = ? AND kind = 'raw' AND files > 0)
           ) GROUP BY series_id
         ) AS covered ON covered.series_id = series.id`,
        connectionId,
      ),
    gaps: (connectionId) =>
      reads.all(
        // Months never overlap, nor do single days, so where no month reaches into the days, sums tell what is missing;
        // only in the other series is every file compared with all earlier ones, which takes four times as long.
        `WITH spans AS MATERIALIZED (
           SELECT series_id, max(end_day) - min(start_day) - sum(end_day - start_day) AS missing,
             coalesce(max(end_day) FILTER (WHERE end_day - start_day > 1), 0)
               <= coalesce(min(start_day) FILTER (WHERE end_day - start_day = 1), 1e9) AS is_disjoint
           FROM files WHERE series_id IN (SELECT id FROM series WHERE connection_id = ? AND kind = 'metrics' AND files > 0)
           GROUP BY series_id
         )
         SELECT series.dataset, series.exchange, series.symbol, series.interval, covered.missing FROM series JOIN (
           SELECT series_id, missing FROM spans WHERE is_disjoint
           UNION ALL
           SELECT series_id, sum(max(0, start_day - reached)) AS missing FROM (
             SELECT series_id, start_day, coalesce(max(end_day) OVER (
               PARTITION BY series_id ORDER BY start_day, end_day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
             ), start_day) AS reached
             FROM files WHERE series_id IN (SELECT series_id FROM spans WHERE NOT is_disjoint)
           ) GROUP BY series_id
         ) AS covered ON covered.series_id = series.id WHERE covered.missing > 0`,
        connectionId,
      ),
    failedPeriods(series) {
      const id = seriesIndex.find(series)
      if (id === undefined) return new Set()
      const rows = reads.all<{ period: Period }>("SELECT period FROM jobs WHERE series_id = ? AND state = 'failed'", id)
      return new Set(rows.map(({ period }) => period))
    },
  }
}

/** Tells whether stored conditions are an object; anything else is damaged and counts as never computed. */
const areConditions = (value: unknown): value is EventConditions | null => isRecord(value)

/**
 * Stores the conditions of raw-event files, computed by reading a whole file. They are removed when the file is
 * replaced.
 */
export interface ConditionStore {
  write(series: OwnedSeries, period: Period, conditions: EventConditions): void
  ofSeries(series: OwnedSeries): ReadonlyMap<Period, EventConditions>
}

export function createConditionStore({ reads, writes }: Database, seriesIndex: SeriesIndex): ConditionStore {
  return {
    write(series, period, conditions) {
      const id = seriesIndex.find(series)
      if (id === undefined) return
      writes.run(
        `INSERT OR REPLACE INTO raw_conditions (series_id, period, conditions)
         SELECT series_id, period, ? FROM files WHERE series_id = ? AND period = ?`,
        JSON.stringify(conditions),
        id,
        period,
      )
    },
    ofSeries(series) {
      const rows = reads.all<{ period: Period; conditions: string }>(
        'SELECT period, conditions FROM raw_conditions WHERE series_id = ?',
        seriesIndex.find(series) ?? -1,
      )
      const read = rows.map(
        ({ period, conditions }) => [period, storedJsonOr(conditions, areConditions, null)] as const,
      )
      return new Map(read.filter((each): each is [Period, EventConditions] => each[1] !== null))
    },
  }
}
