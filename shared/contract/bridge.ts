import type { ErrorShape } from './errors.ts'
import type { Progress } from './protocol.ts'

/** Result of a call, or its error. */
export type CallAnswer = { ok: true; value: unknown } | { ok: false; error: ErrorShape }

/**
 * Object that the preload exposes as `window.perpscope`: calls and events of the contract, in shapes that can cross the
 * process boundary.
 */
export interface DesktopBridge {
  call(
    name: string,
    input: unknown,
    onProgress?: (progress: Progress) => void,
  ): { answer: Promise<CallAnswer>; cancel(): void }
  /** @returns a function that unsubscribes */
  on(name: string, listener: (payload: unknown) => void): () => void
}
