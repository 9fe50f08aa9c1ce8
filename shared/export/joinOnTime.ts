import type { Column, Frame } from '#shared/contract/frame.ts'
import { joinNumbers } from '../statistics/joinNumbers.ts'

/**
 * Joins frames whose first column is an ascending time: one row for each time in any of them, with missing values where
 * a frame lacks that time. A single frame is returned unchanged.
 */
export function joinOnTime(frames: readonly Frame[]): Frame {
  const [first] = frames
  if (frames.length === 1) return first
  const times = unitedTimes(frames.map(timesOf))
  const columns: Column[] = [{ name: 'time', kind: 'time', values: times, valid: null }]
  for (const frame of frames) {
    const sourceRows = rowsAt(timesOf(frame), times)
    for (const column of frame.columns.slice(1)) columns.push(copyToRows(column, sourceRows))
  }
  return { rows: times.length, columns }
}

function timesOf({ columns: [time] }: Frame): Float64Array {
  if (time.kind === 'text') throw new Error('the first column is the time')
  return time.values
}

function unitedTimes(all: readonly Float64Array[]): Float64Array {
  const times = joinNumbers(all).sort()
  let count = 0
  for (const time of times) if (count === 0 || time !== times[count - 1]) times[count++] = time
  return times.slice(0, count)
}

/** Finds the row of a frame at each of the times, or -1. */
function rowsAt(frameTimes: Float64Array, times: Float64Array): Int32Array {
  const rows = new Int32Array(times.length).fill(-1)
  let row = 0
  for (let at = 0; at < times.length && row < frameTimes.length; at++)
    if (frameTimes[row] === times[at]) rows[at] = row++
  return rows
}

/** Copies a column to the common rows; rows without a counterpart are missing. */
function copyToRows(column: Column, sourceRows: Int32Array): Column {
  const count = sourceRows.length
  const valid = new Uint8Array(count)
  const values = column.kind === 'text' ? new Int32Array(count) : new Float64Array(count)
  for (let at = 0; at < count; at++) {
    const row = sourceRows[at]
    if (row < 0 || (column.valid && !column.valid[row])) continue
    values[at] = column.values[row]
    valid[at] = 1
  }
  return { ...column, values, valid } as Column
}
