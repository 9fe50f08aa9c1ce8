/** Aggregates rows in buckets of equal width: first, last, lowest and highest value, count, mean and deviation. */
import { type Column, columnOf, type Frame } from '#shared/contract/frame.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '#shared/time.ts'
import { RunExtremes } from './extremes.ts'

/** Buckets of equal width, from a start time on. */
export interface BucketGrid {
  /** Start of the first bucket, a multiple of the width. */
  startMs: number
  bucketMs: number
  buckets: number
}

/** Selects all buckets that overlap a range, without cutting them. */
export function gridOver(startMs: number, endMs: number, bucketMs: number): BucketGrid {
  const first = Math.floor(startMs / bucketMs)
  return { startMs: first * bucketMs, bucketMs, buckets: Math.max(0, Math.ceil(endMs / bucketMs) - first) }
}

export interface RowColumn {
  values: Float64Array
  /** Mask of the rows with a value; null if all have one. NaN and infinities never count as values. */
  valid: Uint8Array | null
}

/** Aggregates of one column, bucket by bucket. Non-finite numbers are missing and only reduce the count. */
export class ColumnBuckets {
  readonly grid: BucketGrid
  readonly count: Float64Array
  readonly first: Float64Array
  readonly last: Float64Array
  readonly min: Float64Array
  readonly max: Float64Array
  readonly mean: Float64Array
  /** Sum of squared deviations from the mean. */
  readonly m2: Float64Array
  /** Times of `first`, `last`, `min` and `max` in each bucket. */
  readonly firstAt: Float64Array
  readonly lastAt: Float64Array
  readonly minAt: Float64Array
  readonly maxAt: Float64Array
  private run: ColumnBuckets | null = null
  private readonly extremes = new RunExtremes()

  constructor(grid: BucketGrid, arrays: (part: BucketField) => Float64Array = () => new Float64Array(grid.buckets)) {
    this.grid = grid
    this.count = arrays('count')
    this.first = arrays('first')
    this.last = arrays('last')
    this.min = arrays('min')
    this.max = arrays('max')
    this.mean = arrays('mean')
    this.m2 = arrays('m2')
    this.firstAt = arrays('firstAt')
    this.lastAt = arrays('lastAt')
    this.minAt = arrays('minAt')
    this.maxAt = arrays('maxAt')
  }

  /** Adds rows [from, to), ascending in time; at equal times, rows added later come after the earlier ones. */
  addRows(times: Float64Array, { values, valid }: RowColumn, from = 0, to = times.length): void {
    const { startMs, bucketMs, buckets } = this.grid
    let row = from
    while (row < to) {
      const bucket = Math.floor((times[row] - startMs) / bucketMs)
      const endMs = startMs + (bucket + 1) * bucketMs
      let end = row + 1
      while (end < to && times[end] < endMs) end++
      if (bucket >= 0 && bucket < buckets) this.addRun(bucket, times, values, valid, row, end)
      row = end
    }
  }

  /** Adds buckets of a finer grid; at equal times, values added later come after the earlier ones. */
  addBuckets(finer: ColumnBuckets, startMs: number, endMs: number): void {
    const { grid } = this
    const { bucketMs, startMs: finerStartMs, buckets } = finer.grid
    const from = Math.max(0, Math.round((startMs - finerStartMs) / bucketMs))
    const to = Math.min(buckets, Math.round((endMs - finerStartMs) / bucketMs))
    let source = from
    while (source < to) {
      const bucket = Math.floor((finerStartMs + source * bucketMs - grid.startMs) / grid.bucketMs)
      const nextMs = grid.startMs + (bucket + 1) * grid.bucketMs
      const end = Math.min(to, Math.max(source + 1, Math.ceil((nextMs - finerStartMs) / bucketMs)))
      if (bucket >= 0 && bucket < grid.buckets) this.addFinerRun(bucket, finer, source, end)
      source = end
    }
  }

