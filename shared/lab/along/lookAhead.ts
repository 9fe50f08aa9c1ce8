import { slideMoments } from '#shared/statistics/slideMoments.ts'

/** What follows the cells of a symbol up to one horizon, by the time of the cell. */
export interface Ahead {
  horizon: number
  /** Return from entry to exit; NaN if there is none. */
  returns: Float64Array
  /** Sample deviation of the bars' returns on the way; NaN if there are too few. */
  volatility: Float64Array
  /** Lowest change since the entry on the way, at most 0. */
  low: Float64Array
  /** Highest change since the entry on the way, at least 0. */
  high: Float64Array
}

/** Computes the return of each time from its entry `delay` bars later; NaN if a price is missing. */
export function returnsAhead(price: Float64Array, delay: number, horizon: number): Float64Array {
  const returns = new Float64Array(price.length).fill(NaN)
  for (let time = 0, exit = delay + horizon; exit < price.length; time++, exit++) {
    const change = price[exit] / price[time + delay] - 1
    // The difference is NaN for missing and infinite returns, so one comparison detects both.
    if (change - change === 0) returns[time] = change
  }
  return returns
}

/** Computes what follows each time; everything beyond the last exit is missing. */
export function lookAhead(price: Float64Array, delay: number, horizon: number): Ahead {
  const { length } = price
  const returns = returnsAhead(price, delay, horizon)
  const missing = () => new Float64Array(length).fill(NaN)
  const [volatility, low, high] = [missing(), missing(), missing()]
  const firstExit = delay + horizon
  const { values, valid } = barReturns(price)
  const least = Math.max(2, Math.ceil(horizon / 2))
  slideMoments(values, valid, horizon, (exit, count, _origin, _shift, squares) => {
    const deviation = Math.sqrt(squares / (count - 1))
    // The squares of returns beyond all measure may be infinite.
    if (exit >= firstExit && count >= least && deviation < Infinity) volatility[exit - firstExit] = deviation
  })
  const lowest = slideExtremes(price, horizon, 1)
  const highest = slideExtremes(price, horizon, -1)
  for (let time = 0, exit = firstExit; exit < length; time++, exit++) {
    const entry = price[time + delay]
    low[time] = Math.min(0, orZero(lowest[exit] / entry - 1))
    high[time] = Math.max(0, orZero(highest[exit] / entry - 1))
  }
  return { horizon, returns, volatility, low, high }
}

const orZero = (change: number): number => (change - change === 0 ? change : 0)

/** Returns of single bars, where both prices are present. */
function barReturns(price: Float64Array): { values: Float64Array; valid: Uint8Array } {
  const values = new Float64Array(price.length)
  const valid = new Uint8Array(price.length)
  for (let time = 1; time < price.length; time++) {
    const change = price[time] / price[time - 1] - 1
    if (change - change !== 0) continue
    values[time] = change
    valid[time] = 1
  }
  return { values, valid }
}

/**
 * Finds the extreme of every window of `width` values, in linear time; NaN for a window without any.
 * @param sign 1 for the lowest, −1 for the highest; a function would be called, and box its numbers, at each comparison
 */
function slideExtremes(values: Float64Array, width: number, sign: 1 | -1): Float64Array {
  const extremes = new Float64Array(values.length).fill(NaN)
  // Rows that may still become the extreme, the present one first.
  const rows = new Int32Array(values.length)
  let first = 0
  let end = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (first < end && rows[first] <= row - width) first++
    if (value === value) {
      while (end > first && sign * value <= sign * values[rows[end - 1]]) end--
      rows[end++] = row
    }
    if (first < end) extremes[row] = values[rows[first]]
  }
  return extremes
}
