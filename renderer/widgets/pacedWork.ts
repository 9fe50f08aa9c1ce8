/** Spreads the work of a page over time: computations in pieces, content after the first paint, items frame by frame. */
import { onScopeDispose, shallowRef, type ShallowRef, watch } from 'vue'
import { createPace } from '#shared/tables/pace.ts'

/**
 * Runs a long computation in pieces, so that the window stays responsive, and restarts it when its inputs change. The
 * result is null until the first run ends and if there is nothing to compute; during a new run it is null or, with
 * `keep`, the previous result.
 */
export function usePaced<Value>(
  steps: () => Generator<void, Value, void> | null,
  { keep = false } = {},
): ShallowRef<Value | null> {
  const result = shallowRef<Value | null>(null)
  watch(
    steps,
    (running, _before, onCleanup) => {
      const controller = new AbortController()
      onCleanup(() => controller.abort())
      if (!keep || !running) result.value = null
      if (running) void finish(running, controller.signal)
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

/** Runs a long computation in pieces, so that the window stays responsive. Rejects when the signal aborts. */
export async function inPieces<Value>(steps: Generator<void, Value, void>, signal: AbortSignal): Promise<Value> {
  const pace = createPace(signal)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    // Most pieces are short, so only some of them are followed by a pause.
    const pause = pace()
    if (pause) await pause
  }
}

/**
 * Delays a value until the frame in which its source changed has been painted, so that content below the fold does not
 * delay that frame. Null before the first frame.
 */
export function useAfterPaint<Value>(source: () => Value): ShallowRef<Value | null> {
  const deferredValue = shallowRef<Value | null>(null)
  watch(
    source,
    (value, _before, onCleanup) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const follow = () => (timer = setTimeout(() => (deferredValue.value = value)))
      // The first animation frame runs before the change is painted, the second one after.
      let frame = requestAnimationFrame(() => (frame = requestAnimationFrame(follow)))
      onCleanup(() => {
        cancelAnimationFrame(frame)
        clearTimeout(timer)
      })
    },
    { immediate: true },
  )
  return deferredValue
}

/**
 * Returns how many of `count()` items to show: `perFrame` more each frame, so that many items do not block the window.
 */
export function useGradualCount(count: () => number, perFrame: number): ShallowRef<number> {
  const shown = shallowRef(0)
  let frame = 0
  function showMore(): void {
    shown.value = Math.min(count(), shown.value + perFrame)
    if (shown.value < count()) frame = requestAnimationFrame(showMore)
  }
  watch(
    count,
    () => {
      cancelAnimationFrame(frame)
      shown.value = Math.min(shown.value, count())
      showMore()
    },
    { immediate: true },
  )
  onScopeDispose(() => cancelAnimationFrame(frame))
  return shown
}
