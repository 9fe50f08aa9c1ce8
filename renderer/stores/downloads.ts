import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import type {
  DownloadProgress,
  DownloadRequest,
  DownloadSet,
  DownloadSetFields,
  DownloadState,
  WhichDownloads,
} from '#shared/contract/areas/downloads.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { storesText } from '../text/stores.ts'
import { browserNotices, useToasts } from './toasts.ts'
import { useConnections } from './connections.ts'
import { useHost } from './host.ts'
import { createResource } from './resource.ts'
import { useSettings } from './settings.ts'

/** The download queue as reported to this window, and the actions on it. */
export const useDownloads = defineStore('downloads', () => {
  const host = useHost()
  const toasts = useToasts()
  const settings = useSettings()
  const progress = shallowRef<DownloadProgress | null>(null)
  /** Counter that grows when downloads are added, moved or change state. */
  const changeCount = ref(0)
  /** Counter that grows when this window adds files to the queue. */
  const enqueueCount = ref(0)
  /** Number of downloads that had already ended when the queue was last empty. */
  const endedCountBefore = ref(0)

  const unfinishedCount = computed(() => {
    const counts = progress.value?.counts
    return counts ? counts.queued + counts.running + counts.waiting : 0
  })
  const endedSinceIdle = computed(() => (progress.value ? endedCount(progress.value) - endedCountBefore.value : 0))

  function update(next: DownloadProgress): void {
    const wasIdle = unfinishedCount.value === 0
    const progressBefore = progress.value
    progress.value = next
    // The count of ended downloads decreases when the history is cleared.
    if (wasIdle || endedSinceIdle.value < 0) endedCountBefore.value = endedCount(progressBefore ?? next)
    if (endedSinceIdle.value < 0) endedCountBefore.value = endedCount(next)
  }

  async function load(): Promise<void> {
    update(await host.call('downloads.progress', {}))
    changeCount.value += 1
  }

  function start(onShow: (tab: 'history' | 'failed') => void, onFindings: () => void = () => {}): Promise<void> {
    host.on('downloads.progressed', update)
    host.on('downloads.changed', () => (changeCount.value += 1))
    host.on('downloads.finished', ({ done, failed }) => {
      if (done + failed === 0) return
      const message = storesText.downloads.finished(done, failed)
      const show = () => onShow(failed ? 'failed' : 'history')
      const action = { label: storesText.downloads.show, run: show }
      if (host.connectedHost().kind === 'browser' && settings.current.notifyWhenDone) browserNotices.show(message, show)
      toasts.show({ kind: failed ? 'note' : 'done', message, action })
    })
    host.on('quality.checked', ({ findings }) => {
      if (findings === 0) return
      const action = { label: storesText.downloads.showFindings, run: onFindings }
      toasts.show({ kind: 'note', message: storesText.downloads.findings(findings), action })
    })
    host.onReturn(load)
    return load()
  }

  const actionOn =
    (name: 'downloads.pause' | 'downloads.resume' | 'downloads.cancel' | 'downloads.retry') =>
    async (which: WhichDownloads): Promise<number> =>
      (await host.call(name, { which })).jobs

  return {
    progress,
    changeCount,
    unfinishedCount,
    endedSinceIdle,
    start,
    list: (input: CallInput<'downloads.list'>, options: CallOptions) => host.call('downloads.list', input, options),
    plan: (request: DownloadRequest, options: CallOptions) => host.call('downloads.plan', { request }, options),
    preview: (request: DownloadRequest, options: CallOptions) => host.call('downloads.preview', { request }, options),
    enqueueCount,
    async enqueue(request: DownloadRequest, label: string) {
      const enqueued = await host.call('downloads.enqueue', { request, label })
      enqueueCount.value += 1
      return enqueued
    },
    /** Returns which of these ids belong to downloads in one of these states. */
    idsIn: async (ids: number[], states: readonly DownloadState[]) =>
      (await host.call('downloads.idsIn', { ids, states: [...states] })).ids,
    requests: (limit: number, options: CallOptions) => host.call('downloads.requests', { limit }, options),
    failures: (options: CallOptions) => host.call('downloads.failures', {}, options),
    pause: actionOn('downloads.pause'),
    resume: actionOn('downloads.resume'),
    cancel: actionOn('downloads.cancel'),
    retry: actionOn('downloads.retry'),
    /** Retries blocked downloads without resuming paused ones. */
    tryAgain: () => actionOn('downloads.resume')({ ids: [] }),
    prioritise: (which: WhichDownloads, priority: number) => host.call('downloads.prioritise', { which, priority }),
    reorder: (ids: number[], beforeId: number | null) => host.call('downloads.reorder', { ids, beforeId }),
    forgetEnded: () => host.call('downloads.forgetEnded', {}),
  }
})

const endedCount = ({ counts }: DownloadProgress) => counts.done + counts.failed + counts.cancelled

/** Saved download sets of the active connection. */
export const useDownloadSets = defineStore('downloadSets', () => {
  const host = useHost()
  const connections = useConnections()
  const list = createResource<DownloadSet[]>((_query, signal) => host.call('downloads.sets', {}, { signal }))
  const reload = () => void list.load()
  host.on('documents.changed', ({ kind }) => {
    if (kind === 'set') reload()
  })
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
