import { shortSymbol } from '#shared/catalog/symbols.ts'

const splitName = (name: string): [venue: string, symbol: string] => {
  const slashAt = name.indexOf('/')
  return slashAt < 0 ? ['', name] : [name.slice(0, slashAt), name.slice(slashAt + 1)]
}

/** Returns venue and symbol of the names that have both, as symbols of the cache do. */
export const pairsOf = (names: readonly string[]): { exchange: string; symbol: string }[] =>
  names.flatMap((name) => {
    const [exchange, symbol] = splitName(name)
    return exchange === '' ? [] : { exchange, symbol }
  })

/**
 * Returns a function that shortens the symbol names of a study for titles, headers and axis labels: it drops the
 * `perpetual-` prefix, and the venue if all symbols have the same one. CSV exports keep the full names.
 */
export function nameShortener(names: readonly string[]): (name: string) => string {
  const hasOneVenue = new Set(names.map((name) => splitName(name)[0])).size <= 1
  const shorten = (name: string) => {
    const [venue, symbol] = splitName(name)
    return hasOneVenue || venue === '' ? shortSymbol(symbol) : `${venue}/${shortSymbol(symbol)}`
  }
  // Names stay unshortened if two of them would become equal.
  return new Set(names.map(shorten)).size === new Set(names).size ? shorten : (name) => name
}

const baseOf = (symbol: string): string => /^\w+-([^-]+)-[^-]+$/.exec(symbol)?.[1] ?? shortSymbol(symbol)

/**
 * Returns a function that names symbols where there is little room: by their base asset, with the venue where two have
 * the same one, or else as elsewhere.
 */
export function baseShortener(names: readonly string[]): (name: string) => string {
  const shorteners = [
    (name: string) => baseOf(splitName(name)[1]),
    (name: string) =>
      splitName(name)
        .filter(Boolean)
        .map((part, at, { length }) => (at === length - 1 ? baseOf(part) : part))
        .join('/'),
  ]
  const distinct = new Set(names).size
  return shorteners.find((shorten) => new Set(names.map(shorten)).size === distinct) ?? nameShortener(names)
}

/** Width of a character; most of a symbol are capitals. */
const CHARACTER_PX = 8
const CELL_PX = 24
const [LEAST_PX, MOST_PX] = [90, 330]

/** Returns the width of a symbol column in which the longest name fits, within limits. */
export function symbolWidthPx(names: readonly string[]): number {
  const longest = names.reduce((most, { length }) => Math.max(most, length), 0)
  return Math.min(MOST_PX, Math.max(LEAST_PX, longest * CHARACTER_PX + CELL_PX))
}
