import { csvRows } from '../units/csvRows.ts'
import type { ListedSymbol } from './areas/lists.ts'

const needed = ['list', 'exchange', 'symbol'] as const
/** Columns of the CSV, in the order in which they are written. */
export const listColumns = [...needed, 'group'] as const
type ColumnName = (typeof listColumns)[number]

/** Reads a CSV of named lists, or says what is wrong with each bad line by its physical number; the head is line 1. */
export function readSymbolLists(text: string): { symbols: ListedSymbol[] } | { problems: string[] } {
  const [head, ...rows] = csvRows(text)
  const names = head?.cells.map((name) => name.trim()) ?? []
  const missing = needed.filter((name) => !names.includes(name))
  const unknown = names.filter((name) => !(listColumns as readonly string[]).includes(name))
  const twice = names.filter((name, at) => names.indexOf(name) < at)
  if (missing.length > 0) return { problems: [`line 1: needs the columns ${missing.join(' and ')}`] }
  if (unknown.length > 0) return { problems: [`line 1: unknown column ${unknown.map(quoted).join(', ')}`] }
  if (twice.length > 0) return { problems: [`line 1: the column ${twice.map(quoted).join(', ')} appears twice`] }
  const problems: string[] = []
  const found = new Map<string, ListedSymbol>()
  for (const { line, cells } of rows) {
    const read = readLine(names, cells)
    if ('problem' in read) problems.push(`line ${line}: ${read.problem}`)
    else found.set(JSON.stringify(read), read)
  }
  return problems.length > 0 ? { problems } : { symbols: [...found.values()] }
}

const quoted = (text: string) => `“${text}”`

function readLine(names: readonly string[], cells: readonly string[]): ListedSymbol | { problem: string } {
  if (cells.length !== names.length) return { problem: `has ${cells.length} cells, the head has ${names.length}` }
  const of = (name: ColumnName) => cells[names.indexOf(name)]?.trim() ?? ''
  const empty = needed.find((name) => of(name) === '')
  if (empty !== undefined) return { problem: `the column ${empty} is empty` }
  return { list: of('list'), exchange: of('exchange'), symbol: of('symbol'), group: of('group') || null }
}
