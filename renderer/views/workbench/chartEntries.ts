import type { NumberKind } from '#shared/units/numberKinds.ts'
import type { SeriesEntry, WorkspaceDocument } from '#shared/workspace/workspace.ts'

/** The series of a chart with what the panels beside it show of each. */
export interface SeriesOfChart {
  document: WorkspaceDocument
  labelOf: (entry: SeriesEntry) => string
  /** The quantity of a series as the chart knows it, which decides in what units it can be shown. */
  quantityOf: (entry: SeriesEntry) => { kind: NumberKind; unit: string; stepMs?: number | null } | null
  /** Describes why a series has no rows; empty if it has. */
  troubleOf: (entry: SeriesEntry) => string
}

/** Events of a panel that changes the series of a chart. */
export type SeriesEvents = {
  edit: [change: (before: WorkspaceDocument) => WorkspaceDocument]
  add: [paneId: string]
  act: [action: string, entry: SeriesEntry]
}
