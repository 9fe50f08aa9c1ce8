import { editDistance } from './editDistance.ts'
import { normaliseForSearch } from './normaliseForSearch.ts'
import { parseSymbol, shortSymbol } from './symbols.ts'

/** A symbol on its venue. */
export interface VenueSymbol {
  exchange: string
  symbol: string
}

/** A venue with the symbols that are known on it. */
export interface VenueSymbols {
  exchange: string
  symbols: readonly string[]
}

/** Symbol that a text such as `BTC`, `btc perp`, `eth/usdc` or `BTC@venueb` names. */
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
/** Keeps the letters and digits of a name, so that `BTC/USDT`, `BTC-USDT` and `btcusdt` are the same. */
const lettersOf = (name: string): string => name.replace(/[\s/\\:_-]+/g, '')

/**
 * Finds the symbol that a text names among those of one venue, or of all if `exchange` is null; a venue after `@`, which
 * may be shortened, wins over both.
 */
export function resolveSymbol(text: string, venues: readonly VenueSymbols[], exchange: string | null): ResolvedSymbol {
  const [name, venueName] = splitVenue(text)
  const isWanted = (venue: VenueSymbols) =>
    venueName === null ? exchange === null || venue.exchange === exchange : isVenueNamed(venue.exchange, venueName)
  const wanted = venues.filter(isWanted)
  const exactVenue = wanted.filter((venue) => normaliseForSearch(venue.exchange) === venueName)
  const known = (exactVenue.length > 0 ? exactVenue : wanted).flatMap((venue) =>
    venue.symbols.map((symbol) => ({ exchange: venue.exchange, symbol })),
  )
  for (const matches of [isSpelledSo, hasTicker]) {
    const found = known.filter(({ symbol }) => matches(symbol, name))
    if (found.length === 1) return { kind: 'found', found: found[0] }
    if (found.length > 1) return { kind: 'ambiguous', choices: found.toSorted(byQuote) }
  }
  return { kind: 'unknown', nearest: nearestTo(name, known) }
}

/** Splits `btc perp@venueb` into `btc` and `venueb`, both in lower case; the venue is null if there is none. */
function splitVenue(text: string): [name: string, venue: string | null] {
  const folded = normaliseForSearch(text).trim()
  const at = folded.lastIndexOf('@')
  const name = (at < 0 ? folded : folded.slice(0, at)).trim()
  return [name.replace(contractTypePattern, '').trim(), at < 0 ? null : folded.slice(at + 1).trim()]
}

/** Tells whether a text is the beginning of a venue's name, such as `venueb` of `venueb-perps`. */
const isVenueNamed = (exchange: string, name: string): boolean =>
  name !== '' && normaliseForSearch(exchange).startsWith(name)

function isSpelledSo(symbol: string, name: string): boolean {
  const folded = normaliseForSearch(symbol)
  if (folded === name || normaliseForSearch(shortSymbol(symbol)) === name) return true
  const parts = parseSymbol(symbol)
  if (!parts) return false
  const letters = lettersOf(name)
  const { base, quote, settle } = parts
  const isWhole = lettersOf(normaliseForSearch(base + quote + settle)) === letters
  return isWhole || (settle === quote && lettersOf(normaliseForSearch(base + quote)) === letters)
}

const hasTicker = (symbol: string, name: string): boolean =>
  normaliseForSearch(parseSymbol(symbol)?.base ?? '') === name

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
    const base = normaliseForSearch(parseSymbol(each.symbol)?.base ?? each.symbol)
    const distance = base.startsWith(name) ? 0 : editDistance(name, base)
    return distance <= mostEdits && distance < name.length ? [{ each, distance, base }] : []
  })
  return ranked
    .toSorted((a, b) => a.distance - b.distance || a.base.length - b.base.length || byQuote(a.each, b.each))
    .slice(0, MOST_NEAREST)
    .map(({ each }) => each)
}
