import { parseInterval } from '../time.ts'
import { csvRows } from '../units/csvRows.ts'
import type { Instrument } from './areas/instruments.ts'

const needed = ['exchange', 'symbol'] as const
const optional = ['contract_size', 'quote', 'tick', 'funding_every', 'renamed_from'] as const
type ColumnName = (typeof needed)[number] | (typeof optional)[number]

/** Columns of the CSV, in the order in which they are written. */
export const instrumentColumns: readonly ColumnName[] = [...needed, ...optional]

/** Reads a CSV of instruments, or says what is wrong with each bad line by its physical number; the head is line 1. */
export function readInstruments(text: string): { instruments: Instrument[] } | { problems: string[] } {
  const [head, ...rows] = csvRows(text)
  const names = head?.cells.map((name) => name.trim()) ?? []
  const missing = needed.filter((name) => !names.includes(name))
  const unknown = names.filter((name) => !(instrumentColumns as readonly string[]).includes(name))
  const twice = names.filter((name, at) => names.indexOf(name) < at)
  if (missing.length > 0) return { problems: [`line 1: needs the columns ${missing.join(' and ')}`] }
  if (unknown.length > 0) return { problems: [`line 1: unknown column ${unknown.map(quoted).join(', ')}`] }
  if (twice.length > 0) return { problems: [`line 1: the column ${twice.map(quoted).join(', ')} stands there twice`] }
  const problems: string[] = []
  const found = new Map<string, Instrument>()
  for (const { line, cells } of rows) {
    const read = readLine(names, cells)
    if ('problem' in read) problems.push(`line ${line}: ${read.problem}`)
    else found.set(JSON.stringify([read.exchange, read.symbol]), read)
  }
  return problems.length > 0 ? { problems } : { instruments: [...found.values()] }
}

const quoted = (text: string) => `“${text}”`

function readLine(names: readonly string[], cells: readonly string[]): Instrument | { problem: string } {
  if (cells.length !== names.length) return { problem: `has ${cells.length} cells, the head has ${names.length}` }
  const of = (name: ColumnName) => cells[names.indexOf(name)]?.trim() || null
  const number = (name: ColumnName) => {
    const text = of(name)
    return text === null ? null : Number(text)
  }
  const [exchange, symbol] = [of('exchange'), of('symbol')]
  if (exchange === null || symbol === null) return { problem: 'needs an exchange and a symbol' }
  for (const name of ['contract_size', 'tick'] as const) {
    const value = number(name)
    if (value !== null && !(value > 0 && Number.isFinite(value)))
      return { problem: `${name} ${quoted(of(name)!)} is not a number above 0` }
  }
  const funding = of('funding_every')
  if (funding !== null && parseInterval(funding) === null)
    return { problem: `funding_every ${quoted(funding)} is not a period such as 8h` }
  return {
    exchange,
    symbol,
    contract_size: number('contract_size'),
    quote: of('quote'),
    tick: number('tick'),
    funding_every: funding,
    renamed_from: of('renamed_from'),
  }
}
