/** Tail probabilities and quantiles of the normal and Student's t distributions, accurate to about 1e-13. */

const LANCZOS_G = 607 / 128
const LANCZOS = [
  0.99999999999999709182, 57.156235665862923517, -59.597960355475491248, 14.136097974741747174, -0.49191381609762019978,
  0.33994649984811888699e-4, 0.46523628927048575665e-4, -0.98374475304879564677e-4, 0.15808870322491248884e-3,
  -0.21026444172410488319e-3, 0.2174396181152126432e-3, -0.16431810653676389022e-3, 0.84418223983852743293e-4,
  -0.2619083840158140867e-4, 0.36899182659531627e-5,
]

/** Computes the logarithm of the gamma function of a positive number. */
function logGamma(x: number): number {
  let sum = LANCZOS[0]
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i] / (x + i - 1)
  const base = x + LANCZOS_G - 0.5
  return (x - 0.5) * Math.log(base) - base + Math.log(Math.sqrt(2 * Math.PI) * sum)
}

/** Argument from which the series of `logGammaStep` is accurate to the last digits. */
const SERIES_FROM = 20

/**
 * Computes ln Γ(a + ½) − ln Γ(a), for large arguments by a series because the difference of the logarithms would lose
 * digits.
 */
function logGammaStep(a: number): number {
  if (a < SERIES_FROM) return logGamma(a + 0.5) - logGamma(a)
  const inverse = 1 / a
  const square = inverse * inverse
  const series = -1 / 8 + square * (1 / 192 + square * (-1 / 640 + square * (17 / 14336 - (square * 31) / 18432)))
  return 0.5 * Math.log(a) + inverse * series
}

const TINY = 1e-300
const MOST_STEPS = 100_000

const awayFromZero = (value: number) => (Math.abs(value) < TINY ? TINY : value)

/** Evaluates the continued fraction of the incomplete beta function by Lentz’s method. */
function betaFraction(a: number, b: number, x: number): number {
  let c = 1
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m < MOST_STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / awayFromZero(1 + even * d)
    c = awayFromZero(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / awayFromZero(1 + odd * d)
    c = awayFromZero(1 + odd / c)
    const factor = d * c
    value *= factor
    if (Math.abs(factor - 1) < 1e-16) break
  }
  return value
}

/** Computes the two-sided tail probability of Student’s t; degrees of freedom need not be an integer. */
export function studentTwoSided(t: number, degrees: number): number {
  if (t === 0) return 1
  const tSquared = t * t
  if (!Number.isFinite(tSquared)) return 0
  const a = degrees / 2
  const x = degrees / (degrees + tSquared)
  const complement = tSquared / (degrees + tSquared)
  const logX = complement > 0.5 ? Math.log(x) : Math.log1p(-complement)
  const front = Math.exp(a * logX + 0.5 * Math.log(complement) + logGammaStep(a) - 0.5 * Math.log(Math.PI))
  const isDirect = x < (a + 1) / (a + 2.5)
  const value = isDirect ? (front * betaFraction(a, 0.5, x)) / a : 1 - 2 * front * betaFraction(0.5, a, complement)
  return Math.min(1, Math.max(0, value))
}

const quantileByDegrees = new Map<number, number>()

/** Finds the 0.975 quantile of Student’s t by bisection, and caches it by degrees of freedom. */
export function studentUpperQuantile(degrees: number): number {
  const cachedQuantile = quantileByDegrees.get(degrees)
  if (cachedQuantile !== undefined) return cachedQuantile
  let low = 1.9
  let high = 13
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (studentTwoSided(middle, degrees) > 0.05) low = middle
    else high = middle
  }
  quantileByDegrees.set(degrees, low)
  return low
}

/** The 0.975 quantile of the normal distribution. */
export const NORMAL_UPPER_QUANTILE = 1.959963984540054

/** Computes the two-sided tail probability of the normal distribution. */
export function normalTwoSided(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  if (!Number.isFinite(x)) return 0
  return x < 2 ? 1 - errorSeries(x) : complementaryFraction(x)
}

function errorSeries(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; Math.abs(term) > 1e-18 * sum; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return ((2 * sum) / Math.sqrt(Math.PI)) * Math.exp(-x * x)
}

/** Evaluates erfc(x) for x ≥ 2 by its continued fraction, from the far end. */
function complementaryFraction(x: number): number {
  let value = x
  for (let k = 120; k >= 1; k--) value = x + k / 2 / value
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * value)
}

/** Computes the standard normal distribution function. */
export function normalCumulative(z: number): number {
  const tail = normalTwoSided(z) / 2
  return z > 0 ? 1 - tail : tail
}

/** Coefficients of the rational approximations of Wichura’s algorithm AS 241, numerator and denominator. */
const CENTRAL: [number[], number[]] = [
  [
    3.387132872796366608, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
    4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
  ],
  [
    1, 4.2313330701600911252e1, 6.871870074920579083e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
    3.930789580009271061e4, 2.8729085735721942674e4, 5.226495278852545925e3,
  ],
]
const MIDDLE: [number[], number[]] = [
  [
    1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
    1.27045825245236838258, 2.4178072517745061177e-1, 2.27238449892691845833e-2, 7.7454501427834140764e-4,
  ],
  [
    1, 2.05319162663775882187, 1.6763848301838038494, 6.8976733498510000455e-1, 1.4810397642748007459e-1,
    1.51986665636164571966e-2, 5.475938084995344946e-4, 1.05075007164441684324e-9,
  ],
]
const FAR: [number[], number[]] = [
  [
    6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 2.9656057182850489123e-1,
    2.6532189526576123093e-2, 1.2426609473880784386e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
  ],
  [
    1, 5.9983220655588793769e-1, 1.3692988092273580531e-1, 1.48753612908506148525e-2, 7.868691311456132591e-4,
    1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15,
  ],
]

const rational = ([numerator, denominator]: [number[], number[]], x: number): number =>
  polynomial(numerator, x) / polynomial(denominator, x)
const polynomial = (coefficients: readonly number[], x: number) =>
  coefficients.reduceRight((value, coefficient) => value * x + coefficient, 0)

/** Computes the quantile function of the standard normal distribution, to about 1e-15. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : NaN
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) return q * rational(CENTRAL, 0.180625 - q * q)
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p))
  const z = r <= 5 ? rational(MIDDLE, r - 1.6) : rational(FAR, r - 5)
  return q < 0 ? -z : z
}
