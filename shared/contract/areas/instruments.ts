import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'

/**
 * Facts about an instrument that only the user can provide, as one row of a file. Several rows of a pair hold each from
 * its `valid_from` to the next one's. The names are the columns of the CSV; null is an empty cell.
 */
export interface Instrument {
  exchange: string
  symbol: string
  /** UTC day or instant from which the row holds; null for a row that always holds. */
  valid_from: string | null
  /** Base assets in one contract. */
  contract_size: number | null
  quote: string | null
  tick: number | null
  /** Funding period such as `8h`; null in a dated row takes the announcement of the row before back. */
  funding_every: string | null
  /** Time from 00:00 UTC to the first funding time of the day; `0h` without one. */
  funding_offset: string | null
  /** Period that the published funding rate refers to; `funding_every` without one. */
  funding_rate_per: string | null
  /** Name that the venue itself uses. */
  native: string | null
  /** First and last UTC days on which the instrument traded. */
  listed: string | null
  delisted: string | null
  /** Symbol under which the instrument traded earlier. */
  renamed_from: string | null
}

/** Maximum length of an instrument list, in characters; a longer file is refused. */
export const MOST_INSTRUMENT_CHARACTERS = 20_000_000

export const instrumentCalls = {
  /** Lists the rows by exchange, symbol and `valid_from`, as they were imported; empty until the user imports some. */
  'instruments.list': call(z.strictObject({}))<Instrument[]>(),
  /**
   * Imports the text of a CSV, or of a JSON array of objects. All rows of the pairs that it names are replaced; one bad
   * line rejects the whole file.
   */
  'instruments.import': call(z.strictObject({ text: z.string().max(MOST_INSTRUMENT_CHARACTERS) }))<{
    /** Number of imported rows. */
    imported: number
    /** Rows that a later row of the same pair and `valid_from` replaced, and mistyped venues, one sentence each. */
    warnings: string[]
  }>(),
}
