import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { CachedFile, FileStore } from '#core/store/fileStore.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import { inOrder, type FindRawFiles } from './rawFiles.ts'

/** Days since the epoch that no file lies beyond. */
const ALL_DAYS = { start: 0, end: 1_000_000 }

export interface RawInstrument {
  connectionId: string
  exchange: string
  symbol: string
}

/** The raw-event files of one instrument that are in the cache. */
export function cachedRawFiles(files: FileStore, folder: CacheFolder, instrument: RawInstrument): FindRawFiles {
  return (dataset) =>
    inOrder(
      countedRawFiles(files, instrument, dataset).map(({ series, period, startDay, endDay }) => ({
        path: folder.pathOf(series, period),
        startDay,
        endDay,
      })),
    )
}

/** The files whose events count; not those of days inside a month that is here whole. */
export function countedRawFiles(files: FileStore, instrument: RawInstrument, dataset: RawDatasetId): CachedFile[] {
  const { connectionId, exchange, symbol } = instrument
  const series = { connectionId, exchange, symbol, kind: 'raw' as const, dataset, interval: '', timestamp: '' }
  const held = files.ofSeries(series, ALL_DAYS.start, ALL_DAYS.end)
  const months = held.filter(isMonth)
  const isInside = (file: CachedFile) =>
    !isMonth(file) && months.some(({ startDay, endDay }) => startDay <= file.startDay && file.endDay <= endDay)
  return held.filter((file) => !isInside(file))
}

const isMonth = ({ startDay, endDay }: CachedFile) => endDay - startDay > 1
