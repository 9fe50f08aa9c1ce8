import type { ArrangeAction } from './arrangeSeries.ts'
import type { ChartSeries } from '../../charts/model.ts'
import type { SeriesEntry, WorkspaceContent, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'

/** Workspace of a chart, with functions that return what the side panels show of a series. */
export interface ChartedWorkspace {
  document: WorkspaceContent
  labelOf: (entry: SeriesEntry) => string
  /** Returns the quantity of a series, which determines the units in which it can be shown; null while it is hidden. */
  quantityOf: (entry: SeriesEntry) => Pick<ChartSeries, 'kind' | 'unit' | 'display' | 'transform'> | null
  /** Returns the interval of the rows behind a series, in milliseconds; null if it has none or is not loaded. */
  barMsOf: (entry: SeriesEntry) => number | null
  /** Reads the value of a series at the given time from its full data. */
  valueAt: (entry: SeriesEntry, timeMs: number, signal: AbortSignal) => Promise<number | null>
  /** Describes why a series has no rows; empty if nothing is wrong. */
  problemOf: (entry: SeriesEntry) => string
}

/** Events of a panel that changes the series of a chart. */
export type SeriesEvents = {
  edit: [change: (before: WorkspaceDocument) => WorkspaceDocument]
  add: [paneId: string]
  arrange: [action: ArrangeAction]
  act: [action: string, entry: SeriesEntry]
}
