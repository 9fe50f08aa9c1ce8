import { formatBytes, formatRate } from '#shared/units/bytes.ts'
import { formatDuration } from '#shared/units/durations.ts'
import { formatTime, precisionOf, zoneName, type Zone } from '#shared/units/instants.ts'
import { isNumberKind, magnitudeOf, numberFormat, unitLabel, type NumberKind } from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import type { Heat } from './heat.ts'
import type { Cell } from './rows.ts'

/** `elapsed` are milliseconds, `bytes` and `byteRate` choose their unit by themselves. */
export type CellKind = NumberKind | 'text' | 'time' | 'bytes' | 'byteRate' | 'elapsed'

export type Tone = 'neutral' | 'accent' | 'positive' | 'warning' | 'negative'

/** A column as data. Its cells come from the source's column of the same key. */
export interface TableColumn {
  key: string
  title: string
  kind: CellKind
  /** Stands in the header, never in the cells. */
  unit?: string
  align?: 'left' | 'right'
  widthPx?: number
  /** It grows to this where the columns leave room, until the person gives it a width. */
  widestPx?: number
  /** Instead of the format of the kind. Never sees missing values. */
  format?: (value: number | string) => string
  /** True unless said otherwise. */
  sortable?: boolean
  /** What the column means, shown at its header. */
  hint?: string
  /** `bar` draws a share of 0 to 1 behind the text, `badge` puts the text in a tinted box. */
  look?: 'bar' | 'badge'
  tone?: (value: Cell) => Tone
  heat?: Heat
}

const usualWidths: Partial<Record<CellKind, number>> = { text: 150, time: 184, price: 120, notional: 120, volume: 120 }

export const usualWidth = (column: TableColumn): number => column.widthPx ?? usualWidths[column.kind] ?? 104

export const alignOf = ({ align, kind }: TableColumn) =>
  align ?? (kind === 'text' || kind === 'time' ? 'left' : 'right')

export function unitOf({ kind, unit }: TableColumn, zone: Zone): string {
  if (kind === 'time') return zoneName(zone)
  return isNumberKind(kind) ? unitLabel(kind, unit) : (unit ?? '')
}

export type Format = (value: number | string) => string

/** How a column's values read. The sample decides the decimals of numbers and the precision of times. */
export function formatOf(column: TableColumn, sample: readonly (Cell | undefined)[], zone: Zone): Format {
  if (column.format) return column.format
  const numbers = numeric(column.kind, sample, zone)
  return (value) => (typeof value === 'number' ? numbers(value) : value)
}

function numeric(kind: CellKind, sample: readonly (Cell | undefined)[], zone: Zone): (value: number) => string {
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
