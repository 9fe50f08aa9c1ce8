/** Reduces the rows of a series to a few points per pixel at most, without losing extremes. */
import { RunExtremes } from '#shared/overview/extremes.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '#shared/time.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { type CandleColumns, hasValue, longestStepMs, type Rows, rowsOf } from './model.ts'

/** Points to draw in order of time; a NaN marks a gap in the line. */
export interface Points {
  times: Float64Array
  values: Float64Array
  /** True if rows in view were skipped because a log axis cannot show their value. */
  hasSkippedValues: boolean
}

export const MOST_POINTS = 4000
/** Maximum number of bins, with four points and a gap in each. */
const MOST_BINS = MOST_POINTS / 5

/**
 * Reduces the rows of the range, plus one row on each side so that lines reach the edges. If there are too many rows,
 * time is divided into bins that keep only their first, lowest, highest and last row, so that no extreme is lost and
 * gaps longer than a bin stay gaps. Values at or below `threshold` count as missing, because a log axis cannot show
 * them.
 */
export function reduceRows(
  rows: Rows,
  range: TimeRange,
  stepMs: number | null,
  widthPx: number,
  threshold = -Infinity,
): Points {
  const inside = rowsOf(rows.times, range)
  const from = Math.max(0, inside.from - 1)
  const to = Math.min(rows.times.length, inside.to + 1)
  const binCount = Math.max(1, Math.min(MOST_BINS, Math.floor(widthPx)))
  const isFew = to - from <= MOST_POINTS / 2
  const sink = new PointSink(rows, longestStepMs(stepMs), threshold, isFew ? (to - from) * 2 : (binCount + 2) * 5)
  if (isFew) {
    for (let row = from; row < to; row += 1) sink.addRow(row)
    return sink.points()
  }
  if (from < inside.from) sink.addRow(from)
  reduceBins(rows, inside, range, binCount, sink)
  if (inside.to < to) sink.addRow(inside.to)
  return sink.points()
}

function reduceBins(
  rows: Rows,
  inside: { from: number; to: number },
  range: TimeRange,
  binCount: number,
  sink: PointSink,
) {
  const { times, values, valid } = rows
  const binMs = (range.endMs - range.startMs) / binCount
  const extremes = new RunExtremes()
  let row = inside.from
  for (let bin = 1; row < inside.to; bin += 1) {
    const from = row
    const endMs = bin >= binCount ? Infinity : range.startMs + bin * binMs
    while (row < inside.to && times[row] < endMs) row += 1
    extremes.find(values, valid, from, row, sink.threshold)
    sink.addRun(extremes, from, row)
  }
}

class PointSink {
  /** True if a missing row is between the last point and the next. */
  hasMissing = false
  hasSkippedValues = false
  readonly threshold: number
  #rows: Rows
  #longestMs: number
  #times: Float64Array
  #values: Float64Array
  #count = 0

  constructor(rows: Rows, longestMs: number, threshold: number, mostPoints: number) {
    this.threshold = threshold
    this.#rows = rows
    this.#longestMs = longestMs
    this.#times = new Float64Array(mostPoints)
    this.#values = new Float64Array(mostPoints)
  }

