import { normaliseForSearch } from '#shared/catalog/normaliseForSearch.ts'
import { matchesSymbol, matchesVenue, symbolSearch } from '#shared/catalog/resolveSymbol.ts'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { symbolLabel } from '#shared/workspace/columnLabels.ts'

/** A candidate for a comparison: a symbol on a venue, with its last value and change if it is cached. */
interface ComparedItem {
  exchange: string
  symbol: string
  isCached: boolean
  last: number | null
  change: number | null
}

/** Kinds whose changes are compared relative to the first value, because their levels differ between symbols. */
const relativeKinds: readonly string[] = ['price', 'notional', 'volume', 'count']
export const isRelative = (kind: string): boolean => relativeKinds.includes(kind)

export const compareOrders = ['name', 'last', 'change'] as const
export type CompareOrder = (typeof compareOrders)[number]

export const itemId = ({ exchange, symbol }: Pick<ComparedItem, 'exchange' | 'symbol'>) => `${exchange} ${symbol}`

/**
 * Lists the symbols of a venue with their figures from a scan; `cachedSymbols` contains the symbols with cached files.
 */
export function itemsOfVenue(
  exchange: string,
  listed: readonly string[],
  cachedSymbols: ReadonlySet<string>,
  scanned: Frame | null,
  asFraction: boolean,
): ComparedItem[] {
  const symbolColumn = scanned && columnOf(scanned, 'symbol')
  const rowBySymbol = new Map<string, number>()
  if (scanned && symbolColumn?.kind === 'text')
    for (let row = 0; row < scanned.rows; row += 1)
      rowBySymbol.set(symbolColumn.dictionary[symbolColumn.values[row]], row)
  const figureOf = (name: string, symbol: string) => {
    const column = scanned && columnOf(scanned, name)
    const row = rowBySymbol.get(symbol)
    const cell = column && row !== undefined ? cellOf(column, row) : null
    return typeof cell === 'number' && Number.isFinite(cell) ? cell : null
  }
  const changeOf = (symbol: string) => {
    const [change, first] = [figureOf('change', symbol), figureOf('first', symbol)]
    if (!asFraction || change === null) return change
    return first === null || first === 0 ? null : change / Math.abs(first)
  }
  return [...new Set([...cachedSymbols, ...listed])].map((symbol) => ({
    exchange,
    symbol,
    isCached: cachedSymbols.has(symbol),
    last: figureOf('value', symbol),
    change: changeOf(symbol),
  }))
}

/**
 * Filters items by text and sorts them: exact matches first, then cached items, then by a figure, largest first, or by
 * turnover and name, so that the majors lead.
 */
export function matchingItems(
  items: readonly ComparedItem[],
  text: string,
  order: CompareOrder,
  turnover: (symbol: string) => number = () => 0,
): ComparedItem[] {
  const search = symbolSearch(text)
  const found = items.filter(
    ({ exchange, symbol }) => matchesVenue(search, exchange) && matchesSymbol(search, symbol, symbolLabel(symbol)),
  )
  const isExact = ({ symbol }: ComparedItem) => normaliseForSearch(symbolLabel(symbol)) === search.name
  const rank = (item: ComparedItem) => (search.name && isExact(item) ? 2 : 0) + (item.isCached ? 1 : 0)
  const byName = (a: ComparedItem, b: ComparedItem) =>
    compare(symbolLabel(a.symbol), symbolLabel(b.symbol)) || compare(a.exchange, b.exchange)
  const byFigure = (a: ComparedItem, b: ComparedItem) => {
    if (order === 'name') return turnover(b.symbol) - turnover(a.symbol)
    const [left, right] = [a[order] ?? -Infinity, b[order] ?? -Infinity]
    return left === right ? 0 : right - left
  }
  return found.toSorted((a, b) => rank(b) - rank(a) || byFigure(a, b) || byName(a, b))
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the name of an item, with its venue only if several are compared. */
export const itemTitle = ({ symbol, exchange }: ComparedItem, hasSeveralVenues: boolean): string =>
  hasSeveralVenues ? `${symbolLabel(symbol)} · ${exchange}` : symbolLabel(symbol)
