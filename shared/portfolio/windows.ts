import type { DayNumber } from '#shared/time/periods.ts'
import { yearStart } from './calendarReturns.ts'
import { type FigureValues, figureValues } from './figures.ts'
import { type ReturnsView, returnsView } from './returnsView.ts'

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

/** The figures of the last 30, 91 … days, of the running year and of all that is in view. */
export function returnWindows(view: ReturnsView, ofAll: FigureValues = figureValues(view)): ReturnWindow[] {
  const { days, returns: values, riskFree } = view
  const first = days[0]
  const last = days[days.length - 1]
  const ending = (id: string, name: string, startDay: DayNumber | null): ReturnWindow => {
    if (startDay === null || days.length === 0) return { id, name, startDay: null, figures: null }
    if (startDay === first) return { id, name, startDay, figures: ofAll }
    const part = returnsView({ days, values, valid: null }, { startDay, endDay: last + 1, riskFree })
    return { id, name, startDay, figures: figureValues(part) }
  }
  const windows = lastDays.map(([id, length]) => {
    const startDay = last - length + 1
    return ending(id, `Last ${length} days`, startDay >= first ? startDay : null)
  })
  const running = days.length === 0 ? null : Math.max(yearStart(last), first)
  return [...windows, ending('YTD', 'Year to date', running), ending('all', 'Since inception', first ?? null)]
}
