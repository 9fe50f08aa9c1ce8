import { addDays, dayOf, daysOfMonth, MS_PER_DAY, parseDay, type Day } from '../time.ts'

/** A period is the range of one data file: a calendar month (`YYYY-MM`) or a day (`YYYY-MM-DD`), in UTC. */
export type Period = string

/** Day as an integer counted from the epoch, for indexes and loops. */
export type DayNumber = number

export const dayNumberOf = (day: Day): DayNumber => {
  const startMs = parseDay(day)
  if (startMs === null) throw new RangeError(`not a day: ${day}`)
  return startMs / MS_PER_DAY
}

export const dayFromNumber = (number: DayNumber): Day => dayOf(number * MS_PER_DAY)

const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/

/** Returns the half-open range of days of a period; null if the text is not a period. */
export function periodDays(period: Period): { start: DayNumber; end: DayNumber } | null {
  if (monthPattern.test(period)) {
    const start = dayNumberOf(`${period}-01`)
    return { start, end: start + daysOfMonth(Number(period.slice(0, 4)), Number(period.slice(5))) }
  }
  const startMs = parseDay(period)
  return startMs === null ? null : { start: startMs / MS_PER_DAY, end: startMs / MS_PER_DAY + 1 }
}

export const isMonth = (period: Period): boolean => period.length === 7

function nextMonth(month: string): string {
  const year = Number(month.slice(0, 4))
  const monthNumber = Number(month.slice(5, 7))
  return monthNumber === 12
    ? `${String(year + 1).padStart(4, '0')}-01`
    : `${month.slice(0, 5)}${String(monthNumber + 1).padStart(2, '0')}`
}

/**
 * Lists the periods that files of a range (both days inclusive) should have: calendar months before `dailyFrom`, days
 * from it on. What a service really lists may differ; this is for plans.
 */
export function expectedPeriods(startDay: Day, endDay: Day, dailyFrom: Day): Period[] {
  const periods: Period[] = []
  let day = startDay
  while (day <= endDay) {
    if (day < dailyFrom) {
      const month = day.slice(0, 7)
      periods.push(month)
      day = `${nextMonth(month)}-01`
    } else {
      periods.push(day)
      day = addDays(day, 1)
    }
  }
  return periods
}
