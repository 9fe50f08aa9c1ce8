import type { CandleColumns, TimeRange } from './model.ts'
import { hasValue, rowsOf, type Rows } from './rows.ts'

/** Candles to draw: each holds the rows of `widthMs` from its time on. Rows without a close take no part. */
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
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const widthsMs = [
  ...[1, 5, 15, 30].map((count) => count * 1000),
  ...[1, 2, 3, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * DAY_MS),
]

/** A length as intervals are named: `15s`, `4h`. */
export function intervalWords(lengthMs: number): string {
  const units: [string, number][] = [
    ['d', DAY_MS],
    ['h', HOUR_MS],
    ['m', MINUTE_MS],
    ['s', 1000],
  ]
  const [unit, size] = units.find(([, size]) => lengthMs % size === 0) ?? ['ms', 1]
  return `${lengthMs / size}${unit}`
}

/** The rows' own step while its candles can be told apart, else the next width that people think in. */
export function candleWidthMs(range: TimeRange, stepMs: number, widthPx: number): number {
  const leastMs = ((range.endMs - range.startMs) / Math.max(1, widthPx)) * LEAST_CANDLE_PX
  if (stepMs >= leastMs) return stepMs
  const fitting = widthsMs.find((width) => width >= leastMs && width % stepMs === 0)
  return fitting ?? Math.ceil(leastMs / stepMs) * stepMs
}

export function reducedCandles(
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
  const most = Math.min(to - from, Math.ceil((range.endMs - startMs) / widthMs) + 1)
  const column = () => new Float64Array(most)
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
