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

/**
 * Finds the median distance from the median without sorting, because the distances on either side of the median are
 * already sorted. It begins its search where that of the previous window ended, which is rarely far away.
 */
class MedianDistance {
  /** Number of the nearest distances that lie below the median, as last found. */
  #hint = 0

  of(window: OrderedWindow): number {
    const { count } = window
    const median = quantileIn(window, 0.5)
    const below = Math.ceil(count / 2)
    /** Distances of the values below and above the median, the nearest first. */
    const distanceBelow = (at: number) =>
      at < 0 ? -Infinity : at < below ? median - window.valueAt(below - 1 - at) : Infinity
    const distanceAbove = (at: number) =>
      at < 0 ? -Infinity : at < count - below ? window.valueAt(below + at) - median : Infinity
    const place = (count - 1) >> 1
    const isBefore = (nearest: number) => distanceBelow(nearest) < distanceAbove(place - nearest)
    const from = boundaryNear(isBefore, Math.min(below, place + 1), this.#hint)
    this.#hint = from
    const low = Math.max(distanceBelow(from - 1), distanceAbove(place - from))
    const high = count % 2 === 1 ? low : Math.min(distanceBelow(from), distanceAbove(place - from + 1))
    return (low + high) / 2
  }
}

/**
 * Finds the first place from 0 to `end` (`end` if there is none) at which `isBefore` is false, by steps that double from
 * `hint` and then by bisection; no place after it is true.
 */
function boundaryNear(isBefore: (place: number) => boolean, end: number, hint: number): number {
  let from = 0
  let to = end
  let at = Math.min(hint, end)
  if (at < end && isBefore(at)) {
    from = at + 1
    for (let step = 1; from < to; step *= 2) {
      at = Math.min(from + step - 1, end - 1)
      if (!isBefore(at)) {
        to = at
        break
      }
      from = at + 1
    }
  } else {
    to = at
    for (let step = 1; from < to; step *= 2) {
      at = Math.max(to - step, 0)
      if (isBefore(at)) {
        from = at + 1
        break
      }
      to = at
    }
  }
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(middle)) from = middle + 1
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
