import * as z from '../../schemas/lazySchemas.ts'
import { parseDay } from '../../time.ts'
import type { Frame } from '../frame.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'

const name = z.string().min(1).max(300)
const day = z.string().refine((text) => parseDay(text) !== null, 'must be a calendar day, YYYY-MM-DD')

/**
 * State of a period. `cached`: complete on this machine. `partial`: incomplete, or downloaded before the period ended.
 * `missing`: not on this machine. `absent`: the service has no data. `failed`: the download failed. `locked`: not
 * included in the subscription. `unknown`: neither the index nor the symbol list suggests that it exists.
 */
export const coverageStates = ['cached', 'partial', 'missing', 'absent', 'failed', 'locked', 'unknown'] as const
export type CoverageState = (typeof coverageStates)[number]

export interface PeriodCoverage {
  /** A month `YYYY-MM` or a day `YYYY-MM-DD`. */
  period: string
  state: CoverageState
}

/** A dataset, or one of its intervals, for which the service refused the key of this connection. */
export interface RefusedDataset {
  kind: 'metrics' | 'raw'
  /** Refused dataset; empty for all of the kind. */
  dataset: string
  /** Refused interval; empty for all intervals. */
  interval: string
  message: string | null
  /** Time of the refusal, in milliseconds. */
  at: number
}

export const coverageCalls = {
  /** Lists the periods of one series in order, up to today at most. */
  'coverage.periods': call(
    z
      .strictObject({
        connectionId,
        kind: z.enum(['metrics', 'raw']),
        dataset: name,
        exchange: name,
        symbol: name,
        /** Interval; like `timestamp`, ignored for raw events, which have neither. */
        interval: z.string().max(20).default(''),
        timestamp: z.string().max(20).default(''),
        startDay: day,
        /** Last day, inclusive. */
        endDay: day,
      })
      .refine(({ startDay, endDay }) => startDay <= endDay, 'the range ends before it starts'),
  )<{ periods: PeriodCoverage[] }>(),
  /**
   * Cached raw events, with columns dataset, exchange, symbol, days (a day counts once, however many files contain it).
   */
  'coverage.cachedShares': call(z.strictObject({ connectionId }))<Frame>(),
  /**
   * Metric series with gaps between their first and last cached day, with columns dataset, exchange, symbol, interval,
   * missing.
   */
  'coverage.cachedGaps': call(z.strictObject({ connectionId }))<Frame>(),
  /** Cached series, with columns kind, dataset, exchange, symbol, interval, timestamp, files, bytes. */
  'coverage.cachedSeries': call(z.strictObject({ connectionId }))<Frame>(),
  'coverage.refusals': call(z.strictObject({ connectionId }))<RefusedDataset[]>(),
}
