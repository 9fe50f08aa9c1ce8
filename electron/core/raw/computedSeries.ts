import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { ComputedEntry } from '#shared/contract/areas/raw.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { RawInstrument } from '#core/compute/cachedRawFiles.ts'
import type { Store } from '#core/store/store.ts'
import { createSourceMarks } from './sourceMarks.ts'

const FIRST_DAY = -200_000
const LAST_DAY = 200_000

/** What was computed here from the events of an instrument, and which days were made from events that are others now. */
export function computedSeries(store: Store, instrument: RawInstrument): ComputedEntry[] {
  const marks = createSourceMarks(store.files, instrument)
  return store.cacheIndex
    .series(computedOwner(instrument.connectionId))
    .filter(({ series }) => series.exchange === instrument.exchange && series.symbol === instrument.symbol)
    .flatMap(({ series, sizeBytes }) => {
      const { dataset, interval } = series
      if (!isMetricDatasetId(dataset)) return []
      const timestamp = series.timestamp === 'true' ? 'true' : 'exchange'
      const files = store.files.ofSeries(series, FIRST_DAY, LAST_DAY)
      if (files.length === 0) return []
      // A file that was found on the disk, not made by this index, has no mark: nothing is known against it.
      const outdated = files.filter(
        ({ etag, startDay }) => etag !== null && etag !== marks(dataset, timestamp, startDay),
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
        outdatedDays: outdated.map(({ startDay }) => startDay),
      }
    })
}
