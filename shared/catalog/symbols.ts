export interface SymbolParts {
  base: string
  quote: string
  settle: string
}

const prefix = 'perpetual-'
const longestSymbol = 120

// Separators of paths, of the symbol itself and anything invisible have no place in an asset's name.
const assetShape = /^[^\s\p{C}/\\:]+$/u

/**
 * Parses a symbol of the form `perpetual-<BASE>-<QUOTE>:<SETTLE>`; null if it has another form. The base may hold any
 * letters and further hyphens.
 */
export function parseSymbol(text: string): SymbolParts | null {
  if (!text.startsWith(prefix) || text.length > longestSymbol || !text.isWellFormed()) return null
  const pair = text.slice(prefix.length)
  const colon = pair.lastIndexOf(':')
  const hyphen = pair.lastIndexOf('-', colon)
  if (colon < 0 || hyphen < 0) return null
  const parts = { base: pair.slice(0, hyphen), quote: pair.slice(hyphen + 1, colon), settle: pair.slice(colon + 1) }
  return Object.values(parts).every((asset) => assetShape.test(asset)) ? parts : null
}

export const formatSymbol = ({ base, quote, settle }: SymbolParts) => `${prefix}${base}-${quote}:${settle}`

/**
 * Drops the `perpetual-` that all symbols share, where the context is clear: in tables, the palette and legends, never
 * in copies, exports and tooltips.
 */
export const shortSymbol = (symbol: string) => (symbol.startsWith(prefix) ? symbol.slice(prefix.length) : symbol)

/** Encodes a symbol as a folder name, which is never a path because a valid symbol has no separators. */
export const encodeSymbol = (symbol: string) => encodeURIComponent(symbol)

/** The symbol a folder name stands for, or null where it is none. */
export function decodeSymbol(segment: string): string | null {
  try {
    const symbol = decodeURIComponent(segment)
    return parseSymbol(symbol) && encodeSymbol(symbol) === segment ? symbol : null
  } catch {
    return null
  }
}
