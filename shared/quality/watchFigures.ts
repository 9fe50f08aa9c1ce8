const HOURS_24_MS = 86_400_000
const MS_PER_DAY = HOURS_24_MS
const DAYS_BEFORE = 30

export interface TimedValues {
  times: Float64Array
  /** NaN if missing. */
  values: Float64Array
}

/** Finds the last value at or before a time; null if there is none. */
export function valueAt({ times, values }: TimedValues, timeMs = Infinity): { time: number; value: number } | null {
  for (let row = times.length - 1; row >= 0; row--)
    if (times[row] <= timeMs && Number.isFinite(values[row])) return { time: times[row], value: values[row] }
  return null
}

/** Computes the change of the last value over 24 hours as a fraction; null if the earlier value is 0 or missing. */
export function dayChange(series: TimedValues): number | null {
  const last = valueAt(series)
  const before = last && valueAt(series, last.time - HOURS_24_MS)
  return last && before && before.value !== 0 ? last.value / before.value - 1 : null
}

/** Annualises the last funding rate; null if the rate or the period that it refers to is unknown. */
export const annualFunding = (rate: number | null, ratePerMs: number | null): number | null =>
  rate === null || ratePerMs === null ? null : rate * ((365 * MS_PER_DAY) / ratePerMs)

/**
 * Computes the z-score of the last complete UTC day's volume against the 30 days before it; null if one of the 31 days
 * has no volume, or if the volumes of the 30 days are equal.
 */
export function volumeScore({ times, values }: TimedValues, intervalMs: number): number | null {
  const byDay = new Map<number, number>()
  times.forEach((time, row) => {
    if (!Number.isFinite(values[row])) return
    const day = Math.floor(time / MS_PER_DAY)
    byDay.set(day, (byDay.get(day) ?? 0) + values[row])
  })
  const end = (times.at(-1) ?? NaN) + intervalMs
  const lastDay = Math.floor(end / MS_PER_DAY) - 1
  const dailyVolumes = Array.from({ length: DAYS_BEFORE + 1 }, (_, back) => byDay.get(lastDay - back))
  if (dailyVolumes.some((volume) => volume === undefined)) return null
  const [last, ...before] = dailyVolumes.map((volume) => volume ?? 0)
  const mean = before.reduce((sum, volume) => sum + volume, 0) / before.length
  const variance = before.reduce((sum, volume) => sum + (volume - mean) ** 2, 0) / (before.length - 1)
  return variance > 0 ? (last - mean) / Math.sqrt(variance) : null
}

const SPARK_DAYS = 7
const SPARK_STEPS = 56

/** Picks closes of the 7 days before the last one in equal steps, each the last of its step; null where there is none. */
export function sparkOf({ times, values }: TimedValues): (number | null)[] {
  const last = valueAt({ times, values })
  if (!last) return []
  const stepMs = (SPARK_DAYS * MS_PER_DAY) / SPARK_STEPS
  const spark = new Array<number | null>(SPARK_STEPS).fill(null)
  times.forEach((time, row) => {
    const step = SPARK_STEPS - 1 - Math.floor((last.time - time) / stepMs)
    if (step >= 0 && step < SPARK_STEPS && Number.isFinite(values[row])) spark[step] = values[row]
  })
  return spark
}
