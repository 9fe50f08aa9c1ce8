import type { ChartSeries, TimeRange } from './model.ts'

/** The first row at or after the time; the number of rows where there is none. */
export function rowAtOrAfter(times: Float64Array, timeMs: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle] < timeMs) low = middle + 1
    else high = middle
  }
  return low
}

/** The last row at or before the time; -1 where there is none. */
export function rowAtOrBefore(times: Float64Array, timeMs: number): number {
  const row = rowAtOrAfter(times, timeMs)
  return times[row] === timeMs ? row : row - 1
}

/** Rows of the range, half-open. */
export function rowsOf(times: Float64Array, range: TimeRange): { from: number; to: number } {
  return { from: rowAtOrAfter(times, range.startMs), to: rowAtOrAfter(times, range.endMs) }
}

export type Rows = Pick<ChartSeries, 'times' | 'values' | 'valid'>

/** Missing, NaN and infinities alike have no place on a chart. */
export const hasValue = ({ values, valid }: Rows, row: number): boolean =>
  (valid === null || valid[row] !== 0) && Number.isFinite(values[row])

const SAMPLES = 2000

/** The step that most rows keep to; null where fewer than half of those looked at do. */
export function foundStepMs(times: Float64Array): number | null {
  const counts = new Map<number, number>()
  const every = Math.max(1, Math.floor((times.length - 1) / SAMPLES))
  let seen = 0
  for (let row = 1; row < times.length; row += every) {
    const step = times[row] - times[row - 1]
    counts.set(step, (counts.get(step) ?? 0) + 1)
    seen += 1
  }
  const [stepMs, count] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0])
  return stepMs > 0 && count * 2 >= seen ? stepMs : null
}

const found = new WeakMap<Float64Array, number | null>()

/** The series' step, found once for the same rows. */
export function stepMsOf(series: Pick<ChartSeries, 'times' | 'stepMs'>): number | null {
  if (series.stepMs !== undefined) return series.stepMs
  const { times } = series
  const known = found.get(times)
  if (known !== undefined) return known
  const stepMs = foundStepMs(times)
  found.set(times, stepMs)
  return stepMs
}

/** How far apart rows may be before there is a gap: clocks that round leave a step a little long. */
export const longestStepMs = (stepMs: number | null): number => (stepMs === null ? Infinity : stepMs * 1.5)

/** From the first row to the end of the last, over all series; null without any row. */
export function extentOf(series: readonly ChartSeries[]): TimeRange | null {
  let startMs = Infinity
  let endMs = -Infinity
  for (const one of series) {
    const { times } = one
    if (times.length === 0) continue
    startMs = Math.min(startMs, times[0])
    endMs = Math.max(endMs, times[times.length - 1] + (stepMsOf(one) ?? 0))
  }
  if (startMs > endMs) return null
  const ONE_POINT_MS = 60_000
  return startMs === endMs ? { startMs: startMs - ONE_POINT_MS, endMs: endMs + ONE_POINT_MS } : { startMs, endMs }
}
