import { addDays, dayOf } from '#shared/time.ts'
import { hasDayRange, isDayOption, MOST_DAYS, type OptionTable } from './command.ts'
import { chooseText as text } from './text/terminalTexts.ts'
import { UsageError } from './usageError.ts'

/** First and last day, both included. */
interface DaySpan {
  startDay: string
  endDay: string
}

/** Parses `today`, `yesterday`, `-60d`, `last month` and `this month`, in UTC; null for any other text. */
export function relativeDays(typed: string, nowMs: number): DaySpan | null {
  const today = dayOf(nowMs)
  const oneDay = (day: string): DaySpan => ({ startDay: day, endDay: day })
  const back = /^-(\d{1,5})d$/.exec(typed.trim().toLowerCase())
  if (back) return Number(back[1]) <= MOST_DAYS ? oneDay(addDays(today, -Number(back[1]))) : null
  const firstOfMonth = `${today.slice(0, 8)}01`
  switch (
    typed
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/, ' ')
  ) {
    case 'today':
      return oneDay(today)
    case 'yesterday':
      return oneDay(addDays(today, -1))
    case 'this month':
      return { startDay: firstOfMonth, endDay: today }
    case 'last month': {
      const endDay = addDays(firstOfMonth, -1)
      return { startDay: `${endDay.slice(0, 8)}01`, endDay }
    }
    default:
      return null
  }
}

/**
 * Replaces relative days among the given options by dates, and `--days` by both ends. A relative start without an end
 * ends with the month that it names, or today.
 */
export function resolveDays(given: Record<string, unknown>, table: OptionTable, nowMs: number): void {
  const { start, end, days } = given
  if (typeof days === 'number' && hasDayRange(table)) {
    if (start !== undefined || end !== undefined) throw new UsageError(text.daysAlone)
    const today = dayOf(nowMs)
    Object.assign(given, { start: addDays(today, -days), end: addDays(today, -1) })
    return
  }
  const from = typeof start === 'string' && isDayOption(table, 'start') ? relativeDays(start, nowMs) : null
  const to = typeof end === 'string' && isDayOption(table, 'end') ? relativeDays(end, nowMs) : null
  if (to) given.end = to.endDay
  if (!from) return
  given.start = from.startDay
  if (end === undefined && isDayOption(table, 'end'))
    given.end = from.startDay === from.endDay ? dayOf(nowMs) : from.endDay
}
