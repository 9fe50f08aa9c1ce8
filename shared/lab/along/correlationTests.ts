import { NORMAL_UPPER_QUANTILE, studentTwoSided } from '#shared/statistics/distributions.ts'

/** The 0.8 quantile of the normal distribution: a test has this power where the estimate is so many errors away. */
export const POWER_QUANTILE = 0.8416212335729143

/**
 * Tests a correlation against 0 by Student’s t.
 * @param n number of pairs, or the effective one; it need not be an integer
 */
export function testCorrelation(r: number | null, n: number): { t: number | null; p: number | null } {
  if (r === null || n < 3) return { t: null, p: null }
  if (Math.abs(r) === 1) return { t: null, p: 0 }
  const t = r * Math.sqrt((n - 2) / (1 - r * r))
  return { t, p: studentTwoSided(t, n - 2) }
}

/** Computes the 95 % interval of a correlation by Fisher’s transformation. */
export function correlationInterval(r: number | null, n: number): { low: number | null; high: number | null } {
  if (r === null || n < 4 || Math.abs(r) === 1) return { low: null, high: null }
  const halfWidth = NORMAL_UPPER_QUANTILE / Math.sqrt(n - 3)
  return { low: Math.tanh(Math.atanh(r) - halfWidth), high: Math.tanh(Math.atanh(r) + halfWidth) }
}

/** Computes the smallest correlation that a test at 5 % finds with a power of 80 %. */
export const detectableCorrelation = (n: number): number | null =>
  n < 4 ? null : Math.tanh((NORMAL_UPPER_QUANTILE + POWER_QUANTILE) / Math.sqrt(n - 3))
