/**
 * Encodes a symbol for a storage path: letters and digits stay, and every other character becomes its code point
 * between underscores. A rule of the storage's own, as services have one: a client takes the link as it comes.
 */
export function symbolSegment(symbol: string): string {
  return symbol.replace(/^perpetual-/, '').replace(/[^A-Za-z0-9]/gu, (sign) => `_${sign.codePointAt(0)?.toString(16)}_`)
}
