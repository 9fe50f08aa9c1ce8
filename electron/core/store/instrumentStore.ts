import type { Instrument } from '#shared/contract/areas/instruments.ts'
import { contractSizesOf, type DatedInstrument, datedInstruments } from '#shared/contract/instrumentHistory.ts'
import type { DatedSizes } from '#shared/units/contractSizes.ts'
import type { Database } from './database.ts'

/** Facts about instruments that the user entered, by date: contract sizes, funding periods, listings and renames. */
export interface InstrumentStore {
  /** Lists the rows as they were imported, by exchange, symbol and date. */
  list(): Instrument[]
  /** Returns what holds for one pair, from each of its dates on; empty if the user has not entered it. */
  history(exchange: string, symbol: string): DatedInstrument[]
  /** Returns the amounts of the base asset in one contract, by date; empty if the user has not entered any. */
  contractSizes(exchange: string, symbol: string): DatedSizes
  /** Saves rows in place of all rows of the pairs that they name. */
  replace(instruments: readonly Instrument[]): void
  /** Returns a text that changes whenever an instrument changes. */
  revision(): string
}

type Column = keyof Instrument

const columns: readonly Column[] = [
  ...(['exchange', 'symbol', 'valid_from', 'contract_size', 'quote', 'tick', 'funding_every'] as const),
  ...(['funding_offset', 'funding_rate_per', 'native', 'listed', 'delisted', 'renamed_from'] as const),
]
/** Stored in place of the date of a row that always holds, because a column of a key cannot be null. */
const ALWAYS = ''

const selected = columns.map((name) => (name === 'valid_from' ? `nullif(valid_from, '${ALWAYS}') AS valid_from` : name))
const select = `SELECT ${selected.join(', ')} FROM instruments`
const order = 'ORDER BY exchange, symbol, instruments.valid_from'

export function createInstrumentStore({ reads, writes }: Database): InstrumentStore {
  const list = () => reads.all<Instrument>(`${select} ${order}`)
  const history = (exchange: string, symbol: string) =>
    datedInstruments(reads.all<Instrument>(`${select} WHERE exchange = ? AND symbol = ?`, exchange, symbol))
  return {
    list: () => list().map((row) => ({ ...row })),
    history,
    contractSizes: (exchange, symbol) => contractSizesOf(history(exchange, symbol)),
    replace(instruments) {
      writes.inTransaction(() => {
        for (const { exchange, symbol } of instruments)
          writes.run('DELETE FROM instruments WHERE exchange = ? AND symbol = ?', exchange, symbol)
        const places = columns.map(() => '?').join(', ')
        for (const each of instruments)
          writes.run(
            `INSERT INTO instruments (${columns.join(', ')}) VALUES (${places})`,
            ...columns.map((name) => (name === 'valid_from' ? (each[name] ?? ALWAYS) : each[name])),
          )
      })
    },
    revision: () => JSON.stringify(list()),
  }
}
