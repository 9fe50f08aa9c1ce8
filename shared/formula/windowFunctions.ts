import { finiteQuotient } from '#shared/statistics/finiteQuotient.ts'
import { betaOf, correlationOf, type PairMoments } from '#shared/statistics/pairMoments.ts'
import { slideMoments } from '#shared/statistics/slideMoments.ts'
import { slidePairs } from '#shared/statistics/slidePairs.ts'
import { slideSums } from '#shared/statistics/slideSums.ts'
import { type Series, withRows } from './series.ts'
import { slideOrder } from './slideOrder.ts'

/** A window of rows that ends at each row, and how many of its values must be present. */
export interface Window {
  rows: number
  least: number
}

/** Collects values by row; what is no finite number stays missing. */
class Rows {
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
  const out = new Rows(series.values.length)
  slideSums(series.values, series.valid, rows, (row, count, sum) => {
    if (count >= least) out.set(row, sum)
  })
  return withRows(series, out)
}

export function windowMean(series: Series, { rows, least }: Window): Series {
  const out = new Rows(series.values.length)
  slideMoments(series.values, series.valid, rows, (row, count, mean) => {
    if (count >= least) out.set(row, mean)
  })
  return withRows(series, out)
}

export function windowDeviation(series: Series, { rows, least }: Window): Series {
  const out = new Rows(series.values.length)
  slideMoments(series.values, series.valid, rows, (row, count, _, squares) => {
    if (count >= least && count > 1) out.set(row, Math.sqrt(squares / (count - 1)))
  })
  return withRows(series, out)
}

/** Distance from the window's mean in its deviations; missing where the window does not vary. */
export function windowScore(series: Series, { rows, least }: Window): Series {
  const out = new Rows(series.values.length)
  slideMoments(series.values, series.valid, rows, (row, count, mean, squares) => {
    if (count < least || count < 2 || squares === 0 || !isPresent(series, row)) return
    out.set(row, finiteQuotient(series.values[row] - mean, Math.sqrt(squares / (count - 1))))
  })
  return withRows(series, out)
}

/** 0 the lowest of the window, 1 the highest; equal values share the middle of theirs. */
export function windowRank(series: Series, { rows, least }: Window): Series {
  const out = new Rows(series.values.length)
  slideOrder(series.values, series.valid, rows, (row, window) => {
    if (window.count < least || window.count < 2 || !isPresent(series, row)) return
    out.set(row, (window.below() + (window.equal() - 1) / 2) / (window.count - 1))
  })
  return withRows(series, out)
}

/** Interpolates linearly between neighbours. */
export function windowQuantile(series: Series, share: number, { rows, least }: Window): Series {
  const out = new Rows(series.values.length)
  slideOrder(series.values, series.valid, rows, (row, window) => {
    if (window.count < least || window.count === 0) return
    const position = (window.count - 1) * share
    const below = Math.floor(position)
    const low = window.at(below)
    out.set(row, position === below ? low : low + (window.at(below + 1) - low) * (position - below))
  })
  return withRows(series, out)
}

export const windowCorrelation = (a: Series, b: Series, window: Window): Series => ofPairs(a, b, window, correlationOf)

/** Computes the slope of `a` on `b`. */
export const windowBeta = (a: Series, b: Series, window: Window): Series => ofPairs(b, a, window, betaOf)

function ofPairs(x: Series, y: Series, { rows, least }: Window, of: (moments: PairMoments) => number | null): Series {
  const out = new Rows(x.values.length)
  const isPair = (row: number) => isPresent(x, row) && isPresent(y, row)
  slidePairs(x.values, y.values, isPair, rows, (row, moments) => {
    if (moments.count >= least) out.set(row, of(moments))
  })
  return withRows(x, out)
}
