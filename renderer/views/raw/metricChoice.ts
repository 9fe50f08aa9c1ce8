import { intervals } from '#shared/catalog/intervals.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { parseDay } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import type { RawFileEntry } from '#shared/contract/areas/raw.ts'

/** The metric datasets that raw events allow. */
export const computable = metricDatasets.filter(({ driving }) => driving !== 'book')

/** Intervals that are offered; any other one that divides a day can be typed. */
export const offeredIntervals = ['1s', '10s', ...intervals, '2m', '90m', '2h', '12h']

/** Finds the first and last day of some files. */
export function daysOf(files: readonly RawFileEntry[]): { first: string; last: string } {
  if (files.length === 0) return { first: '', last: '' }
  const first = Math.min(...files.map(({ startDay }) => startDay))
  const last = Math.max(...files.map(({ endDay }) => endDay)) - 1
  return { first: dayFromNumber(first), last: dayFromNumber(last) }
}

/** Half-open day numbers; null where the days are none or the wrong way round. */
export function dayRange(first: string, last: string): { startDay: number; endDay: number } | null {
  if (parseDay(first) === null || parseDay(last) === null || last < first) return null
  return { startDay: dayNumberOf(first), endDay: dayNumberOf(last) + 1 }
}
