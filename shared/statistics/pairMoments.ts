import { finiteQuotient } from './finiteQuotient.ts'

/**
 * Joint moments of pairs: the means of x and y, the sums of the squared distances from them, and the sum of the
 * products of the two distances of a pair.
 */
export interface PairMoments {
  count: number
  meanX: number
  meanY: number
  squaresX: number
  squaresY: number
  products: number
}

export const noPairs = (): PairMoments => ({ count: 0, meanX: 0, meanY: 0, squaresX: 0, squaresY: 0, products: 0 })

export function addPair(to: PairMoments, x: number, y: number): void {
  to.count++
  const distanceX = x - to.meanX
  const distanceY = y - to.meanY
  to.meanX += distanceX / to.count
  to.meanY += distanceY / to.count
  to.squaresX += distanceX * (x - to.meanX)
  to.squaresY += distanceY * (y - to.meanY)
  to.products += distanceX * (y - to.meanY)
}

/** Computes the joint moments of rows where both values are present. */
export function pairMomentsOf(
  x: Float64Array,
  validX: Uint8Array | null,
  y: Float64Array,
  validY: Uint8Array | null,
): PairMoments {
  const moments = noPairs()
  for (let row = 0; row < x.length; row++) {
    if ((!validX || validX[row]) && (!validY || validY[row])) addPair(moments, x[row], y[row])
  }
  return moments
}

/** Computes Pearson correlation, clamped to ±1; null for fewer than 2 pairs, for constant x or y, or on overflow. */
export function correlationOf({ count, squaresX, squaresY, products }: PairMoments): number | null {
  // The square roots are multiplied, because the product of two tiny sums of squares may underflow to 0.
  const scale = Math.sqrt(squaresX) * Math.sqrt(squaresY)
  if (count < 2 || scale === 0) return null
  const value = finiteQuotient(products, scale)
  return value === null ? null : Math.max(-1, Math.min(1, value))
}

/** Computes the slope of y on x; null for fewer than 2 pairs, for constant x, or on overflow. */
export function betaOf({ count, squaresX, products }: PairMoments): number | null {
  return count < 2 ? null : finiteQuotient(products, squaresX)
}
