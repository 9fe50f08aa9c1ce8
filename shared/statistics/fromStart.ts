/**
 * Computes the factor that turns the distance from a start into per cent; null for a start of 0. The start's magnitude
 * counts, because a rise from −10 to −5 is 50 %.
 */
export const percentPerDistance = (start: number): number | null => quotientOrNull(100, Math.abs(start))

/** Computes the factor that scales a start to 100; null for a start at or below 0, which has no index. */
export const indexPerValue = (start: number): number | null => (start > 0 ? quotientOrNull(100, start) : null)

function quotientOrNull(numerator: number, denominator: number): number | null {
  const value = numerator / denominator
  return Number.isFinite(value) ? value : null
}
