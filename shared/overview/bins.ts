/** Aggregates rows in bins of equal width: first, last, lowest and highest value, count, mean and deviation. */
import { type Column, columnOf, type Frame, joinFrames } from '#shared/contract/frame.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '#shared/time.ts'
import { RunExtremes } from './extremes.ts'

/** Bins of equal width, from a start time on. */
export interface BinGrid {
  /** Start of the first bin, a multiple of the width. */
  startMs: number
  binMs: number
  bins: number
}

/** Builds the grid of all bins that overlap a range, without cutting them. */
export function gridOver(startMs: number, endMs: number, binMs: number): BinGrid {
  const first = Math.floor(startMs / binMs)
  return { startMs: first * binMs, binMs, bins: Math.max(0, Math.ceil(endMs / binMs) - first) }
}

interface RowColumn {
  values: Float64Array
  /** Mask of the rows with a value; null if all have one. NaN and infinities never count as values. */
  valid: Uint8Array | null
}

/** Aggregates of one column, bin by bin. Non-finite numbers count as missing. */
export class ColumnBins {
  readonly grid: BinGrid
  readonly count: Float64Array
  readonly first: Float64Array
  readonly last: Float64Array
  readonly min: Float64Array
  readonly max: Float64Array
  readonly mean: Float64Array
  /** Sum of squared deviations from the mean. */
  readonly m2: Float64Array
  /** Times of `first`, `last`, `min` and `max` in each bin. */
  readonly firstAt: Float64Array
  readonly lastAt: Float64Array
  readonly minAt: Float64Array
  readonly maxAt: Float64Array
  private run: ColumnBins | null = null
  private readonly extremes = new RunExtremes()

  constructor(grid: BinGrid, arrayFor: (field: BinField) => Float64Array = () => new Float64Array(grid.bins)) {
    this.grid = grid
    this.count = arrayFor('count')
    this.first = arrayFor('first')
    this.last = arrayFor('last')
    this.min = arrayFor('min')
    this.max = arrayFor('max')
    this.mean = arrayFor('mean')
    this.m2 = arrayFor('m2')
    this.firstAt = arrayFor('firstAt')
    this.lastAt = arrayFor('lastAt')
    this.minAt = arrayFor('minAt')
    this.maxAt = arrayFor('maxAt')
  }

  /** Adds rows [from, to), ascending in time; at equal times, rows added later come after the earlier ones. */
  addRows(times: Float64Array, { values, valid }: RowColumn, from = 0, to = times.length): void {
    const { startMs, binMs, bins } = this.grid
    let row = from
    while (row < to) {
      const bin = Math.floor((times[row] - startMs) / binMs)
      const endMs = startMs + (bin + 1) * binMs
      let end = row + 1
      while (end < to && times[end] < endMs) end++
      if (bin >= 0 && bin < bins) this.addRun(bin, times, values, valid, row, end)
      row = end
    }
  }

  /**
   * Adds bins of the same or a smaller width from `startMs` to `endMs` (exclusive); at equal times, values added later
   * come after the earlier ones.
   */
  addBins(finer: ColumnBins, startMs: number, endMs: number): void {
    const { grid } = this
    const { binMs, startMs: finerStartMs, bins } = finer.grid
    const from = Math.max(0, Math.round((startMs - finerStartMs) / binMs))
    const to = Math.min(bins, Math.round((endMs - finerStartMs) / binMs))
    let source = from
    while (source < to) {
      const bin = Math.floor((finerStartMs + source * binMs - grid.startMs) / grid.binMs)
      const nextMs = grid.startMs + (bin + 1) * grid.binMs
      const end = Math.min(to, Math.max(source + 1, Math.ceil((nextMs - finerStartMs) / binMs)))
      if (bin >= 0 && bin < grid.bins) this.addFinerRun(bin, finer, source, end)
      source = end
    }
  }

