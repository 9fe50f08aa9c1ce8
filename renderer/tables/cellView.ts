import { alignOf, type Cell, type Format, formatOf, type Heat, type TableColumn } from '#shared/sheet/columns.ts'
import { wholeTime, type Zone } from '#shared/units/instants.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { tablesText } from '../text/tables.ts'
import type { ArrangedRows } from './rows.ts'

/** A column prepared for painting. */
export interface PaintedColumn {
  column: TableColumn
  /** Index among the shown columns. */
  place: number
  format: Format
  heat: HeatOf | null
  classes: string
  zone: Zone
  /** Attributes of the column's header and cells. */
  attributes: { 'aria-colindex': number; 'data-place': number }
}

const SAMPLE_ROWS = 128

/** Samples a column: its first values, and values evenly spread over all rows; undefined where a row is not loaded. */
function sampleOf(rows: ArrangedRows, key: string): (Cell | undefined)[] {
  const cells: (Cell | undefined)[] = []
  const headRows = Math.min(SAMPLE_ROWS, rows.count)
  for (let row = 0; row < headRows; row += 1) cells.push(rows.cell(row, key))
  const step = rows.count / SAMPLE_ROWS
  if (step > 1) for (let at = 0; at < SAMPLE_ROWS; at += 1) cells.push(rows.cell(Math.floor(at * step), key))
  return cells
}

export function paintedColumn(column: TableColumn, place: number, rows: () => ArrangedRows, zone: Zone): PaintedColumn {
  // The format is computed on first use, because sampling is slow and few of hundreds of columns come into view.
  let style: Pick<PaintedColumn, 'format' | 'heat'> | null = null
  const lazyStyle = () => (style ??= styleOf(column, rows(), zone))
  return {
    column,
    place,
    zone,
    attributes: { 'aria-colindex': place + 1, 'data-place': place },
    get format() {
      return lazyStyle().format
    },
    get heat() {
      return lazyStyle().heat
    },
    classes: ['cell', alignOf(column) === 'right' && 'right', column.look].filter(Boolean).join(' '),
  }
}

function styleOf(column: TableColumn, rows: ArrangedRows, zone: Zone): Pick<PaintedColumn, 'format' | 'heat'> {
  const sample = sampleOf(rows, column.key)
  return { format: formatOf(column, sample, zone), heat: column.heat ? heatOf(column.heat, sample) : null }
}

const MISSING_SIGN = '–'

interface CellView {
  text: string
  classes: string
  title: string | undefined
  style: Record<string, string> | undefined
}

/** Describes how a cell is painted; the value is undefined while it loads and null if it is missing. */
export function cellView({ column, format, heat, classes }: PaintedColumn, value: Cell | undefined): CellView {
  if (value === undefined) return { text: '', classes: `${classes} waiting`, title: undefined, style: undefined }
  if (value === null)
    return { text: MISSING_SIGN, classes: `${classes} missing`, title: tablesText.missing, style: undefined }
  const text = format(value)
  const tone = column.tone ? ` tone-${column.tone(value)}` : ''
  const cellHeat = heat?.(value)
  return {
    text,
    classes: cellHeat ? `${classes}${tone} heat-${cellHeat.side}` : classes + tone,
    title: undefined,
    style: cellHeat
      ? { '--strength': `${Math.round(cellHeat.strength * 45)}%` }
      : column.look === 'bar'
        ? { '--share': shareText(value) }
        : undefined,
  }
}

/**
 * Returns the tooltip of a cell: a text in full, a number or time in full if the cell shortens it, or a word for a
 * missing value. Empty if there is nothing to add or the row is not loaded.
 */
export function wholeValue({ column, zone, format }: PaintedColumn, value: Cell | undefined): string {
  if (value === undefined) return ''
  if (value === null) return tablesText.missing
  if (typeof value === 'string') return value
  const exact = column.kind === 'time' ? wholeTime(value, zone) : exactNumber(value)
  return exact === format(value) || !Number.isFinite(value) ? '' : exact
}

const shareText = (value: number | string) => `${Math.min(1, Math.max(0, Number(value) || 0)) * 100}%`

/**
 * Function that returns how strongly a cell is coloured, from 0 to 1, and whether as high, or as above or below the
 * middle; null if the cell is not coloured.
 */
type HeatOf = (value: Cell) => { strength: number; side: 'high' | 'up' | 'down' } | null

/** Quantiles of the sample at which the colour scale ends, because a single extreme would make all other cells pale. */
const LOW_SHARE = 0.02
const HIGH_SHARE = 0.98

export function heatOf(heat: Heat, sample: readonly (Cell | undefined)[]): HeatOf {
  const sorted = sample.filter((cell) => Number.isFinite(cell)).map(Number)
  sorted.sort((a, b) => a - b)
  const sampleAt = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  const low = heat.low ?? sampleAt(LOW_SHARE)
  const high = heat.high ?? sampleAt(HIGH_SHARE)
  const shareOf = (part: number, whole: number) => (whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0)
  if (heat.scale === 'sequential') {
    return (value) => (isColoured(value) ? { strength: shareOf(value - low, high - low), side: 'high' } : null)
  }
  const middle = heat.middle ?? 0
  const reach = Math.max(Math.abs(high - middle), Math.abs(low - middle), heat.leastReach ?? 0)
  return (value) =>
    isColoured(value)
      ? { strength: shareOf(Math.abs(value - middle), reach), side: value < middle ? 'down' : 'up' }
      : null
}

const isColoured = (value: Cell): value is number => typeof value === 'number' && !Number.isNaN(value)
