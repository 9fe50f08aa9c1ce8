import { usualWidth, type TableColumn } from './columns.ts'

/** What a person changed about the columns. Plain data: the screen keeps it, the table only says when it changes. */
export interface TableLayout {
  /** Keys from left to right; columns it does not name stand where they were declared. */
  order: readonly string[]
  hidden: readonly string[]
  widthsPx: Readonly<Record<string, number>>
}

export const DECLARED: TableLayout = { order: [], hidden: [], widthsPx: {} }

/** Whether something that was kept is a layout. */
export function isTableLayout(kept: unknown): kept is TableLayout {
  const { order, hidden, widthsPx } = (kept ?? {}) as Partial<TableLayout>
  return Array.isArray(order) && Array.isArray(hidden) && typeof widthsPx === 'object' && widthsPx !== null
}

export const LEAST_WIDTH_PX = 48
export const MOST_WIDTH_PX = 1200

/** All columns in the person's order. What came new stands behind the neighbour it was declared after. */
export function orderedColumns(columns: readonly TableColumn[], layout: TableLayout): TableColumn[] {
  const byKey = new Map(columns.map((column) => [column.key, column]))
  const ordered = layout.order.flatMap((key) => byKey.get(key) ?? [])
  columns.forEach((column, at) => {
    if (ordered.includes(column)) return
    const before = at === 0 ? -1 : ordered.indexOf(columns[at - 1])
    ordered.splice(before + 1, 0, column)
  })
  return ordered
}

export function shownColumns(columns: readonly TableColumn[], layout: TableLayout): TableColumn[] {
  const hidden = new Set(layout.hidden)
  return orderedColumns(columns, layout).filter(({ key }) => !hidden.has(key))
}

export const widthOf = (column: TableColumn, layout: TableLayout): number =>
  layout.widthsPx[column.key] ?? usualWidth(column)

/** Widths of the shown columns in a view; the first that may grow gets its room before the next. */
export function widthsIn(shown: readonly TableColumn[], layout: TableLayout, viewWidthPx: number): number[] {
  const widths = shown.map((column) => widthOf(column, layout))
  let leftPx = Math.floor(viewWidthPx) - widths.reduce((sum, width) => sum + width, 0)
  shown.forEach(({ key, widestPx = 0 }, at) => {
    const byPx = layout.widthsPx[key] === undefined ? Math.min(leftPx, widestPx - widths[at]) : 0
    if (byPx <= 0) return
    widths[at] += byPx
    leftPx -= byPx
  })
  return widths
}

export function withWidth(layout: TableLayout, key: string, widthPx: number): TableLayout {
  const bounded = Math.round(Math.min(MOST_WIDTH_PX, Math.max(LEAST_WIDTH_PX, widthPx)))
  return { ...layout, widthsPx: { ...layout.widthsPx, [key]: bounded } }
}

export function withShown(layout: TableLayout, keys: readonly string[], shown: boolean): TableLayout {
  const hidden = layout.hidden.filter((key) => !keys.includes(key))
  return { ...layout, hidden: shown ? hidden : [...hidden, ...keys] }
}

/** Moves a column to the place that `target` has now. */
export function withMoved(
  layout: TableLayout,
  columns: readonly TableColumn[],
  key: string,
  target: string,
): TableLayout {
  const order = orderedColumns(columns, layout).map((column) => column.key)
  const [from, to] = [order.indexOf(key), order.indexOf(target)]
  if (from < 0 || to < 0) return layout
  order.splice(from, 1)
  order.splice(to, 0, key)
  return { ...layout, order }
}
