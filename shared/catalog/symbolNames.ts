import { normaliseForSearch } from './normaliseForSearch.ts'
import { parseSymbol } from './symbols.ts'

/** Quote currencies in the order of preference for a bare ticker, the most traded first. */
const quotesInOrder = ['USDT', 'USDC', 'USD']

/**
 * Picks from a list the symbol whose base is the ticker, preferring common quote currencies; null if there is none.
 */
export function symbolOfTicker(symbols: readonly string[], ticker: string): string | null {
  const wantedBase = normaliseForSearch(ticker)
  const preference = (symbol: string) => {
    const at = quotesInOrder.indexOf(parseSymbol(symbol)?.quote ?? '')
    return at < 0 ? quotesInOrder.length : at
  }
  const found = symbols.filter((symbol) => normaliseForSearch(parseSymbol(symbol)?.base ?? '') === wantedBase)
  return found.toSorted((a, b) => preference(a) - preference(b)).at(0) ?? null
}

/** Finds the symbols that a text such as `BTC, eth/usdc` names, and the parts of the text that match none. */
export function symbolsNamed(text: string, symbols: readonly string[]): { symbols: string[]; others: string[] } {
  const names = [...new Set(text.split(/[\s,;|"']+/).filter(Boolean))]
  const symbolBySpelling = new Map(
    symbols.flatMap((symbol) => spellingsOf(symbol).map((spelling) => [spelling, symbol] as const)),
  )
  const found = names.map((name) => symbolBySpelling.get(normaliseForSearch(name)) ?? symbolOfTicker(symbols, name))
  return {
    symbols: [...new Set(found.filter((symbol) => symbol !== null))],
    others: names.filter((_, at) => found[at] === null),
  }
}

/** Lists the spellings that identify a symbol. */
function spellingsOf(symbol: string): string[] {
  const parts = parseSymbol(symbol)
  if (!parts) return [normaliseForSearch(symbol)]
  const { base, quote, settle } = parts
  const pairs = settle === quote ? [`${base}-${quote}`, `${base}/${quote}`] : []
  return [symbol, `${base}-${quote}:${settle}`, `${base}/${quote}:${settle}`, ...pairs].map(normaliseForSearch)
}
