import type { EventConditions } from '#shared/contract/areas/raw.ts'
import type { Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import type { OwnedSeries, SeriesIndex } from './seriesIndex.ts'

/** Stores the conditions of raw-event files once all of a file has been read. A file that is replaced loses it. */
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
      return new Map(rows.map(({ period, conditions }) => [period, JSON.parse(conditions) as EventConditions]))
    },
  }
}
