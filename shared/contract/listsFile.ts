import { csvLine } from '../units/csvCell.ts'
import { type NamedCsvRow, namedCsvRows } from '../units/csvRows.ts'
import type { Instrument } from './areas/instruments.ts'
import type { ListedSymbol } from './areas/lists.ts'

const needed = ['list', 'exchange', 'symbol'] as const
/** Columns of the CSV, in the order in which they are written. */
export const listColumns = [...needed, 'group'] as const

const LONGEST_NAME = 300

/** Reads a CSV of named lists, or says what is wrong with each bad line by its physical number; the head is line 1. */
export function readSymbolLists(text: string): { symbols: ListedSymbol[] } | { problems: string[] } {
  const read = namedCsvRows(text, { needed, optional: ['group'] }, readLine)
  if ('problems' in read) return read
  return { symbols: [...new Map(read.values.map((each) => [JSON.stringify(each), each])).values()] }
}

function readLine({ cell }: NamedCsvRow<(typeof listColumns)[number]>): ListedSymbol | { problem: string } {
  const empty = needed.find((name) => cell(name) === '')
  if (empty !== undefined) return { problem: `the column ${empty} is empty` }
  const long = listColumns.find((name) => cell(name).length > LONGEST_NAME)
  if (long !== undefined) return { problem: `the column ${long} has more than ${LONGEST_NAME} characters` }
  return { list: cell('list'), exchange: cell('exchange'), symbol: cell('symbol'), group: cell('group') || null }
}

/** Writes lists as the CSV that `readSymbolLists` reads; cells stay exactly as they are, so that every name comes back. */
export const writeSymbolLists = (symbols: readonly ListedSymbol[]): string =>
  [listColumns, ...symbols.map(({ list, exchange, symbol, group }) => [list, exchange, symbol, group] as const)]
    .map((cells) => csvLine(cells, 'exact'))
    .join('')

export interface ListedPair {
  exchange: string
  symbol: string
}

type Rename = Pick<Instrument, 'exchange' | 'symbol' | 'renamed_from'>

/**
 * Adds behind each pair the names that its instrument took later, as far as the person described the renames; files of the time
 * before stand under the old name. Pairs that come twice are left out.
 */
export function followRenames(pairs: readonly ListedPair[], instruments: readonly Rename[]): ListedPair[] {
  const keyOf = ({ exchange, symbol }: ListedPair) => JSON.stringify([exchange, symbol])
  const later = new Map<string, ListedPair[]>()
  for (const { exchange, symbol, renamed_from: before } of instruments) {
    if (before === null) continue
    const key = keyOf({ exchange, symbol: before })
    later.set(key, [...(later.get(key) ?? []), { exchange, symbol }])
  }
  const found = new Map<string, ListedPair>()
  const add = (pair: ListedPair) => {
    const key = keyOf(pair)
    if (found.has(key)) return
    found.set(key, { exchange: pair.exchange, symbol: pair.symbol })
    later.get(key)?.forEach(add)
  }
  pairs.forEach(add)
  return [...found.values()]
}
