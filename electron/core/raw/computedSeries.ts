import { createHash } from 'node:crypto'
import { isEngineEtag } from '#core/compute/computedFile.ts'
import { nonOverlappingRawFiles, type RawInstrument } from '#core/compute/rawFiles.ts'
import type { FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { isMetricDatasetId, metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { ComputedEntry } from '#shared/contract/areas/raw.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { DayNumber } from '#shared/time/periods.ts'

const FIRST_DAY = -200_000
const LAST_DAY = 200_000

/** Lists the series computed from the events of an instrument, with the days whose events have changed since. */
export function computedSeries(store: Store, instrument: RawInstrument): ComputedEntry[] {
  const sourceHashOf = createSourceHashes(store.files, instrument)
  return store.cacheIndex
    .series(computedOwner(instrument.connectionId))
    .filter(({ series }) => series.exchange === instrument.exchange && series.symbol === instrument.symbol)
    .flatMap(({ series, sizeBytes }) => {
      const { dataset, interval } = series
      if (!isMetricDatasetId(dataset)) return []
      const timestamp = series.timestamp === 'true' ? 'true' : 'exchange'
      const files = store.files.ofSeries(series, FIRST_DAY, LAST_DAY)
      if (files.length === 0) return []
      // A file that was on disk but not in the index has no source hash, so whether it is outdated is unknown.
      const outdatedFiles = files.filter(
        ({ etag, startDay }) =>
          etag !== null && !isEngineEtag(etag) && etag !== sourceHashOf(dataset, timestamp, startDay),
      )
      return {
        dataset,
        interval,
        timestamp,
        startDay: files[0].startDay,
        endDay: files.at(-1)!.endDay,
        files: files.length,
        sizeBytes,
        computedAt: Math.max(...files.map(({ fetchedAtMs }) => fetchedAtMs)),
        outdatedDays: outdatedFiles.map(({ startDay }) => startDay),
      }
    })
}

/** Returns a hash of the raw files from which a day of a metric is computed; it changes when one of them does. */
export type SourceHashOf = (dataset: MetricDatasetId, timestamp: TimestampSource, day: DayNumber) => string

/** Creates a `SourceHashOf` for the source files that are cached now; later changes of the cache are not noticed. */
export function createSourceHashes(files: FileStore, instrument: RawInstrument): SourceHashOf {
  const filesByDataset = new Map<RawDatasetId, CachedFile[]>()
  const filesOf = (dataset: RawDatasetId) => {
    const found = filesByDataset.get(dataset) ?? nonOverlappingRawFiles(files, instrument, dataset)
    filesByDataset.set(dataset, found)
    return found
  }
  return (id, timestamp, day) => {
    const { drivingSource, asOf } = metricDataset(id)
    const hash = createHash('sha256')
    for (const dataset of new Set([drivingSource, ...asOf])) {
      if (!isRawDatasetId(dataset)) continue
      // Files are split by the venue's time, so an event that arrived on this day may be in the file of the day before
      // or after. An as-of source is also read from the day before.
      const isByArrival = timestamp === 'true'
      const firstDay = isByArrival || asOf.includes(dataset) ? day - 1 : day
      const lastDay = isByArrival ? day + 1 : day
      for (const { period, startDay, endDay, sha256 } of filesOf(dataset))
        if (endDay > firstDay && startDay <= lastDay) hash.update(`${dataset} ${period} ${sha256}\n`)
    }
    return hash.digest('hex')
  }
}