  /**
   * Merges bins [from, to) of a finer grid into one. Intermediate results stay in local variables and are stored only
   * at the end.
   */
  private addFinerRun(bin: number, finer: ColumnBins, from: number, to: number): void {
    const { count: counts, mean: means, m2: squares, min: mins, max: maxs } = finer
    let total = this.count[bin]
    let mean = this.mean[bin]
    let m2 = this.m2[bin]
    let low = total > 0 ? this.min[bin] : Infinity
    let high = total > 0 ? this.max[bin] : -Infinity
    let first = -1
    let last = -1
    let lowIndex = -1
    let highIndex = -1
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
        lowIndex = at
      }
      if (maxs[at] > high) {
        high = maxs[at]
        highIndex = at
      }
    }
    if (first < 0) return
    // Files by arrival time overlap around midnight, so later input may contain earlier rows.
    const isEmpty = this.count[bin] === 0
    if (isEmpty || finer.firstAt[first] < this.firstAt[bin]) {
      this.first[bin] = finer.first[first]
      this.firstAt[bin] = finer.firstAt[first]
    }
    if (isEmpty || finer.lastAt[last] >= this.lastAt[bin]) {
      this.last[bin] = finer.last[last]
      this.lastAt[bin] = finer.lastAt[last]
    }
    if (lowIndex >= 0) {
      this.min[bin] = finer.min[lowIndex]
      this.minAt[bin] = finer.minAt[lowIndex]
    }
    if (highIndex >= 0) {
      this.max[bin] = finer.max[highIndex]
      this.maxAt[bin] = finer.maxAt[highIndex]
    }
    this.count[bin] = total
    this.mean[bin] = mean
    this.m2[bin] = m2
  }

  private addRun(
    bin: number,
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
    this.addFinerRun(bin, run, 0, 1)
  }

  /** Returns a reusable bin in which consecutive rows are collected before merging. */
  private scratch(): ColumnBins {
    return (this.run ??= new ColumnBins({ startMs: 0, binMs: 1, bins: 1 }))
  }
}

/** Fields of a bin, in storage order. */
export const binFields = [
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
export type BinField = (typeof binFields)[number]

/** Returns the column name of a field in a frame of bins. */
export const binFieldName = (column: string, field: BinField): string => `${column}.${field}`

/** Builds a frame with all bins of a grid, in order; see `OverviewPoints` for its columns. */
export function binFrame(grid: BinGrid, columns: readonly { name: string; bins: ColumnBins }[]): Frame {
  const times = Float64Array.from({ length: grid.bins }, (_, bin) => grid.startMs + bin * grid.binMs)
  return {
    rows: grid.bins,
    columns: [
      { name: 'time', kind: 'time', values: times, valid: null },
      ...columns.flatMap(({ name, bins }) => fieldColumns(name, bins)),
    ],
  }
}

/**
 * Merges frames of the same bins that were made from different rows; at equal times, the rows of a later frame come
 * after those of an earlier one.
 */
export function mergeBins(grid: BinGrid, names: readonly string[], frames: readonly Frame[]): Frame {
  if (frames.length === 1) return frames[0]
  const endMs = grid.startMs + grid.bins * grid.binMs
  const columns = names.map((name) => {
    const [bins, ...others] = frames.map((frame) => columnBins(grid, name, frame))
    for (const other of others) bins.addBins(other, grid.startMs, endMs)
    return { name, bins }
  })
  return binFrame(grid, columns)
}

const columnBins = (grid: BinGrid, name: string, frame: Frame): ColumnBins =>
  new ColumnBins(grid, (field) => columnOf(frame, binFieldName(name, field))?.values as Float64Array)

function fieldColumns(name: string, bins: ColumnBins): Column[] {
  const { count } = bins
  const mask = count.includes(0) ? new Uint8Array(count.length) : null
  if (mask) for (let bin = 0; bin < mask.length; bin++) mask[bin] = count[bin] > 0 ? 1 : 0
  return binFields.map((field): Column => {
    const kind = field.endsWith('At') ? 'time' : 'number'
    // A column does not share its mask, because buffers are transferred to other threads one by one.
    const valid = field === 'count' ? null : (mask?.slice() ?? null)
    return { name: binFieldName(name, field), kind, values: bins[field], valid }
  })
}

/** Familiar bin widths; those below a day divide it. */
const widthsMs = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MS_PER_SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MS_PER_MINUTE),
  ...[1, 2, 4, 8, 12].map((count) => count * MS_PER_HOUR),
  ...[1, 2, 4, 7, 14, 28, 91, 364].map((count) => count * MS_PER_DAY),
]

