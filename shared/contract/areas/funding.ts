import * as z from '../../schemas/lazySchemas.ts'
import type { FundingBasis } from '../../funding/fundingPeriods.ts'
import { fundingTexts as texts } from '../fieldTexts.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import { listFilter } from './lists.ts'

/** Funding period that the user typed; it counts where nothing observed, announced or inferred says more. */
export interface FundingDefault {
  exchange: string
  /** Null for all symbols of the venue. */
  symbol: string | null
  /** Duration such as `8h`. */
  every: string
}

/** Stretch of an instrument's time in which its funding period is known. */
export interface FundingPeriodRow {
  exchange: string
  symbol: string
  /** Null for an open end. */
  fromMs: number | null
  toMs: number | null
  everyHours: number
  /** Time from 00:00 UTC to the first funding time of a day. */
  offsetHours: number
  /** Period to which the published rate refers. */
  ratePerHours: number
  basis: FundingBasis
}

/** Stretch in which raw events show other funding times than the user announced; the periods are durations. */
export interface FundingConflictRow extends Pick<FundingPeriodRow, 'exchange' | 'symbol' | 'fromMs' | 'toMs'> {
  observed: string
  announced: string
}

export interface FundingList {
  periods: FundingPeriodRow[]
  conflicts: FundingConflictRow[]
}

const name = z.string().min(1).max(300)

export const fundingCalls = {
  /**
   * Lists what is known of the funding periods of instruments, by venue, symbol and time: from cached raw events and
   * served rates, and from what the user said. Unknown stretches have no row.
   */
  'funding.list': call(
    z.strictObject({
      connectionId,
      exchanges: z.array(name).optional(),
      symbols: z.array(name).optional(),
      list: listFilter,
    }),
  )<FundingList>(),
  /** Lists the typed periods by exchange and symbol, that of a whole venue first. */
  'funding.defaults': call(z.strictObject({}))<FundingDefault[]>(),
  /**
   * Saves a typed period for a symbol, or for all symbols of a venue if the symbol is null; a period of the symbol wins
   * over one of its venue. `unknown` removes what was typed there.
   */
  'funding.setDefault': call(
    z.strictObject({
      exchange: name.describe(texts.exchange),
      symbol: name.nullable().describe(texts.symbol),
      every: z.string().max(100).describe(texts.every),
    }),
  )<null>(),
}
