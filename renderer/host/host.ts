import type { PaneWindow } from '#shared/contract/areas/app.ts'
import type { PickedKind } from '#shared/contract/areas/files.ts'
import type { Client } from '#shared/contract/client.ts'
import type { Dropped } from './droppedItems.ts'

/**
 * State of the connection to the host. A lost connection is restored automatically; one that was refused is not,
 * because its token is wrong or missing.
 */
export type ChannelState = 'connecting' | 'connected' | 'lost' | 'refused'

/** Host that the window runs in; the rest of the window uses only this interface. */
export interface Host extends Client {
  /** Kind of the host: the desktop app, or a server that the window reaches from a browser. */
  kind: 'desktop' | 'browser'
  /**
   * Opens a dialog for files or for a folder; the event `files.received` brings what was chosen.
   * @returns their number, 0 if cancelled
   */
  pickFiles(kind: PickedKind | 'folder'): Promise<number>
  /** Receives what was dropped on the window. */
  receiveDropped(dropped: Dropped): Promise<void>
  /**
   * Opens a window for a pane, or shows the window that the pane already has.
   * @param behind true to keep the calling window in front
   */
  openPane(pane: PaneWindow, behind: boolean): Promise<void>
  channelState(): ChannelState
  /**
   * Subscribes to the state of the connection.
   * @returns a function that unsubscribes
   */
  onChannelState(listener: (state: ChannelState) => void): () => void
}
