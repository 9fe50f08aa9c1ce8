import { parseInterval } from '../time.ts'
import { type NamedCsvRow, namedCsvRows } from '../units/csvRows.ts'
import { parseDecimal } from '../units/numbers.ts'
import type { Instrument } from './areas/instruments.ts'

const needed = ['exchange', 'symbol'] as const
const optional = ['contract_size', 'quote', 'tick', 'funding_every', 'renamed_from'] as const
type ColumnName = (typeof needed)[number] | (typeof optional)[number]

/** Columns of the CSV and of the tables of instruments, in their order. */
export const instrumentColumns: readonly ColumnName[] = [...needed, ...optional]

/** Parses a CSV of instruments, or lists what is wrong with each bad line by line number; the header is line 1. */
export function readInstruments(text: string): { instruments: Instrument[] } | { problems: string[] } {
  const parsed = namedCsvRows<ColumnName, Instrument>(text, { needed, optional }, readLine)
  if ('problems' in parsed) return parsed
  const instrumentByKey = new Map(parsed.values.map((each) => [JSON.stringify([each.exchange, each.symbol]), each]))
  return { instruments: [...instrumentByKey.values()] }
}

const quoteText = (text: string) => `“${text}”`

function readLine({ cell }: NamedCsvRow<ColumnName>): Instrument | { problem: string } {
  const textOf = (name: ColumnName) => cell(name) || null
  const numberOf = (name: ColumnName) => {
    const text = textOf(name)
    return text === null ? null : (parseDecimal(text) ?? NaN)
  }
  const [exchange, symbol] = [textOf('exchange'), textOf('symbol')]
  if (exchange === null || symbol === null) return { problem: 'needs an exchange and a symbol' }
  for (const name of ['contract_size', 'tick'] as const) {
    const value = numberOf(name)
    if (value !== null && !(value > 0 && Number.isFinite(value)))
      return { problem: `${name} ${quoteText(textOf(name)!)} is not a number above 0` }
  }
  const funding = textOf('funding_every')
  if (funding !== null && parseInterval(funding) === null)
    return { problem: `funding_every ${quoteText(funding)} is not a period such as 8h` }
  return {
    exchange,
    symbol,
    contract_size: numberOf('contract_size'),
    quote: textOf('quote'),
    tick: numberOf('tick'),
    funding_every: funding,
    renamed_from: textOf('renamed_from'),
  }
}
