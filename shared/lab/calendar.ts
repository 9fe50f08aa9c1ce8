import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'

const FUNDING_MS = 8 * MS_PER_HOUR

let lastMonthDay = NaN
let lastMonth = ''

/** Finds the UTC month of a bar by its start; bars of one day follow one another, so the last day is remembered. */
export function monthOf(timeMs: number): string {
  const day = Math.floor(timeMs / MS_PER_DAY)
  if (day !== lastMonthDay) lastMonth = new Date(timeMs).toISOString().slice(0, 7)
  lastMonthDay = day
  return lastMonth
}

export const hourOf = (timeMs: number): number => Math.floor(withinDay(timeMs) / MS_PER_HOUR)

/** Monday is 1, Sunday is 7; the epoch was a Thursday. */
export const weekdayOf = (timeMs: number): number => {
  const days = Math.floor(timeMs / MS_PER_DAY)
  return ((((days + 3) % 7) + 7) % 7) + 1
}

export const dayOfMonthOf = (timeMs: number): number => new Date(timeMs).getUTCDate()

/** Counts the whole minutes to the next of 00:00, 08:00 and 16:00; 0 at one of them. */
export const minutesToFundingOf = (timeMs: number): number =>
  Math.floor(((FUNDING_MS - (withinDay(timeMs) % FUNDING_MS)) % FUNDING_MS) / 60_000)

const withinDay = (timeMs: number): number => ((timeMs % MS_PER_DAY) + MS_PER_DAY) % MS_PER_DAY

/** Gathers values by key, ascending. */
export function groupBy<Key extends string | number>(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  keyOf: (timeMs: number) => Key,
): [Key, Float64Array][] {
  // Groups are counted first, because lists that grow take several times the memory of a year of minutes.
  const places = new Map<Key, number>()
  const counts: number[] = []
  const placeOf = Int32Array.from(times, (timeMs) => {
    const key = keyOf(timeMs)
    const place = places.get(key) ?? places.size
    places.set(key, place)
    counts[place] = (counts[place] ?? 0) + 1
    return place
  })
  const groups = counts.map((count) => new Float64Array(count))
  const filled = counts.map(() => 0)
  placeOf.forEach((place, at) => (groups[place][filled[place]++] = values[at]))
  return [...places].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([key, place]) => [key, groups[place]])
}
