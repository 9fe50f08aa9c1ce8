import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { WatchAnswer } from '#shared/contract/areas/watch.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { type AppError, toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { useHost } from './host.ts'

type WatchQuery = Pick<CallInput<'watch.rows'>, 'list' | 'columns'>

/**
 * Rows of the watch page. They are loaded with the known findings first, and again after unchecked files, if any, have
 * been checked.
 */
export const useWatch = defineStore('watch', () => {
  const host = useHost()
  const answer = shallowRef<WatchAnswer | null>(null)
  /** Query of the rows on screen. */
  const answeredQuery = ref('')
  const error = shallowRef<AppError | null>(null)
  const step = ref<'read' | 'check' | null>(null)
  const progress = shallowRef<Progress | null>(null)
  let loadController = new AbortController()

  async function load(query: WatchQuery): Promise<void> {
    loadController.abort()
    const { signal } = (loadController = new AbortController())
    const loadWith = async (quality: 'known' | 'check') => {
      step.value = quality === 'known' ? 'read' : 'check'
      progress.value = null
      const onProgress = (now: Progress) => !signal.aborted && (progress.value = now)
      const found = await host.call('watch.rows', { connectionId: '', ...query, quality }, { signal, onProgress })
      if (signal.aborted) return
      answer.value = found
      answeredQuery.value = JSON.stringify(query)
      error.value = null
    }
    try {
      await loadWith('known')
      if (!signal.aborted && answer.value!.unchecked > 0) await loadWith('check')
    } catch (thrown) {
      if (!signal.aborted) error.value = toAppError(thrown)
    } finally {
      if (!signal.aborted) step.value = null
    }
  }

  return { answer, answeredQuery, error, step, progress, load, stop: () => loadController.abort() }
})
