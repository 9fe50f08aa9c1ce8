import type { PaneWindow } from './areas/app.ts'

/** Builds the path of a pane's page, relative to the app's address. */
export const paneAddress = ({ workspace, pane }: PaneWindow): string =>
  `#/pane/${encodeURIComponent(workspace)}/${encodeURIComponent(pane)}`
