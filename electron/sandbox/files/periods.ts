import { dailyFilesFrom, parsePeriod, partitionsOf, type Partition } from '#shared/catalog/partitions.ts'
import { addDays, dayOf, MS_PER_DAY, parseDay, type Day } from '#shared/time.ts'
import type { Instrument } from '../market/instruments.ts'

const MINUTE_MS = 60_000
/** Raw files of a day appear so long after it ended. */
const RAW_DELAY_MS = 10 * MINUTE_MS

export const startMsOf = (day: Day) => parseDay(day) ?? Number.NaN

/** Metric files hold what happened before this instant: the last whole minute of the clock. */
export const metricsUntilMs = (nowMs: number) => Math.floor(nowMs / MINUTE_MS) * MINUTE_MS

/** Raw files hold what happened before this instant: the end of the last published day. */
export const rawUntilMs = (nowMs: number) => Math.floor((nowMs - RAW_DELAY_MS) / MS_PER_DAY) * MS_PER_DAY

/** The days of an instrument in [startDay, endDay) that have begun before `untilMs`: bounds, not counting holes. */
function boundsOf(instrument: Instrument, startDay: Day, endDay: Day, untilMs: number) {
  const lastBegun = dayOf(untilMs - 1)
  const last = instrument.lastDay !== null && instrument.lastDay < lastBegun ? instrument.lastDay : lastBegun
  const first = instrument.firstDay > startDay ? instrument.firstDay : startDay
  const end = addDays(last, 1) < endDay ? addDays(last, 1) : endDay
  return { first, end }
}

/** The days with data in [startDay, endDay), ascending. */
export function coveredDays(instrument: Instrument, startDay: Day, endDay: Day, untilMs: number): Day[] {
  const { first, end } = boundsOf(instrument, startDay, endDay, untilMs)
  const days: Day[] = []
  for (let day = first; day < end; day = addDays(day, 1)) if (!instrument.holes.includes(day)) days.push(day)
  return days
}

/** First and last day with data and how many there are, or null where there is none. */
export function coverageOf(instrument: Instrument, untilMs: number): { first: Day; last: Day; days: number } | null {
  const { first, end } = boundsOf(instrument, '2000-01-01', '2100-01-01', untilMs)
  const holes = instrument.holes.filter((day) => day >= first && day < end)
  const days = (startMsOf(end) - startMsOf(first)) / MS_PER_DAY - holes.length
  if (!(days > 0)) return null
  let [from, last] = [first, addDays(end, -1)]
  while (holes.includes(from)) from = addDays(from, 1)
  while (holes.includes(last)) last = addDays(last, -1)
  return { first: from, last, days }
}

/** The periods of files from `startDay` to `endDay`, both included; `both` adds months beside their days. */
export function periodsBetween(startDay: Day, endDay: Day, both = false): Partition[] {
  const partitions = partitionsOf(startDay, addDays(endDay, 1))
  if (!both) return partitions
  const months = new Set(partitions.map(({ period }) => period.slice(0, 7)))
  const monthly = [...months].filter((month) => `${month}-01` >= dailyFilesFrom).map(partitionNamed)
  return [...partitions, ...monthly].sort((a, b) => (a.startDay < b.startDay ? -1 : a.startDay > b.startDay ? 1 : 0))
}

function partitionNamed(period: string): Partition {
  const partition = parsePeriod(period)
  if (!partition) throw new RangeError(`not a period: ${period}`)
  return partition
}

/** How a listing names a period: `day` only on daily files. */
export function periodFields({ period }: Partition): { year: number; month: number; day?: number } {
  const [year, month, day] = period.split('-').map(Number)
  return day === undefined ? { year, month } : { year, month, day }
}
