import { finiteQuotient } from './finiteQuotient.ts'
import { addPair, betaOf, correlationOf, meanOfX, meanOfY, noPairs, type PairMoments } from './pairMoments.ts'

/** Least-squares line of y on x with intercept, and its goodness of fit. Undefined figures are null. */
interface RegressionLine {
  /** Number of rows where x and y are present. */
  n: number
  slope: number
  intercept: number
  /** Standard error of the slope, assuming independent residuals. */
  slopeError: number | null
  /** Slope divided by its standard error. */
  t: number | null
  /** t statistic with Newey–West standard error, which allows for autocorrelated residuals. */
  robustT: number | null
  /** Number of Newey–West lags in `robustT`. */
  robustLags: number
  correlation: number | null
  r2: number | null
  /** Standard deviation of the residuals, with n − 2 degrees of freedom. */
  deviation: number
  /** Residual by row; NaN if x or y is missing. */
  residuals: Float64Array
}

/** Relative difference below which a deviation counts as rounding error. */
const ROUNDING_FRACTION = 1e-12

/**
 * Computes joint moments of the rows where x and y are present (not NaN).
 * @param lag number of rows by which y is later
 */
export function momentsAtLag(x: Float64Array, y: Float64Array, lag = 0): PairMoments {
  const moments = noPairs()
  const end = Math.min(x.length, y.length - lag)
  for (let row = Math.max(0, -lag); row < end; row++) {
    const [a, b] = [x[row], y[row + lag]]
    if (a === a && b === b) addPair(moments, a, b)
  }
  return moments
}

/** Computes the line of y on x; NaN is missing. Null with fewer than 3 pairs or if x is constant up to rounding. */
export function regressionLine(x: Float64Array, y: Float64Array): RegressionLine | null {
  const moments = momentsAtLag(x, y)
  const { count: n, originX, originY, shiftX, shiftY, squaresX, squaresY } = moments
  const slope = betaOf(moments)
  if (n < 3 || slope === null || !(Math.sqrt(squaresX / n) > ROUNDING_FRACTION * Math.abs(meanOfX(moments))))
    return null
  const intercept = meanOfY(moments) - slope * meanOfX(moments)
  const residuals = new Float64Array(x.length)
  let squares = 0
  for (let row = 0; row < x.length; row++) {
    residuals[row] = y[row] - originY - shiftY - slope * (x[row] - originX - shiftX)
    if (residuals[row] === residuals[row]) squares += residuals[row] ** 2
  }
  // A perfect fit leaves only rounding errors, which count as 0.
  if (squares <= ROUNDING_FRACTION * ROUNDING_FRACTION * squaresY) squares = 0
  const deviation = Math.sqrt(squares / (n - 2))
  const slopeError = finiteQuotient(deviation, Math.sqrt(squaresX))
  const robustLags = Math.floor(4 * (n / 100) ** (2 / 9))
  return {
    n,
    slope,
    intercept,
    slopeError,
    t: slopeError === null ? null : finiteQuotient(slope, slopeError),
    robustT:
      squares === 0
        ? null
        : finiteQuotient(slope * squaresX, Math.sqrt(scoreVariance(x, moments, residuals, robustLags))),
    robustLags,
    correlation: correlationOf(moments),
    r2: squaresY > 0 ? Math.max(0, 1 - squares / squaresY) : null,
    deviation,
    residuals,
  }
}

/** Computes the long-run variance of the slope's scores with Bartlett weights; rows without a pair count as 0. */
function scoreVariance(
  x: Float64Array,
  { originX, shiftX }: PairMoments,
  residuals: Float64Array,
  lags: number,
): number {
  const scores = residuals.map((residual, row) => (residual === residual ? residual * (x[row] - originX - shiftX) : 0))
  let sum = 0
  for (let lag = 0; lag <= lags; lag++) {
    let products = 0
    for (let row = lag; row < scores.length; row++) products += scores[row] * scores[row - lag]
    sum += (lag === 0 ? 1 : 2 * (1 - lag / (lags + 1))) * products
  }
  return Math.max(0, sum)
}
