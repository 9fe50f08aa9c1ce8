import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

/**
 * Number of `count()` items to show: some at once, and some more each frame, so that many items do not block the
 * window.
 */
export function useInTurn(count: () => number, atOnce: number): ShallowRef<number> {
  const shown = shallowRef(0)
  let frame = 0
  function more(): void {
    shown.value = Math.min(count(), shown.value + atOnce)
    if (shown.value < count()) frame = requestAnimationFrame(more)
  }
  watch(
    count,
    () => {
      cancelAnimationFrame(frame)
      shown.value = Math.min(shown.value, count())
      more()
    },
    { immediate: true },
  )
  onScopeDispose(() => cancelAnimationFrame(frame))
  return shown
}
