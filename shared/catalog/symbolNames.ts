import { searchForm } from './searchForm.ts'
import { parseSymbol } from './symbols.ts'

/** Quotes in the order in which a bare ticker takes them, the most traded first. */
const quotesInOrder = ['USDT', 'USDC', 'USD']

/** Picks the symbol of a list with this base; one whose quote is none of the usual ones comes last. */
export function symbolOfTicker(symbols: readonly string[], ticker: string): string | null {
  const wanted = searchForm(ticker)
  const place = (symbol: string) => {
    const at = quotesInOrder.indexOf(parseSymbol(symbol)?.quote ?? '')
    return at < 0 ? quotesInOrder.length : at
  }
  const found = symbols.filter((symbol) => searchForm(parseSymbol(symbol)?.base ?? '') === wanted)
  return found.toSorted((a, b) => place(a) - place(b)).at(0) ?? null
}

/** Finds the symbols of a list that a text such as `BTC, eth/usdc` names, and the parts that name none. */
export function symbolsNamed(text: string, symbols: readonly string[]): { symbols: string[]; others: string[] } {
  const names = [...new Set(text.split(/[\s,;|"']+/).filter(Boolean))]
  const byName = new Map(symbols.flatMap((symbol) => writtenAs(symbol).map((form) => [form, symbol] as const)))
  const found = names.map((name) => byName.get(searchForm(name)) ?? symbolOfTicker(symbols, name))
  return {
    symbols: [...new Set(found.filter((symbol) => symbol !== null))],
    others: names.filter((_, at) => found[at] === null),
  }
}

/** Lists the ways to write a symbol that tell it from all others. */
function writtenAs(symbol: string): string[] {
  const parts = parseSymbol(symbol)
  if (!parts) return [searchForm(symbol)]
  const { base, quote, settle } = parts
  const pairs = settle === quote ? [`${base}-${quote}`, `${base}/${quote}`] : []
  return [symbol, `${base}-${quote}:${settle}`, `${base}/${quote}:${settle}`, ...pairs].map(searchForm)
}
