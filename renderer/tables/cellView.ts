import { exactTime, type Zone } from '#shared/units/instants.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { alignOf, type Format, formatOf, type Heat, type TableColumn } from './columns.ts'
import type { ArrangedRows, Cell } from './rows.ts'

/** A column made ready to be painted. */
export interface PaintedColumn {
  column: TableColumn
  /** Its place among the shown columns. */
  place: number
  format: Format
  heat: HeatOf | null
  classes: string
  zone: Zone
}

const SAMPLE_ROWS = 128

/** Values from the column's head and from all over it, as far as they are here. */
function sampleOf(rows: ArrangedRows, key: string): (Cell | undefined)[] {
  const cells: (Cell | undefined)[] = []
  const head = Math.min(SAMPLE_ROWS, rows.count)
  for (let row = 0; row < head; row += 1) cells.push(rows.cell(row, key))
  const step = rows.count / SAMPLE_ROWS
  if (step > 1) for (let at = 0; at < SAMPLE_ROWS; at += 1) cells.push(rows.cell(Math.floor(at * step), key))
  return cells
}

export function paintedColumn(column: TableColumn, place: number, rows: () => ArrangedRows, zone: Zone): PaintedColumn {
  // Of hundreds of columns few come into view, and samples are dear.
  let look: Pick<PaintedColumn, 'format' | 'heat'> | null = null
  const looked = () => (look ??= lookOf(column, rows(), zone))
  return {
    column,
    place,
    zone,
    get format() {
      return looked().format
    },
    get heat() {
      return looked().heat
    },
    classes: ['cell', alignOf(column) === 'right' && 'right', column.look].filter(Boolean).join(' '),
  }
}

function lookOf(column: TableColumn, rows: ArrangedRows, zone: Zone): Pick<PaintedColumn, 'format' | 'heat'> {
  const sample = sampleOf(rows, column.key)
  return { format: formatOf(column, sample, zone), heat: column.heat ? heatOf(column.heat, sample) : null }
}

export const MISSING_SIGN = '–'
const MISSING_WORD = 'missing'

export interface CellView {
  text: string
  classes: string
  title: string | undefined
  style: Record<string, string> | undefined
}

/** What a cell shows. Undefined is on its way, null is missing. */
export function cellView({ column, format, heat, classes }: PaintedColumn, value: Cell | undefined): CellView {
  if (value === undefined) return { text: '', classes: `${classes} waiting`, title: undefined, style: undefined }
  if (value === null)
    return { text: MISSING_SIGN, classes: `${classes} missing`, title: MISSING_WORD, style: undefined }
  const text = format(value)
  const tone = column.tone ? ` tone-${column.tone(value)}` : ''
  const warmth = heat?.(value)
  return {
    text,
    classes: warmth ? `${classes}${tone} heat-${warmth.side}` : classes + tone,
    title: undefined,
    style: warmth
      ? { '--strength': `${Math.round(warmth.strength * 45)}%` }
      : column.look === 'bar'
        ? { '--share': shareText(value) }
        : undefined,
  }
}

/** The whole value, where the cell may show less of it. */
export function wholeValue({ column, zone, format }: PaintedColumn, value: Cell | undefined): string {
  if (value === undefined) return ''
  if (value === null) return MISSING_WORD
  if (typeof value === 'string') return value
  const exact = column.kind === 'time' ? exactTime(value, zone) : exactNumber(value)
  return exact === format(value) || !Number.isFinite(value) ? '' : exact
}

const shareText = (value: number | string) => `${Math.min(1, Math.max(0, Number(value) || 0)) * 100}%`

/** Strength from 0 to 1 and the side it lies on; null for what has no colour. */
export type HeatOf = (value: Cell) => { strength: number; side: 'low' | 'high' } | null

/** Single far outliers would leave all others pale: the limits are these shares of the sorted sample. */
const LOW_SHARE = 0.02
const HIGH_SHARE = 0.98

export function heatOf(heat: Heat, sample: readonly (Cell | undefined)[]): HeatOf {
  const sorted = sample.filter((cell) => Number.isFinite(cell)).map(Number)
  sorted.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  const low = heat.low ?? at(LOW_SHARE)
  const high = heat.high ?? at(HIGH_SHARE)
  const share = (part: number, whole: number) => (whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0)
  if (heat.scale === 'sequential') {
    return (value) => (isColoured(value) ? { strength: share(value - low, high - low), side: 'high' } : null)
  }
  const middle = heat.middle ?? 0
  const reach = Math.max(Math.abs(high - middle), Math.abs(low - middle), heat.leastReach ?? 0)
  return (value) =>
    isColoured(value)
      ? { strength: share(Math.abs(value - middle), reach), side: value < middle ? 'low' : 'high' }
      : null
}

const isColoured = (value: Cell): value is number => typeof value === 'number' && !Number.isNaN(value)
