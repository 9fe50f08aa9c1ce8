import * as z from '../../schemas/lazySchemas.ts'
import { MS_PER_DAY, parseDuration } from '../../time.ts'
import { call } from '../spec.ts'

/** Funding period that the user typed; it counts where nothing observed, announced or inferred says more. */
export interface FundingDefault {
  exchange: string
  /** Null for all symbols of the venue. */
  symbol: string | null
  /** Duration such as `8h`. */
  every: string
}

/** Typed instead of a period to remove what was typed. */
export const UNKNOWN_PERIOD = 'unknown'

/** Explains why a typed text is not a funding period; null if it is one. */
export function fundingPeriodProblem(text: string): string | null {
  const lengthMs = parseDuration(text)
  if (lengthMs === null) return `“${text}” is not a period such as 1h, 8h or 30m.`
  return lengthMs > 0 && lengthMs <= MS_PER_DAY ? null : `“${text}” is not longer than 0 and at most 24h.`
}

const name = z.string().min(1).max(300)

export const fundingCalls = {
  /** Lists the typed periods by exchange and symbol, that of a whole venue first. */
  'funding.defaults': call(z.strictObject({}))<FundingDefault[]>(),
  /**
   * Saves a typed period for a symbol, or for all symbols of a venue if the symbol is null; a period of the symbol wins
   * over one of its venue. `unknown` removes what was typed there.
   */
  'funding.setDefault': call(
    z.strictObject({ exchange: name, symbol: name.nullable(), every: z.string().max(100) }),
  )<null>(),
}
