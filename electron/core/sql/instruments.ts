import { parseSymbol } from '#shared/catalog/symbols.ts'
import type { InstrumentCall } from './sqlTask.ts'

/** A symbol of a venue that is known here. */
interface KnownSymbol {
  exchange: string
  symbol: string
}

/** Tells whether a query may call `instrument`, which needs the known symbols. */
export const mayCallInstrument = (sql: string): boolean => /instrument/i.test(sql)

/**
 * Writes the statement that creates the function `instrument`. It finds a symbol of a venue, among those that are known
 * here, by its base and quote (`BTC-USDT`), and returns NULL if there is none or several; a complete symbol is returned
 * as it is.
 */
export function instrumentStatement(symbols: readonly KnownSymbol[]): string {
  const lines = symbols.flatMap(({ exchange, symbol }) => {
    const pair = pairOf(symbol)
    return pair === null ? [] : [`${exchange}\t${pair}\t${symbol}`]
  })
  // One text is parsed much faster than a list of as many rows. No name contains a tab or a line feed.
  const text = lines.join('\n').replaceAll("'", "''")
  return `CREATE OR REPLACE MACRO instrument(exchange, symbol) AS
     CASE WHEN starts_with(symbol, 'perpetual-') THEN symbol
       WHEN contains(symbol, ':') THEN 'perpetual-' || symbol
       ELSE (
         SELECT CASE WHEN count(*) = 1 THEN min(split_part(known.line, chr(9), 3)) END
         FROM (SELECT unnest(string_split('${text}', chr(10))) AS line) AS known
         WHERE split_part(known.line, chr(9), 1) = exchange AND split_part(known.line, chr(9), 2) = symbol) END`
}

/** Returns base and quote of a symbol, such as `BTC-USDT`; null if it is not a symbol. */
function pairOf(symbol: string): string | null {
  const parts = parseSymbol(symbol)
  return parts && `${parts.base}-${parts.quote}`
}

/** Writes a warning for each call of `instrument` that finds no symbol or several, and names these. */
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
