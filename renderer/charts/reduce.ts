import type { TimeRange } from './model.ts'
import { hasValue, longestStepMs, rowsOf, type Rows } from './rows.ts'

/** Points to draw, in order of time. NaN parts what must not be joined: a gap. */
export interface Points {
  times: Float64Array
  values: Float64Array
  /** Whether rows in view were left out because they are not above `above`. */
  hasRefused: boolean
}

export const MOST_POINTS = 4000
/** Four points and a gap each. */
const MOST_BUCKETS = MOST_POINTS / 5

/**
 * The rows of the range and one beyond each side, so that lines reach the edges. Where there are more than can be told
 * apart, each bucket of time keeps its first, least, largest and last row: no extreme is lost, and a gap stays one.
 * Values that are not above `above` are missing: they have no place on a log axis.
 */
export function reduced(
  rows: Rows,
  range: TimeRange,
  stepMs: number | null,
  widthPx: number,
  above = -Infinity,
): Points {
  const inside = rowsOf(rows.times, range)
  const from = Math.max(0, inside.from - 1)
  const to = Math.min(rows.times.length, inside.to + 1)
  const buckets = Math.max(1, Math.min(MOST_BUCKETS, Math.floor(widthPx)))
  const isFew = to - from <= MOST_POINTS / 2
  const sink = new PointSink(rows, longestStepMs(stepMs), above, isFew ? (to - from) * 2 : (buckets + 2) * 5)
  if (isFew) {
    for (let row = from; row < to; row += 1) sink.row(row)
    return sink.points()
  }
  if (from < inside.from) sink.row(from)
  reduceBuckets(rows, inside, range, buckets, sink)
  if (inside.to < to) sink.row(inside.to)
  return sink.points()
}

interface Span {
  from: number
  to: number
}

function reduceBuckets(rows: Rows, span: Span, range: TimeRange, buckets: number, sink: PointSink) {
  const { times, values, valid } = rows
  const { above } = sink
  const bucketMs = (range.endMs - range.startMs) / buckets
  let row = span.from
  for (let bucket = 1; row < span.to; bucket += 1) {
    const endMs = bucket >= buckets ? Infinity : range.startMs + bucket * bucketMs
    let first = -1
    let least = -1
    let largest = -1
    let last = -1
    let low = Infinity
    let high = -Infinity
    for (; row < span.to && times[row] < endMs; row += 1) {
      const value = values[row]
      // An infinity less itself is NaN: one comparison for all that is no number.
      if ((valid !== null && valid[row] === 0) || value - value !== 0 || !(value > above)) {
        if (first < 0) sink.missing = true
        if (value <= above && hasValue(rows, row)) sink.hasRefused = true
        continue
      }
      if (first < 0) first = row
      if (value < low) {
        low = value
        least = row
      }
      if (value > high) {
        high = value
        largest = row
      }
      last = row
    }
    if (first < 0) continue
    sink.bucket(first, Math.min(least, largest), Math.max(least, largest), last)
    sink.missing = last < row - 1
  }
}

class PointSink {
  /** Whether a missing row lies between the last point and the next. */
  missing = false
  hasRefused = false
  readonly above: number
  #rows: Rows
  #longestMs: number
  #times: Float64Array
  #values: Float64Array
  #count = 0

  constructor(rows: Rows, longestMs: number, above: number, most: number) {
    this.above = above
    this.#rows = rows
    this.#longestMs = longestMs
    this.#times = new Float64Array(most)
    this.#values = new Float64Array(most)
  }

  row(row: number): void {
    const isAbove = this.#rows.values[row] > this.above
    if (!isAbove || !hasValue(this.#rows, row)) {
      this.missing = true
      if (!isAbove && hasValue(this.#rows, row)) this.hasRefused = true
      return
    }
    this.#partFrom(row)
    this.#add(row)
  }

  /** Rows in order; the same one may stand twice. */
  bucket(first: number, second: number, third: number, last: number): void {
    this.#partFrom(first)
    this.#add(first)
    if (second !== first) this.#add(second)
    if (third !== second && third !== first) this.#add(third)
    if (last !== third && last !== second && last !== first) this.#add(last)
  }

  points(): Points {
    const times = this.#times.subarray(0, this.#count)
    return { times, values: this.#values.subarray(0, this.#count), hasRefused: this.hasRefused }
  }

  /** A row missing in time is a gap like one without a value. Bucket edges are judged by the rows beside them. */
  #partFrom(row: number): void {
    const { times } = this.#rows
    const isLate = row > 0 && times[row] - times[row - 1] > this.#longestMs
    if (this.#count > 0 && (this.missing || isLate)) {
      this.#times[this.#count] = times[row]
      this.#values[this.#count] = NaN
      this.#count += 1
    }
    this.missing = false
  }

  #add(row: number): void {
    this.#times[this.#count] = this.#rows.times[row]
    this.#values[this.#count] = this.#rows.values[row]
    this.#count += 1
  }
}
