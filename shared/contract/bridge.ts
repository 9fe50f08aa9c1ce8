import type { ErrorShape } from './errors.ts'
import type { Progress } from './protocol.ts'

export type Answer = { ok: true; value: unknown } | { ok: false; error: ErrorShape }

/**
 * The bridge is the object that the preload puts on `window.perpscope`: calls and events of the contract, in shapes
 * that can cross the process border.
 */
export interface DesktopBridge {
  call(
    name: string,
    input: unknown,
    onProgress?: (progress: Progress) => void,
  ): { answer: Promise<Answer>; cancel(): void }
  /** @returns a function that ends the subscription */
  on(name: string, listener: (payload: unknown) => void): () => void
}
