/**
 * Returns the quotient; null if it is undefined or infinite. An infinite denominator gives null and not 0, because it
 * has overflowed, so the quotient is unknown.
 */
export function finiteQuotient(numerator: number, denominator: number): number | null {
  const quotient = numerator / denominator
  return Number.isFinite(quotient) && Number.isFinite(denominator) ? quotient : null
}
