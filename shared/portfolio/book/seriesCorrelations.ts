/** Correlations of daily series, and the order in which similar ones stand beside each other. */
import { dayFromNumber } from '../../time/periods.ts'
import { type BookRange, commonDays, type DailyTable, dailyTable, type NamedSeries } from './dailyTable.ts'

export const correlationOrders = ['given', 'linkage'] as const
type CorrelationOrder = (typeof correlationOrders)[number]

export interface CorrelationOptions extends BookRange {
  /** Fewest common days of a pair. */
  minDays: number
  /** True to use only the days that all series have; otherwise each pair its own. */
  isCommon: boolean
  order: CorrelationOrder
}

export interface SeriesCorrelations {
  /** As given. */
  names: string[]
  /** Places from 0 in the chosen order. */
  order: number[]
  r: (number | null)[][]
  n: number[][]
  days: string[]
}

/** Computes row by row, because 200 series over years take a while. */
export function* correlationSteps(
  series: readonly NamedSeries[],
  options: CorrelationOptions,
): Generator<void, SeriesCorrelations, void> {
  const all = dailyTable(series, options)
  const table = options.isCommon ? commonDays(all) : all
  const count = table.names.length
  const r = Array.from({ length: count }, () => new Array<number | null>(count).fill(null))
  const n = Array.from({ length: count }, () => new Array<number>(count).fill(0))
  const prepared = table.columns.map(prepare)
  for (let row = 0; row < count; row++) {
    r[row][row] = 1
    n[row][row] = prepared[row].present
    for (let column = row + 1; column < count; column++) {
      const pair = correlationOf(prepared[row], prepared[column])
      n[row][column] = n[column][row] = pair.n
      r[row][column] = r[column][row] = pair.n < options.minDays ? null : pair.r
    }
    yield
  }
  return {
    names: table.names,
    order: options.order === 'linkage' ? linkageOrder(r) : table.names.map((_, place) => place),
    r,
    n,
    days: daysOfTwo(table),
  }
}

/** Days that at least two series have. */
const daysOfTwo = ({ days, columns }: DailyTable): string[] =>
  [...days.keys()]
    .filter((row) => {
      let present = 0
      for (const values of columns) if (!Number.isNaN(values[row]) && ++present === 2) return true
      return false
    })
    .map((row) => dayFromNumber(days[row]))

interface PreparedColumn {
  values: Float64Array
  present: number
  /** Values minus their mean; 0 where one is missing. */
  centred: Float64Array
  /** Their squares. */
  squares: Float64Array
  /** Sums of the centred values and of the squares. */
  sum: number
  total: number
  /** Rows without a value. */
  missing: Int32Array
  /** Root of the sum of the squares; NaN if the values do not vary. */
  length: number
}

function prepare(values: Float64Array): PreparedColumn {
  const count = values.length
  let present = 0
  let sum = 0
  let first = NaN
  let varies = false
  for (let row = 0; row < count; row++) {
    const value = values[row]
    if (Number.isNaN(value)) continue
    if (present++ === 0) first = value
    else if (value !== first) varies = true
    sum += value
  }
  const mean = sum / present
  const centred = new Float64Array(count)
  const squares = new Float64Array(count)
  const missing = new Int32Array(count - present)
  let [left, total, holes] = [0, 0, 0]
  for (let row = 0; row < count; row++) {
    if (Number.isNaN(values[row])) {
      missing[holes++] = row
      continue
    }
    centred[row] = values[row] - mean
    squares[row] = centred[row] * centred[row]
    left += centred[row]
    total += squares[row]
  }
  const length = varies ? Math.sqrt(total) : NaN
  return { values, present, centred, squares, sum: left, total, missing, length }
}

/** Smallest share of all squares on the common days at which what is left after a subtraction keeps its digits. */
const KEEPS_DIGITS = 0.05

function correlationOf(one: PreparedColumn, other: PreparedColumn): { r: number | null; n: number } {
  if (one.missing.length === 0 && other.missing.length === 0) {
    const r = dot(one.centred, other.centred) / one.length / other.length
    if (isExact(one.length) && isExact(other.length)) return { r: clamped(r), n: one.present }
    return correlationOnCommonDays(one.values, other.values)
  }
  const [x, y] = [sumsWithout(one, other.missing), sumsWithout(other, one.missing)]
  const squaresX = x.squares - (x.sum * x.sum) / x.n
  const squaresY = y.squares - (y.sum * y.sum) / y.n
  const isSafe = (squares: number, all: number) => squares > KEEPS_DIGITS * all && isExact(Math.sqrt(squares))
  if (!isSafe(squaresX, one.total) || !isSafe(squaresY, other.total))
    return correlationOnCommonDays(one.values, other.values)
  const products = dot(one.centred, other.centred) - (x.sum * y.sum) / x.n
  return { r: clamped(products / Math.sqrt(squaresX) / Math.sqrt(squaresY)), n: x.n }
}

/** Sums of a column without the days that another misses, which are few in most pairs. */
function sumsWithout({ values, centred, squares, present, sum, total }: PreparedColumn, missing: Int32Array) {
  const left = { n: present, sum, squares: total }
  for (let at = 0; at < missing.length; at++) {
    const row = missing[at]
    if (values[row] !== values[row]) continue
    left.n--
    left.sum -= centred[row]
    left.squares -= squares[row]
  }
  return left
}

