import { editDistance } from './editDistance.ts'
import { normaliseForSearch } from './normaliseForSearch.ts'
import { parseSymbol, shortSymbol } from './symbols.ts'

/** A symbol on its venue. */
export interface VenueSymbol {
  exchange: string
  symbol: string
}

/** A venue with the symbols that are known on it. */
interface VenueSymbols {
  exchange: string
  symbols: readonly string[]
}

/** Symbol that a text such as `BTC`, `btc perp`, `eth/usdc` or `BTC@beta` names. */
export type ResolvedSymbol =
  | { kind: 'found'; found: VenueSymbol }
  /** The text names several symbols, of which the user has to choose one. */
  | { kind: 'ambiguous'; choices: VenueSymbol[] }
  /** The text names none; `nearest` are the most similar ones. */
  | { kind: 'unknown'; nearest: VenueSymbol[] }

/** Quote currencies in the order in which choices are offered, the most traded first. */
const quotesInOrder = ['USDT', 'USDC', 'USD']
const MOST_NEAREST = 3

/** Words that say that a symbol is a perpetual swap, which all of them are. */
const contractTypePattern = /[\s-](perp|perps|perpetual|perpetuals|swap|swaps)$/
export const isContractType = (word: string): boolean => contractTypePattern.test(` ${word.toLowerCase()}`)
/** Keeps the letters and digits of a name, so that `BTC/USDT`, `BTC-USDT` and `btcusdt` are the same. */
const lettersOf = (name: string): string => name.replace(/[\s/\\:_-]+/g, '')

/** Finds the symbol that a text names on a venue, or on all if that is null; a venue after `@` wins over both. */
type SymbolResolver = (text: string, exchange: string | null) => ResolvedSymbol

/** Creates a resolver of symbols; the spellings of all are computed once, because a pasted column has thousands. */
export function createSymbolResolver(venues: readonly VenueSymbols[]): SymbolResolver {
  const bySpelling = new Map<string, VenueSymbol[]>()
  const byTicker = new Map<string, VenueSymbol[]>()
  const add = (index: Map<string, VenueSymbol[]>, key: string, each: VenueSymbol) => {
    const found = index.get(key)
    if (found) found.push(each)
    else index.set(key, [each])
  }
  for (const { exchange, symbols } of venues) {
    for (const symbol of symbols) {
      for (const spelling of spellingsOf(symbol)) add(bySpelling, spelling, { exchange, symbol })
      add(byTicker, tickerOf(symbol), { exchange, symbol })
    }
  }

  return (text, exchange) => {
    const [name, venueName] = splitVenue(text)
    const wanted = venueName !== null ? venuesNamed(venueName, venues) : exchange !== null ? [exchange] : null
    const isWanted = (each: VenueSymbol) => wanted === null || wanted.includes(each.exchange)
    for (const found of [bySpelling.get(lettersOf(name)), byTicker.get(name)]) {
      const choices = (found ?? []).filter(isWanted)
      if (choices.length === 1) return { kind: 'found', found: choices[0] }
      if (choices.length > 1) return { kind: 'ambiguous', choices: choices.toSorted(byQuote) }
    }
    const known = venues.flatMap((venue) => venue.symbols.map((symbol) => ({ exchange: venue.exchange, symbol })))
    return { kind: 'unknown', nearest: nearestTo(name, known.filter(isWanted)) }
  }
}

export const resolveSymbol = (text: string, venues: readonly VenueSymbols[], exchange: string | null): ResolvedSymbol =>
  createSymbolResolver(venues)(text, exchange)

/** What a text that is typed to search symbols asks for. */
export interface SymbolSearch {
  /** Name without the word for perpetual swaps, in lower case. */
  name: string
  /** Letters and digits of the name, which a symbol without its separators contains. */
  letters: string
  /** Beginning of a venue's name, in lower case; null if the text names none. */
  venue: string | null
}

/** Reads a text that is typed to search symbols, with the spellings that the resolver knows. */
export function symbolSearch(text: string): SymbolSearch {
  const [name, venue] = splitVenue(text)
  return { name, letters: lettersOf(name), venue: venue || null }
}

export const matchesSymbol = ({ letters }: SymbolSearch, ...names: readonly string[]): boolean =>
  names.some((name) => lettersOf(normaliseForSearch(name)).includes(letters))

export const matchesVenue = ({ venue }: SymbolSearch, exchange: string): boolean =>
  venue === null || normaliseForSearch(exchange).startsWith(venue)

/** Splits `btc perp@beta` into `btc` and `beta`, both in lower case; the venue is null if there is none. */
function splitVenue(text: string): [name: string, venue: string | null] {
  const folded = normaliseForSearch(text).trim()
  const at = folded.lastIndexOf('@')
  const name = (at < 0 ? folded : folded.slice(0, at)).trim()
  return [name.replace(contractTypePattern, '').trim(), at < 0 ? null : folded.slice(at + 1).trim()]
}

/** Lists the venues with this name, or else those whose names begin with it, such as `beta-perps` for `beta`. */
function venuesNamed(name: string, venues: readonly VenueSymbols[]): string[] {
  if (name === '') return []
  const exchanges = venues.map(({ exchange }) => exchange)
  const exact = exchanges.filter((exchange) => normaliseForSearch(exchange) === name)
  return exact.length > 0 ? exact : exchanges.filter((exchange) => normaliseForSearch(exchange).startsWith(name))
}

const tickerOf = (symbol: string): string => normaliseForSearch(parseSymbol(symbol)?.base ?? symbol)

/** Lists the spellings of a symbol without separators: with and without `perpetual-`, and without a settlement that is its quote currency. */
function spellingsOf(symbol: string): Set<string> {
  const spellings = [symbol, shortSymbol(symbol)]
  const parts = parseSymbol(symbol)
  if (parts && parts.settle === parts.quote) spellings.push(parts.base + parts.quote)
  return new Set(spellings.map((each) => lettersOf(normaliseForSearch(each))))
}

function byQuote(one: VenueSymbol, other: VenueSymbol): number {
  const placeOf = ({ symbol }: VenueSymbol) => {
    const place = quotesInOrder.indexOf(parseSymbol(symbol)?.quote ?? '')
    return place < 0 ? quotesInOrder.length : place
  }
  return placeOf(one) - placeOf(other) || one.exchange.localeCompare(other.exchange)
}

/** Lists the symbols whose base is most similar to a name; those that begin with it come first. */
function nearestTo(name: string, known: readonly VenueSymbol[]): VenueSymbol[] {
  if (name === '') return []
  const mostEdits = Math.max(1, Math.floor(name.length / 3))
  const ranked = known.flatMap((each) => {
    const base = tickerOf(each.symbol)
    const distance = base.startsWith(name) ? 0 : editDistance(name, base)
    return distance <= mostEdits && distance < name.length ? [{ each, distance, base }] : []
  })
  return ranked
    .toSorted((a, b) => a.distance - b.distance || a.base.length - b.base.length || byQuote(a.each, b.each))
    .slice(0, MOST_NEAREST)
    .map(({ each }) => each)
}
