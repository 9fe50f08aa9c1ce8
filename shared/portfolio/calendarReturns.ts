/** Compounds daily returns to weeks, months and years, and finds the best and worst of them. */
import type { DayNumber } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { finiteOrNull } from '#shared/statistics/finiteOrNull.ts'

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
  /** True for the running calendar year, if the data ends before it does. */
  isYearToDate: boolean
}

interface Returns {
  days: Int32Array
  returns: Float64Array
}

const dateOf = (day: DayNumber) => new Date(day * MS_PER_DAY)
const firstDayOf = (year: number, month: number) => Date.UTC(year, month, 1) / MS_PER_DAY

interface PeriodDays {
  startDay: DayNumber
  /** First day after the period. */
  endDay: DayNumber
}

/** Returns the week from Monday; day 0 was a Thursday. */
function weekOf(day: DayNumber): PeriodDays {
  const startDay = Math.floor((day + 3) / 7) * 7 - 3
  return { startDay, endDay: startDay + 7 }
}

function monthOf(day: DayNumber): PeriodDays {
  const date = dateOf(day)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { startDay: firstDayOf(year, month), endDay: firstDayOf(year, month + 1) }
}

function yearOf(day: DayNumber): PeriodDays {
  const year = dateOf(day).getUTCFullYear()
  return { startDay: firstDayOf(year, 0), endDay: firstDayOf(year + 1, 0) }
}

export const yearStart = (day: DayNumber): DayNumber => yearOf(day).startDay

function compoundBy({ days, returns }: Returns, periodOf: (day: DayNumber) => PeriodDays): PeriodReturn[] {
  const periods: PeriodReturn[] = []
  let growth = 1
  let endDay = -Infinity
  for (let row = 0; row < days.length; row++) {
    const day = days[row]
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
  }
  return periods
}

export const weeklyReturns = (view: Returns): PeriodReturn[] => compoundBy(view, weekOf)
export const monthlyReturns = (view: Returns): PeriodReturn[] => compoundBy(view, monthOf)
const yearlyReturns = (view: Returns): PeriodReturn[] => compoundBy(view, yearOf)

export const yearNumber = (day: DayNumber): number => dateOf(day).getUTCFullYear()

/**
 * Builds a row per year with its months and total. Years without returns are left out.
 * @param today day whose year is the running one
 */
export function yearTable(
  view: Returns,
  months: readonly PeriodReturn[] = monthlyReturns(view),
  today: DayNumber = view.days.at(-1) ?? 0,
): YearRow[] {
  const lastDay = view.days.at(-1) ?? 0
  const rows = yearlyReturns(view).map(({ startDay, return: total }): YearRow => {
    const year = yearNumber(startDay)
    const endDay = firstDayOf(year + 1, 0)
    const isYearToDate = yearNumber(today) === year && lastDay >= startDay && lastDay < endDay - 1
    return { year, months: Array.from({ length: 12 }, () => null), total: finiteOrNull(total), isYearToDate }
  })
  const byYear = new Map(rows.map((row) => [row.year, row]))
  for (const month of months) {
    const date = dateOf(month.startDay)
    const row = byYear.get(date.getUTCFullYear())
    if (row) row.months[date.getUTCMonth()] = finiteOrNull(month.return)
  }
  return rows
}

export interface Extremes {
  best: PeriodReturn[]
  worst: PeriodReturn[]
}

/** Finds the `count` highest and lowest periods; among equal ones the earlier comes first. */
export function extremes(periods: readonly PeriodReturn[], count: number): Extremes {
  const values = Float64Array.from(periods, (period) => period.return)
  const { best, worst } = extremeRows(values, count)
  return { best: best.map((row) => periods[row]), worst: worst.map((row) => periods[row]) }
}

/** Finds the `count` highest and lowest days. Unlike `extremes`, it does not need an object for every day. */
export function extremeDays({ days, returns }: Returns, count: number): Extremes {
  // The return is computed like that of a longer period, so that equal numbers stay equal to the last digit.
  const periodOf = (row: number) => ({ startDay: days[row], return: 1 + returns[row] - 1, dayCount: 1 })
  const { best, worst } = extremeRows(returns, count)
  return { best: best.map(periodOf), worst: worst.map(periodOf) }
}

function extremeRows(values: Float64Array, count: number): { best: number[]; worst: number[] } {
  const best: number[] = []
  const worst: number[] = []
  for (let row = 0; row < values.length; row++) {
    if (!Number.isFinite(values[row])) continue
    insertRow(best, row, count, values, 1)
    insertRow(worst, row, count, values, -1)
  }
  return { best, worst }
}

/**
 * Inserts a row into `rows`, which has the best `count` rows so far, if it belongs among these. The best rows have the
 * highest values for a sign of 1, the lowest for −1.
 */
function insertRow(rows: number[], row: number, count: number, values: Float64Array, sign: 1 | -1): void {
  const value = values[row] * sign
  if (rows.length === count && !(value > values[rows[count - 1]] * sign)) return
  let place = rows.length
  while (place > 0 && value > values[rows[place - 1]] * sign) place--
  rows.splice(place, 0, row)
  if (rows.length > count) rows.pop()
}
