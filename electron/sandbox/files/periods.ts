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
import type { SandboxInstrument } from '../market/instruments.ts'

/** Delay after which the raw files of a day are published. */
export const RAW_DELAY_MS = 10 * MS_PER_MINUTE

/** Returns the time at which metric files end: the last full minute of the clock. */
export const metricsUntilMs = (nowMs: number) => Math.floor(nowMs / MS_PER_MINUTE) * MS_PER_MINUTE

/** Returns the time at which raw files end: the end of the last published day. */
export const rawUntilMs = (nowMs: number) => Math.floor((nowMs - RAW_DELAY_MS) / MS_PER_DAY) * MS_PER_DAY

/** Returns the days of a valid period. */
export function daysOfPeriod(period: Period): DayRange {
  const days = periodDays(period)
  if (!days) throw new RangeError(`not a period: ${period}`)
  return days
}

/** Returns the days of an instrument's life that have begun before `untilMs`, gaps included. */
function listedDays({ firstDay, lastDay }: SandboxInstrument, untilMs: number): DayRange {
  const startedDays = Math.ceil(untilMs / MS_PER_DAY)
  return {
    start: dayNumberOf(firstDay),
    end: lastDay === null ? startedDays : Math.min(startedDays, dayNumberOf(lastDay) + 1),
  }
}

/** Lists the days with data in a range, ascending. */
export function coveredDays(instrument: SandboxInstrument, range: DayRange, untilMs: number): DayNumber[] {
  const listed = listedDays(instrument, untilMs)
  const holes = new Set(instrument.holes.map(dayNumberOf))
  const days: DayNumber[] = []
  for (let day = Math.max(listed.start, range.start); day < Math.min(listed.end, range.end); day++) {
    if (!holes.has(day)) days.push(day)
  }
  return days
}

/** Returns the first and last day with data and the number of such days; null if there are none. */
export function periodCoverage(
  instrument: SandboxInstrument,
  untilMs: number,
): { first: Day; last: Day; days: number } | null {
  const listed = listedDays(instrument, untilMs)
  const holes = new Set(instrument.holes.map(dayNumberOf).filter((day) => day >= listed.start && day < listed.end))
  const days = listed.end - listed.start - holes.size
  if (days <= 0) return null
  let first = listed.start
  let last = listed.end - 1
  while (holes.has(first)) first++
  while (holes.has(last)) last--
  return { first: dayFromNumber(first), last: dayFromNumber(last), days }
}

/** Lists the days without data between the first and the last day with data. */
export const daysLeftOut = ({ holes }: SandboxInstrument, { first, last }: { first: Day; last: Day }): Day[] =>
  holes.filter((day) => day > first && day < last)

/**
 * Lists the periods of files from `startDay` to `endDay`, both inclusive; `withMonths` adds the months of daily files.
 */
export function periodsBetween(
  startDay: Day,
  endDay: Day,
  withMonths = false,
  dailyFrom: Day = dailyFilesFrom,
): Period[] {
  const periods = expectedPeriods(startDay, endDay, dailyFrom)
  if (!withMonths) return periods
  const months = new Set(periods.map((period) => period.slice(0, 7)))
  return [...months].flatMap((month) => [month, ...periods.filter((day) => day.startsWith(`${month}-`))])
}

/** Returns the fields that name a period in a listing: `day` only for daily files. */
export function periodFields(period: Period): { year: number; month: number; day?: number } {
  const [year, month, day] = period.split('-').map(Number)
  return isMonth(period) ? { year, month } : { year, month, day }
}
