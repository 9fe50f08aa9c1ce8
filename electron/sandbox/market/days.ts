import { MS_PER_DAY, dayOf, parseDay, type Day } from '#shared/time.ts'

/** Converts a UTC day to the number of days since 1970-01-01. */
export function marketDay(day: Day): number {
  const startMs = parseDay(day)
  if (startMs === null) throw new RangeError(`not a day: ${day}`)
  return startMs / MS_PER_DAY
}

const dayByNumber: Day[] = []

export function dayOfNumber(dayNumber: number): Day {
  return (dayByNumber[dayNumber] ??= dayOf(dayNumber * MS_PER_DAY))
}

export function dayNumberAt(timeMs: number): number {
  return Math.floor(timeMs / MS_PER_DAY)
}

/** First day of the synthetic market. */
export const WORLD_START = marketDay('2020-01-01')
