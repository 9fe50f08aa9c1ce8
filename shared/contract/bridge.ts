import type { ErrorShape } from './errors.ts'
import type { Progress } from './protocol.ts'

export type Answer = { ok: true; value: unknown } | { ok: false; error: ErrorShape }

/**
 * Object that the preload exposes as `window.perpscope`: calls and events of the contract, in shapes that can cross the
 * process boundary.
 */
export interface DesktopBridge {
  call(
    name: string,
    input: unknown,
    onProgress?: (progress: Progress) => void,
  ): { answer: Promise<Answer>; cancel(): void }
  /** @returns a function that unsubscribes */
  on(name: string, listener: (payload: unknown) => void): () => void
}
