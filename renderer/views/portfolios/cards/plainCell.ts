import { exactTime, formatTime } from '#shared/units/instants.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { TableColumn } from '../../../tables/columns.ts'
import type { Cell } from '../../../tables/rows.ts'

/** Writes a cell for a file: numbers in full precision, days as days, other times in full. */
export function plainCell(value: Cell | undefined, { kind }: TableColumn): string | number | null {
  if (value === null || value === undefined) return null
  if (kind !== 'time' || typeof value === 'string') return Number.isNaN(value) ? null : value
  return value % MS_PER_DAY === 0 ? formatTime(value, 'utc', 'day') : exactTime(value, 'utc')
}
