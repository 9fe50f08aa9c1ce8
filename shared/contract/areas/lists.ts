import * as z from '../../schemas/lazySchemas.ts'
import { listText } from '../fieldTexts.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'

/** A symbol in a named list; the keys are the columns of the CSV. */
export interface ListedSymbol {
  list: string
  exchange: string
  symbol: string
  group: string | null
}

/** A listed symbol, and whether the connection knows it from the venue's symbol list or from cached files. */
export interface KnownListedSymbol extends ListedSymbol {
  known: boolean
}

export const listName = z.string().min(1).max(300)
export const listFilter = listName.optional().describe(listText)

/** Maximum length of a file of lists, in characters. */
export const MOST_LIST_CHARACTERS = 20_000_000

export const listCalls = {
  /** Lists all symbols by list name, and within a list in file order. */
  'lists.list': call(z.strictObject({ connectionId }))<KnownListedSymbol[]>(),
  /** Imports the text of a CSV. Lists named in it are replaced, others stay; one bad line rejects the whole file. */
  'lists.import': call(z.strictObject({ text: z.string().max(MOST_LIST_CHARACTERS) }))<{
    lists: string[]
    imported: number
    /** Mistyped venues, one sentence each. */
    warnings: string[]
  }>(),
  'lists.remove': call(z.strictObject({ name: listName }))<{ removed: number }>(),
}
