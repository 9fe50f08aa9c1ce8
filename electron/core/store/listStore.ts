import type { ListedSymbol } from '#shared/contract/areas/lists.ts'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import { AppError } from '#shared/contract/errors.ts'
import { followRenames, type ListedPair } from '#shared/contract/listsFile.ts'
import type { Database } from './database.ts'
import type { DocumentStore } from './documentStore.ts'
import type { InstrumentStore } from './instrumentStore.ts'

/** Symbols of the named lists that the user imported. */
export interface ListStore {
  /** Lists all symbols, by list name and within each list in file order. */
  all(): ListedSymbol[]
  /**
   * Returns the pairs of venue and symbol in a list, each followed by the names that the instrument took later. If
   * venues are given, it returns only their pairs. Throws an AppError if there is no such list.
   */
  pairs(name: string, exchanges?: readonly string[]): ListedPair[]
  /** Replaces the lists that these symbols belong to; other lists stay. */
  replace(symbols: readonly ListedSymbol[]): void
}

const symbolsOf = ({ name, document }: Opened<'list'>): ListedSymbol[] =>
  document.symbols.map((each) => ({ list: name, ...each }))

export const createListStore = (
  { writes }: Database,
  lists: DocumentStore<'list'>,
  instruments: InstrumentStore,
): ListStore => ({
  all: () => lists.all().flatMap(symbolsOf),
  pairs(name, exchanges = []) {
    const list = lists.find(name)
    if (list === null) throw new AppError('not-found', `There is no list “${name}”.`)
    const isWanted = ({ exchange }: ListedPair) => exchanges.length === 0 || exchanges.includes(exchange)
    return followRenames(symbolsOf(list), instruments.list()).filter(isWanted)
  },
  replace: (symbols) =>
    writes.inTransaction(() => {
      for (const [name, listed] of Map.groupBy(symbols, ({ list }) => list))
        lists.put(name, name, { version: 1, symbols: listed.map(({ list: _, ...each }) => each) })
    }),
})

/** Adds the pairs of a list to a filter that names the list. */
export function withPairs<Filter extends { list?: string | undefined; exchanges?: readonly string[] | undefined }>(
  lists: ListStore,
  { list, ...filter }: Filter,
): Omit<Filter, 'list'> & { pairs?: ListedPair[] } {
  return list === undefined ? filter : { ...filter, pairs: lists.pairs(list, filter.exchanges) }
}
