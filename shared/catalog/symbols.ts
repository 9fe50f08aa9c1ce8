interface SymbolParts {
  base: string
  quote: string
  settle: string
}

const prefix = 'perpetual-'
const MOST_CHARACTERS = 120

// An asset's name contains no blanks, path separators, colons or invisible characters.
const assetPattern = /^[^\s\p{C}/\\:]+$/u

/**
 * Parses a symbol of the form `perpetual-<BASE>-<QUOTE>:<SETTLE>`; null for any other text. The base may contain
 * letters of any script and further hyphens.
 */
export function parseSymbol(text: string): SymbolParts | null {
  if (!text.startsWith(prefix) || text.length > MOST_CHARACTERS || !text.isWellFormed()) return null
  const pair = text.slice(prefix.length)
  const colon = pair.lastIndexOf(':')
  const hyphen = pair.lastIndexOf('-', colon)
  if (colon < 0 || hyphen < 0) return null
  const parts = { base: pair.slice(0, hyphen), quote: pair.slice(hyphen + 1, colon), settle: pair.slice(colon + 1) }
  // A hyphen after the settlement asset begins the expiry of a dated future.
  if (parts.settle.includes('-')) return null
  return Object.values(parts).every((asset) => assetPattern.test(asset)) ? parts : null
}

/**
 * Tells whether a text can be a symbol of any kind, also of a future (`future-BTC-USDT:USDT-20261225`) or a spot pair
 * (`ETH-USDT`), whose parts are not known; which symbols exist is up to the service.
 */
export const isSymbol = (text: string): boolean =>
  text.length <= MOST_CHARACTERS && text.isWellFormed() && /^[^\s\p{C}/\\]+-[^\s\p{C}/\\]+$/u.test(text)

export const formatSymbol = ({ base, quote, settle }: SymbolParts) => `${prefix}${base}-${quote}:${settle}`

/**
 * Drops the prefix `perpetual-` that all symbols share, for tables, the palette and legends; copies, exports and
 * tooltips keep it.
 */
export const shortSymbol = (symbol: string) => (symbol.startsWith(prefix) ? symbol.slice(prefix.length) : symbol)

/** Encodes a symbol as the name of a single folder; path separators are escaped. */
export const encodeSymbol = (symbol: string) => encodeURIComponent(symbol)

/** Returns the symbol that a folder name encodes; null if it encodes none. */
export function decodeSymbol(segment: string): string | null {
  try {
    const symbol = decodeURIComponent(segment)
    return isSymbol(symbol) && encodeSymbol(symbol) === segment ? symbol : null
  } catch {
    return null
  }
}
