/** Explains daily returns by other series: least squares with the errors of Newey and West. */
import { normalTwoSided } from '../../statistics/distributions.ts'
import { dayFromNumber } from '../../time/periods.ts'
import { DAYS_PER_YEAR } from '../figures.ts'
import { BookError } from './bookError.ts'
import { type BookRange, commonDays, dailyTable, type NamedSeries } from './dailyTable.ts'

export const MOST_TERMS = 20

interface AttributionOptions extends BookRange {
  /** Lags of the errors; null for the default of so many days. */
  lags: number | null
  /** Days of the rolling window; null for none. */
  rolling: number | null
}

interface Estimate {
  se: number
  t: number | null
  p: number | null
}

interface AttributionTerm extends Estimate {
  name: string
  beta: number
  /** Part of the mean return of a year. */
  contribution: number
}

export interface Attribution {
  n: number
  lags: number
  alpha: { daily: number; annual: number } & Estimate
  terms: AttributionTerm[]
  r2: number | null
  adjustedR2: number | null
  residualVolatility: number
  days: string[]
  residual: number[]
  rolling: { days: number; terms: { name: string; beta: (number | null)[] }[] } | null
}

/** Residuals up to this share of the largest return are rounding. */
const RESIDUAL_TOLERANCE = 1e-12
/** A column whose part that the columns before it do not explain is this small depends on them. */
const DEPENDENT = 1e-9

const INTERCEPT = 'the intercept'

export function attribute(
  subject: NamedSeries,
  terms: readonly NamedSeries[],
  options: AttributionOptions,
): Attribution {
  const common = commonDays(dailyTable([subject, ...terms], options))
  const [y, ...columns] = common.columns
  const names = terms.map(({ name }) => name)
  const n = y.length
  const count = columns.length
  if (n < count + 3) throw tooFewDays(n, names, subject.name)
  const fit = leastSquares(y, [new Float64Array(n).fill(1), ...columns])
  if ('dependent' in fit) throw dependentError([INTERCEPT, ...names], fit.dependent)
  const { coefficients } = fit
  const { residual, isExact } = residualOf(y, columns, coefficients)
  const lags = options.lags ?? Math.floor(4 * (n / 100) ** (2 / 9))
  const errors = isExact ? new Float64Array(count + 1) : robustErrors(columns, residual, fit.inverse, lags)
  const estimateOf = (at: number): Estimate => {
    const se = errors[at]
    const t = se > 0 ? coefficients[at] / se : null
    return { se, t, p: t === null ? null : normalTwoSided(t) }
  }
  const squares = sumOf(residual, (each) => each * each)
  const r2 = explained(y, squares)
  const days = Array.from(common.days, dayFromNumber)
  return {
    n,
    lags,
    alpha: { daily: coefficients[0], annual: coefficients[0] * DAYS_PER_YEAR, ...estimateOf(0) },
    terms: names.map((name, at) => {
      const beta = coefficients[at + 1]
      return { name, beta, ...estimateOf(at + 1), contribution: beta * meanOf(columns[at]) * DAYS_PER_YEAR }
    }),
    r2,
    adjustedR2: r2 === null ? null : 1 - ((1 - r2) * (n - 1)) / (n - count - 1),
    residualVolatility: Math.sqrt(DAYS_PER_YEAR) * Math.sqrt(squares / (n - count - 1)),
    days,
    residual: [...residual],
    rolling: options.rolling === null ? null : rollingBetas(y, columns, names, options.rolling),
  }
}

const sumOf = (values: Float64Array, pick: (value: number) => number): number =>
  values.reduce((sum, value) => sum + pick(value), 0)
const meanOf = (values: Float64Array): number => sumOf(values, (value) => value) / values.length

function tooFewDays(n: number, names: readonly string[], subject: string): BookError {
  const needed = names.length + 3
  return new BookError(
    `${subject} and ${names.join(', ')} have ${n} common days; ${needed} are needed to explain it by ${names.length} series.`,
  )
}

const dependentError = (names: readonly string[], at: number): BookError =>
  new BookError(`${names[at]} depends on the columns before it (${names.slice(0, at).join(', ')}); leave it out.`)

function residualOf(
  y: Float64Array,
  columns: readonly Float64Array[],
  coefficients: Float64Array,
): { residual: Float64Array; isExact: boolean } {
  const residual = y.map((value, row) =>
    columns.reduce((rest, column, at) => rest - coefficients[at + 1] * column[row], value - coefficients[0]),
  )
  const largest = y.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const isExact = residual.every((value) => Math.abs(value) <= RESIDUAL_TOLERANCE * largest)
  return { residual: isExact ? new Float64Array(y.length) : residual, isExact }
}

/** Share of the variation of y that is explained; null where y does not vary. */
function explained(y: Float64Array, squares: number): number | null {
  if (y.every((value) => value === y[0])) return null
  const mean = meanOf(y)
  const total = sumOf(y, (value) => (value - mean) ** 2)
  return total > 0 ? 1 - squares / total : null
}

