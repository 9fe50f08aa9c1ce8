/** Handles the calls on downloads: preview, queue, list, change and publish them, and keep sets of them. */
import type { Connections } from '#core/connections/connections.ts'
import { downloadOf, type Downloads } from '#core/downloads/downloads.ts'
import { enqueuePlan, type PlanDeps, planFrame, planPreview, requestedFiles } from '#core/downloads/plan.ts'
import type { OpenDiscovery } from '#core/discovery/discovery.ts'
import type { QueueEvents } from '#core/downloads/queueEvents.ts'
import type { DownloadQueue } from '#core/downloads/scheduler.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallContext, CallsOf, Handler, Handlers } from '#core/handler.ts'
import type { Clock } from '#core/ports.ts'
import type { Publisher } from '#core/sharedStore/publisher.ts'
import { storedSlice } from '#core/store/storedSlice.ts'
import type { Store } from '#core/store/store.ts'
import { type DownloadRequest, requestOfSet, type WhichDownloads } from '#shared/contract/areas/downloads.ts'
import { dayOf } from '#shared/time.ts'

export interface DownloadHandlerDeps {
  store: Store
  clock: Clock
  bus: EventBus
  connections: Connections
  openDiscovery: OpenDiscovery
  downloads: Downloads
  queue: DownloadQueue
  queueEvents: QueueEvents
  publisher: Publisher
}

export function downloadHandlers(deps: DownloadHandlerDeps): Handlers<CallsOf<'downloads'>> {
  const { store, clock, bus, connections, openDiscovery, downloads, queue, queueEvents, publisher } = deps
  const { jobs } = store

  /** Resolves the connection of a request and collects what its plan needs. */
  async function planInput(request: DownloadRequest, signal: AbortSignal) {
    const { id, tier, isPreview } = await connections.access(request.connectionId)
    const planDeps: PlanDeps = { store, clock, tier, slice: isPreview ? await sliceOf(id, signal) : null, signal }
    return [planDeps, { ...request, connectionId: id }] as const
  }

  /** Returns the slice of a connection of previews, whose catalog is read first if it is not known yet. */
  async function sliceOf(connectionId: string, signal: AbortSignal) {
    const known = storedSlice(store.coverage, connectionId)
    if (known) return known
    // Without a catalog the service decides what it serves.
    await (await openDiscovery(connectionId)).refreshRawCatalog(signal, false).catch(() => signal.throwIfAborted())
    return storedSlice(store.coverage, connectionId)
  }

  const changeHandler =
    (work: (ids: readonly number[]) => number) =>
    async ({ which }: { which: WhichDownloads }, { signal }: CallContext) => {
      try {
        return { jobs: await downloads.change(which, work, signal) }
      } finally {
        queue.refresh()
        queueEvents.jobsChanged()
      }
    }

  const enqueue: Handler<'downloads.enqueue'> = async ({ request, ...options }, { signal }) => {
    const enqueued = await enqueuePlan(...(await planInput(request, signal)), options)
    queue.refresh()
    queueEvents.jobsChanged()
    return enqueued
  }

  return {
    'downloads.preview': async ({ request }, { signal }) => planPreview(...(await planInput(request, signal))),
    'downloads.plan': async ({ request }, { signal }) => planFrame(...(await planInput(request, signal))),
    'downloads.enqueue': enqueue,
    'downloads.publishTarget': async ({ connectionId }, { signal }) => ({
      store: await publisher.target(connectionId === '' ? store.connections.active().id : connectionId, signal),
    }),
    'downloads.publish': async ({ request }, context) => {
      const [planDeps, wanted] = await planInput(request, context.signal)
      const files = await requestedFiles(planDeps, wanted)
      const completeFiles = files.filter(({ state }) => state === 'final')
      const published = await publisher.toOwn(wanted.connectionId, completeFiles, context)
      return { ...published, partial: files.length - completeFiles.length }
    },
    ...downloadSetHandlers({ store, clock, bus, enqueue }),
    'downloads.list': ({ filter, offset, limit, sort }) => {
      const { total, jobs: listedJobs } = jobs.list(filter, offset, limit, sort)
      return { total, downloads: listedJobs.map((job) => downloadOf(store, job)) }
    },
    'downloads.idsIn': async ({ ids, states }, { signal }) => {
      const foundIds: number[] = []
      await downloads.change(
        { ids },
        (slice) => foundIds.push(...jobs.ids({ ids: slice, states }, 0, slice.length)),
        signal,
      )
      return { ids: foundIds }
    },
    'downloads.requests': ({ limit }, { signal }) => downloads.openRequests(limit, signal),
    'downloads.failures': () =>
      jobs
        .failureReasons()
        .map(({ error: { code, sentence, remedy }, jobs: files }) => ({ code, sentence, remedy, files })),
    'downloads.progress': () => queueEvents.progress(),
    'downloads.results': ({ batchId, after, limit }) => ({
      downloads: jobs
        .endedOf(batchId, after ? { endedAtMs: after.endedAt, id: after.id } : { endedAtMs: -1, id: 0 }, limit)
        .map((job) => downloadOf(store, job)),
      files: jobs.batchSize(batchId),
    }),
    'downloads.pause': changeHandler((ids) => jobs.pause(ids)),
    'downloads.resume': async (input, context) => {
      for (const { connectionId } of store.pauses.list()) queue.resumeConnection(connectionId)
      return changeHandler((ids) => jobs.resume(ids))(input, context)
    },
    'downloads.cancel': changeHandler((ids) => jobs.cancel(ids, clock.nowMs())),
    'downloads.retry': changeHandler((ids) => jobs.retry(ids, clock.nowMs())),
    'downloads.prioritise': (input, context) =>
      changeHandler((ids) => {
        jobs.prioritise(ids, input.priority)
        return ids.length
      })(input, context),
    'downloads.reorder': ({ ids, beforeId }) => {
      jobs.reorder(ids, beforeId)
      queue.refresh()
      queueEvents.jobsChanged()
      return { jobs: ids.length }
    },
    'downloads.forgetEnded': async (_input, { signal }) => {
      const forgotten = await downloads.forgetEnded(signal)
      queueEvents.jobsChanged()
      return { jobs: forgotten }
    },
  }
}

