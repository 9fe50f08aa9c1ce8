import { shallowRef, watch, type ShallowRef } from 'vue'
import { inPieces } from './inPieces.ts'

/**
 * Runs a long computation in pieces, between which the window stays responsive. It begins anew when what it is made of
 * changes. Null before the first result, and where there is nothing to compute; while another runs, null or, with
 * `keep`, what was there.
 */
export function usePaced<Value>(
  steps: () => Generator<void, Value, void> | null,
  { keep = false } = {},
): ShallowRef<Value | null> {
  const result = shallowRef<Value | null>(null)
  watch(
    steps,
    (running, _before, onCleanup) => {
      const wanted = new AbortController()
      onCleanup(() => wanted.abort())
      if (!keep || !running) result.value = null
      if (running) void finish(running, wanted.signal)
    },
    { immediate: true },
  )
  async function finish(running: Generator<void, Value, void>, signal: AbortSignal): Promise<void> {
    try {
      const value = await inPieces(running, signal)
      if (!signal.aborted) result.value = value
    } catch (thrown) {
      if (!signal.aborted) throw thrown
    }
  }
  return result
}
