import type { Transform } from './chartStyle.ts'
import { addSeries, changePane, changeSeries } from './edit.ts'
import { MOST_PANES, MOST_SERIES, type ColumnSource, type WorkspaceDocument } from './workspace.ts'

/** Arrangements of compared series: all in one pane, or each in its own pane. */
export const arrangements = ['together', 'apart'] as const
export type Arrangement = (typeof arrangements)[number]

/** Ratio of levels above which they are compared as an index, because the smallest would be a flat line. */
const SIMILAR_LEVELS = 4

/** Chooses the transform for compared series: an index of 100 for prices and for levels far apart, otherwise none. */
export function comparedTransform(kind: string, levels: readonly number[]): Transform {
  if (kind === 'price') return 'indexed'
  const found = levels.filter((level) => Number.isFinite(level))
  if (found.length < 2 || found.some((level) => level <= 0)) return 'none'
  return Math.max(...found) > SIMILAR_LEVELS * Math.min(...found) ? 'indexed' : 'none'
}

export interface Comparison {
  /** Compared series, in the order of their legend or panes. */
  series: readonly { source: ColumnSource; label: string }[]
  arrangement: Arrangement
  transform: Transform
  /** Title of the common pane. */
  title: string
}

/** Number of series that a comparison can add to a document. */
export const roomFor = (document: WorkspaceDocument, arrangement: Arrangement): number => {
  const panes = Math.max(0, MOST_PANES - document.panes.length)
  return arrangement === 'apart' ? panes : panes > 0 ? MOST_SERIES : 0
}

/** Number of panes from which they are arranged in a grid. */
const GRID_FROM = 4

/** Returns the number of columns for so many panes, so that none is too low to read. */
export const columnsFor = (panes: number): number => (panes < GRID_FROM ? 1 : panes <= 8 ? 2 : panes <= 15 ? 3 : 4)

/** Adds compared series to a new pane, or each to its own pane in a grid. */
export function addComparison(before: WorkspaceDocument, comparison: Comparison): WorkspaceDocument {
  const { arrangement, transform, title } = comparison
  let paneId: string | null = null
  let document = before
  for (const { source, label } of comparison.series.slice(0, roomFor(before, arrangement))) {
    // The title of a common pane says what its lines have in common; the title of a single-series pane describes the
    // series.
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
 * Sorts the series of each pane by a figure, largest first; if every pane has one series, the panes too. Series without
 * a figure come last, in their previous order.
 */
export function sortSeries(document: WorkspaceDocument, figures: ReadonlyMap<string, number>): WorkspaceDocument {
  const rank = (id: string) => figures.get(id) ?? -Infinity
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
