import type { ResolvedSymbol } from '../catalog/resolveSymbol.ts'
import { parseSymbol } from '../catalog/symbols.ts'
import { csvLine } from '../units/csvCell.ts'
import { csvRows, type NamedCsvRow, namedCsvRows } from '../units/csvRows.ts'
import type { Instrument } from './areas/instruments.ts'
import type { ListedSymbol } from './areas/lists.ts'

const needed = ['list', 'exchange', 'symbol'] as const
/** Columns of the CSV, in the order in which they are written. */
const listColumns = [...needed, 'group'] as const

const LONGEST_NAME = 300

/** Parses a CSV of named lists, or lists what is wrong with each bad line by line number; the header is line 1. */
export function readSymbolLists(text: string): { symbols: ListedSymbol[] } | { problems: string[] } {
  const parsed = namedCsvRows(text, { needed, optional: ['group'] }, readLine)
  if ('problems' in parsed) return parsed
  return { symbols: [...new Map(parsed.values.map((each) => [JSON.stringify(each), each])).values()] }
}

/** A symbol of a list that is being edited. */
export type ListEntry = Pick<ListedSymbol, 'exchange' | 'symbol' | 'group'>

const entryColumns = ['exchange', 'symbol', 'group'] as const
const ENTRY_HEAD = entryColumns.join(',')

/** Writes the symbols of one list as CSV for editing. */
export const writeListEntries = (entries: readonly ListEntry[]): string =>
  [entryColumns, ...entries.map(({ exchange, symbol, group }) => [exchange, symbol, group] as const)]
    .map((cells) => csvLine(cells, 'exact'))
    .join('')

/** Returns the lower-case column names in the header of a CSV. */
export const csvHead = (text: string): string[] =>
  csvRows(text.slice(0, LONGEST_HEAD))
    .at(0)
    ?.cells.map((name) => name.trim().toLowerCase()) ?? []

/** Maximum length of the header of a CSV of lists, in characters. */
const LONGEST_HEAD = 10_000

/** Parses the edited text of one list; the header is optional. */
export function readListEntries(text: string): { entries: ListEntry[] } | { problems: string[] } {
  const head = csvHead(text)
  const hasHead = head.includes('exchange') && head.includes('symbol')
  const parsed = namedCsvRows(
    hasHead ? text : [ENTRY_HEAD, ...text.split(/\r\n|\n|\r/).map(entryLine)].join('\n'),
    { needed: ['exchange', 'symbol'], optional: ['group', 'list'] },
    (row) => readLine({ ...row, cell: (name) => (name === 'list' ? '-' : row.cell(name)) }),
  )
  if ('problems' in parsed) {
    const shift = hasHead ? 0 : 1
    return {
      problems: parsed.problems.map((each) =>
        each
          .replace(/^line (\d+)/, (_, line) => `line ${Number(line) - shift}`)
          .replace(
            hasHead ? /^$/ : /, but the header has 3$/,
            ', but a symbol needs exchange,symbol and, optionally, a group',
          ),
      ),
    }
  }
  const entries = parsed.values.map(({ exchange, symbol, group }) => ({ exchange, symbol, group }))
  return { entries: [...new Map(entries.map((each) => [JSON.stringify([each.exchange, each.symbol]), each])).values()] }
}

/**
 * Normalises a line of a text without a header: cells are separated by tabs (pasted from a spreadsheet), semicolons,
 * vertical bars or commas, and the group may be missing. Comments and `sep=` lines are dropped.
 */
