import type { Instrument } from '#shared/contract/areas/instruments.ts'
import type { Database } from './database.ts'

/** Facts about instruments that the user entered: contract sizes, tick sizes, funding intervals and renames. */
export interface InstrumentStore {
  list(): Instrument[]
  /** Returns the amount of the base asset in one contract; undefined if the user has not entered it. */
  contractSize(exchange: string, symbol: string): number | undefined
  /** Saves instruments, replacing those with the same exchange and symbol. */
  replace(instruments: readonly Instrument[]): void
  /** Returns a text that changes whenever an instrument changes. */
  revision(): string
}

const columns = 'exchange, symbol, contract_size, quote, tick, funding_every, renamed_from'

export function createInstrumentStore({ reads, writes }: Database): InstrumentStore {
  const list = () => reads.all<Instrument>(`SELECT ${columns} FROM instruments ORDER BY exchange, symbol`)
  return {
    list: () => list().map((row) => ({ ...row })),
    contractSize(exchange, symbol) {
      const sql = 'SELECT contract_size AS size FROM instruments WHERE exchange = ? AND symbol = ?'
      return reads.first<{ size: number | null }>(sql, exchange, symbol)?.size ?? undefined
    },
    replace(instruments) {
      writes.inTransaction(() => {
        for (const each of instruments)
          writes.run(
            `INSERT OR REPLACE INTO instruments (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
            each.exchange,
            each.symbol,
            each.contract_size,
            each.quote,
            each.tick,
            each.funding_every,
            each.renamed_from,
          )
      })
    },
    revision: () => JSON.stringify(list()),
  }
}
