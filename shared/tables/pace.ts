/** Pauses of long loops, so that they do not block a window. */

/** Time between two pauses of a loop: long enough to make progress, short enough not to delay frames and keystrokes. */
const SLICE_MS = 10

/** Number of rows that a loop handles between two checks of the clock. */
export const BLOCK_ROWS = 65_536

/**
 * Awaited regularly by long loops: yields to the event loop when the time slice is used up, and throws after an abort.
 */
export type Pace = () => Promise<void> | void

export function createPace(signal: AbortSignal): Pace {
  let endMs = performance.now() + SLICE_MS
  return () => {
    signal.throwIfAborted()
    if (performance.now() < endMs) return
    return nextTask().then(() => {
      signal.throwIfAborted()
      endMs = performance.now() + SLICE_MS
    })
  }
}

/** Yields to the next task of the event loop without the delay of nested timers. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(null)
  })
}
