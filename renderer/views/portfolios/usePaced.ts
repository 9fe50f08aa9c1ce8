import { shallowRef, watch, type ShallowRef } from 'vue'
import { createPace } from '../../tables/pace.ts'

/**
 * What a long computation comes to, computed in pieces between which the window answers. Null while it runs, and where
 * there is nothing to compute; it begins anew when what it is made of changes.
 */
export function usePaced<Value>(steps: () => Generator<void, Value, void> | null): ShallowRef<Value | null> {
  const result = shallowRef<Value | null>(null)
  watch(
    steps,
    (running, _before, onCleanup) => {
      const wanted = new AbortController()
      onCleanup(() => wanted.abort())
      result.value = null
      if (running) void finish(running, wanted.signal).then((value) => !wanted.signal.aborted && (result.value = value))
    },
    { immediate: true },
  )
  return result
}

/** Null where nobody waits any more. */
async function finish<Value>(steps: Generator<void, Value, void>, signal: AbortSignal): Promise<Value | null> {
  const pace = createPace(signal)
  while (!signal.aborted) {
    const { done, value } = steps.next()
    if (done) return value
    // Given up: the signal says so already.
    await Promise.resolve(pace()).catch(() => {})
  }
  return null
}
