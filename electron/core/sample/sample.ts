import { downloadRequest } from '#shared/contract/areas/downloads.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { addDays, type Day, dayOf } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf, type Period, periodDays } from '#shared/time/periods.ts'
import { SAMPLE_DAYS, SAMPLE_LABEL, sampleSources } from '#shared/workspace/sampleWorkspace.ts'
import type { Cache } from '#core/cache/cache.ts'
import type { FileTotals } from '#shared/contract/areas/cache.ts'
import type { Connections } from '#core/connections/connections.ts'
import { enqueuePlan } from '#core/downloads/plan.ts'
import type { Clock } from '#core/ports.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'

/** A few files of the built-in connection, so that there is data before any service is connected. */
export interface Sample {
  /** Fetches the sample files on the very first start, if this data folder was never used. */
  fetchOnce(): Promise<void>
  /** Queues the files of these days, or of the usual ones. */
  enqueue(signal: AbortSignal, days?: SampleDays): Promise<{ files: number }>
  /**
   * Removes the files that only the sample asked for, and cancels what of them is still queued. The services generate
   * the same files again, so `enqueue` with the returned days undoes it.
   */
  remove(): Promise<FileTotals & { days: SampleDays | null }>
}

/** Range of days, both inclusive. */
interface SampleDays {
  startDay: Day
  endDay: Day
}

interface SampleDeps {
  store: Store
  clock: Clock
  connections: Connections
  cache: Cache
  /** Resolves when none of these cancelled jobs is transferred any more. */
  jobsEnded(ids: readonly number[]): Promise<void>
  /** Called when jobs have been added to the queue or cancelled. */
  onQueueChanged(): void
  onSettings(settings: Settings): void
}

export function createSample(deps: SampleDeps): Sample {
  const { store, clock, connections, cache } = deps
  const builtInId = () => store.connections.list().find(({ builtIn }) => builtIn)!.id
  const setSampleState = (sampleData: Settings['sampleData']) => deps.onSettings(store.settings.change({ sampleData }))

  async function enqueue(signal: AbortSignal, days = daysAt(clock.nowMs())): Promise<{ files: number }> {
    const { id: connectionId, tier } = await connections.access(builtInId())
    const venue = store.venues.of(connectionId).list.at(0)?.id
    if (venue === undefined) return { files: 0 }
    let files = 0
    for (const { dataset, exchange, symbol, interval, timestamp } of sampleSources(venue)) {
      const request = downloadRequest.parse({
        connectionId,
        datasets: [dataset],
        exchanges: [exchange],
        symbols: [symbol],
        intervals: [interval],
        timestamps: [timestamp],
        ...days,
      })
      const enqueued = await enqueuePlan({ store, clock, tier, signal }, request, { label: SAMPLE_LABEL, priority: 0 })
      files += enqueued.files
      deps.onQueueChanged()
    }
    setSampleState('here')
    return { files }
  }

  return {
    enqueue,
    async fetchOnce() {
      const isNew = store.settings.read().sampleData === 'never' && store.connections.active().builtIn
      if (!isNew || store.files.totals({}).files > 0 || store.jobs.list({}, 0, 0).total > 0) return
      await enqueue(new AbortController().signal)
    },
    async remove() {
      const openJobs = store.jobs.openOnlyFor(SAMPLE_LABEL)
      const ids = openJobs.map(({ id }) => id)
      store.jobs.cancel(ids, clock.nowMs())
      deps.onQueueChanged()
      await deps.jobsEnded(ids)
      const ownFiles = sampleFiles(store, builtInId())
      const removed = await cache.removeListed(ownFiles)
      setSampleState('removed')
      return { ...removed, days: daysOf([...ownFiles, ...openJobs]) }
    },
  }
}

/** The days of a sample that is fetched now: whole ones, up to yesterday. */
function daysAt(nowMs: number): SampleDays {
  const today = dayOf(nowMs)
  return { startDay: addDays(today, -SAMPLE_DAYS), endDay: addDays(today, -1) }
}

/** Returns the days from the first to the last of some files; null if there are none. */
function daysOf(files: readonly { period: Period }[]): SampleDays | null {
  const ranges = files.flatMap(({ period }) => periodDays(period) ?? [])
  if (ranges.length === 0) return null
  const startDay = dayFromNumber(Math.min(...ranges.map(({ start }) => start)))
  return { startDay, endDay: dayFromNumber(Math.max(...ranges.map(({ end }) => end)) - 1) }
}

/**
 * Lists the files that only the sample asked for. They are not marked as such, so they are the files of its series and
 * days that were fetched after it was requested and that no other request in the history names.
 */
function sampleFiles({ jobs, files, venues }: Store, connectionId: string): CachedFile[] {
  // The venue that is first now may not have been the first one when the sample was requested.
  const sources = venues.of(connectionId).list.flatMap(({ id }) => sampleSources(id))
  const seriesList = sources.map(({ dataset, exchange, symbol, interval, timestamp }): OwnedSeries => ({
    connectionId,
    kind: 'metrics',
    dataset,
    exchange,
    symbol,
    interval,
    timestamp,
  }))
  const nameOf = ({ series, period }: Pick<CachedFile, 'series' | 'period'>) =>
    `${series.dataset} ${series.exchange} ${period}`
  const own = new Map<string, CachedFile>()
  for (const requestedAtMs of jobs.batchTimes(SAMPLE_LABEL)) {
    const { startDay, endDay } = daysAt(requestedAtMs)
    for (const series of seriesList)
      for (const file of files.ofSeries(series, dayNumberOf(startDay), dayNumberOf(endDay) + 1))
        if (file.origin === 'service' && file.fetchedAtMs >= requestedAtMs) own.set(nameOf(file), file)
  }
  for (const file of jobs.wantedBeside(SAMPLE_LABEL, seriesList)) own.delete(nameOf(file))
  return [...own.values()]
}