  /**
   * Merges buckets [from, to) of a finer grid into one, using local variables because most results never reach the
   * arrays.
   */
  private addFinerRun(bucket: number, finer: ColumnBuckets, from: number, to: number): void {
    const { count: counts, mean: means, m2: squares, min: mins, max: maxs } = finer
    let total = this.count[bucket]
    let mean = this.mean[bucket]
    let m2 = this.m2[bucket]
    let low = total > 0 ? this.min[bucket] : Infinity
    let high = total > 0 ? this.max[bucket] : -Infinity
    let first = -1
    let last = -1
    let least = -1
    let largest = -1
    for (let at = from; at < to; at++) {
      const count = counts[at]
      if (count === 0) continue
      if (first < 0) first = at
      last = at
      const delta = means[at] - mean
      const sum = total + count
      // The first mean is taken over unchanged, to keep all its digits.
      mean = total === 0 ? means[at] : mean + (delta * count) / sum
      m2 += squares[at] + (delta * delta * total * count) / sum
      total = sum
      if (mins[at] < low) {
        low = mins[at]
        least = at
      }
      if (maxs[at] > high) {
        high = maxs[at]
        largest = at
      }
    }
    if (first < 0) return
    // Files by arrival time overlap around midnight, so later input may contain earlier rows.
    const isEmpty = this.count[bucket] === 0
    if (isEmpty || finer.firstAt[first] < this.firstAt[bucket]) {
      this.first[bucket] = finer.first[first]
      this.firstAt[bucket] = finer.firstAt[first]
    }
    if (isEmpty || finer.lastAt[last] >= this.lastAt[bucket]) {
      this.last[bucket] = finer.last[last]
      this.lastAt[bucket] = finer.lastAt[last]
    }
    if (least >= 0) {
      this.min[bucket] = finer.min[least]
      this.minAt[bucket] = finer.minAt[least]
    }
    if (largest >= 0) {
      this.max[bucket] = finer.max[largest]
      this.maxAt[bucket] = finer.maxAt[largest]
    }
    this.count[bucket] = total
    this.mean[bucket] = mean
    this.m2[bucket] = m2
  }

  private addRun(
    bucket: number,
    times: Float64Array,
    values: Float64Array,
    valid: Uint8Array | null,
    from: number,
    to: number,
  ): void {
    const extremes = this.extremes
    extremes.find(values, valid, from, to)
    const { first, last, low, high } = extremes
    if (first < 0) return
    // Sums relative to a value keep the digits that sums of the values would lose.
    const shift = values[first]
    let count = 0
    let sum = 0
    let squares = 0
    for (let row = first; row <= last; row++) {
      const value = values[row]
      if (value - value !== 0 || (valid !== null && valid[row] === 0)) continue
      const distance = value - shift
      count++
      sum += distance
      squares += distance * distance
    }
    const run = this.scratch()
    run.count[0] = count
    run.mean[0] = shift + sum / count
    run.m2[0] = Math.max(0, squares - (sum * sum) / count)
    run.first[0] = values[first]
    run.firstAt[0] = times[first]
    run.last[0] = values[last]
    run.lastAt[0] = times[last]
    run.min[0] = values[low]
    run.minAt[0] = times[low]
    run.max[0] = values[high]
    run.maxAt[0] = times[high]
    this.addFinerRun(bucket, run, 0, 1)
  }

  /** Returns a reusable bucket in which consecutive rows are collected before merging. */
  private scratch(): ColumnBuckets {
    return (this.run ??= new ColumnBuckets({ startMs: 0, bucketMs: 1, buckets: 1 }))
  }
}

/** Parts of a bucket, in storage order. */
export const bucketFields = [
  'count',
  'first',
  'last',
  'min',
  'max',
  'mean',
  'm2',
  'firstAt',
  'lastAt',
  'minAt',
  'maxAt',
] as const
export type BucketField = (typeof bucketFields)[number]

/** Returns the column name of a part in a frame of buckets. */
export const bucketFieldName = (column: string, part: BucketField): string => `${column}.${part}`

/** Builds a frame with all buckets of a grid, in order; see `OverviewPoints` for its columns. */
export function bucketFrame(grid: BucketGrid, columns: readonly { name: string; buckets: ColumnBuckets }[]): Frame {
  const times = Float64Array.from({ length: grid.buckets }, (_, bucket) => grid.startMs + bucket * grid.bucketMs)
  return {
    rows: grid.buckets,
    columns: [
      { name: 'time', kind: 'time', values: times, valid: null },
      ...columns.flatMap(({ name, buckets }) => partsOf(name, buckets)),
    ],
  }
}

/**
 * Merges frames of the same buckets that were made from different rows; at equal times, the rows of a later frame come
 * after those of an earlier one.
 */
