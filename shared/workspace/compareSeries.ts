import type { Transform } from './chartStyle.ts'
import { addSeries, changePane, changeSeries } from './edit.ts'
import { MOST_PANES, MOST_SERIES } from './workspaceLimits.ts'
import type { ColumnSource, WorkspaceDocument } from './workspaceSchema.ts'

/** Arrangements of compared series: all in one pane, or each in its own pane. */
export const paneArrangements = ['together', 'apart'] as const
export type PaneArrangement = (typeof paneArrangements)[number]

/** Ratio of the highest to the lowest level above which series are indexed, because the lowest would be a flat line. */
const MOST_LEVEL_RATIO = 4

/** Chooses a transform for compared series: indexed to 100 for prices and for positive levels far apart, else none. */
export function comparedTransform(kind: string, levels: readonly number[]): Transform {
  if (kind === 'price') return 'indexed'
  const finiteLevels = levels.filter((level) => Number.isFinite(level))
  if (finiteLevels.length < 2 || finiteLevels.some((level) => level <= 0)) return 'none'
  return Math.max(...finiteLevels) > MOST_LEVEL_RATIO * Math.min(...finiteLevels) ? 'indexed' : 'none'
}

export interface SeriesComparison {
  /** Compared series, in the order of their legend or panes. */
  series: readonly { source: ColumnSource; label: string }[]
  arrangement: PaneArrangement
  transform: Transform
  /** Title of the shared pane. */
  title: string
}

/** Returns the number of series that a comparison can still add to a document. */
export const roomFor = (document: WorkspaceDocument, arrangement: PaneArrangement): number => {
  const freePanes = Math.max(0, MOST_PANES - document.panes.length)
  return arrangement === 'apart' ? freePanes : freePanes > 0 ? MOST_SERIES : 0
}

/** Minimum number of panes that are arranged in a grid. */
const MIN_GRID_PANES = 4

/** Returns the number of columns for this many panes, so that none is too flat to read. */
export const columnsFor = (paneCount: number): number =>
  paneCount < MIN_GRID_PANES ? 1 : paneCount <= 8 ? 2 : paneCount <= 15 ? 3 : 4

/** Adds compared series to a new pane, or each to its own pane in a grid. */
export function addComparison(before: WorkspaceDocument, comparison: SeriesComparison): WorkspaceDocument {
  const { arrangement, transform, title } = comparison
  let paneId: string | null = null
  let document = before
  for (const { source, label } of comparison.series.slice(0, roomFor(before, arrangement))) {
    // In a shared pane, the title says what the lines have in common and a label tells them apart; a pane with one
    // series needs neither.
    const isTogether = arrangement === 'together'
    const added = addSeries(document, paneId, { source, label: isTogether ? label.slice(0, 200) : '' })
    document = changeSeries(added.document, added.entry.id, { transform })
    if (!isTogether) continue
    if (paneId === null) document = changePane(document, added.paneId, { title: title.slice(0, 200) })
    paneId = added.paneId
  }
  return arrangement === 'apart' ? withColumns(document, columnsFor(document.panes.length)) : document
}

/** Sets the number of pane columns; 1 is stored as absent, as in older documents. */
export function withColumns(document: WorkspaceDocument, columns: number): WorkspaceDocument {
  const { columns: _, ...rest } = document
  return columns > 1 ? { ...rest, columns } : rest
}

/**
 * Sorts the series of each pane by a figure, largest first; if every pane has one series, the panes are sorted in the
 * same way. Series without a figure come last, in their previous order.
 */
export function sortSeries(document: WorkspaceDocument, figureById: ReadonlyMap<string, number>): WorkspaceDocument {
  const rank = (id: string) => figureById.get(id) ?? -Infinity
  const byFigure = (a: string, b: string) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a))
  const panes = document.panes.map((pane) => ({
    ...pane,
    series: pane.series.toSorted((a, b) => byFigure(a.id, b.id)),
  }))
  const areSingle = panes.every(({ series }) => series.length === 1)
  return {
    ...document,
    panes: areSingle ? panes.toSorted((a, b) => byFigure(a.series[0].id, b.series[0].id)) : panes,
  }
}
