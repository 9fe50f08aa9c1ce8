/** Power sums of the distances from the mean. */
export interface PowerSums {
  count: number
  mean: number
  m2: number
  m3: number
  m4: number
}

export interface Moments extends PowerSums {
  min: number
  max: number
}

/**
 * Computes moments in two passes relative to the first value, so that equal values have central moments of exactly 0,
 * and values far from 0 (prices of 1e5 that differ by 1e-1) keep their digits.
 */
export function momentsOf(values: Float64Array): Moments {
  const count = values.length
  const origin = values[0]
  let shiftedSum = 0
  let min = origin
  let max = origin
  for (let i = 1; i < count; i++) {
    const value = values[i]
    shiftedSum += value - origin
    if (value < min) min = value
    if (value > max) max = value
  }
  const shift = shiftedSum / count
  let residue = 0
  let m2 = 0
  let m3 = 0
  let m4 = 0
  for (let i = 0; i < count; i++) {
    const distance = values[i] - origin - shift
    const square = distance * distance
    residue += distance
    m2 += square
    m3 += square * distance
    m4 += square * square
  }
  m2 -= (residue * residue) / count
  return { count, mean: origin + shift, m2, m3, m4, min, max }
}

/** Sample variance; NaN for fewer than 2 values. */
export const variance = ({ count, m2 }: PowerSums) => (count < 2 ? NaN : m2 / (count - 1))

/** Computes the bias-corrected skewness G1; NaN for fewer than 3 values, equal values, or on overflow. */
export function skewness(moments: PowerSums): number {
  const { count: n, m2, m3 } = moments
  if (n < 3 || m2 === 0) return NaN
  const s = Math.sqrt(m2 / (n - 1))
  return Number.isFinite(s * s * s) ? (n / ((n - 1) * (n - 2))) * (m3 / (s * s * s)) : NaN
}

/** Computes the bias-corrected excess kurtosis G2; NaN for fewer than 4 values, equal values, or on overflow. */
export function excessKurtosis(moments: PowerSums): number {
  const { count: n, m2, m4 } = moments
  if (n < 4 || m2 === 0) return NaN
  const s2 = m2 / (n - 1)
  const scale = (n * (n + 1)) / ((n - 1) * (n - 2) * (n - 3))
  if (!Number.isFinite(s2 * s2)) return NaN
  return scale * (m4 / (s2 * s2)) - (3 * (n - 1) * (n - 1)) / ((n - 2) * (n - 3))
}

/** Sample standard deviation of the first `count` values; NaN for fewer than 2. */
export function deviation(values: Float64Array, count: number): number {
  if (count < 2) return NaN
  const origin = values[0]
  let shiftedSum = 0
  for (let i = 1; i < count; i++) shiftedSum += values[i] - origin
  const shift = shiftedSum / count
  let squares = 0
  for (let i = 0; i < count; i++) {
    const distance = values[i] - origin - shift
    squares += distance * distance
  }
  return Math.sqrt(squares / (count - 1))
}
