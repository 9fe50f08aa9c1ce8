import { finiteQuotient } from '#shared/statistics/finiteQuotient.ts'
import { betaOf, correlationOf, type PairMoments } from '#shared/statistics/pairMoments.ts'
import type { PowerSums } from '#shared/statistics/moments.ts'
import { slideMeans, slideMoments } from '#shared/statistics/slideMoments.ts'
import { slidePairs } from '#shared/statistics/slidePairs.ts'
import { slideShape } from '#shared/statistics/slideShape.ts'
import { slideSums } from '#shared/statistics/slideSums.ts'
import { type Series, withRows } from './series.ts'
import { type OrderedWindow, slideOrder } from './slideOrder.ts'

/** Trailing window of rows, and how many of its values must be present. */
export interface Window {
  rows: number
  least: number
}

/** Collects values by row; non-finite ones stay missing. */
class ResultRows {
  readonly values: Float64Array
  readonly valid: Uint8Array

  constructor(rows: number) {
    this.values = new Float64Array(rows)
    this.valid = new Uint8Array(rows)
  }

  set(row: number, value: number | null): void {
    if (value === null || !Number.isFinite(value)) return
    this.values[row] = value
    this.valid[row] = 1
  }
}

const isPresent = ({ valid }: Series, row: number) => !valid || valid[row] === 1

export function windowSum(series: Series, { rows, least }: Window): Series {
  const out = new ResultRows(series.values.length)
  slideSums(series.values, series.valid, rows, (row, count, sum) => {
    if (count >= least) out.set(row, sum)
  })
  return withRows(series, out)
}

export function windowMean(series: Series, { rows, least }: Window): Series {
  const out = new ResultRows(series.values.length)
  slideMeans(series, rows, least, out)
  return withRows(series, out)
}

export function windowDeviation(series: Series, { rows, least }: Window): Series {
  const out = new ResultRows(series.values.length)
  slideMoments(series.values, series.valid, rows, (row, count, _origin, _shift, squares) => {
    if (count >= least && count > 1) out.set(row, Math.sqrt(squares / (count - 1)))
  })
  return withRows(series, out)
}

/** Computes the z-score of each row in its window; missing also if the window does not vary. */
export function windowScore(series: Series, { rows, least }: Window): Series {
  const out = new ResultRows(series.values.length)
  slideMoments(series.values, series.valid, rows, (row, count, origin, shift, squares) => {
    if (count < least || count < 2 || squares === 0 || !isPresent(series, row)) return
    out.set(row, finiteQuotient(series.values[row] - origin - shift, Math.sqrt(squares / (count - 1))))
  })
  return withRows(series, out)
}

/** Computes the rank of each row in its window from 0 (lowest) to 1 (highest); ties get their mean rank. */
export function windowRank(series: Series, { rows, least }: Window): Series {
  const out = new ResultRows(series.values.length)
  slideOrder(series.values, series.valid, rows, (row, window) => {
    if (window.count < least || window.count < 2 || !isPresent(series, row)) return
    out.set(row, (window.below() + (window.equal() - 1) / 2) / (window.count - 1))
  })
  return withRows(series, out)
}

/** Returns a quantile of the window, interpolated linearly. */
function quantileIn(window: OrderedWindow, share: number): number {
  const position = (window.count - 1) * share
  const below = Math.floor(position)
  const low = window.valueAt(below)
  return position === below ? low : low + (window.valueAt(below + 1) - low) * (position - below)
}

function overSortedWindow(series: Series, { rows, least }: Window, compute: (window: OrderedWindow) => number): Series {
  const out = new ResultRows(series.values.length)
  slideOrder(series.values, series.valid, rows, (row, window) => {
    if (window.count >= least && window.count > 0) out.set(row, compute(window))
  })
  return withRows(series, out)
}

export const windowQuantile = (series: Series, share: number, window: Window): Series =>
  overSortedWindow(series, window, (ordered) => quantileIn(ordered, share))

/** Computes the unscaled median absolute deviation. */
export function windowMedianAbsoluteDeviation(series: Series, window: Window): Series {
  const distances = new MedianDistance()
  return overSortedWindow(series, window, (ordered) => distances.of(ordered))
}

/** Steps that the search for the median distance takes from its last end before it bisects. */
const MOST_STEPS = 12

/**
 * Finds the median distance from the median without sorting, because the distances on either side of the median are
 * already sorted: the nearest ones are some below it and the rest above it. The search begins with the numbers of the
 * previous window, which are rarely far away.
 */
