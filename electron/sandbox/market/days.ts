import { MS_PER_DAY, dayOf, parseDay, type Day } from '#shared/time.ts'

/** UTC days counted from 1970-01-01: what the market's arrays are indexed by. */
export function dayNumberOf(day: Day): number {
  const startMs = parseDay(day)
  if (startMs === null) throw new RangeError(`not a day: ${day}`)
  return startMs / MS_PER_DAY
}

const names: Day[] = []

export function dayOfNumber(dayNumber: number): Day {
  return (names[dayNumber] ??= dayOf(dayNumber * MS_PER_DAY))
}

export function dayNumberAt(timeMs: number): number {
  return Math.floor(timeMs / MS_PER_DAY)
}

/** The first day of the synthetic world. */
export const WORLD_START = dayNumberOf('2020-01-01')
