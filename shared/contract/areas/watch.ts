import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import { listFilter } from './lists.ts'

/** Names of the columns that every watch page has; a column of the user's own has another one. */
export const watchColumns = [
  'exchange',
  'symbol',
  'last',
  'change',
  'funding_annualised',
  'open_interest_change',
  'volume_z',
  'coverage',
  'quality',
] as const

/** Row of the watch page; null where nothing is cached. */
export interface WatchRow {
  exchange: string
  symbol: string
  /** Last close. */
  last: number | null
  /** Change of the close against 24 hours before, as a fraction. */
  change: number | null
  funding_annualised: number | null
  open_interest_change: number | null
  /** Volume of the last whole UTC day against the 30 days before, in sample deviations. */
  volume_z: number | null
  /** Share of the last 30 days that is cached. */
  coverage: number
  /** Number of findings in these days; null where none of them was checked. */
  quality: number | null
  /** Time of the last close. */
  lastAt: number | null
  /** Interval and clock of the candles; null where none are cached. */
  interval: string | null
  timestamp: string | null
  /** Values of the columns by formula, in their order. */
  values: (number | null)[]
}

/** Column by formula, as the user named it. */
export const formulaColumn = z.strictObject({
  name: z.string().min(1).max(100),
  formula: z.string().min(1).max(10_000),
})

export interface WatchAnswer {
  rows: WatchRow[]
  /** Number of rows without a funding per year because the funding period is unknown. */
  unknownPeriods: number
  /** Number of pairs whose files were not all checked for faults; their quality is null. */
  unchecked: number
}

export const watchCalls = {
  /**
   * Every pair of a list, or every pair with cached candles, in the order of the list. With `known`, files that nobody checked for
   * faults are left for later, so that the rows come at once.
   */
  'watch.rows': call(
    z.strictObject({
      connectionId,
      list: listFilter,
      columns: z.array(formulaColumn).max(20).default([]),
      quality: z.enum(['check', 'known']).default('check'),
    }),
  )<WatchAnswer>(),
}
