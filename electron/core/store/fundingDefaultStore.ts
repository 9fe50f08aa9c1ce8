import type { FundingDefault } from '#shared/contract/areas/funding.ts'
import type { Database } from './database.ts'

/** Funding periods that the user typed for a symbol or for all symbols of a venue. */
export interface FundingDefaultStore {
  list(): FundingDefault[]
  /** Saves a typed period; null removes it. */
  set(typed: Pick<FundingDefault, 'exchange' | 'symbol'> & { every: string | null }): void
  /** Returns a text that changes whenever a typed period changes. */
  revision(): string
}

/** Stored in place of a symbol for all symbols of a venue, because a column of a key cannot be null. */
const ALL_SYMBOLS = ''

export function createFundingDefaultStore({ reads, writes }: Database): FundingDefaultStore {
  const list = () =>
    reads
      .all<{ exchange: string; symbol: string; every: string }>(
        'SELECT exchange, symbol, every FROM funding_defaults ORDER BY exchange, symbol',
      )
      .map((row) => ({ ...row, symbol: row.symbol === ALL_SYMBOLS ? null : row.symbol }))
  return {
    list,
    set({ exchange, symbol, every }) {
      const key = [exchange, symbol ?? ALL_SYMBOLS]
      if (every === null) writes.run('DELETE FROM funding_defaults WHERE exchange = ? AND symbol = ?', ...key)
      else
        writes.run('INSERT OR REPLACE INTO funding_defaults (exchange, symbol, every) VALUES (?, ?, ?)', ...key, every)
    },
    revision: () => JSON.stringify(list()),
  }
}
