/**
 * Computes the factor that turns a distance from a start into per cent of it; null for a start of 0. The size of the start
 * counts, not its sign, because a rise from −10 to −5 is a rise of 50 %.
 */
export const percentPerDistance = (start: number): number | null => quotientOrNull(100, Math.abs(start))

/** Computes the factor that makes a start 100; null for a start at or below 0, which has no index. */
export const indexPerValue = (start: number): number | null => (start > 0 ? quotientOrNull(100, start) : null)

function quotientOrNull(numerator: number, denominator: number): number | null {
  const value = numerator / denominator
  return Number.isFinite(value) ? value : null
}
