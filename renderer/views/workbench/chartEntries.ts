import type { Arranging } from './arrangeSeries.ts'
import type { ChartSeries } from '../../charts/model.ts'
import type { SeriesEntry, WorkspaceDocument } from '#shared/workspace/workspace.ts'

/** The series of a chart with what the panels beside it show of each. */
export interface SeriesOfChart {
  document: WorkspaceDocument
  labelOf: (entry: SeriesEntry) => string
  /** The quantity of a series as the chart knows it, which decides in what units it can be shown. */
  quantityOf: (entry: SeriesEntry) => Pick<ChartSeries, 'kind' | 'unit' | 'display'> | null
  /** Interval of the rows behind a series, in milliseconds. */
  barMsOf: (entry: SeriesEntry) => number | null
  /** Value of a series at a time, from all of its rows. */
  valueAt: (entry: SeriesEntry, timeMs: number, signal: AbortSignal) => Promise<number | null>
  /** Describes why a series has no rows; empty if it has. */
  troubleOf: (entry: SeriesEntry) => string
}

/** Events of a panel that changes the series of a chart. */
export type SeriesEvents = {
  edit: [change: (before: WorkspaceDocument) => WorkspaceDocument]
  add: [paneId: string]
  arrange: [action: Arranging]
  act: [action: string, entry: SeriesEntry]
}
