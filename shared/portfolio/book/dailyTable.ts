import type { DayNumber } from '../../time/periods.ts'
import { type DailySeries, presentDays } from '../dailySeries.ts'

/** A daily series with the name by which a person asked for it. */
export interface NamedSeries {
  name: string
  series: DailySeries
}

/** Half-open range of days; null for an open end. */
export interface BookRange {
  start: DayNumber | null
  end: DayNumber | null
}

/** Values of several series on the days of any of them; NaN where one has none. */
export interface DailyTable {
  names: string[]
  days: Int32Array
  /** One array for each series. */
  columns: Float64Array[]
}

/** Puts series beside each other on the days that any of them has in a range. */
export function dailyTable(series: readonly NamedSeries[], { start, end }: BookRange): DailyTable {
  const present = series.map((each) => presentDays(each.series, start ?? -Infinity, end ?? Infinity))
  const days = Int32Array.from(new Set(present.flatMap((each) => [...each.days]))).sort()
  const columns = present.map((each) => {
    const values = new Float64Array(days.length).fill(NaN)
    for (let at = 0, row = 0; at < each.days.length; at++) {
      while (days[row] < each.days[at]) row++
      values[row] = each.values[at]
    }
    return values
  })
  return { names: series.map(({ name }) => name), days, columns }
}

/** Keeps the days on which every series has a value. */
export function commonDays({ names, days, columns }: DailyTable): DailyTable {
  const rows = Int32Array.from(days.keys()).filter((row) => columns.every((values) => !Number.isNaN(values[row])))
  return {
    names,
    days: Int32Array.from(rows, (row) => days[row]),
    columns: columns.map((values) => Float64Array.from(rows, (row) => values[row])),
  }
}
