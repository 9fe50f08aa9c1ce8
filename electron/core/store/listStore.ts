import type { ListedSymbol } from '#shared/contract/areas/lists.ts'
import type { Database } from './database.ts'

/** Named lists of symbols that the person imported. */
export interface ListStore {
  /** By name of the list, and within it in the order of the file. */
  all(): ListedSymbol[]
  ofList(name: string): ListedSymbol[]
  /** Replaces the lists that the symbols name; other lists stay. */
  replace(symbols: readonly ListedSymbol[]): void
  /** @returns the number of symbols that were in the list */
  remove(name: string): number
  /** Text that differs whenever a list changed. */
  revision(): string
}

const columns = 'list, exchange, symbol, symbol_group AS "group"'

export function createListStore({ reads, writes }: Database): ListStore {
  const all = () => reads.all<ListedSymbol>(`SELECT ${columns} FROM symbol_lists ORDER BY list, position`)
  return {
    all: () => all().map((row) => ({ ...row })),
    ofList: (name) =>
      reads
        .all<ListedSymbol>(`SELECT ${columns} FROM symbol_lists WHERE list = ? ORDER BY position`, name)
        .map((row) => ({ ...row })),
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
