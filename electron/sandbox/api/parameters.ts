import { intervals, isInterval, isTimestampSource, timestampSources } from '#shared/catalog/intervals.ts'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { isSymbol } from '#shared/catalog/symbols.ts'
import { MS_PER_DAY, parseDay, parseInterval, type Day } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import type { SandboxVenue } from '../market/venues.ts'
import { ApiRefusal } from '../refusal.ts'
import { previewMonth, previewSymbol } from '../files/preview.ts'
import { daysOfPeriod, rawUntilMs } from '../files/periods.ts'
import type { SandboxContext } from './context.ts'

const refusal = (parameter: string, message: string, allowed?: readonly string[]) =>
  new ApiRefusal(400, 'invalid_parameter', message, allowed ? { parameter, allowed } : { parameter })

export function required(query: URLSearchParams, name: string): string {
  const value = query.get(name)
  if (value === null || value === '')
    throw new ApiRefusal(400, 'missing_parameter', `${name} is required`, { parameter: name })
  return value
}

function oneOf<T extends string>(
  query: URLSearchParams,
  name: string,
  allowed: readonly T[],
  isAllowed: (text: string) => text is T,
): T {
  const value = required(query, name)
  if (!isAllowed(value)) throw refusal(name, `${name} must be one of ${allowed.join(', ')}`, allowed)
  return value
}

export function venueOf({ venues }: Pick<SandboxContext, 'venues'>, query: URLSearchParams): SandboxVenue {
  const ids = venues.map(({ id }) => id)
  const id = oneOf(query, 'exchange', ids, (text): text is string => ids.includes(text))
  return venues.find((venue) => venue.id === id)!
}

/** Reads the interval: a documented one, or with `withUndocumented` any that divides a day. */
export function intervalParameter(query: URLSearchParams, withUndocumented: boolean): string {
  const interval = query.get('interval') ?? ''
  if (withUndocumented && parseInterval(interval) !== null) return interval
  return oneOf(query, 'interval', intervals, isInterval)
}

export const timestampOf = (query: URLSearchParams): TimestampSource =>
  oneOf(query, 'timestamp', timestampSources, isTimestampSource)

export function symbolOf(query: URLSearchParams): string {
  const symbol = required(query, 'symbol')
  if (!isSymbol(symbol)) throw refusal('symbol', 'symbol must have a shape such as perpetual-<BASE>-<QUOTE>:<SETTLE>')
  return symbol
}

function dayOf(query: URLSearchParams, name: string): Day {
  const day = required(query, name)
  if (parseDay(day) === null) throw refusal(name, `${name} must be a date (YYYY-MM-DD)`)
  return day
}

const firstDay: Day = '2019-01-01'
const lastDay: Day = '2030-12-31'

/**
 * Reads the first and last day, both inclusive, limited to the days that can have data, so that no request takes long;
 * a range of more than `mostDays` is refused.
 */
export function daysParameter(query: URLSearchParams, mostDays = Infinity): { startDay: Day; endDay: Day } {
  const startDay = dayOf(query, 'start_date')
  const endDay = dayOf(query, 'end_date')
  if (endDay < startDay) throw refusal('end_date', 'end_date must be greater than or equal to start_date')
  const days = (parseDay(endDay)! - parseDay(startDay)!) / MS_PER_DAY + 1
  if (days > mostDays) {
    const message = `a range may have at most ${mostDays} days; this one has ${days}`
    throw new ApiRefusal(400, 'range_too_long', message, { max_days: mostDays, days })
  }
  return { startDay: startDay < firstDay ? firstDay : startDay, endDay: endDay > lastDay ? lastDay : endDay }
}

/**
 * Completes the query of a preview, whose range is the whole month if it names none; a query for anything outside the
 * preview is refused.
 */
export function previewQuery(context: SandboxContext, query: URLSearchParams): URLSearchParams {
  const venue = venueOf(context, query)
  const month = previewMonth(rawUntilMs(context.clock.now()))
  const slice = { exchange: venue.id, symbol: previewSymbol(venue), period: month }
  const days = monthDays(month)
  const whole = new URLSearchParams({ start_date: days[0], end_date: days[1], ...Object.fromEntries(query) })
  const { startDay, endDay } = daysParameter(whole)
  if (required(whole, 'symbol') === slice.symbol && startDay >= days[0] && endDay <= days[1]) return whole
  throw new ApiRefusal(400, 'outside_preview', `the preview of ${slice.exchange} is ${slice.symbol} in ${month}`, slice)
}

function monthDays(month: string): [first: Day, last: Day] {
  const { start, end } = daysOfPeriod(month)
  return [dayFromNumber(start), dayFromNumber(end - 1)]
}
