import { computed, onScopeDispose, ref, watch, type ComputedRef } from 'vue'

/** Longer than the core takes for what it knows; shorter than anyone wonders at a chart that stands still. */
const PATIENCE_MS = 150

/**
 * Keeps showing the previous value for a moment while a new one loads, so that nothing empty is laid out and painted in
 * between. What belongs to another `owner` never stands in.
 */
export function useSteady<Shown>(
  now: () => Shown,
  isPending: () => boolean,
  owner: () => string | undefined,
): ComputedRef<Shown> {
  const isHeld = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  const letGo = () => {
    clearTimeout(timer)
    isHeld.value = false
  }
  // At once: before anything asks what to show.
  watch(
    [isPending, owner],
    ([pending, whose], [, whoseBefore]) => {
      letGo()
      if (!pending || whose !== whoseBefore) return
      isHeld.value = true
      timer = setTimeout(letGo, PATIENCE_MS)
    },
    { flush: 'sync' },
  )
  onScopeDispose(letGo)
  return computed((before?: Shown) => (isHeld.value && before !== undefined ? before : now()))
}
