/** Compounds daily returns to weeks, months and years, and finds the best and worst of them. */
import type { DayNumber } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { finite } from './dailySeries.ts'

/** Return of one calendar period in UTC. */
export interface PeriodReturn {
  /** First day of the period, even if it has no return. */
  startDay: DayNumber
  return: number
  /** Number of days in it with a return. */
  dayCount: number
}

export interface YearRow {
  year: number
  /** January to December; null (shown blank) for a month without returns. */
  months: (number | null)[]
  /** Return of the year; null if it overflows. */
  total: number | null
  /** True if the data ends before the year does. */
  isYearToDate: boolean
}

interface Returns {
  days: Int32Array
  returns: Float64Array
}

const dateOf = (day: DayNumber) => new Date(day * MS_PER_DAY)
const firstDayOf = (year: number, month: number) => Date.UTC(year, month, 1) / MS_PER_DAY

interface Days {
  startDay: DayNumber
  /** First day after the period. */
  endDay: DayNumber
}

const dayItself = (day: DayNumber): Days => ({ startDay: day, endDay: day + 1 })

/** Returns the week from Monday; day 0 was a Thursday. */
function weekOf(day: DayNumber): Days {
  const startDay = Math.floor((day + 3) / 7) * 7 - 3
  return { startDay, endDay: startDay + 7 }
}

function monthOf(day: DayNumber): Days {
  const date = dateOf(day)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { startDay: firstDayOf(year, month), endDay: firstDayOf(year, month + 1) }
}

function yearOf(day: DayNumber): Days {
  const year = dateOf(day).getUTCFullYear()
  return { startDay: firstDayOf(year, 0), endDay: firstDayOf(year + 1, 0) }
}

export const yearStart = (day: DayNumber): DayNumber => yearOf(day).startDay

function compounded({ days, returns }: Returns, periodOf: (day: DayNumber) => Days): PeriodReturn[] {
  const periods: PeriodReturn[] = []
  let growth = 1
  let endDay = -Infinity
  days.forEach((day, row) => {
    if (day >= endDay) {
      growth = 1
      const next = periodOf(day)
      endDay = next.endDay
      periods.push({ startDay: next.startDay, return: 0, dayCount: 0 })
    }
    const period = periods[periods.length - 1]
    growth *= 1 + returns[row]
    period.return = growth - 1
    period.dayCount++
  })
  return periods
}

export const dailyReturns = (view: Returns): PeriodReturn[] => compounded(view, dayItself)
export const weeklyReturns = (view: Returns): PeriodReturn[] => compounded(view, weekOf)
export const monthlyReturns = (view: Returns): PeriodReturn[] => compounded(view, monthOf)
const yearlyReturns = (view: Returns): PeriodReturn[] => compounded(view, yearOf)

/** Builds a row per year with its months and total. Years without returns are left out. */
export function yearTable(view: Returns, months: readonly PeriodReturn[] = monthlyReturns(view)): YearRow[] {
  const lastDay = view.days.at(-1) ?? 0
  const rows = yearlyReturns(view).map(({ startDay, return: total }): YearRow => {
    const year = dateOf(startDay).getUTCFullYear()
    const endDay = firstDayOf(year + 1, 0)
    const isYearToDate = lastDay >= startDay && lastDay < endDay - 1
    return { year, months: Array.from({ length: 12 }, () => null), total: finite(total), isYearToDate }
  })
  const byYear = new Map(rows.map((row) => [row.year, row]))
  for (const month of months) {
    const date = dateOf(month.startDay)
    const row = byYear.get(date.getUTCFullYear())
    if (row) row.months[date.getUTCMonth()] = finite(month.return)
  }
  return rows
}

/** Finds the `count` highest and lowest periods; among equal ones the earlier comes first. */
export function extremes(
  periods: readonly PeriodReturn[],
  count: number,
): { best: PeriodReturn[]; worst: PeriodReturn[] } {
  const knownPeriods = periods.filter((period) => Number.isFinite(period.return))
  return {
    best: firstBy(knownPeriods, count, (a, b) => a.return > b.return),
    worst: firstBy(knownPeriods, count, (a, b) => a.return < b.return),
  }
}

/** Finds the first few in an order without sorting the rest. */
function firstBy(
  periods: readonly PeriodReturn[],
  count: number,
  isBefore: (a: PeriodReturn, b: PeriodReturn) => boolean,
): PeriodReturn[] {
  const first: PeriodReturn[] = []
  for (const period of periods) {
    const last = first.at(-1)
    if (first.length === count && last && !isBefore(period, last)) continue
    const place = first.findIndex((other) => isBefore(period, other))
    first.splice(place < 0 ? first.length : place, 0, period)
    if (first.length > count) first.pop()
  }
  return first
}
