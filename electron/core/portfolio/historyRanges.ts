import type { RequestedDays } from '#core/clients/portfolioService.ts'
import type { DayRange } from '#shared/time/ranges.ts'
import type { StoredRequest } from '#core/store/portfolioRequests.ts'
import type { DayMatrix } from '#shared/portfolio/dailyMatrix.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { agree } from '#shared/units/plurals.ts'
import { isDay } from '#core/store/storedJson.ts'

/** Day 0000-01-01, which stands for "from the beginning" because no service has an earlier one. */
export const FIRST_DAY: DayNumber = -719_528

/** Number of last days of a history that are requested again, because a service may still correct them. */
const OVERLAP_DAYS = 5

/** Days of a history that are stored. */
export interface KnownDays {
  range: DayRange
  /** The last day of the range that has values. */
  lastDay: DayNumber | null
  isFresh: boolean
}

/**
 * Computes the ranges to request so that the wanted days are stored: the part before the stored days, and their end if it
 * may have grown. The ranges always touch the stored range, so that it stays one range without holes.
 */
export function missingRanges(want: DayRange, known: KnownDays | null, all: boolean): DayRange[] {
  if (!known) return [want]
  const { range, lastDay, isFresh } = known
  if (all) return [{ start: Math.min(want.start, range.end), end: Math.max(want.end, range.start) }]
  const tail = lastDay === null ? range.start : Math.max(range.start, lastDay - OVERLAP_DAYS)
  const ranges: DayRange[] = []
  if (want.end > range.end || (!isFresh && want.end > tail))
    ranges.push({ start: tail, end: Math.max(want.end, range.end) })
  if (want.start < range.start) ranges.push({ start: want.start, end: range.start })
  return ranges
}

/** Number of cells saved per transaction, which takes some milliseconds. */
const CELLS_AT_ONCE = 100_000

export interface HistoryPart {
  days: DayRange
  matrix: DayMatrix
}

/**
 * Splits a history into parts that are saved one after the other, so that nothing else waits for a long one. Together they
 * cover the requested days. If the history begins before the stored range, its last days come first: each part then touches
 * the stored range, and none of that range is lost in between.
 */
export function splitHistory(
  requested: DayRange,
  matrix: DayMatrix,
  stored: DayRange | null,
  cellsAtOnce = CELLS_AT_ONCE,
): HistoryPart[] {
  const { days, columns, values } = matrix
  const width = columns.length
  const rowsAtOnce = Math.max(1, Math.floor(cellsAtOnce / Math.max(1, width)))
  const parts: HistoryPart[] = []
  for (let from = 0; from === 0 || from < days.length; from += rowsAtOnce) {
    const to = Math.min(from + rowsAtOnce, days.length)
    const start = from === 0 ? requested.start : within(requested, days[from])
    const end = to === days.length ? requested.end : within(requested, days[to])
    parts.push({
      days: { start, end },
      matrix: { days: days.subarray(from, to), columns, values: values.subarray(from * width, to * width) },
    })
  }
  return stored && requested.start < stored.start ? parts.reverse() : parts
}

/** Limits a day to the requested range, because a service may send more days than that. */
const within = ({ start, end }: DayRange, day: number) => Math.min(Math.max(day, start), end)

/** Number of days by which a history usually ends before the day of the request. */
const USUAL_DELAY_DAYS = 3

/** Warns if a history ends well before the requested day, as it does when the subscription includes no later days. */
export function warnIfEndsEarly({ range, fetchedAtMs }: StoredRequest, lastDay: DayNumber | null): string[] {
  const requestDay = Math.floor(fetchedAtMs / MS_PER_DAY)
  if (lastDay === null || !range || range.end < requestDay || requestDay - lastDay <= USUAL_DELAY_DAYS) return []
  const days = `${requestDay - lastDay} days before the request`
  return [
    `the last day is ${dayFromNumber(lastDay)}, ${days}: the service has no later one, or the key does not open it`,
  ]
}

/** Lists the days of a range that could not be requested and are not stored. */
export function describeMissingDays(missing: DayRange, stored: DayRange | null): string[] {
  if (!stored) return []
  const problems: string[] = []
  if (missing.start < stored.start) problems.push(`days before ${dayFromNumber(stored.start)} are missing`)
  if (missing.end > stored.end) problems.push(`days after ${dayFromNumber(stored.end - 1)} are missing`)
  return problems
}

/** Names the days whose stored rows cannot be read. */
export function describeDamagedDays(days: readonly DayNumber[]): string {
  const first = isDay(days[0]) ? dayFromNumber(days[0]) : 'an impossible day'
  const which = agree(
    days.length,
    `the stored day ${first} is`,
    `${days.length} stored days (the first is ${first}) are`,
  )
  return `${which} damaged and left out; “Refresh” fetches the history again`
}

/** Leaves out the limit of a range with an open end, because the service knows best where its data begin and end. */
export const requestedDays = ({ start, end }: DayRange, today: DayNumber): RequestedDays => ({
  start: start === FIRST_DAY ? null : dayFromNumber(start),
  end: end >= today ? null : dayFromNumber(end - 1),
})
