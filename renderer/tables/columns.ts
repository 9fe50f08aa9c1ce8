/** Widths, order and visibility of table columns, as the user changes them. */
import type { SortKey } from '#shared/tables/arrangement.ts'
import { type CellKind, type TableColumn, unitAfterTitle } from '#shared/sheet/columns.ts'

const defaultWidths: Partial<Record<CellKind, number>> = {
  text: 150,
  time: 184,
  price: 120,
  notional: 120,
  volume: 120,
}

const HEADER_LETTER_PX = 6.9
const HEADER_PADDING_PX = 22
/** Maximum width that a column gets for the sake of its header; a longer header is truncated. */
const MOST_HEADER_PX = 200

/** Estimates the width that a header needs to be readable with its unit. */
function headerPx(column: TableColumn): number {
  const unitText = unitAfterTitle(column)
  const letters = column.title.length + (unitText ? unitText.length + 1 : 0)
  return Math.min(MOST_HEADER_PX, Math.ceil(letters * HEADER_LETTER_PX) + HEADER_PADDING_PX)
}

const defaultWidth = (column: TableColumn): number =>
  Math.max(column.widthPx ?? defaultWidths[column.kind] ?? 104, headerPx(column))

/** The user's changes to columns. The screen stores them; the table only reports them. */
export interface TableLayout {
  /** Column keys from left to right; omitted columns keep their declared place. */
  order: readonly string[]
  hidden: readonly string[]
  widthsPx: Readonly<Record<string, number>>
}

export const DECLARED_LAYOUT: TableLayout = { order: [], hidden: [], widthsPx: {} }

/** Tells whether a stored value has the shape of a layout. */
export function isTableLayout(value: unknown): value is TableLayout {
  const { order, hidden, widthsPx } = (value ?? {}) as Partial<TableLayout>
  return Array.isArray(order) && Array.isArray(hidden) && typeof widthsPx === 'object' && widthsPx !== null
}

const LEAST_WIDTH_PX = 48
const MOST_WIDTH_PX = 1200

/**
 * Returns all columns in the user's order; a column missing from this order is placed after the column declared before
 * it.
 */
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
  layout.widthsPx[column.key] ?? defaultWidth(column)

/** Computes the widths of the shown columns; spare width in the view goes to columns that may grow, from the left. */
export function widthsIn(columns: readonly TableColumn[], layout: TableLayout, viewWidthPx: number): number[] {
  const widths = columns.map((column) => widthOf(column, layout))
  let sparePx = Math.floor(viewWidthPx) - widths.reduce((sum, width) => sum + width, 0)
  columns.forEach(({ key, widestPx = 0 }, at) => {
    const byPx = layout.widthsPx[key] === undefined ? Math.min(sparePx, widestPx - widths[at]) : 0
    if (byPx <= 0) return
    widths[at] += byPx
    sparePx -= byPx
  })
  return widths
}

export function withWidth(layout: TableLayout, key: string, widthPx: number): TableLayout {
  const boundedPx = Math.round(Math.min(MOST_WIDTH_PX, Math.max(LEAST_WIDTH_PX, widthPx)))
  return { ...layout, widthsPx: { ...layout.widthsPx, [key]: boundedPx } }
}

export function withShown(layout: TableLayout, keys: readonly string[], areShown: boolean): TableLayout {
  const hidden = layout.hidden.filter((key) => !keys.includes(key))
  return { ...layout, hidden: areShown ? hidden : [...hidden, ...keys] }
}

/** Moves a column to the position of `target`. */
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

/**
 * Returns the sort keys after a click on a header. The first click on a column of text sorts ascending, on others
 * descending; the second reverses the order, the third removes the key. `keepOthers` keeps the keys of other columns.
 */
export function sortAfterPress(sort: readonly SortKey[], { key, kind }: TableColumn, keepOthers: boolean): SortKey[] {
  const startsDescending = kind !== 'text'
  const sortKey = sort.find((entry) => entry.key === key)
  const next: SortKey | null = !sortKey
    ? { key, descending: startsDescending }
    : sortKey.descending === startsDescending
      ? { key, descending: !startsDescending }
      : null
  if (!keepOthers) return next ? [next] : []
  if (!sortKey) return next ? [...sort, next] : [...sort]
  return sort.flatMap((entry) => (entry === sortKey ? (next ?? []) : entry))
}
