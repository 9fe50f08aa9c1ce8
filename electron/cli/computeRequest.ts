import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isSymbol } from '#shared/catalog/symbols.ts'
import { addDays, parseDay, parseInterval } from '#shared/time.ts'
import { usageText } from './text/messages.ts'
import { UsageError } from './usageError.ts'

/** Options that select what to compute, as typed. */
interface GivenOptions {
  dataset: string[]
  symbol: string | undefined
  interval: string
  timestamp: TimestampSource
  start: string
  end: string
}

/** Builds a request from the options that select what to compute; throws a UsageError if one is not valid. */
export function computeRequestOf(given: GivenOptions) {
  const { symbol, interval, timestamp, start, end } = given
  const intervalSeconds = parseInterval(interval)
  if (intervalSeconds === null) throw new UsageError(usageText.notInterval(interval))
  if (symbol !== undefined && !isSymbol(symbol)) throw new UsageError(usageText.notSymbol(symbol))
  for (const [name, day] of Object.entries({ start, end })) {
    if (parseDay(day) === null) throw new UsageError(usageText.notDay(name, day))
  }
  if (end < start) throw new UsageError(usageText.endBeforeStart)
  return {
    datasets: [...new Set(given.dataset)].filter(isMetricDatasetId),
    intervalSeconds,
    timestamp,
    startDay: start,
    endDay: addDays(end < LAST_DAY ? end : LAST_DAY, 1),
  }
}

/**
 * Latest end of a request; a later end is replaced by it, because the day after the end must still have the form
 * YYYY-MM-DD.
 */
const LAST_DAY = '9999-12-30'
