import type { ListedSymbol } from '#shared/contract/areas/lists.ts'
import { AppError } from '#shared/contract/errors.ts'
import { followRenames, type ListedPair } from '#shared/contract/listsFile.ts'
import type { Database } from './database.ts'
import type { InstrumentStore } from './instrumentStore.ts'

/** Named lists of symbols that the user imported. */
export interface ListStore {
  /** Lists all symbols, by list name and within each list in file order. */
  all(): ListedSymbol[]
  ofList(name: string): ListedSymbol[]
  /**
   * Returns the pairs of venue and symbol in a list, each followed by the names that the instrument took later. If
   * venues are given, it returns only their pairs. Throws an AppError if there is no such list.
   */
  pairs(name: string, exchanges?: readonly string[]): ListedPair[]
  /** Replaces the lists that these symbols belong to; other lists stay. */
  replace(symbols: readonly ListedSymbol[]): void
  /** @returns number of symbols that were in the list */
  remove(name: string): number
  /** Returns a text that changes whenever a list changes. */
  revision(): string
}

const columns = 'list, exchange, symbol, symbol_group AS "group"'

export function createListStore({ reads, writes }: Database, instruments: InstrumentStore): ListStore {
  const all = () => reads.all<ListedSymbol>(`SELECT ${columns} FROM symbol_lists ORDER BY list, position`)
  const ofList = (name: string) =>
    reads
      .all<ListedSymbol>(`SELECT ${columns} FROM symbol_lists WHERE list = ? ORDER BY position`, name)
      .map((row) => ({ ...row }))
  return {
    all: () => all().map((row) => ({ ...row })),
    ofList,
    pairs(name, exchanges = []) {
      const listedSymbols = ofList(name)
      if (listedSymbols.length === 0) throw new AppError('not-found', `There is no list “${name}”.`)
      const isWanted = ({ exchange }: ListedPair) => exchanges.length === 0 || exchanges.includes(exchange)
      return followRenames(listedSymbols, instruments.list()).filter(isWanted)
    },
    replace(symbols) {
      writes.inTransaction(() => {
        for (const name of new Set(symbols.map(({ list }) => list)))
          writes.run('DELETE FROM symbol_lists WHERE list = ?', name)
        symbols.forEach(({ list, exchange, symbol, group }, position) =>
          writes.run(
            'INSERT INTO symbol_lists (list, position, exchange, symbol, symbol_group) VALUES (?, ?, ?, ?, ?)',
            list,
            position,
            exchange,
            symbol,
            group,
          ),
        )
      })
    },
    remove: (name) => writes.run('DELETE FROM symbol_lists WHERE list = ?', name),
    revision: () => JSON.stringify(all()),
  }
}

/** Adds the pairs of a list to a filter that names the list. */
export function withPairs<Filter extends { list?: string | undefined; exchanges?: readonly string[] | undefined }>(
  lists: ListStore,
  { list, ...filter }: Filter,
): Omit<Filter, 'list'> & { pairs?: ListedPair[] } {
  return list === undefined ? filter : { ...filter, pairs: lists.pairs(list, filter.exchanges) }
}
