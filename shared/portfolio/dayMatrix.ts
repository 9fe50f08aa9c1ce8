import type { Frame, NumberColumn } from '../contract/frame.ts'
import { MS_PER_DAY } from '../time.ts'
import type { DayNumber } from '../time/periods.ts'

/** Values by day and column, row after row; NaN where there is none. Days ascend, each once. */
export interface DayMatrix {
  days: Int32Array
  columns: string[]
  values: Float64Array
}

/** The state at one moment; NaN where a column has no value. */
export interface Snapshot {
  day: DayNumber
  createdAtMs: number
  columns: string[]
  values: Float64Array
}

/** Numbers as a column of a frame; NaN is what is missing. Takes the array over. */
export function gappyColumn(name: string, values: Float64Array): NumberColumn {
  let valid: Uint8Array | null = null
  for (let row = 0; row < values.length; row++) {
    if (!Number.isNaN(values[row])) continue
    valid ??= new Uint8Array(values.length).fill(1)
    valid[row] = 0
    values[row] = 0
  }
  return { name, kind: 'number', values, valid }
}

/** `time` (the start of the day), then a column each. */
export function dayFrame({ days, columns, values }: DayMatrix): Frame {
  const width = columns.length
  const times = Float64Array.from(days, (day) => day * MS_PER_DAY)
  const numbers = columns.map((name, column) => {
    const cells = new Float64Array(days.length)
    for (let row = 0; row < days.length; row++) cells[row] = values[row * width + column]
    return gappyColumn(name, cells)
  })
  return { rows: days.length, columns: [{ name: 'time', kind: 'time', values: times, valid: null }, ...numbers] }
}
