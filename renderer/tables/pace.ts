/** Long enough to get on, short enough that a frame and a key stroke still fit in. */
const SLICE_MS = 10

/** Rows a loop may handle between two looks at the clock. */
export const BLOCK_ROWS = 65_536

/** Called now and then by long loops: lets the window breathe when its time is up, throws when nobody waits any more. */
export type Pace = () => Promise<void> | void

export function createPace(signal: AbortSignal): Pace {
  let endMs = performance.now() + SLICE_MS
  return () => {
    signal.throwIfAborted()
    if (performance.now() < endMs) return
    return turn().then(() => {
      signal.throwIfAborted()
      endMs = performance.now() + SLICE_MS
    })
  }
}

/** The next task of the event loop, without the delay that nested timers get. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
