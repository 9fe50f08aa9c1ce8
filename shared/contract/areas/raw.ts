import { z } from 'zod'
import { call } from '../spec.ts'
import type { ErrorShape } from '../errors.ts'
import { connectionId } from './discovery.ts'

const id = z.string().min(1).max(100)
const name = z.string().min(1).max(300)

/** What a file of events is like, found by reading all of it. Counts are of events; times are those of the venue. */
export interface EventConditions {
  events: number
  /** Milliseconds since the epoch, with microseconds as fractions; null in a file without events. */
  firstMs: number | null
  lastMs: number | null
  firstArrivalMs: number | null
  lastArrivalMs: number | null
  /** The longest time without an event between the first and the last one, and when it began. */
  longestSilenceMs: number
  silenceStartMs: number | null
  /** Trades with the time and id of another one; other events with the time and values of another one. */
  duplicates: number
  /** Events that stand behind a later one, by the venue's time and by arrival. */
  outOfOrder: number
  arrivalsOutOfOrder: number
  /** Quotes whose bid is not below the ask; null for other datasets. */
  crossedQuotes: number | null
  /** Quotes whose bid is above the ask. */
  negativeSpreads: number | null
  /** Events with an amount of 0; null where there are no amounts. */
  zeroSizes: number | null
  /** Trades whose side the venue did not tell; null for other datasets. */
  unknownSides: number | null
  /** Events whose arrival, or whose venue time, is modelled instead of measured. */
  modelledArrivals: number
  modelledTimes: number
  /** Events with a value that no metric can be computed from (missing, negative, not finite, a price of 0). */
  unusable: number
}

/** `error`: the file cannot be taken in so. `warning`: it can, but look at it. `note`: nothing to worry about. */
export interface FileFinding {
  level: 'error' | 'warning' | 'note'
  /** `place`: about the venue and symbol, which the person can set; `content`: about the file whatever these are. */
  about: 'place' | 'content'
  words: string
}

/** What a file seems to hold; null where nothing tells. */
export interface FileIdentity {
  dataset: string | null
  exchange: string | null
  symbol: string | null
  /** A day or a month of the venue's time. */
  period: string | null
}

/** A file that was handed over, or one of a folder that was. */
export interface InspectedFile extends FileIdentity {
  id: string
  /** With the folders below the one that was handed over, with `/`. */
  name: string
  sizeBytes: number
  /** Null where it is no readable Parquet file. */
  rows: number | null
  findings: FileFinding[]
  conditions: EventConditions | null
}

/** What becomes of a file with the identity it has now. */
export interface ImportOutcome {
  id: string
  /** `cached`: the same content is here already. `conflict`: another file of the same series and period is. */
  state: 'imported' | 'cached' | 'conflict' | 'failed'
  sizeBytes: number
  /** Where it lies now; null where it is not here. */
  path: string | null
  error: ErrorShape | null
}

const given = { dataset: name.optional(), exchange: name.optional(), symbol: name.optional() }

export const rawCalls = {
  /** Looks into the files that were handed over; changes nothing. What is given counts instead of what is recognised. */
  'raw.inspect': call(z.strictObject({ ...given }))<{
    files: InspectedFile[]
    /** Files that were left out because their names do not end in .parquet. */
    others: number
  }>(),
  /** Copies inspected files into the cache of a connection. Each is there whole or not at all. */
  'raw.import': call(
    z.strictObject({
      connectionId,
      files: z
        .array(
          z.strictObject({
            id,
            exchange: name,
            symbol: name,
            /** Take the place of another file of the same series and period. */
            replace: z.boolean().default(false),
          }),
        )
        .max(100_000),
    }),
  )<{ files: ImportOutcome[] }>(),
  /** Forgets files that were handed over and not taken in; all of them where none are named. */
  'raw.dismiss': call(z.strictObject({ ids: z.array(id).max(100_000).optional() }))<null>(),
}
