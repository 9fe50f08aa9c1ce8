import { createHash } from 'node:crypto'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { countedRawFiles, type RawInstrument } from '#core/compute/cachedRawFiles.ts'
import type { CachedFile, FileStore } from '#core/store/fileStore.ts'

/** Names the raw files that a day of a metric is computed from: another mark, and the day would be computed from others. */
export type SourceMarks = (dataset: MetricDatasetId, timestamp: TimestampSource, day: DayNumber) => string

/** For the files that are here now; what comes or goes later is not seen. */
export function createSourceMarks(files: FileStore, instrument: RawInstrument): SourceMarks {
  const known = new Map<RawDatasetId, CachedFile[]>()
  const filesOf = (dataset: RawDatasetId) => {
    const found = known.get(dataset) ?? countedRawFiles(files, instrument, dataset)
    known.set(dataset, found)
    return found
  }
  return (id, timestamp, day) => {
    const { driving, asOf } = metricDataset(id)
    const hash = createHash('sha256')
    for (const dataset of new Set([driving, ...asOf])) {
      if (!isRawDatasetId(dataset)) continue
      // A file holds its days by the venue's time: by arrival, an event of this day may lie in a neighbour's file.
      const isByArrival = timestamp === 'true'
      const first = isByArrival || asOf.includes(dataset) ? day - 1 : day
      const last = isByArrival ? day + 1 : day
      for (const { period, startDay, endDay, sha256 } of filesOf(dataset))
        if (endDay > first && startDay <= last) hash.update(`${dataset} ${period} ${sha256}\n`)
    }
    return hash.digest('hex')
  }
}
