import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { Frame } from '#shared/contract/frame.ts'
import { useHost } from './host.ts'
import { inOrder } from './resource.ts'

const MOST_SHOWN = 5000
/** Minimum time between two reloads of the list, because requests come in bursts. */
const FOLLOW_EVERY_MS = 500

/** Requests made to services, newest first, kept up to date while a screen watches. */
export const useRequests = defineStore('requests', () => {
  const host = useHost()
  const frame = shallowRef<Frame | null>(null)

  const load = inOrder(
    () => host.call('requests.list', { limit: MOST_SHOWN }),
    (found) => (frame.value = found),
  )

  /**
   * Keeps the list up to date.
   * @returns a function that stops this
   */
  function watchList(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined
    const reloadSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void load().catch(() => {})
      }, FOLLOW_EVERY_MS)
    }
    const stop = host.on('requests.recorded', reloadSoon)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }

  async function clear(): Promise<void> {
    await host.call('requests.clear', {})
    await load()
  }

  return { frame, load, watchList, clear, save: () => host.call('requests.export', {}) }
})