export function mergedBuckets(grid: BucketGrid, names: readonly string[], frames: readonly Frame[]): Frame {
  if (frames.length === 1) return frames[0]
  const endMs = grid.startMs + grid.buckets * grid.bucketMs
  const columns = names.map((name) => {
    const [buckets, ...others] = frames.map((frame) => columnBuckets(grid, name, frame))
    for (const other of others) buckets.addBuckets(other, grid.startMs, endMs)
    return { name, buckets }
  })
  return bucketFrame(grid, columns)
}

const columnBuckets = (grid: BucketGrid, name: string, frame: Frame): ColumnBuckets =>
  new ColumnBuckets(grid, (part) => columnOf(frame, bucketFieldName(name, part))?.values as Float64Array)

function partsOf(name: string, buckets: ColumnBuckets): Column[] {
  const { count } = buckets
  const mask = count.includes(0) ? new Uint8Array(count.length) : null
  if (mask) for (let bucket = 0; bucket < mask.length; bucket++) mask[bucket] = count[bucket] > 0 ? 1 : 0
  return bucketFields.map((part): Column => {
    const kind = part.endsWith('At') ? 'time' : 'number'
    // A column does not share its mask, because buffers are transferred to other threads one by one.
    const valid = part === 'count' ? null : (mask?.slice() ?? null)
    return { name: bucketFieldName(name, part), kind, values: buckets[part], valid }
  })
}

/** Familiar bucket widths; those below a day divide it. */
const widthsMs = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MS_PER_SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MS_PER_MINUTE),
  ...[1, 2, 4, 8, 12].map((count) => count * MS_PER_HOUR),
  ...[1, 2, 4, 7, 14, 28, 91, 364].map((count) => count * MS_PER_DAY),
]

/** Minimum number of rows per bucket for which a summary is worth its space. */
const ROWS_PER_SUMMARY_BUCKET = 96
/** Summary width for events, whose number varies; this width is fine enough for a day of events. */
const EVENT_SUMMARY_MS = 10 * MS_PER_SECOND

/** Returns the bucket width of the summary stored beside a file; at most a day, so that no bucket spans two files. */
export function summaryWidthMs(stepMs: number | null): number {
  if (stepMs === null) return EVENT_SUMMARY_MS
  const fits = (width: number) => width >= stepMs * ROWS_PER_SUMMARY_BUCKET && width % stepMs === 0
  return Math.min(widthsMs.find(fits) ?? MS_PER_DAY, MS_PER_DAY)
}

/**
 * Returns a bucket width that covers a range with at most about `buckets` buckets: a multiple of the row step, and
 * also of the summary's width if the bucket is wider than that.
 */
export function bucketWidthMs(rangeMs: number, buckets: number, stepMs: number | null): number {
  const leastMs = rangeMs / buckets
  const summaryMs = summaryWidthMs(stepMs)
  const fits = (width: number) =>
    width >= leastMs && (stepMs === null || width % stepMs === 0) && (width <= summaryMs || width % summaryMs === 0)
  return widthsMs.find(fits) ?? Math.ceil(leastMs / (7 * MS_PER_DAY)) * 7 * MS_PER_DAY
}

/** A bucket that an edge of the view splits, with the boundaries of its parts. */
export interface CutBucket {
  row: number
  /** Boundaries: start of the bucket, the edges inside it, and its end. */
  bounds: number[]
}

/**
 * Finds the buckets that edges split. Without splitting, a bucket at the edge of a view would show extremes of rows
 * outside the view and hide those inside.
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

/** Rows of a split bucket, ascending in time. */
export interface CutRows {
  times: Float64Array
  columns: (RowColumn & { name: string })[]
}

/** Replaces split buckets of a frame by their parts. The cuts are in row order. */
export function withSplitBuckets(frame: Frame, cuts: readonly (CutBucket & CutRows)[]): Frame {
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
  return joinFrames(frames)
}

function rowsOfFrame(frame: Frame, from: number, to: number): Frame {
  const columns = frame.columns.map((column): Column => {
    const valid = column.valid && column.valid.subarray(from, to)
    if (column.kind === 'text') return { ...column, values: column.values.subarray(from, to), valid }
    return { ...column, values: column.values.subarray(from, to), valid }
  })
  return { rows: to - from, columns }
}

/** Concatenates frames with the same numeric columns. */
function joinFrames(frames: readonly Frame[]): Frame {
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