/** Minimum number of rows per bin for which a summary is worth its space. */
const ROWS_PER_SUMMARY_BIN = 96
/** Summary width for events, whose number varies; this width is fine enough for a day of events. */
const EVENT_SUMMARY_MS = 10 * MS_PER_SECOND

/** Returns the bin width of the summary stored beside a file; at most a day, so that no bin spans two files. */
export function summaryWidthMs(stepMs: number | null): number {
  if (stepMs === null) return EVENT_SUMMARY_MS
  const fits = (width: number) => width >= stepMs * ROWS_PER_SUMMARY_BIN && width % stepMs === 0
  return Math.min(widthsMs.find(fits) ?? MS_PER_DAY, MS_PER_DAY)
}

/**
 * Returns a bin width that covers a range with at most about `bins` bins: a multiple of the row step, and
 * also of the summary's width if the bin is wider than that.
 */
export function binWidthMs(rangeMs: number, bins: number, stepMs: number | null): number {
  const leastMs = rangeMs / bins
  const summaryMs = summaryWidthMs(stepMs)
  const fits = (width: number) =>
    width >= leastMs && (stepMs === null || width % stepMs === 0) && (width <= summaryMs || width % summaryMs === 0)
  return widthsMs.find(fits) ?? Math.ceil(leastMs / (7 * MS_PER_DAY)) * 7 * MS_PER_DAY
}

/** A bin that an edge of the view splits, with the boundaries of its parts. */
export interface CutBin {
  row: number
  /** Boundaries: start of the bin, the edges inside it, and its end. */
  bounds: number[]
}

/**
 * Finds the bins that edges split. Without splitting, a bin at the edge of a view would show extremes of rows
 * outside the view and hide those inside.
 */
export function cutBins({ startMs, binMs, bins }: BinGrid, edges: readonly number[]): CutBin[] {
  const edgesByRow = new Map<number, number[]>()
  for (const edge of [...new Set(edges)].sort((a, b) => a - b)) {
    const row = Math.floor((edge - startMs) / binMs)
    if (row < 0 || row >= bins || edge === startMs + row * binMs) continue
    edgesByRow.set(row, [...(edgesByRow.get(row) ?? []), edge])
  }
  return [...edgesByRow].map(([row, cuts]) => ({
    row,
    bounds: [startMs + row * binMs, ...cuts, startMs + (row + 1) * binMs],
  }))
}

/** Rows of a split bin, ascending in time. */
export interface CutRows {
  times: Float64Array
  columns: (RowColumn & { name: string })[]
}

/** Replaces split bins of a frame by their parts. The cuts are in row order. */
export function withSplitBins(frame: Frame, cuts: readonly (CutBin & CutRows)[]): Frame {
  if (cuts.length === 0) return frame
  const frames: Frame[] = []
  let from = 0
  for (const { row, bounds, times, columns } of cuts) {
    frames.push(rowsOfFrame(frame, from, row))
    for (const [at, startMs] of bounds.slice(0, -1).entries()) {
      const grid = { startMs, binMs: bounds[at + 1] - startMs, bins: 1 }
      const parts = columns.map(({ name, ...column }) => {
        const bins = new ColumnBins(grid)
        bins.addRows(times, column)
        return { name, bins }
      })
      frames.push(binFrame(grid, parts))
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
