import type { PaneWindow } from '#shared/contract/areas/app.ts'
import type { PickedKind } from '#shared/contract/areas/files.ts'
import type { Client } from '#shared/contract/client.ts'

/**
 * State of the connection to the host: `lost` reconnects automatically; `refused` means a wrong or missing token, and
 * does not.
 */
export type ChannelState = 'connecting' | 'connected' | 'lost' | 'refused'

/** Host that the window runs in; the rest of the window uses only this interface. */
export interface Host extends Client {
  /** Kind of the host: the desktop app, or a server that the window reaches from a browser. */
  face: 'desktop' | 'browser'
  /** Opens a file dialog; the chosen files arrive as `files.received`. Returns how many, 0 if cancelled. */
  pickFiles(kind: PickedKind): Promise<number>
  /** Receives files dropped on the window. */
  receiveFiles(files: readonly File[]): Promise<void>
  /**
   * Opens a window for a pane, or shows its open one.
   * @param behind true to keep this window in front
   */
  openPane(pane: PaneWindow, behind: boolean): Promise<void>
  channelState(): ChannelState
  /**
   * Subscribes to the state of the connection.
   * @returns a function that unsubscribes
   */
  onChannelState(listener: (state: ChannelState) => void): () => void
}
