import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'

/** Facts about an instrument that only the user can provide. The names are the columns of the CSV. */
export interface Instrument {
  exchange: string
  symbol: string
  /** Base assets in one contract. */
  contract_size: number | null
  quote: string | null
  tick: number | null
  /** Funding period such as `8h`. */
  funding_every: string | null
  /** Symbol under which the instrument traded earlier. */
  renamed_from: string | null
}

/** Maximum length of an instrument list, in characters; a longer file is refused. */
export const MOST_INSTRUMENT_CHARACTERS = 20_000_000

export const instrumentCalls = {
  /** Lists the instruments by exchange and symbol; empty until the user imports some. */
  'instruments.list': call(z.strictObject({}))<Instrument[]>(),
  /**
   * Imports the text of a CSV. Instruments with the same exchange and symbol are replaced; one bad line rejects the
   * whole file.
   */
  'instruments.import': call(z.strictObject({ text: z.string().max(MOST_INSTRUMENT_CHARACTERS) }))<{
    imported: number
  }>(),
}