interface Fit {
  coefficients: Float64Array
  /** Inverse of X′X, row by row. */
  inverse: Float64Array
}

/**
 * Fits y by columns through a QR decomposition without exchange of the columns, each divided by its length.
 * @returns the fit, or the place of the first column that depends on those before it
 */
function leastSquares(y: Float64Array, columns: readonly Float64Array[]): Fit | { dependent: number } {
  const n = y.length
  const count = columns.length
  const lengths = columns.map((column) => Math.sqrt(sumOf(column, (value) => value * value)))
  const q = columns.map((column, at) => (lengths[at] > 0 ? column.map((value) => value / lengths[at]) : column.slice()))
  const rest = y.slice()
  const diagonal = new Float64Array(count)
  const upper = new Float64Array(count * count)
  const projected = new Float64Array(count)
  // Householder reflections: each is applied to the columns after it and to y.
  for (let at = 0; at < count; at++) {
    const column = q[at]
    let squares = 0
    for (let row = at; row < n; row++) squares += column[row] ** 2
    const norm = Math.sqrt(squares)
    diagonal[at] = norm
    const alpha = column[at] > 0 ? -norm : norm
    for (let before = 0; before < at; before++) upper[before * count + at] = column[before]
    upper[at * count + at] = alpha
    const head = column[at] - alpha
    const scale = norm > 0 ? -alpha * head : 0
    if (scale > 0) {
      column[at] = head
      for (const other of [...q.slice(at + 1), rest]) {
        let product = 0
        for (let row = at; row < n; row++) product += column[row] * other[row]
        for (let row = at; row < n; row++) other[row] -= (product / scale) * column[row]
      }
    }
    projected[at] = rest[at]
  }
  const largest = diagonal.reduce((most, each) => Math.max(most, each), 0)
  const dependent = diagonal.findIndex((each) => !(each > DEPENDENT * largest))
  if (dependent >= 0) return { dependent }
  const inverseUpper = inverseOfUpper(upper, count)
  const coefficients = new Float64Array(count)
  const inverse = new Float64Array(count * count)
  for (let row = 0; row < count; row++) {
    for (let at = row; at < count; at++) coefficients[row] += inverseUpper[row * count + at] * projected[at]
    coefficients[row] /= lengths[row]
    for (let column = 0; column < count; column++) {
      let sum = 0
      for (let at = Math.max(row, column); at < count; at++)
        sum += inverseUpper[row * count + at] * inverseUpper[column * count + at]
      inverse[row * count + column] = sum / (lengths[row] * lengths[column])
    }
  }
  return { coefficients, inverse }
}

function inverseOfUpper(upper: Float64Array, count: number): Float64Array {
  const inverse = new Float64Array(count * count)
  for (let column = 0; column < count; column++) {
    inverse[column * count + column] = 1 / upper[column * count + column]
    for (let row = column - 1; row >= 0; row--) {
      let sum = 0
      for (let at = row + 1; at <= column; at++) sum += upper[row * count + at] * inverse[at * count + column]
      inverse[row * count + column] = -sum / upper[row * count + row]
    }
  }
  return inverse
}

/** Standard errors of Newey and West, without small-sample factors. */
function robustErrors(
  columns: readonly Float64Array[],
  residual: Float64Array,
  inverse: Float64Array,
  lags: number,
): Float64Array {
  const n = residual.length
  const count = columns.length + 1
  // The residual times each column.
  const scores = [residual, ...columns.map((column) => column.map((value, row) => value * residual[row]))]
  const middle = new Float64Array(count * count)
  for (let lag = 0; lag <= Math.min(lags, n - 1); lag++) {
    const weight = lag === 0 ? 1 : 1 - lag / (lags + 1)
    for (let one = 0; one < count; one++)
      for (let other = 0; other < count; other++) {
        let sum = 0
        for (let row = lag; row < n; row++) sum += scores[one][row] * scores[other][row - lag]
        middle[one * count + other] += weight * sum
        if (lag > 0) middle[other * count + one] += weight * sum
      }
  }
  return Float64Array.from({ length: count }, (_, at) => {
    let variance = 0
    for (let one = 0; one < count; one++)
      for (let other = 0; other < count; other++)
        variance += inverse[at * count + one] * middle[one * count + other] * inverse[at * count + other]
    return Math.sqrt(Math.max(0, variance))
  })
}

function rollingBetas(
  y: Float64Array,
  columns: readonly Float64Array[],
  names: readonly string[],
  window: number,
): NonNullable<Attribution['rolling']> {
  const terms = names.map((name) => ({ name, beta: new Array<number | null>(y.length).fill(null) }))
  const ones = new Float64Array(window).fill(1)
  for (let end = window; end <= y.length; end++) {
    const from = end - window
    const fit = leastSquares(y.slice(from, end), [ones, ...columns.map((column) => column.slice(from, end))])
    if ('dependent' in fit) continue
    terms.forEach(({ beta }, at) => {
      beta[end - 1] = fit.coefficients[at + 1]
    })
  }
  return { days: window, terms }
}
