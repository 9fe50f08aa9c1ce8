import * as z from '../../schemas/lazySchemas.ts'
import type { FundingBasis } from '../../funding/fundingPeriods.ts'
import type { ListedPair } from '../listsFile.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import { listFilter } from './lists.ts'

/** Names of the built-in columns of the watch page; formula columns must have other names. */
export const watchColumns = [
  'exchange',
  'symbol',
  'last',
  'change',
  'funding_annualised',
  'funding_every',
  'funding_basis',
  'open_interest_change',
  'volume_z',
  'coverage',
  'quality',
] as const

/** Row of the watch page; values are null if nothing is cached. */
export interface WatchRow {
  exchange: string
  symbol: string
  /** Last close. */
  last: number | null
  /** Change of the close from 24 hours earlier, as a fraction. */
  change: number | null
  /** Last funding rate as the venue gives it, as a fraction. */
  funding_rate: number | null
  funding_annualised: number | null
  /** Funding period at the time of the last rate, such as `8h`, and where it is known from; null if it is not known. */
  funding_every: string | null
  funding_basis: FundingBasis | null
  open_interest_change: number | null
  /** z-score of the volume of the last complete UTC day against the previous 30 days. */
  volume_z: number | null
  /** Last basis, in basis points of the index price. */
  basis_bps: number | null
  /** Closes of the 7 days before the last one, in equal steps; null where there is none. */
  spark: (number | null)[]
  /** Fraction of the last 30 days that is cached. */
  coverage: number
  /** Number of findings in these days; null if none of the days was checked. */
  quality: number | null
  /** Time of the last close. */
  lastAt: number | null
  /** Interval and clock of the candles; null if none are cached. */
  interval: string | null
  timestamp: string | null
  /** Values of the formula columns, in their order. */
  values: (number | null)[]
}

/** Formula column as the user defined it. */
export const formulaColumn = z.strictObject({
  name: z.string().min(1).max(100),
  formula: z.string().min(1).max(10_000),
})

export interface WatchAnswer {
  rows: WatchRow[]
  /** Pairs with a funding rate that cannot be annualised, because the funding period at its time is not known. */
  unknownFunding: ListedPair[]
  /** Number of pairs with unchecked files, whose quality is null. */
  unchecked: number
}

export const watchCalls = {
  /**
   * Returns a row for each pair of a list, in the order of the list; without a list, for each pair with cached candles.
   * With `quality: 'known'`, files that were never checked stay unchecked, so that the answer is fast.
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
