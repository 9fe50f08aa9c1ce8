import { downloadRequest } from '#shared/contract/areas/downloads.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { addDays, dayOf } from '#shared/time.ts'
import { SAMPLE_DAYS, SAMPLE_LABEL, sampleSources } from '#shared/workspace/sampleWorkspace.ts'
import type { Cache } from '#core/cache/cache.ts'
import type { RoomOptions } from '#core/cache/makeRoom.ts'
import type { FileTotals } from '#shared/contract/areas/cache.ts'
import type { Connections } from '#core/connections/connections.ts'
import type { Downloads } from '#core/downloads/downloads.ts'
import { enqueuePlan } from '#core/downloads/plan.ts'
import type { Clock } from '#core/ports.ts'
import type { Store } from '#core/store/store.ts'

/** A few files of the built-in connection, so that there is data before any service is connected. */
export interface Sample {
  /** Fetches the sample files on the very first start, if this data folder was never used. */
  fetchOnce(): Promise<void>
  enqueue(signal: AbortSignal): Promise<{ files: number }>
  /** Removes all files of the built-in connection, which can be generated again. */
  remove(options: RoomOptions): Promise<FileTotals>
}

export interface SampleDeps {
  store: Store
  clock: Clock
  connections: Connections
  downloads: Downloads
  cache: Cache
  /** Called when jobs have been added to the queue or cancelled. */
  onQueueChanged(): void
  onSettings(settings: Settings): void
}

export function createSample(deps: SampleDeps): Sample {
  const { store, clock, connections, downloads, cache } = deps
  const builtInId = () => store.connections.list().find(({ builtIn }) => builtIn)!.id
  const setSampleState = (sampleData: Settings['sampleData']) => deps.onSettings(store.settings.change({ sampleData }))

  async function enqueue(signal: AbortSignal): Promise<{ files: number }> {
    const { id: connectionId, tier } = await connections.access(builtInId())
    const venue = store.venues.of(connectionId).list.at(0)?.id
    if (venue === undefined) return { files: 0 }
    const today = dayOf(clock.nowMs())
    let files = 0
    for (const { dataset, exchange, symbol, interval, timestamp } of sampleSources(venue)) {
      const request = downloadRequest.parse({
        connectionId,
        datasets: [dataset],
        exchanges: [exchange],
        symbols: [symbol],
        intervals: [interval],
        timestamps: [timestamp],
        startDay: addDays(today, -SAMPLE_DAYS),
        endDay: addDays(today, -1),
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
    async remove(options) {
      const connectionId = builtInId()
      await downloads.change(
        { filter: { connectionId } },
        (ids) => store.jobs.cancel(ids, clock.nowMs()),
        options.signal,
      )
      deps.onQueueChanged()
      const removed = await cache.removeConnection(connectionId, options)
      setSampleState('removed')
      return removed
    },
  }
}
