import * as z from '../../schemas/lazySchemas.ts'
import { parseDay } from '../../time.ts'
import type { Frame } from '../frame.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'

const name = z.string().min(1).max(300)
const day = z.string().refine((text) => parseDay(text) !== null, 'must be a calendar day, YYYY-MM-DD')

/**
 * State of a period: `cached` is here and final; `partial` is here in part or was still running; `missing` is not here;
 * `absent` means the service has nothing; `failed` was tried without success; `locked` is not open to the key;
 * `unknown` means neither the index nor the list of symbols suggests that it exists.
 */
export const coverageStates = ['cached', 'partial', 'missing', 'absent', 'failed', 'locked', 'unknown'] as const
export type CoverageState = (typeof coverageStates)[number]

export interface CoveredPeriod {
  /** A month `YYYY-MM` or a day. */
  period: string
  state: CoverageState
}

/** A dataset, or one interval of it, that the service refused to this connection's key. */
export interface Refused {
  dataset: string
  /** Interval to show; empty for all. */
  interval: string
  message: string | null
  at: number
}

export const coverageCalls = {
  /** The periods of one series, in order, at most up to today. */
  'coverage.periods': call(
    z
      .strictObject({
        connectionId,
        kind: z.enum(['metrics', 'raw']),
        dataset: name,
        exchange: name,
        symbol: name,
        /** Raw events have neither interval nor timestamp: what is given is ignored. */
        interval: z.string().max(20).default(''),
        timestamp: z.string().max(20).default(''),
        startDay: day,
        /** Inclusive. */
        endDay: day,
      })
      .refine(({ startDay, endDay }) => startDay <= endDay, 'the range ends before it starts'),
  )<{ periods: CoveredPeriod[] }>(),
  /** Cached raw events: dataset, exchange, symbol, days (each counted once, however many files hold it). */
  'coverage.cachedShares': call(z.strictObject({ connectionId }))<Frame>(),
  /** Metric series that lack days between their first and last cached one: dataset, exchange, symbol, interval, missing. */
  'coverage.cachedGaps': call(z.strictObject({ connectionId }))<Frame>(),
  /** Series with files here: kind, dataset, exchange, symbol, interval, timestamp, files, bytes. */
  'coverage.cachedSeries': call(z.strictObject({ connectionId }))<Frame>(),
  'coverage.refusals': call(z.strictObject({ connectionId }))<Refused[]>(),
}
