import { parseSymbol } from '#shared/catalog/symbols.ts'
import { instrumentMacro } from './sqlMacros.ts'
import type { InstrumentCall } from './sqlTask.ts'

/** A symbol of a venue that is known here. */
export interface KnownSymbol {
  exchange: string
  symbol: string
}

/** Tells whether a query may call `instrument`, which needs the known symbols. */
export const mayCallInstrument = (sql: string): boolean => /instrument/i.test(sql)

/** Writes the statement with which `instrument` looks symbols up among those that are known here. */
export const instrumentStatement = (symbols: readonly KnownSymbol[]): string =>
  instrumentMacro(
    symbols.flatMap(({ exchange, symbol }) => {
      const pair = pairOf(symbol)
      return pair === null ? [] : [[exchange, pair, symbol] as const]
    }),
  )

/** Returns base and quote of a symbol, such as `BTC-USDT`; null if it is not a symbol. */
function pairOf(symbol: string): string | null {
  const parts = parseSymbol(symbol)
  return parts && `${parts.base}-${parts.quote}`
}

/** Warns of the calls of `instrument` that find no symbol or several, and names these. */
export function instrumentWarnings(calls: readonly InstrumentCall[], symbols: readonly KnownSymbol[]): string[] {
  const warnings = calls.flatMap(({ exchange, symbol }) => {
    if (symbol.startsWith('perpetual-') || symbol.includes(':')) return []
    const venues = exchange === null ? [...new Set(symbols.map((each) => each.exchange))] : [exchange]
    return venues.flatMap((venue) => {
      const ofVenue = symbols.filter((each) => each.exchange === venue)
      const found = ofVenue.filter((each) => pairOf(each.symbol) === symbol).map((each) => each.symbol)
      if (found.length === 1 || (found.length === 0 && exchange === null)) return []
      const call = `instrument('${venue}', '${symbol}') is NULL`
      if (found.length > 1)
        return [`${call}: ${venue} has several such symbols: ${found.join(', ')}. Name one of them.`]
      return ofVenue.length === 0
        ? [`${call}: no symbols of ${venue} are known here.`]
        : [`${call}: ${venue} has no symbol with this base and quote${similarText(ofVenue, symbol)}.`]
    })
  })
  return [...new Set(warnings)]
}

const MOST_SIMILAR = 5

/** Names the symbols of a venue with the same base. */
function similarText(symbols: readonly KnownSymbol[], pair: string): string {
  const base = pair.slice(0, Math.max(0, pair.lastIndexOf('-')))
  const similar = symbols.filter((each) => parseSymbol(each.symbol)?.base === base).map((each) => each.symbol)
  return similar.length === 0 ? '' : `; it has ${similar.slice(0, MOST_SIMILAR).join(', ')}`
}
