import { computed, onScopeDispose, ref, watch, type ComputedRef } from 'vue'

/** Time to wait for a new value: longer than the core takes for cached data, and too short for users to notice. */
const TIMEOUT_MS = 150

/**
 * Keeps the previous value for a moment while a new one loads, so that nothing empty is painted in between. A value of
 * another `subject`, such as another workspace, is never kept.
 */
export function useSteady<Shown>(
  current: () => Shown,
  isPending: () => boolean,
  subject: () => string | undefined,
): ComputedRef<Shown> {
  const isWaiting = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopWaiting = () => {
    clearTimeout(timer)
    isWaiting.value = false
  }
  // The watcher is synchronous, because it must run before the value is read.
  watch(
    [isPending, subject],
    ([pending, subjectNow], [, subjectBefore]) => {
      stopWaiting()
      if (!pending || subjectNow !== subjectBefore) return
      isWaiting.value = true
      timer = setTimeout(stopWaiting, TIMEOUT_MS)
    },
    { flush: 'sync' },
  )
  onScopeDispose(stopWaiting)
  return computed((before?: Shown) => (isWaiting.value && before !== undefined ? before : current()))
}
