import { normaliseForSearch } from './normaliseForSearch.ts'
import { isContractType, matchesVenue, symbolSearch } from './resolveSymbol.ts'
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

/** Finds the symbols of a venue that a text such as `BTC perp, eth/usdc@beta` names, and its parts that match none. */
export function symbolsNamed(
  text: string,
  symbols: readonly string[],
  exchange: string,
): { symbols: string[]; others: string[] } {
  const words = text.split(/[\s,;|"']+/).filter(Boolean)
  // `btc perp` are two words, unless PERP is a symbol itself.
  const names = [...new Set(words.filter((word) => !isContractType(word) || symbolOfTicker(symbols, word) !== null))]
  const symbolBySpelling = new Map(
    symbols.flatMap((symbol) => spellingsOf(symbol).map((spelling) => [spelling, symbol] as const)),
  )
  const found = names.map((typed) => {
    const search = symbolSearch(typed)
    if (!matchesVenue(search, exchange)) return null
    return symbolBySpelling.get(search.name) ?? symbolOfTicker(symbols, search.name)
  })
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
