import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'

/** Facts about an instrument that only the user can give. The names are those of the CSV. */
export interface Instrument {
  exchange: string
  symbol: string
  /** Base assets in one contract. */
  contract_size: number | null
  quote: string | null
  tick: number | null
  /** Period of funding, such as `8h`. */
  funding_every: string | null
  /** The symbol under which the instrument traded before. */
  renamed_from: string | null
}

/** A file larger than this is not a list of instruments. */
export const MOST_INSTRUMENT_BYTES = 20_000_000

export const instrumentCalls = {
  /** Lists the instruments by exchange and symbol; empty until the user imports some. */
  'instruments.list': call(z.strictObject({}))<Instrument[]>(),
  /** The text of a CSV. Instruments of the same exchange and symbol are replaced; one bad line refuses the whole file. */
  'instruments.import': call(z.strictObject({ text: z.string().max(MOST_INSTRUMENT_BYTES) }))<{ imported: number }>(),
}
