import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import type {
  DownloadProgress,
  DownloadRequest,
  DownloadSet,
  DownloadSetFields,
  WhichDownloads,
} from '#shared/contract/areas/downloads.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { browserNotices, useToasts } from './toasts.ts'
import { useConnections } from './connections.ts'
import { useHost } from './host.ts'
import { createResource } from './resource.ts'
import { useSettings } from './settings.ts'

const files = (count: number) => `${formatNumber(count, 0)} ${count === 1 ? 'file' : 'files'}`

/** The download queue as this window hears of it, and everything that can be done to it. */
export const useDownloads = defineStore('downloads', () => {
  const host = useHost()
  const toasts = useToasts()
  const settings = useSettings()
  const progress = shallowRef<DownloadProgress | null>(null)
  /** Grows when downloads were added, moved, or are in another state. */
  const changes = ref(0)
  /** How often this window put something into the queue. */
  const enqueuedHere = ref(0)
  /** How many had ended when this stretch of work began. */
  const endedBefore = ref(0)

  const left = computed(() => {
    const counts = progress.value?.counts
    return counts ? counts.queued + counts.running + counts.waiting : 0
  })
  const endedNow = computed(() => (progress.value ? ended(progress.value) - endedBefore.value : 0))

  function take(next: DownloadProgress): void {
    const wasIdle = left.value === 0
    const before = progress.value
    progress.value = next
    // Emptying the history makes fewer of them.
    if (wasIdle || endedNow.value < 0) endedBefore.value = ended(before ?? next)
    if (endedNow.value < 0) endedBefore.value = ended(next)
  }

  async function load(): Promise<void> {
    take(await host.call('downloads.progress', {}))
    changes.value += 1
  }

  function start(onShow: (tab: 'history' | 'failed') => void): Promise<void> {
    host.on('downloads.progressed', take)
    host.on('downloads.changed', () => (changes.value += 1))
    host.on('downloads.finished', ({ done, failed }) => {
      if (done + failed === 0) return
      const message = failed
        ? `${files(done)} downloaded, ${formatNumber(failed, 0)} failed`
        : `${files(done)} downloaded`
      const show = () => onShow(failed ? 'failed' : 'history')
      const action = { label: 'Show', run: show }
      if (host.present().face === 'browser' && settings.current.notifyWhenDone) browserNotices.show(message, show)
      toasts.show({ kind: failed ? 'note' : 'done', message, action })
    })
    host.onReturn(load)
    return load()
  }

  const concerning =
    (name: 'downloads.pause' | 'downloads.resume' | 'downloads.cancel' | 'downloads.retry') =>
    async (which: WhichDownloads): Promise<number> =>
      (await host.call(name, { which })).jobs

  return {
    progress,
    changes,
    left,
    endedNow,
    start,
    list: (input: CallInput<'downloads.list'>, options: CallOptions) => host.call('downloads.list', input, options),
    plan: (request: DownloadRequest, options: CallOptions) => host.call('downloads.plan', { request }, options),
    preview: (request: DownloadRequest, options: CallOptions) => host.call('downloads.preview', { request }, options),
    enqueuedHere,
    async enqueue(request: DownloadRequest, label: string) {
      const enqueued = await host.call('downloads.enqueue', { request, label })
      enqueuedHere.value += 1
      return enqueued
    },
    pause: concerning('downloads.pause'),
    resume: concerning('downloads.resume'),
    cancel: concerning('downloads.cancel'),
    retry: concerning('downloads.retry'),
    /** Asks again what is held up, without touching what is paused. */
    tryAgain: () => concerning('downloads.resume')({ ids: [] }),
    prioritise: (which: WhichDownloads, priority: number) => host.call('downloads.prioritise', { which, priority }),
    reorder: (ids: number[], beforeId: number | null) => host.call('downloads.reorder', { ids, beforeId }),
    forgetEnded: () => host.call('downloads.forgetEnded', {}),
  }
})

const ended = ({ counts }: DownloadProgress) => counts.done + counts.failed + counts.cancelled

/** Downloads of the active connection that are kept under a name. */
export const useDownloadSets = defineStore('downloadSets', () => {
  const host = useHost()
  const connections = useConnections()
  const list = createResource<DownloadSet[]>((_wish, signal) => host.call('downloads.sets', {}, { signal }))
  const reload = () => void list.load()
  host.on('downloads.setsChanged', reload)
  host.onReturn(reload)
  watch(
    () => connections.active?.id,
    () => {
      list.forget()
      reload()
    },
  )

  return {
    list,
    save: (set: DownloadSetFields) => host.call('downloads.saveSet', { set }),
    remove: (name: string) => host.call('downloads.removeSet', { name }),
    enqueue: (name: string) => host.call('downloads.enqueueSet', { name }),
  }
})
