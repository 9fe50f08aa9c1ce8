import { shallowRef, watch, type ShallowRef } from 'vue'

/**
 * Delays a value until the frame in which its source changed has been painted, so that nobody waits for content below
 * the fold. Null before the first.
 */
export function useAfterPaint<Value>(source: () => Value): ShallowRef<Value | null> {
  const followed = shallowRef<Value | null>(null)
  watch(
    source,
    (value, _before, onCleanup) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const follow = () => (timer = setTimeout(() => (followed.value = value)))
      // The first comes before the change is painted, the second after.
      let frame = requestAnimationFrame(() => (frame = requestAnimationFrame(follow)))
      onCleanup(() => {
        cancelAnimationFrame(frame)
        clearTimeout(timer)
      })
    },
    { immediate: true },
  )
  return followed
}
