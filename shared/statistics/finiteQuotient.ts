/**
 * Divides; null where the quotient is not defined. A denominator beyond what a number can hold does not make a quotient of 0,
 * because both sides have lost their digits there.
 */
export function finiteQuotient(numerator: number, denominator: number): number | null {
  const quotient = numerator / denominator
  return Number.isFinite(quotient) && Number.isFinite(denominator) ? quotient : null
}
