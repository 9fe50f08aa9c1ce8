import type { DayNumber } from '#shared/time/periods.ts'
import { yearStart } from './calendarReturns.ts'
import type { DailySeries } from './dailySeries.ts'
import { type FigureValues, figureValues } from './figures.ts'
import { returnsView } from './returnsView.ts'

/** A stretch up to the last day. */
export interface ReturnWindow {
  id: string
  name: string
  /** Included; null where the history is shorter than the window. */
  startDay: DayNumber | null
  figures: FigureValues | null
}

const lastDays: readonly [id: string, days: number][] = [
  ['1M', 30],
  ['3M', 91],
  ['6M', 182],
  ['1Y', 365],
  ['3Y', 1095],
  ['5Y', 1825],
]

/** The figures of the last 30, 91 … days, of the running year and of the whole history. */
export function returnWindows(series: DailySeries, riskFree = 0): ReturnWindow[] {
  const { days } = returnsView(series)
  const first = days[0]
  const last = days[days.length - 1]
  const ending = (id: string, name: string, startDay: DayNumber | null): ReturnWindow => {
    if (startDay === null || days.length === 0) return { id, name, startDay: null, figures: null }
    const view = returnsView(series, { startDay, endDay: last + 1, riskFree })
    return { id, name, startDay, figures: figureValues(view) }
  }
  const windows = lastDays.map(([id, length]) => {
    const startDay = last - length + 1
    return ending(id, `Last ${length} days`, startDay >= first ? startDay : null)
  })
  const running = days.length === 0 ? null : Math.max(yearStart(last), first)
  return [...windows, ending('YTD', 'Year to date', running), ending('all', 'Since inception', first ?? null)]
}
