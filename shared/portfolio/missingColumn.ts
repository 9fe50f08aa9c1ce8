import type { NumberColumn } from '#shared/contract/frame.ts'

export interface FillableColumn extends NumberColumn {
  valid: Uint8Array
}

/** Makes a column of missing values, to be filled by `setCell`. */
export function missingColumn(name: string, rows: number): FillableColumn {
  return { name, kind: 'number', values: new Float64Array(rows), valid: new Uint8Array(rows) }
}

/** Nothing is written where the value is none: NaN and infinities stay missing. */
export function setCell(column: FillableColumn, row: number, value: number | null): void {
  if (value === null || !Number.isFinite(value)) return
  column.values[row] = value
  column.valid[row] = 1
}

/** Values of which those that are no finite number are missing. */
export function finiteColumn(name: string, values: Float64Array): NumberColumn {
  const isFinite = values.every((value) => Number.isFinite(value))
  return {
    name,
    kind: 'number',
    values,
    valid: isFinite ? null : Uint8Array.from(values, (v) => Number(Number.isFinite(v))),
  }
}

/** Returns a finite number, or null. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
