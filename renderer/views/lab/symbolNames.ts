import { shortSymbol } from '#shared/catalog/symbols.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'

const splitName = (name: string): [venue: string, symbol: string] => {
  const slash = name.indexOf('/')
  return slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)]
}

/** Returns venue and symbol of the names that have both, as symbols of the cache do. */
export const pairsOf = (names: readonly string[]): ListedPair[] =>
  names.flatMap((name) => {
    const [exchange, symbol] = splitName(name)
    return exchange === '' ? [] : { exchange, symbol }
  })

/**
 * Shortens the names of a study's symbols for the heads of a figure: drops the prefix of perpetuals, and the venue where all
 * symbols are of one. Tables and exports keep the full names.
 */
export function shortNames(names: readonly string[]): (name: string) => string {
  const isOneVenue = new Set(names.map((name) => splitName(name)[0])).size <= 1
  const shorten = (name: string) => {
    const [venue, symbol] = splitName(name)
    return isOneVenue || venue === '' ? shortSymbol(symbol) : `${venue}/${shortSymbol(symbol)}`
  }
  // Two names that would read alike stay as they are.
  return new Set(names.map(shorten)).size === new Set(names).size ? shorten : (name) => name
}

const CHARACTER_PX = 7
const CELL_PX = 24
const [LEAST_PX, MOST_PX] = [90, 330]

/** Finds the width of a column of symbols in which the longest name fits. */
export function symbolWidthPx(names: readonly string[]): number {
  const longest = names.reduce((most, { length }) => Math.max(most, length), 0)
  return Math.min(MOST_PX, Math.max(LEAST_PX, longest * CHARACTER_PX + CELL_PX))
}
