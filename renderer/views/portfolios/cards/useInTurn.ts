import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

/** How many of `count()` things to show: some at once, the others some more each frame, so that many hold up nothing. */
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