function entryLine(line: string): string {
  if (/^#|^"?sep=."?\s*$/i.test(line)) return ''
  const plain = line.includes(',') || line.includes('"') ? line : line.replace(/[;\t|]/g, ',')
  return plain.split(',').length === 2 ? `${plain},` : plain
}

function readLine({ cell }: NamedCsvRow<(typeof listColumns)[number]>): ListedSymbol | { problem: string } {
  const emptyColumn = needed.find((name) => cell(name) === '')
  if (emptyColumn !== undefined) return { problem: `the column ${emptyColumn} is empty` }
  const longColumn = listColumns.find((name) => cell(name).length > LONGEST_NAME)
  if (longColumn !== undefined) return { problem: `the column ${longColumn} has more than ${LONGEST_NAME} characters` }
  return { list: cell('list'), exchange: cell('exchange'), symbol: cell('symbol'), group: cell('group') || null }
}

/** Writes lists as CSV for `readSymbolLists`; cells are not altered, so that every name survives a round trip. */
export const writeSymbolLists = (symbols: readonly ListedSymbol[]): string =>
  [listColumns, ...symbols.map(({ list, exchange, symbol, group }) => [list, exchange, symbol, group] as const)]
    .map((cells) => csvLine(cells, 'exact'))
    .join('')

/** Venue and symbol of an entry of a list. */
export interface ListedPair {
  exchange: string
  symbol: string
}

type RenamedInstrument = Pick<Instrument, 'exchange' | 'symbol' | 'renamed_from'>

/**
 * Adds after each pair the later names of its instrument, if the user described the renames, because events after a
 * rename are stored under the new name. Duplicate pairs are dropped.
 */
export function followRenames(pairs: readonly ListedPair[], instruments: readonly RenamedInstrument[]): ListedPair[] {
  const keyOf = ({ exchange, symbol }: ListedPair) => JSON.stringify([exchange, symbol])
  const laterPairs = new Map<string, ListedPair[]>()
  for (const { exchange, symbol, renamed_from: before } of instruments) {
    if (before === null) continue
    const key = keyOf({ exchange, symbol: before })
    laterPairs.set(key, [...(laterPairs.get(key) ?? []), { exchange, symbol }])
  }
  const found = new Map<string, ListedPair>()
  const add = (pair: ListedPair) => {
    const key = keyOf(pair)
    if (found.has(key)) return
    found.set(key, { exchange: pair.exchange, symbol: pair.symbol })
    laterPairs.get(key)?.forEach(add)
  }
  pairs.forEach(add)
  return [...found.values()]
}

/** A name in an edited list that does not stand for exactly one symbol, with its line, counted from 0. */
interface OpenName {
  line: number
  name: string
  resolved: Exclude<ResolvedSymbol, { kind: 'found' }>
}

/** A text of a list in which names such as `BTC` were replaced by lines with venue and symbol. */
interface ResolvedLines {
  text: string
  /** Number of replaced names. */
  found: number
  open: OpenName[]
}

/**
 * Replaces the names of symbols in an edited or pasted text by lines with venue and symbol: one or several on a line,
 * separated as people write them. Lines with a venue, comments and texts with a header stay as they are.
 */
export function resolveLines(
  text: string,
  resolve: (name: string) => ResolvedSymbol,
  isVenue: (text: string) => boolean,
): ResolvedLines {
  const head = csvHead(text)
  if (head.includes('symbol') || head.includes('list')) return { text, found: 0, open: [] }
  const lines: string[] = []
  const open: OpenName[] = []
  let found = 0
  for (const line of text.split(/\r\n|\n|\r/)) {
    const names = namesInLine(line, isVenue)
    if (!names) lines.push(line)
    for (const name of names ?? []) {
      const resolved = resolve(name)
      if (resolved.kind === 'found') {
        lines.push(csvLine([resolved.found.exchange, resolved.found.symbol, null], 'exact').trimEnd())
        found += 1
      } else {
        open.push({ line: lines.length, name, resolved })
        lines.push(name)
      }
    }
  }
  return { text: lines.join('\n'), found, open }
}

/** Blanks between names, but not those before `perp` or around `@`, which belong to a name. */
const betweenNames = /(?<!@)\s+(?!@|(?:perp|perps|perpetual|perpetuals|swap|swaps)(?:[\s@]|$))/i

/** Lists the names on a line; null if it is empty, a comment, or has a venue and a symbol in its cells. */
function namesInLine(line: string, isVenue: (text: string) => boolean): string[] | null {
  if (line.trim() === '' || /^\s*[#"]/.test(line)) return null
  const cells = line.split(/[,;\t|]/).map((cell) => cell.trim())
  const isEntry = cells.length > 1 && (isVenue(cells[0]) || parseSymbol(cells[1]) !== null)
  return isEntry ? null : cells.flatMap((cell) => cell.split(betweenNames)).filter(Boolean)
}

/** Returns the full symbol for `BTC-USDT:USDT` or `perpetual-BTC-USDT:USDT`; null for anything else. */
export function fullSymbol(name: string): string | null {
  for (const candidate of [name, `perpetual-${name}`]) if (parseSymbol(candidate)) return candidate
  return null
}

/** Text with a selection. */
interface SelectedText {
  text: string
  start: number
  end: number
}

/** Moves the selected lines up or down by one; null at the edge. */
export function moveLines({ text, start, end }: SelectedText, by: -1 | 1): SelectedText | null {
  const lines = text.split('\n')
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length - 1
  const firstLine = lineAt(start)
  const lastLine = lineAt(Math.max(start, end - (end > start && text[end - 1] === '\n' ? 1 : 0)))
  const target = by < 0 ? firstLine - 1 : lastLine + 1
  if (target < 0 || target >= lines.length) return null
  const [moved] = lines.splice(target, 1)
  lines.splice(by < 0 ? lastLine : firstLine, 0, moved)
  const shift = by * (moved.length + 1)
  return { text: lines.join('\n'), start: start + shift, end: end + shift }
}
