import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import { type Column, columnOf } from '#shared/contract/frame.ts'
import { type BinField, binFieldName } from './bins.ts'

/** Points of a line: rows of the data, in order. A row without a value breaks the line. */
export interface DrawnRows {
  times: Float64Array
  values: Float64Array
  valid: Uint8Array | null
  /** Time between rows; null if gaps are marked by rows without a value. */
  stepMs: number | null
}

/** Candles as charts need them; the close is the value. */
export interface DrawnCandles extends DrawnRows {
  candles: { open: Float64Array; high: Float64Array; low: Float64Array; volume: Float64Array | null }
}

/** Largest step that is not a gap, in intervals; rounded clocks make steps slightly long. */
const LONGEST_STEP = 1.5

/**
 * Turns a column of an overview into points in time. Each bin contributes its first, lowest, highest and last value
 * at their times, so that no extreme is lost, and gaps in the data stay gaps.
 */
export function drawnRows(points: OverviewPoints, column: string): DrawnRows {
  const { frame, kind, stepMs } = points
  if (kind === 'rows') {
    const { values, valid } = numbersOf(columnOf(frame, column), frame.rows)
    return { times: timesOf(points), values, valid, stepMs }
  }
  const valuesOf = (field: BinField) => numbersOf(columnOf(frame, binFieldName(column, field)), frame.rows).values
  const [count, first, min, max, last] = (['count', 'first', 'min', 'max', 'last'] as const).map(valuesOf)
  const [firstAt, minAt, maxAt, lastAt] = (['firstAt', 'minAt', 'maxAt', 'lastAt'] as const).map(valuesOf)
  const longestMs = stepMs === null ? Infinity : stepMs * LONGEST_STEP
  const times = new Float64Array(frame.rows * 5)
  const values = new Float64Array(frame.rows * 5)
  const gaps: number[] = []
  let rows = 0
  let previousMs = NaN
  // The first chart of a window runs this loop in V8's interpreter, so it has no inner loop and no call except at gaps.
  for (let bin = 0; bin < frame.rows; bin++) {
    if (!(count[bin] > 0)) continue
    let atMs = firstAt[bin]
    if (atMs - previousMs > longestMs) {
      gaps.push(rows)
      times[rows++] = atMs
    }
    times[rows] = atMs
    values[rows++] = first[bin]
    const isLowFirst = minAt[bin] <= maxAt[bin]
    const earlierMs = isLowFirst ? minAt[bin] : maxAt[bin]
    if (earlierMs > atMs) {
      times[rows] = atMs = earlierMs
      values[rows++] = isLowFirst ? min[bin] : max[bin]
    }
    const laterMs = isLowFirst ? maxAt[bin] : minAt[bin]
    if (laterMs > atMs) {
      times[rows] = atMs = laterMs
      values[rows++] = isLowFirst ? max[bin] : min[bin]
    }
    previousMs = lastAt[bin]
    if (previousMs > atMs) {
      times[rows] = previousMs
      values[rows++] = last[bin]
    }
  }
  const valid = gaps.length > 0 ? new Uint8Array(rows).fill(1) : null
  for (const row of gaps) valid![row] = 0
  return { times: times.slice(0, rows), values: values.slice(0, rows), valid, stepMs: null }
}

/** Turns the columns `open`, `high`, `low`, `close` and, if requested, `volume` into candles of the rows or bins. */
export function drawnCandles(points: OverviewPoints): DrawnCandles {
  const { frame, kind } = points
  const column = (name: string, field: BinField) =>
    numbersOf(columnOf(frame, kind === 'rows' ? name : binFieldName(name, field)), frame.rows)
  const close = column('close', 'last')
  const volume = column('volume', 'mean')
  const counts = kind === 'rows' ? null : column('volume', 'count').values
  const hasVolume = columnOf(frame, kind === 'rows' ? 'volume' : binFieldName('volume', 'mean')) !== undefined
  return {
    times: timesOf(points),
    values: close.values,
    valid: close.valid,
    stepMs: points.binMs ?? points.stepMs,
    candles: {
      open: withGaps(column('open', 'first')),
      high: withGaps(column('high', 'max')),
      low: withGaps(column('low', 'min')),
      volume: hasVolume ? withGaps(volume).map((value, row) => value * (counts ? counts[row] : 1)) : null,
    },
  }
}

const timesOf = ({ frame }: OverviewPoints): Float64Array => numbersOf(columnOf(frame, 'time'), frame.rows).values

function numbersOf(column: Column | undefined, rows: number): { values: Float64Array; valid: Uint8Array | null } {
  if (column && column.kind !== 'text') return column
  return { values: new Float64Array(rows).fill(NaN), valid: new Uint8Array(rows) }
}

const withGaps = ({ values, valid }: { values: Float64Array; valid: Uint8Array | null }): Float64Array =>
  valid ? values.map((value, row) => (valid[row] ? value : NaN)) : values