/** Tells whether squares of such a length neither overflow nor vanish. */
const isExact = (length: number): boolean => length > 1e-140 && length < 1e140

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0
  for (let row = 0; row < x.length; row++) sum += x[row] * y[row]
  return sum
}

const clamped = (r: number): number => Math.max(-1, Math.min(1, r))

/** Pearson correlation on the days that both have; null where one does not vary. */
function correlationOnCommonDays(allX: Float64Array, allY: Float64Array): { r: number | null; n: number } {
  const x: number[] = []
  const y: number[] = []
  for (let row = 0; row < allX.length; row++) {
    if (Number.isNaN(allX[row]) || Number.isNaN(allY[row])) continue
    x.push(allX[row])
    y.push(allY[row])
  }
  const [deviationsX, deviationsY] = [deviationsOf(x), deviationsOf(y)]
  if (!deviationsX || !deviationsY) return { r: null, n: x.length }
  let products = 0
  for (let at = 0; at < x.length; at++) products += deviationsX[at] * deviationsY[at]
  return { r: clamped(products), n: x.length }
}

/** Deviations from the mean over their length; null where the values do not vary. */
function deviationsOf(values: readonly number[]): number[] | null {
  if (values.every((value) => value === values[0])) return null
  const mean = values.reduce((sum, value) => sum + value / values.length, 0)
  const deviations = values.map((value) => value - mean)
  // Divided by the largest first, so that no square overflows or vanishes.
  const largest = deviations.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (!(largest > 0)) return null
  const length = Math.sqrt(deviations.reduce((sum, value) => sum + (value / largest) ** 2, 0))
  return deviations.map((value) => value / largest / length)
}

/** Pearson correlation of two columns without gaps, over the rows of a range; null where one does not vary. */
export function pearson(x: Float64Array, y: Float64Array, from = 0, to = x.length): number | null {
  let [sumX, sumY, variesX, variesY] = [0, 0, false, false]
  for (let row = from; row < to; row++) {
    sumX += x[row]
    sumY += y[row]
    variesX ||= x[row] !== x[from]
    variesY ||= y[row] !== y[from]
  }
  if (!variesX || !variesY) return null
  const meanX = sumX / (to - from)
  const meanY = sumY / (to - from)
  let [squaresX, squaresY, products] = [0, 0, 0]
  for (let row = from; row < to; row++) {
    const deviationX = x[row] - meanX
    const deviationY = y[row] - meanY
    squaresX += deviationX * deviationX
    squaresY += deviationY * deviationY
    products += deviationX * deviationY
  }
  if (isExact(Math.sqrt(squaresX)) && isExact(Math.sqrt(squaresY)))
    return clamped(products / Math.sqrt(squaresX) / Math.sqrt(squaresY))
  return correlationOnCommonDays(x.subarray(from, to), y.subarray(from, to)).r
}

/** Mean distances this close to the least are equal. */
const DISTANCE_TOLERANCE = 1e-12

/** Part of a linkage: the places in it, in order, and the lowest of them. */
interface Part {
  places: number[]
  lowest: number
}

/**
 * Orders series by average linkage of the distances 1 − r: the two parts with the least mean distance are joined until
 * one is left. Of equal distances, the parts whose lowest places come first; that with the lower one stands left.
 */
export function linkageOrder(r: readonly (readonly (number | null)[])[]): number[] {
  /** Sums of the distances between parts, by the lowest places of the parts. */
  const sums = r.map((row) => Float64Array.from(row, (each) => 1 - (each ?? 0)))
  let parts: Part[] = r.map((_, place) => ({ places: [place], lowest: place }))
  const meanOf = (one: Part, other: Part) => sums[one.lowest][other.lowest] / (one.places.length * other.places.length)
  while (parts.length > 1) {
    let least = Infinity
    for (let left = 0; left < parts.length; left++)
      for (let right = left + 1; right < parts.length; right++)
        least = Math.min(least, meanOf(parts[left], parts[right]))
    const [left, right] = firstPair(parts, (one, other) => meanOf(one, other) <= least + DISTANCE_TOLERANCE)
    for (const part of parts) {
      if (part === left || part === right) continue
      const sum = sums[left.lowest][part.lowest] + sums[right.lowest][part.lowest]
      sums[left.lowest][part.lowest] = sums[part.lowest][left.lowest] = sum
    }
    left.places.push(...right.places)
    parts = parts.filter((part) => part !== right)
  }
  return parts.at(0)?.places ?? []
}

function firstPair(parts: readonly Part[], isFit: (one: Part, other: Part) => boolean): [Part, Part] {
  for (const [at, one] of parts.entries())
    for (const other of parts.slice(at + 1)) if (isFit(one, other)) return [one, other]
  throw new Error('No two parts are at the least distance.')
}

/** Two series on their common days. */
export interface SeriesPair {
  names: [string, string]
  days: string[]
  returns: [number[], number[]]
  window: number
  /** Correlation over the last days of the window; null before there are as many, and where one does not vary. */
  rolling: (number | null)[]
}

export function pairOf(series: readonly NamedSeries[], range: BookRange, window: number): SeriesPair {
  const { names, days, columns } = commonDays(dailyTable(series, range))
  const [x, y] = columns
  return {
    names: [names[0], names[1]],
    days: Array.from(days, dayFromNumber),
    returns: [[...x], [...y]],
    window,
    rolling: Array.from(days, (_, at) => (at + 1 < window ? null : pearson(x, y, at + 1 - window, at + 1))),
  }
}
