/**
 * Encodes a symbol for a storage path: `perpetual-` is dropped, ASCII letters and digits stay, and every other
 * character becomes its code point between underscores. The scheme is deliberately peculiar to this storage, as every
 * real service has its own; clients must use links as they are.
 */
export function symbolSegment(symbol: string): string {
  return symbol
    .replace(/^perpetual-/, '')
    .replace(/[^A-Za-z0-9]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`)
}
