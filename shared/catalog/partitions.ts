import { addDays, type Day, parseDay } from '../time.ts'

/** Files are whole calendar months before this day and single days from it on. */
export const dailyFilesFrom: Day = '2026-08-01'

/** One data file's stretch of time; `endDay` is the day after its last. */
export interface Partition {
  /** `YYYY-MM` or `YYYY-MM-DD`: the file's name without its extension. */
  period: string
  startDay: Day
  endDay: Day
}

const monthShape = /^\d{4}-\d{2}$/

const nextMonth = (monthStart: Day) => `${addDays(monthStart, 31).slice(0, 7)}-01`

/** The stretch that a period (`YYYY-MM` or `YYYY-MM-DD`) names, or null where it is none. */
export function parsePeriod(period: string): Partition | null {
  const startDay = monthShape.test(period) ? `${period}-01` : period
  if (parseDay(startDay) === null) return null
  return { period, startDay, endDay: startDay === period ? addDays(period, 1) : nextMonth(startDay) }
}

/** The files that cover the days from `startDay` to `endDay` (not included), oldest first. */
export function partitionsOf(startDay: Day, endDay: Day): Partition[] {
  const partitions: Partition[] = []
  for (let day = startDay; day < endDay;) {
    const period = day < dailyFilesFrom ? day.slice(0, 7) : day
    const monthStart = `${period}-01`
    const partition =
      period === day
        ? { period, startDay: day, endDay: addDays(day, 1) }
        : { period, startDay: monthStart, endDay: nextMonth(monthStart) }
    partitions.push(partition)
    day = partition.endDay
  }
  return partitions
}