export interface DownloadSetDeps {
  store: Store
  clock: Clock
  bus: EventBus
  enqueue: Handler<'downloads.enqueue'>
}

type SetCalls = 'downloads.sets' | 'downloads.saveSet' | 'downloads.removeSet' | 'downloads.enqueueSet'

export function downloadSetHandlers({ store, clock, bus, enqueue }: DownloadSetDeps): Handlers<SetCalls> {
  const { sets } = store
  const ownerOf = (id: string) => (id === '' ? store.connections.active() : store.connections.find(id)).id
  const emitSetsChanged = () => bus.emit('documents.changed', { kind: 'set' })
  return {
    'downloads.sets': ({ connectionId }) => sets.list(ownerOf(connectionId)),
    'downloads.saveSet': ({ set }) => {
      const saved = sets.save({ ...set, connectionId: ownerOf(set.connectionId) })
      emitSetsChanged()
      return saved
    },
    'downloads.removeSet': ({ connectionId, name }) => {
      sets.remove(ownerOf(connectionId), name)
      emitSetsChanged()
      return null
    },
    'downloads.enqueueSet': async ({ connectionId, name, priority, ...overrides }, context) => {
      const set = sets.find(ownerOf(connectionId), name)
      const request = { ...requestOfSet(set, dayOf(clock.nowMs())), ...overrides }
      const enqueued = await enqueue({ request, label: set.name, priority }, context)
      sets.noteEnqueued(set.connectionId, set.name, clock.nowMs())
      emitSetsChanged()
      return enqueued
    },
  }
}
