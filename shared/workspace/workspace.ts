import { DOCUMENT_VERSION, MOST_PANES, MOST_SERIES } from './workspaceLimits.ts'
import type { SeriesEntry, WorkspaceDocument } from './workspaceSchema.ts'

export const emptyDocument = (): WorkspaceDocument => ({
  version: DOCUMENT_VERSION,
  range: null,
  panes: [],
  shading: null,
  zone: null,
  notes: [],
  measures: [],
})

export const allSeries = ({ panes }: Pick<WorkspaceDocument, 'panes'>): SeriesEntry[] =>
  panes.flatMap(({ series }) => series)

/** Returns which items of a document exceed their limit, and the limit; null if none do. */
export function overfullPart({ panes }: Pick<WorkspaceDocument, 'panes'>) {
  if (panes.length > MOST_PANES) return { part: 'panes', most: MOST_PANES } as const
  if (panes.some(({ series }) => series.length > MOST_SERIES)) return { part: 'series', most: MOST_SERIES } as const
  return null
}