  addRow(row: number): void {
    const isAbove = this.#rows.values[row] > this.threshold
    if (!isAbove || !hasValue(this.#rows, row)) {
      this.hasMissing = true
      if (!isAbove && hasValue(this.#rows, row)) this.hasSkippedValues = true
      return
    }
    this.#addGapBefore(row)
    this.#add(row)
  }

  /** Adds the first, lowest, highest and last row of a run in order, each only once. */
  addRun({ first, last, low, high, hasSkippedValues }: RunExtremes, from: number, to: number): void {
    if (hasSkippedValues) this.hasSkippedValues = true
    if (first > from || (first < 0 && to > from)) this.hasMissing = true
    if (first < 0) return
    const earlierExtreme = Math.min(low, high)
    const laterExtreme = Math.max(low, high)
    this.#addGapBefore(first)
    this.#add(first)
    if (earlierExtreme !== first) this.#add(earlierExtreme)
    if (laterExtreme !== earlierExtreme && laterExtreme !== first) this.#add(laterExtreme)
    if (last !== laterExtreme && last !== earlierExtreme && last !== first) this.#add(last)
    this.hasMissing = last < to - 1
  }

  points(): Points {
    const times = this.#times.subarray(0, this.#count)
    return { times, values: this.#values.subarray(0, this.#count), hasSkippedValues: this.hasSkippedValues }
  }

  /** Adds a gap before a row if a row before it is missing or the time step is too long. */
  #addGapBefore(row: number): void {
    const { times } = this.#rows
    const isAfterGap = row > 0 && times[row] - times[row - 1] > this.#longestMs
    if (this.#count > 0 && (this.hasMissing || isAfterGap)) {
      this.#times[this.#count] = times[row]
      this.#values[this.#count] = NaN
      this.#count += 1
    }
    this.hasMissing = false
  }

  #add(row: number): void {
    this.#times[this.#count] = this.#rows.times[row]
    this.#values[this.#count] = this.#rows.values[row]
    this.#count += 1
  }
}

/** Candles to draw, each covering `widthMs` from its time. Rows without a close are skipped. */
export interface Candles {
  widthMs: number
  count: number
  times: Float64Array
  open: Float64Array
  high: Float64Array
  low: Float64Array
  close: Float64Array
  volume: Float64Array | null
}

const LEAST_CANDLE_PX = 5
const widthsMs = [
  ...[1, 5, 15, 30].map((count) => count * MS_PER_SECOND),
  ...[1, 2, 3, 5, 10, 15, 30].map((count) => count * MS_PER_MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * MS_PER_HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * MS_PER_DAY),
]

/**
 * Returns the step of the rows if candles of that step are wide enough; otherwise the next round width that is a
 * multiple of the step, or the smallest wide enough multiple if no round width fits.
 */
export function candleWidthMs(range: TimeRange, stepMs: number, widthPx: number): number {
  const leastMs = ((range.endMs - range.startMs) / Math.max(1, widthPx)) * LEAST_CANDLE_PX
  if (stepMs >= leastMs) return stepMs
  const fitting = widthsMs.find((width) => width >= leastMs && width % stepMs === 0)
  return fitting ?? Math.ceil(leastMs / stepMs) * stepMs
}

export function reduceCandles(
  rows: Rows & { candles: CandleColumns },
  range: TimeRange,
  stepMs: number,
  widthPx: number,
): Candles {
  const widthMs = candleWidthMs(range, stepMs, widthPx)
  const { open, high, low, volume } = rows.candles
  const { times, values } = rows
  const startMs = Math.floor(range.startMs / widthMs) * widthMs
  const { from, to } = rowsOf(times, { startMs, endMs: range.endMs })
  const mostCandles = Math.min(to - from, Math.ceil((range.endMs - startMs) / widthMs) + 1)
  const column = () => new Float64Array(mostCandles)
  const out = {
    times: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: volume && column(),
  }
  let at = -1
  let candleMs = -Infinity
  for (let row = from; row < to; row += 1) {
    if (!hasValue(rows, row) || !Number.isFinite(open[row] - open[row] + high[row] + low[row])) continue
    const timeMs = Math.floor(times[row] / widthMs) * widthMs
    if (timeMs > candleMs) {
      candleMs = timeMs
      at += 1
      out.times[at] = timeMs
      out.open[at] = open[row]
      out.high[at] = high[row]
      out.low[at] = low[row]
    }
    if (high[row] > out.high[at]) out.high[at] = high[row]
    if (low[row] < out.low[at]) out.low[at] = low[row]
    out.close[at] = values[row]
    if (out.volume && volume && Number.isFinite(volume[row])) out.volume[at] += volume[row]
  }
  return { widthMs, count: at + 1, ...out }
}
