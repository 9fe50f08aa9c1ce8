import type { PaneWindow } from '#shared/contract/areas/app.ts'
import type { PickedKind } from '#shared/contract/areas/files.ts'
import type { Client } from '#shared/contract/client.ts'

/** State of the line: `lost` reconnects by itself; `refused` has a wrong or missing token and does not. */
export type LineState = 'connecting' | 'connected' | 'lost' | 'refused'

/** The host that the window runs in; the rest of the window knows this interface only. */
export interface Host extends Client {
  face: 'desktop' | 'browser'
  /** Opens a dialog to choose files, which arrive as `files.received`; returns how many, 0 where it was cancelled. */
  pickFiles(kind: PickedKind): Promise<number>
  /** Receives files dropped on the window. */
  receiveFiles(files: readonly File[]): Promise<void>
  /** Opens a window for a pane, or shows the one that it has. @param behind leaves this window in front */
  openPane(pane: PaneWindow, behind: boolean): Promise<void>
  lineState(): LineState
  /** Subscribes to the state of the line. @returns a function that ends the subscription */
  onLineState(listener: (state: LineState) => void): () => void
}
