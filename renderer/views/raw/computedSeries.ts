import type { RouteLocationRaw } from 'vue-router'
import { intervals } from '#shared/catalog/intervals.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import type { RawFileEntry } from '#shared/contract/areas/raw.ts'
import { parseDay } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import type { VenueSymbol } from '#shared/catalog/resolveSymbol.ts'

/** Metric datasets that can be computed from raw events. */
export const computableDatasets = metricDatasets.filter(({ drivingSource }) => drivingSource !== 'book')

/** Suggested intervals; any other that divides a day can be typed. */
export const offeredIntervals = ['1s', '10s', ...intervals, '2m', '90m', '2h', '12h']

/** Finds the first and last day of some files. */
export function daysOf(files: readonly RawFileEntry[]): { first: string; last: string } {
  if (files.length === 0) return { first: '', last: '' }
  const first = Math.min(...files.map(({ startDay }) => startDay))
  const last = Math.max(...files.map(({ endDay }) => endDay)) - 1
  return { first: dayFromNumber(first), last: dayFromNumber(last) }
}

/**
 * Parses two days, both inclusive, into a half-open range of day numbers; null if one is invalid or they are in the
 * wrong order.
 */
export function computedDays(first: string, last: string): { startDay: number; endDay: number } | null {
  if (parseDay(first) === null || parseDay(last) === null || last < first) return null
  return { startDay: dayNumberOf(first), endDay: dayNumberOf(last) + 1 }
}

/** Names that identify a computed series. */
interface ComputedSeriesName {
  dataset: string
  interval: string
  timestamp: string
}

/** Builds the workbench link of a series, marked as computed here. */
export function computedChartLink(
  { exchange, symbol }: VenueSymbol,
  { dataset, interval, timestamp }: ComputedSeriesName,
): RouteLocationRaw {
  const shown = [{ dataset, exchange, symbol, interval, timestamp, origin: 'computed' }]
  return { path: '/workbench', query: { show: JSON.stringify(shown) } }
}

export const reconcileLink = (
  { exchange, symbol }: VenueSymbol,
  { dataset, interval, timestamp }: ComputedSeriesName,
): RouteLocationRaw => ({ path: '/raw/reconcile', query: { exchange, symbol, metric: dataset, interval, timestamp } })
