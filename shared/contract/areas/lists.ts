import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'

/** A symbol in a named list; the keys are the columns of the CSV. */
export interface ListedSymbol {
  list: string
  exchange: string
  symbol: string
  group: string | null
}

/** A listed symbol, and whether the connection knows it: by the venue's list of symbols or by files in the cache. */
export interface KnownListedSymbol extends ListedSymbol {
  known: boolean
}

export const listName = z.string().min(1).max(300)
/** A list in place of symbols; with venues beside it, their pairs only. */
export const listFilter = listName.optional()

/** A file larger than this is not a list of symbols. */
export const MOST_LIST_CHARACTERS = 20_000_000

export const listCalls = {
  /** Lists all symbols, by list name and within a list in file order. */
  'lists.list': call(z.strictObject({ connectionId }))<KnownListedSymbol[]>(),
  /** The text of a CSV. Lists named in it are replaced, others stay; one bad line refuses the whole file. */
  'lists.import': call(z.strictObject({ text: z.string().max(MOST_LIST_CHARACTERS) }))<{
    lists: string[]
    imported: number
  }>(),
  'lists.remove': call(z.strictObject({ name: listName }))<{ removed: number }>(),
}