class MedianDistance {
  #window!: OrderedWindow
  #median = 0
  /** Number of values that count as below the median. */
  #below = 0
  /** Number of the nearest distances that are below the median, as last found. */
  #nearBelow = 0

  of(window: OrderedWindow): number {
    const { count } = window
    const median = quantileIn(window, 0.5)
    if (!Number.isFinite(median)) return NaN
    this.#window = window
    this.#median = median
    this.#below = Math.ceil(count / 2)
    const place = (count - 1) >> 1
    const end = Math.min(this.#below, place + 1)
    let near = Math.min(this.#nearBelow, end)
    let lastBelow = this.#distanceBelow(near - 1)
    let nextBelow = this.#distanceBelow(near)
    let lastAbove = this.#distanceAbove(place - near)
    let nextAbove = this.#distanceAbove(place - near + 1)
    for (let steps = 0; nextBelow < lastAbove || lastBelow >= nextAbove; steps++) {
      if (steps === MOST_STEPS) {
        near = firstFalse((each) => this.#distanceBelow(each) < this.#distanceAbove(place - each), end)
        lastBelow = this.#distanceBelow(near - 1)
        nextBelow = this.#distanceBelow(near)
        lastAbove = this.#distanceAbove(place - near)
        nextAbove = this.#distanceAbove(place - near + 1)
        break
      }
      if (nextBelow < lastAbove) {
        near++
        lastBelow = nextBelow
        nextBelow = this.#distanceBelow(near)
        nextAbove = lastAbove
        lastAbove = this.#distanceAbove(place - near)
      } else {
        near--
        nextBelow = lastBelow
        lastBelow = this.#distanceBelow(near - 1)
        lastAbove = nextAbove
        nextAbove = this.#distanceAbove(place - near + 1)
      }
    }
    this.#nearBelow = near
    const low = Math.max(lastBelow, lastAbove)
    const high = count % 2 === 1 ? low : Math.min(nextBelow, nextAbove)
    return (low + high) / 2
  }

  /** Returns a distance of the values below the median, the nearest first. */
  #distanceBelow(at: number): number {
    if (at < 0) return -Infinity
    return at < this.#below ? this.#median - this.#window.valueAt(this.#below - 1 - at, 1) : Infinity
  }

  #distanceAbove(at: number): number {
    if (at < 0) return -Infinity
    return at < this.#window.count - this.#below ? this.#window.valueAt(this.#below + at, 2) - this.#median : Infinity
  }
}

/** Returns the first place from 0 to `end` (`end` if there is none) at which a test fails; it holds at none after it. */
function firstFalse(holds: (place: number) => boolean, end: number): number {
  let [from, to] = [0, end]
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(middle)) from = middle + 1
    else to = middle
  }
  return from
}

/** Computes a statistic of the window, such as its skewness, from its power sums. */
export function windowShape(series: Series, { rows, least }: Window, compute: (moments: PowerSums) => number): Series {
  const out = new ResultRows(series.values.length)
  slideShape(series.values, series.valid, rows, (row, moments) => {
    if (moments.count >= least) out.set(row, compute(moments))
  })
  return withRows(series, out)
}

/** Computes the last row's residual from the least-squares line of y on x; missing also if x does not vary. */
export function windowResidual(y: Series, x: Series, { rows, least }: Window): Series {
  const out = new ResultRows(y.values.length)
  const isPair = (row: number) => isPresent(x, row) && isPresent(y, row)
  slidePairs(x.values, y.values, isPair, rows, (row, moments) => {
    const beta = moments.count >= least && isPair(row) ? betaOf(moments) : null
    if (beta === null) return
    const { originX, originY, shiftX, shiftY } = moments
    out.set(row, y.values[row] - originY - shiftY - beta * (x.values[row] - originX - shiftX))
  })
  return withRows(y, out)
}

export const windowCorrelation = (a: Series, b: Series, window: Window): Series =>
  overPairs(a, b, window, correlationOf)

/** Computes the slope of `a` on `b` in the window. */
export const windowBeta = (a: Series, b: Series, window: Window): Series => overPairs(b, a, window, betaOf)

function overPairs(
  x: Series,
  y: Series,
  { rows, least }: Window,
  compute: (moments: PairMoments) => number | null,
): Series {
  const out = new ResultRows(x.values.length)
  const isPair = (row: number) => isPresent(x, row) && isPresent(y, row)
  slidePairs(x.values, y.values, isPair, rows, (row, moments) => {
    if (moments.count >= least) out.set(row, compute(moments))
  })
  return withRows(x, out)
}
