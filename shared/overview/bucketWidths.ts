const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Widths that people think in; those below a day divide it. */
const widthsMs = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 4, 8, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 4, 7, 14, 28, 91, 364].map((count) => count * DAY_MS),
]

/** A summary is worth its room where a bucket holds about this many rows. */
const ROWS_PER_SUMMARY_BUCKET = 96
/** Events come in any number; this is fine enough for a day of them. */
const SUMMARY_OF_EVENTS_MS = 10 * SECOND_MS

/** The width of the buckets that are kept beside a file; never more than a day, so that none reaches into another file. */
export function summaryWidthMs(stepMs: number | null): number {
  if (stepMs === null) return SUMMARY_OF_EVENTS_MS
  const fits = (width: number) => width >= stepMs * ROWS_PER_SUMMARY_BUCKET && width % stepMs === 0
  return Math.min(widthsMs.find(fits) ?? DAY_MS, DAY_MS)
}

/**
 * The width of buckets that cover a range with at most about so many: whole steps of the rows and, where they are longer
 * than those of the summary, whole buckets of it.
 */
export function bucketWidthMs(rangeMs: number, buckets: number, stepMs: number | null): number {
  const leastMs = rangeMs / buckets
  const summaryMs = summaryWidthMs(stepMs)
  const fits = (width: number) =>
    width >= leastMs && (stepMs === null || width % stepMs === 0) && (width <= summaryMs || width % summaryMs === 0)
  return widthsMs.find(fits) ?? Math.ceil(leastMs / (7 * DAY_MS)) * 7 * DAY_MS
}
