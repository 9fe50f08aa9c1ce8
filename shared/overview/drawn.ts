import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import { type Column, columnOf } from '#shared/contract/frame.ts'
import { type BucketField, bucketFieldName } from './buckets.ts'

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

/** Fields of a bucket that are drawn, and their order in time: the lowest value may be before the highest or after it. */
const drawnFields = ['first', 'min', 'max', 'last'] as const
const LOW_FIRST = [0, 1, 2, 3]
const HIGH_FIRST = [0, 2, 1, 3]

/**
 * Turns a column of an overview into points in time. Each bucket contributes its first, lowest, highest and last value
 * at their times, so that no extreme is lost, and gaps in the data stay gaps.
 */
export function drawnRows(points: OverviewPoints, column: string): DrawnRows {
  const { frame, kind, stepMs } = points
  if (kind === 'rows') {
    const { values, valid } = numbersOf(columnOf(frame, column), frame.rows)
    return { times: timesOf(points), values, valid, stepMs }
  }
  const part = (name: BucketField) => numbersOf(columnOf(frame, bucketFieldName(column, name)), frame.rows).values
  const count = part('count')
  const instants = drawnFields.map((name) => part(`${name}At`))
  const numbers = drawnFields.map((name) => part(name))
  const [firstAt, minAt, maxAt, lastAt] = instants
  const longestMs = stepMs === null ? Infinity : stepMs * LONGEST_STEP
  const maxPoints = frame.rows * 5
  const times = new Float64Array(maxPoints)
  const values = new Float64Array(maxPoints)
  const valid = new Uint8Array(maxPoints)
  let rows = 0
  let previousMs = NaN
  for (let bucket = 0; bucket < frame.rows; bucket++) {
    if (!(count[bucket] > 0)) continue
    if (firstAt[bucket] - previousMs > longestMs) times[rows++] = firstAt[bucket]
    let at = -Infinity
    for (const field of minAt[bucket] <= maxAt[bucket] ? LOW_FIRST : HIGH_FIRST) {
      const timeMs = instants[field][bucket]
      if (!(timeMs > at)) continue
      at = timeMs
      times[rows] = at
      values[rows] = numbers[field][bucket]
      valid[rows++] = 1
    }
    previousMs = lastAt[bucket]
  }
  return { times: times.slice(0, rows), values: values.slice(0, rows), valid: valid.slice(0, rows), stepMs: null }
}

/** Turns the columns `open`, `high`, `low`, `close` and, if requested, `volume` into candles of the rows or buckets. */
export function drawnCandles(points: OverviewPoints): DrawnCandles {
  const { frame, kind } = points
  const column = (name: string, part: BucketField) =>
    numbersOf(columnOf(frame, kind === 'rows' ? name : bucketFieldName(name, part)), frame.rows)
  const close = column('close', 'last')
  const volume = column('volume', 'mean')
  const counts = kind === 'rows' ? null : column('volume', 'count').values
  const hasVolume = columnOf(frame, kind === 'rows' ? 'volume' : bucketFieldName('volume', 'mean')) !== undefined
  return {
    times: timesOf(points),
    values: close.values,
    valid: close.valid,
    stepMs: points.bucketMs ?? points.stepMs,
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
