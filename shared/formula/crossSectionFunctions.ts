import { keepsDigits, scaledToSquare } from '#shared/statistics/squaring.ts'
import { number, series, type FormulaFunction } from './formulaFunction.ts'

/** Cross-section at one time: the members that have all series of the call. NaN in `result` is a missing value. */
export interface CrossSection {
  count: number
  x: Float64Array
  /** Second series of the call; meaningless if there is none. */
  y: Float64Array
  /** Numeric parameter of the call; NaN if there is none. */
  parameter: number
  result: Float64Array
  /** Returns the indices of x in ascending order of their values. */
  orderOfX(): Int32Array
}

/** A function over all symbols at a single time. */
export interface CrossSectionFunction extends Pick<FormulaFunction, 'name' | 'parameters' | 'description' | 'example'> {
  /** Returns why a parameter is rejected; null if it is valid. */
  parameterProblem?(parameter: number): string | null
  apply(section: CrossSection): void
}

/** Differences below this fraction of the largest value are rounding errors. */
const ROUNDING_FRACTION = 1e-12

function mean(values: Float64Array, count: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += values[i]
  if (Number.isFinite(sum)) return sum / count
  let quotients = 0
  for (let i = 0; i < count; i++) quotients += values[i] / count
  return quotients
}

function isConstant(values: Float64Array, count: number): boolean {
  let low = Infinity
  let high = -Infinity
  for (let i = 0; i < count; i++) {
    low = Math.min(low, values[i])
    high = Math.max(high, values[i])
  }
  return !(high - low > ROUNDING_FRACTION * Math.max(Math.abs(low), Math.abs(high)))
}

function rank({ count, x, result, orderOfX }: CrossSection): void {
  const order = orderOfX()
  for (let start = 0; start < count;) {
    let end = start + 1
    while (end < count && x[order[end]] === x[order[start]]) end++
    const share = ((start + 1 + end) / 2 - 0.5) / count
    for (let at = start; at < end; at++) result[order[at]] = share
    start = end
  }
}

function zscore(section: CrossSection): void {
  const { count, x, result } = section
  if (count < 2 || isConstant(x, count)) result.fill(NaN, 0, count)
  else if (!writeScores(section)) writeScores({ ...section, x: scaledToSquare(x, count).scaled })
}

/**
 * Writes the standard scores.
 * @returns false if the squares have overflowed or underflowed
 */
function writeScores({ count, x, result }: CrossSection): boolean {
  const meanOfX = mean(x, count)
  let squares = 0
  for (let i = 0; i < count; i++) squares += (x[i] - meanOfX) ** 2
  const deviation = Math.sqrt(squares / (count - 1))
  for (let i = 0; i < count; i++) result[i] = (x[i] - meanOfX) / deviation
  return keepsDigits(squares)
}

function demean({ count, x, result }: CrossSection): void {
  const meanOfX = mean(x, count)
  for (let i = 0; i < count; i++) result[i] = x[i] - meanOfX
}

function winsor({ count, x, parameter, result, orderOfX }: CrossSection): void {
  const order = orderOfX()
  const exactPlace = (count - 1) * parameter
  const roundedPlace = Math.round(exactPlace)
  const place = Math.abs(exactPlace - roundedPlace) <= 1e-9 ? roundedPlace : exactPlace
  const below = Math.floor(place)
  const between = (near: number, next: number) => (place === below ? near : near + (next - near) * (place - below))
  const low = between(x[order[below]], x[order[Math.min(below + 1, count - 1)]])
  const high = between(x[order[count - 1 - below]], x[order[Math.max(count - 2 - below, 0)]])
  for (let i = 0; i < count; i++) result[i] = Math.min(Math.max(x[i], low), high)
}

function neutral(section: CrossSection): void {
  const { count, x, y, result } = section
  if (count < 3) {
    result.fill(NaN, 0, count)
    return
  }
  if (writeResiduals(section)) return
  const { scaled, scale } = scaledToSquare(x, count)
  writeResiduals({ ...section, x: scaled, y: scaledToSquare(y, count).scaled })
  for (let i = 0; i < count; i++) result[i] *= scale
}

/**
 * Writes the residuals of x on y.
 * @returns false if the squares have overflowed or underflowed
 */
function writeResiduals({ count, x, y, result }: CrossSection): boolean {
  const meanX = mean(x, count)
  const meanY = mean(y, count)
  let products = 0
  let squares = 0
  let largestDistance = 0
  for (let i = 0; i < count; i++) {
    const distance = x[i] - meanX
    products += distance * (y[i] - meanY)
    squares += (y[i] - meanY) ** 2
    largestDistance = Math.max(largestDistance, Math.abs(distance))
  }
  const isFlat = isConstant(y, count)
  const beta = isFlat ? 0 : products / squares
  for (let i = 0; i < count; i++) {
    const residual = x[i] - meanX - beta * (y[i] - meanY)
    result[i] = Math.abs(residual) <= ROUNDING_FRACTION * largestDistance ? 0 : residual
  }
  return isFlat || (keepsDigits(squares) && (largestDistance === 0 || keepsDigits(largestDistance ** 2)))
}

const x = series('x')

/** Functions across symbols, as the documentation lists them. */
export const crossSectionFunctions: readonly CrossSectionFunction[] = [
  {
    name: 'cs_rank',
    parameters: [x],
    description: 'Rank of x among the symbols as a share, (rank − 0.5)/n; equal values share the mean of their ranks',
    example: 'cs_rank(a)',
    apply: rank,
  },
  {
    name: 'cs_zscore',
    parameters: [x],
    description:
      'Distance of x from the mean of the symbols in standard deviations; missing for fewer than 2 symbols or where x does not vary',
    example: 'cs_zscore(a)',
    apply: zscore,
  },
  {
    name: 'cs_demean',
    parameters: [x],
    description: 'x minus the mean of the symbols',
    example: 'cs_demean(a)',
    apply: demean,
  },
  {
    name: 'cs_winsor',
    parameters: [x, number('q')],
    description: 'x, winsorised: clipped to the q and 1 − q quantiles of the symbols; q is 0 to 0.5',
    example: 'cs_winsor(a, 0.05)',
    parameterProblem: (q) => (q >= 0 && q <= 0.5 ? null : 'q must be a number from 0 to 0.5.'),
    apply: winsor,
  },
  {
    name: 'cs_neutral',
    parameters: [x, series('y')],
    description: 'Residual of a regression of x on y across the symbols; missing for fewer than 3 symbols',
    example: 'cs_neutral(a, b)',
    apply: neutral,
  },
]

const byName = new Map(crossSectionFunctions.map((one) => [one.name, one]))

export const crossSectionFunction = (name: string): CrossSectionFunction | undefined => byName.get(name)
