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

/** The raw-event files of one instrument that are in the cache. Of a month and days inside it the month counts. */
export function cachedRawFiles(files: FileStore, folder: CacheFolder, instrument: RawInstrument): FindRawFiles {
  return (dataset) => {
    const series = { ...instrument, kind: 'raw' as const, dataset, interval: '', timestamp: '' }
    const held = files.ofSeries(series, ALL_DAYS.start, ALL_DAYS.end)
    const months = held.filter(isMonth)
    const isInside = (file: CachedFile) =>
      !isMonth(file) && months.some(({ startDay, endDay }) => startDay <= file.startDay && file.endDay <= endDay)
    return inOrder(
      held
        .filter((file) => !isInside(file))
        .map(({ period, startDay, endDay }) => ({ path: folder.pathOf(series, period), startDay, endDay })),
    )
  }
}

const isMonth = ({ startDay, endDay }: CachedFile) => endDay - startDay > 1
