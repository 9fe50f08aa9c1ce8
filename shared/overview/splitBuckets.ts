import type { Column, Frame } from '#shared/contract/frame.ts'
import { bucketFrame, type BucketGrid, ColumnBuckets, type RowColumn } from './buckets.ts'

/** A bucket that edges of the view cut, with the instants between which its parts lie. */
export interface CutBucket {
  row: number
  /** From the start of the bucket over the edges inside it to its end. */
  bounds: number[]
}

/**
 * Finds the buckets that instants cut. A bucket that the edge of a view cuts would show the extremes of its rows outside the
 * view and hide those inside.
 */
export function cutBuckets({ startMs, bucketMs, buckets }: BucketGrid, edges: readonly number[]): CutBucket[] {
  const inside = new Map<number, number[]>()
  for (const edge of [...new Set(edges)].sort((a, b) => a - b)) {
    const row = Math.floor((edge - startMs) / bucketMs)
    if (row < 0 || row >= buckets || edge === startMs + row * bucketMs) continue
    inside.set(row, [...(inside.get(row) ?? []), edge])
  }
  return [...inside].map(([row, cuts]) => ({
    row,
    bounds: [startMs + row * bucketMs, ...cuts, startMs + (row + 1) * bucketMs],
  }))
}

/** Rows of a cut bucket, ascending in time. */
export interface CutRows {
  times: Float64Array
  columns: (RowColumn & { name: string })[]
}

/** Replaces cut buckets of a frame by their parts. The cuts come in the order of the rows of the frame. */
export function withParts(frame: Frame, cuts: readonly (CutBucket & CutRows)[]): Frame {
  if (cuts.length === 0) return frame
  const frames: Frame[] = []
  let from = 0
  for (const { row, bounds, times, columns } of cuts) {
    frames.push(rowsOfFrame(frame, from, row))
    for (const [at, startMs] of bounds.slice(0, -1).entries()) {
      const grid = { startMs, bucketMs: bounds[at + 1] - startMs, buckets: 1 }
      const parts = columns.map(({ name, ...column }) => {
        const buckets = new ColumnBuckets(grid)
        buckets.addRows(times, column)
        return { name, buckets }
      })
      frames.push(bucketFrame(grid, parts))
    }
    from = row + 1
  }
  frames.push(rowsOfFrame(frame, from, frame.rows))
  return joined(frames)
}

function rowsOfFrame(frame: Frame, from: number, to: number): Frame {
  const columns = frame.columns.map((column): Column => {
    const valid = column.valid && column.valid.subarray(from, to)
    if (column.kind === 'text') return { ...column, values: column.values.subarray(from, to), valid }
    return { ...column, values: column.values.subarray(from, to), valid }
  })
  return { rows: to - from, columns }
}

/** Puts frames of the same number columns below each other. */
function joined(frames: readonly Frame[]): Frame {
  const rows = frames.reduce((sum, frame) => sum + frame.rows, 0)
  const columns = frames[0].columns.map((first, index): Column => {
    const values = new Float64Array(rows)
    const valid = new Uint8Array(rows).fill(1)
    let at = 0
    for (const frame of frames) {
      const column = frame.columns[index]
      values.set(column.values, at)
      if (column.valid) valid.set(column.valid, at)
      at += frame.rows
    }
    const kind = first.kind === 'time' ? 'time' : 'number'
    return { name: first.name, kind, values, valid: valid.includes(0) ? valid : null }
  })
  return { rows, columns }
}
