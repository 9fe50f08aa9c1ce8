/** Columns of a table as data, and how their cells are formatted; every face writes a table by these. */
import { shortSymbol } from '#shared/catalog/symbols.ts'
import { formatBytes, formatRate } from '#shared/units/bytes.ts'
import { formatDuration } from '#shared/units/durations.ts'
import { formatTime, precisionOf, type Zone, zoneName } from '#shared/units/instants.ts'
import {
  isNumberKind,
  magnitudeOf,
  numberFormat,
  type NumberKind,
  SHOWN_RATE,
  unitLabel,
} from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'

/** A value of a table: null is missing. */
export type Cell = number | string | null

/**
 * Kind of the cells. Values of kind `elapsed` are milliseconds; `bytes` and `byteRate` choose a unit for each value.
 */
export type CellKind = NumberKind | 'text' | 'time' | 'bytes' | 'byteRate' | 'elapsed'

export type Tone = 'neutral' | 'accent' | 'positive' | 'warning' | 'negative'

/** Cell colours by value; the number stays readable. Omitted limits come from a sample of the column. */
export interface Heat {
  /**
   * Colour scale: `sequential` runs from low to high, `diverging` in both directions from `middle`, which is 0 if
   * omitted.
   */
  scale: 'sequential' | 'diverging'
  low?: number
  high?: number
  middle?: number
  /** Distance from the middle below which no value gets full colour, so that noise stays pale. */
  leastReach?: number
}

/** A table column as data; its cells come from the source column with the same key. */
export interface TableColumn {
  key: string
  title: string
  kind: CellKind
  /** True if the title is a name that the user or the service gave, which keeps its capitals. */
  isName?: boolean
  /** Unit, shown only in the header. */
  unit?: string
  align?: 'left' | 'right'
  widthPx?: number
  /** Width up to which the column grows if there is room, until the user sets a width. */
  widestPx?: number
  /** Format to use instead of the usual one for the kind; never called with missing values. */
  format?: (value: number | string) => string
  /** False if a click on the header does not sort; the default is true. */
  sortable?: boolean
  /** True if the column only explains its row, so that a brief face leaves it out. */
  explains?: boolean
  /** Description of the column, shown as the tooltip of its header. */
  hint?: string
  /** Cell style: `bar` draws a fraction from 0 to 1 behind the text, `badge` puts the text in a tinted box. */
  look?: 'bar' | 'badge'
  tone?: (value: Cell) => Tone
  heat?: Heat
}

/** Column of symbols. Its cells omit the common prefix; filters, copies and tooltips have the complete symbol. */
export const symbolColumn: TableColumn = {
  key: 'symbol',
  title: 'Symbol',
  kind: 'text',
  widthPx: 150,
  widestPx: 200,
  format: (value) => shortSymbol(String(value)),
}

export const alignOf = ({ align, kind }: TableColumn) =>
  align ?? (kind === 'text' || kind === 'time' ? 'left' : 'right')

export function unitOf(column: TableColumn, zone: Zone): string {
  return column.kind === 'time' ? zoneName(zone) : unitAfterTitle(column)
}

/** Tells whether a column is of fractions that the table shows in basis points. */
export const isShownInBps = ({ kind, unit = 'none' }: Pick<TableColumn, 'kind' | 'unit'>): boolean =>
  kind === 'rate' && unit === 'none'

/** Returns the unit that follows a title; empty for a percent sign after another, as in “CVaR 95 %”. */
export function unitAfterTitle({ title, kind, unit }: TableColumn): string {
  if (isShownInBps({ kind, ...(unit !== undefined && { unit }) })) return SHOWN_RATE.unit
  const text = isNumberKind(kind) ? unitLabel(kind, unit) : (unit ?? '')
  return text === '%' && title.endsWith('%') ? '' : text
}

export type Format = (value: number | string) => string

/**
 * Chooses how a column's values are formatted. The sample determines the decimals of numbers and the precision of
 * times.
 */
export function formatOf(column: TableColumn, sample: readonly (Cell | undefined)[], zone: Zone): Format {
  if (column.format) return column.format
  const formatOfNumber = isShownInBps(column) ? rateFormat(sample) : numberFormatOf(column.kind, sample, zone)
  return (value) => (typeof value === 'number' ? formatOfNumber(value) : value)
}

function rateFormat(sample: readonly (Cell | undefined)[]): (value: number) => string {
  const { factor, kind } = SHOWN_RATE
  const shown = sample.map((cell) => (typeof cell === 'number' ? cell * factor : null))
  const format = numberFormat(kind, magnitudeOf(shown))
  return (value) => format(value * factor)
}

function numberFormatOf(kind: CellKind, sample: readonly (Cell | undefined)[], zone: Zone): (value: number) => string {
  const numbers = () => sample.map((cell) => (typeof cell === 'number' ? cell : null))
  switch (kind) {
    case 'text':
      return (value) => formatNumber(value, Number.isInteger(value) ? 0 : 4)
    case 'time': {
      const precision = precisionOf(numbers())
      return (value) => formatTime(value, zone, precision)
    }
    case 'bytes':
      return formatBytes
    case 'byteRate':
      return formatRate
    case 'elapsed':
      return formatDuration
    default:
      return numberFormat(kind, magnitudeOf(numbers()))
  }
}
