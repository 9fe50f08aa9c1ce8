import { finiteQuotient } from './finiteQuotient.ts'

/** Joint moments of pairs: sums of squared distances from the means and of their products. Grows by pairs and by merging. */
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

/** Pairs of rows where both are present. */
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

/** Pearson correlation, kept within ±1; null with fewer than 2 pairs or where either side is constant. */
export function correlationOf({ count, squaresX, squaresY, products }: PairMoments): number | null {
  // The roots are taken one by one, because the product of two small squares may be 0 although they are not.
  const scale = Math.sqrt(squaresX) * Math.sqrt(squaresY)
  if (count < 2 || scale === 0) return null
  const value = finiteQuotient(products, scale)
  return value === null ? null : Math.max(-1, Math.min(1, value))
}

/** Slope of y on x; null with fewer than 2 pairs or where x is constant. */
export function betaOf({ count, squaresX, products }: PairMoments): number | null {
  return count < 2 ? null : finiteQuotient(products, squaresX)
}
