import type { DayRange } from '#shared/time/ranges.ts'
import { dailyFilesFrom } from '#shared/catalog/dailyFiles.ts'
import { MS_PER_DAY, MS_PER_MINUTE, type Day } from '#shared/time.ts'
import {
  dayFromNumber,
  dayNumberOf,
  expectedPeriods,
  isMonth,
  periodDays,
  type DayNumber,
  type Period,
} from '#shared/time/periods.ts'
import type { Instrument } from '../market/instruments.ts'

/** Raw files of a day appear so long after it ended. */
export const RAW_DELAY_MS = 10 * MS_PER_MINUTE

/** Metric files hold what happened before this instant: the last whole minute of the clock. */
export const metricsUntilMs = (nowMs: number) => Math.floor(nowMs / MS_PER_MINUTE) * MS_PER_MINUTE

/** Raw files hold what happened before this instant: the end of the last published day. */
export const rawUntilMs = (nowMs: number) => Math.floor((nowMs - RAW_DELAY_MS) / MS_PER_DAY) * MS_PER_DAY

/** The days of a period that is known to be one. */
export function daysOfPeriod(period: Period): DayRange {
  const days = periodDays(period)
  if (!days) throw new RangeError(`not a period: ${period}`)
  return days
}

/** The days of an instrument's life that have begun before `untilMs`, holes included. */
function listedDays({ firstDay, lastDay }: Instrument, untilMs: number): DayRange {
  const startedDays = Math.ceil(untilMs / MS_PER_DAY)
  return {
    start: dayNumberOf(firstDay),
    end: lastDay === null ? startedDays : Math.min(startedDays, dayNumberOf(lastDay) + 1),
  }
}

/** Lists the days with data in a range, ascending. */
export function coveredDays(instrument: Instrument, range: DayRange, untilMs: number): DayNumber[] {
  const lived = listedDays(instrument, untilMs)
  const holes = new Set(instrument.holes.map(dayNumberOf))
  const days: DayNumber[] = []
  for (let day = Math.max(lived.start, range.start); day < Math.min(lived.end, range.end); day++) {
    if (!holes.has(day)) days.push(day)
  }
  return days
}

/** First and last day with data and how many there are, or null where there is none. */
export function coverageOf(instrument: Instrument, untilMs: number): { first: Day; last: Day; days: number } | null {
  const lived = listedDays(instrument, untilMs)
  const holes = new Set(instrument.holes.map(dayNumberOf).filter((day) => day >= lived.start && day < lived.end))
  const days = lived.end - lived.start - holes.size
  if (days <= 0) return null
  let first = lived.start
  let last = lived.end - 1
  while (holes.has(first)) first++
  while (holes.has(last)) last--
  return { first: dayFromNumber(first), last: dayFromNumber(last), days }
}

/** The periods of files from `startDay` to `endDay`, both included; `both` adds the months of daily files. */
export function periodsBetween(startDay: Day, endDay: Day, both = false, dailyFrom: Day = dailyFilesFrom): Period[] {
  const periods = expectedPeriods(startDay, endDay, dailyFrom)
  if (!both) return periods
  const months = new Set(periods.map((period) => period.slice(0, 7)))
  return [...months].flatMap((month) => [month, ...periods.filter((day) => day.startsWith(`${month}-`))])
}

/** Builds the fields by which a listing names a period: `day` only on daily files. */
export function periodFields(period: Period): { year: number; month: number; day?: number } {
  const [year, month, day] = period.split('-').map(Number)
  return isMonth(period) ? { year, month } : { year, month, day }
}
