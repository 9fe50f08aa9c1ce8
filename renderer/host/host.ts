import type { Client } from '#shared/contract/client.ts'

/** `lost` means: trying again by itself. `refused`: the token is wrong or missing, trying again is of no use. */
export type LineState = 'connecting' | 'connected' | 'lost' | 'refused'

/** Where the window runs. The rest of the window knows this interface only. */
export interface Host extends Client {
  face: 'desktop' | 'browser'
  /** Lets the person choose files; what is chosen arrives as `files.received`. */
  pickFiles(kind: 'parquet' | 'workspace'): Promise<void>
  /** Takes in files that were dropped on the window. */
  receiveFiles(files: readonly File[]): Promise<void>
  lineState(): LineState
  /** @returns a function that ends the subscription */
  onLineState(listener: (state: LineState) => void): () => void
}
