import type { ErrorShape } from './errors.ts'
import type { Progress } from './protocol.ts'

export type Answer = { ok: true; value: unknown } | { ok: false; error: ErrorShape }

/** What the preload puts on `window.perpscope`: nothing but calls and events of the contract, in shapes that cross its border. */
export interface DesktopBridge {
  call(
    name: string,
    input: unknown,
    onProgress?: (progress: Progress) => void,
  ): { answer: Promise<Answer>; cancel(): void }
  /** @returns a function that ends the subscription */
  on(name: string, listener: (payload: unknown) => void): () => void
}
