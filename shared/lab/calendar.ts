import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'

let cachedDay = NaN
let cachedMonth = ''

/** Returns the UTC month of a time. The last result is cached, because the next time is usually in the same day. */
export function monthOf(timeMs: number): string {
  const day = Math.floor(timeMs / MS_PER_DAY)
  if (day !== cachedDay) cachedMonth = new Date(timeMs).toISOString().slice(0, 7)
  cachedDay = day
  return cachedMonth
}

export const hourOf = (timeMs: number): number => Math.floor(msWithinDay(timeMs) / MS_PER_HOUR)

/** Returns the weekday from 1 (Monday) to 7 (Sunday); the epoch was a Thursday. */
export const weekdayOf = (timeMs: number): number => {
  const day = Math.floor(timeMs / MS_PER_DAY)
  return ((((day + 3) % 7) + 7) % 7) + 1
}

export const dayOfMonthOf = (timeMs: number): number => new Date(timeMs).getUTCDate()

const msWithinDay = (timeMs: number): number => ((timeMs % MS_PER_DAY) + MS_PER_DAY) % MS_PER_DAY

/** Groups values by the key of their time, in ascending order of the keys. */
export function groupBy<Key extends string | number>(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  keyOf: (timeMs: number) => Key,
): [Key, Float64Array][] {
  // Group sizes are counted first, because lists that grow would take several times the memory, for example for a year
  // of minutes.
  const groupIndexByKey = new Map<Key, number>()
  const counts: number[] = []
  const groupIndexes = Int32Array.from(times, (timeMs) => {
    const key = keyOf(timeMs)
    const place = groupIndexByKey.get(key) ?? groupIndexByKey.size
    groupIndexByKey.set(key, place)
    counts[place] = (counts[place] ?? 0) + 1
    return place
  })
  const groups = counts.map((count) => new Float64Array(count))
  const filledCounts = counts.map(() => 0)
  groupIndexes.forEach((place, at) => (groups[place][filledCounts[place]++] = values[at]))
  return [...groupIndexByKey]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, place]) => [key, groups[place]])
}
