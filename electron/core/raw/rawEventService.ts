import { isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EventFilter, EventLatency, RawFileEntry } from '#shared/contract/areas/raw.ts'
import { AppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { Period } from '#shared/time/periods.ts'
import { nonOverlappingRawFiles, inPeriodOrder } from '#core/compute/rawFiles.ts'
import { knownFileOf } from '#core/series/seriesFiles.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import type { EventPage } from './eventRows.ts'
import type { WorkOptions } from './imports.ts'
import type { RawThreads } from './rawThreads.ts'

/** One dataset of one instrument. */
export interface EventSeries {
  connectionId: string
  dataset: string
  exchange: string
  symbol: string
}

export interface EventSelection extends EventSeries {
  /** Days since 1970-01-01, half-open. */
  startDay: number
  endDay: number
  filters: readonly EventFilter[]
}

/** Queries the cached raw events. */
export interface RawEventService {
  files(instrument: Omit<EventSeries, 'dataset'>): RawFileEntry[]
  rows(selection: EventSelection, offset: number, limit: number, signal: AbortSignal): Promise<EventPage>
  seek(selection: EventSelection, timestamp: 'exchange' | 'true', timeMs: number, signal: AbortSignal): Promise<number>
  latency(series: EventSeries, period: Period, signal: AbortSignal): Promise<EventLatency>
  /** Reads the data-quality conditions of the files that overlap the days, and computes those that are not stored. */
  conditions(selection: Omit<EventSelection, 'filters'>, options: WorkOptions): Promise<RawFileEntry[]>
}

const timeColumns = { exchange: 'exchange_timestamp', true: 'local_timestamp' } as const

const FIRST_DAY = -200_000
const LAST_DAY = 200_000

/**
 * Creates the service that reads raw events.
 * @param tables a single thread for pages of events, because a thread caches the rows that it found by a filter
 * @param work threads for all other long tasks
 */
export function createRawEventService(store: Store, tables: RawThreads, work: RawThreads): RawEventService {
  const seriesOf = ({ connectionId, dataset, exchange, symbol }: EventSeries): OwnedSeries => ({
    ...{ connectionId, kind: 'raw', dataset, exchange, symbol, interval: '', timestamp: '' },
  })

  const fileToRead = (file: CachedFile) => ({
    path: store.folder.pathOf(file.series, file.period),
    known: knownFileOf(file),
  })

  function tableOf(selection: EventSelection) {
    const { dataset, startDay, endDay, filters } = selection
    const allFiles = nonOverlappingRawFiles(store.files, selection, dataset).map((file) => ({
      ...fileToRead(file),
      startDay: file.startDay,
      endDay: file.endDay,
    }))
    const files = inPeriodOrder(allFiles)
      .filter((file) => file.endDay > startDay && file.startDay < endDay)
      .map(({ path, known }) => ({ path, known }))
    if (files.length === 0) throw new AppError('not-here', `No events of ${dataset} are cached for these days.`)
    return { files, filters }
  }

  function entries(series: OwnedSeries): RawFileEntry[] {
    const conditionsByPeriod = store.conditions.ofSeries(series)
    return store.files.ofSeries(series, FIRST_DAY, LAST_DAY).map((file: CachedFile) => ({
      dataset: series.dataset,
      period: file.period,
      startDay: file.startDay,
      endDay: file.endDay,
      origin: file.origin,
      sizeBytes: file.sizeBytes,
      rows: store.files.facts(series, file.period)?.rows ?? 0,
      fetchedAt: file.fetchedAtMs,
      conditions: conditionsByPeriod.get(file.period) ?? null,
    }))
  }

  return {
    files: (instrument) =>
      store.cacheIndex
        .series(instrument.connectionId)
        .map(({ series }) => series)
        .filter(
          ({ kind, exchange, symbol }) =>
            kind === 'raw' && exchange === instrument.exchange && symbol === instrument.symbol,
        )
        .flatMap(entries),
    rows: (selection, offset, limit, signal) => tables.run('rows', { ...tableOf(selection), offset, limit }, signal),
    seek: (selection, timestamp, timeMs, signal) =>
      tables.run('seek', { ...tableOf(selection), timeMs, timeColumn: timeColumns[timestamp] }, signal),
    async latency(series, period, signal) {
      const ownedSeries = seriesOf(series)
      const file = store.files.find(ownedSeries, period)
      if (!file) throw new AppError('not-here', `${series.dataset} for ${period} are not cached.`)
      const range = { startMs: file.startDay * MS_PER_DAY, endMs: file.endDay * MS_PER_DAY }
      return work.run('latency', { ...fileToRead(file), ...range }, signal)
    },
    async conditions(selection, { signal, onProgress }) {
      const series = seriesOf(selection)
      const { dataset } = series
      if (!isRawDatasetId(dataset))
        throw new AppError(
          'unsupported',
          `What is odd in events of ${dataset.slice(0, 60)} is not known, so they cannot be checked.`,
        )
      const filesInRange = entries(series).filter(
        ({ startDay, endDay }) => endDay > selection.startDay && startDay < selection.endDay,
      )
      const withoutConditions = filesInRange.filter(({ conditions }) => conditions === null)
      for (const [index, entry] of withoutConditions.entries()) {
        onProgress({ done: index, total: withoutConditions.length, message: `${dataset} of ${entry.period}` })
        const file = store.files.find(series, entry.period)
        if (!file) continue
        const conditions = await work.run('conditions', { ...fileToRead(file), dataset }, signal)
        store.conditions.write(series, entry.period, conditions)
        entry.conditions = conditions
      }
      return filesInRange
    },
  }
}
