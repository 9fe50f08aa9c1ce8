import { finiteQuotient } from './finiteQuotient.ts'

/**
 * Joint moments of pairs: the means of x and y, the sums of the squared distances from them, and the sum of the
 * products of the two distances of a pair. A mean is kept as one of the values, the origin, and the distance of the mean
 * from it, so that values near 1e12 keep the digits by which they differ.
 */
export interface PairMoments {
  count: number
  originX: number
  originY: number
  shiftX: number
  shiftY: number
  squaresX: number
  squaresY: number
  products: number
}

/** Returns the moments of no pairs; their origins are NaN until the first pair. */
export const noPairs = (): PairMoments => ({
  count: 0,
  originX: NaN,
  originY: NaN,
  shiftX: 0,
  shiftY: 0,
  squaresX: 0,
  squaresY: 0,
  products: 0,
})

export const meanOfX = ({ originX, shiftX }: PairMoments): number => originX + shiftX
export const meanOfY = ({ originY, shiftY }: PairMoments): number => originY + shiftY

export function addPair(to: PairMoments, x: number, y: number): void {
  if (to.count++ === 0) {
    to.originX = x
    to.originY = y
  }
  const fromOriginX = x - to.originX
  const fromOriginY = y - to.originY
  const distanceX = fromOriginX - to.shiftX
  const distanceY = fromOriginY - to.shiftY
  to.shiftX += distanceX / to.count
  to.shiftY += distanceY / to.count
  to.squaresX += distanceX * (fromOriginX - to.shiftX)
  to.squaresY += distanceY * (fromOriginY - to.shiftY)
  to.products += distanceX * (fromOriginY - to.shiftY)
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
