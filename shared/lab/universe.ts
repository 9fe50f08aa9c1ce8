import { lowerBound } from '../search.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { MS_PER_DAY } from '#shared/time.ts'

/** Membership rows of a universe, ascending by day. */
export interface UniverseRows {
  /** Days since the epoch. */
  days: Int32Array
  tickers: readonly string[]
  /** Cell `row · tickers + ticker`: 1 for a member. */
  members: Uint8Array
}

/** Daily values, ascending by day, such as those of a risk regime. */
export interface DailyValues {
  days: Int32Array
  values: Float64Array
}

/** Finds the index of the last day before the UTC day of a time; −1 if there is none. */
export function lastBefore(days: Int32Array, timeMs: number): number {
  const day = Math.floor(timeMs / MS_PER_DAY)
  return lowerBound(days, day) - 1
}

/**
 * Returns a function that tells whether a symbol is a member at a given time: the last row dated before the UTC day of
 * the time must mark its base as a member. The row of a day is known only after that day.
 */
export function membershipTest({ days, tickers, members }: UniverseRows, symbol: string): (timeMs: number) => 0 | 1 {
  const column = tickers.indexOf(parseSymbol(symbol)?.base ?? symbol)
  if (column < 0) return () => 0
  let cachedDay = NaN
  let cached: 0 | 1 = 0
  return (timeMs) => {
    const day = Math.floor(timeMs / MS_PER_DAY)
    if (day === cachedDay) return cached
    const row = lastBefore(days, timeMs)
    cachedDay = day
    cached = row >= 0 && members[row * tickers.length + column] === 1 ? 1 : 0
    return cached
  }
}
