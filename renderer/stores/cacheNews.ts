import { onScopeDispose } from 'vue'
import { useHost } from './host.ts'

/** While files keep coming, what is shown of the cache follows at most this often. */
const FOLLOW_EVERY_MS = 4000

/** Runs `load` when files came or went, for as long as the present scope lives. */
export function whenCacheChanges(load: () => void, everyMs = FOLLOW_EVERY_MS): void {
  const host = useHost()
  let timer: ReturnType<typeof setTimeout> | undefined
  const now = () => {
    clearTimeout(timer)
    timer = undefined
    load()
  }
  const ends = [
    host.on('cache.changed', now),
    host.on('downloads.finished', now),
    host.on('downloads.changed', () => (timer ??= setTimeout(now, everyMs))),
  ]
  onScopeDispose(() => {
    clearTimeout(timer)
    for (const end of ends) end()
  })
}
