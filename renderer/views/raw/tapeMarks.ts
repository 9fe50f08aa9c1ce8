import type { PointMark } from '../../charts/model.ts'
import { tapeText } from '../../text/raw.ts'

export type TradeSide = 'buy' | 'sell' | 'unknown'

/** Quantiles of trade size at which marks become larger. */
const LARGE_QUANTILE = 0.75
const LARGEST_QUANTILE = 0.97
const sizesPx = [4, 7, 11]
const shapeBySide: Record<TradeSide, PointMark['shape']> = { buy: 'up', sell: 'down', unknown: 'square' }

/** Returns the amounts from which trades are drawn larger; if all amounts are equal, no mark is larger. */
export function sizeLimits(amounts: ArrayLike<number>): number[] {
  const sorted = Float64Array.from(amounts)
    .filter((amount) => Number.isFinite(amount))
    .sort()
  if (sorted.length === 0) return []
  const limits = [LARGE_QUANTILE, LARGEST_QUANTILE].map((share) => sorted[Math.floor((sorted.length - 1) * share)])
  return [...new Set(limits)].filter((limit) => limit > sorted[0])
}

interface TapeMarks {
  id: string
  side: TradeSide
  label: string
  mark: PointMark
  /** Prices of these trades, NaN for all others. */
  values: Float64Array
}

/**
 * Groups trades by side and size into marks: up for buys, down for sells, square for an unknown side, and larger for
 * larger trades.
 */
export function tapeMarks(
  prices: Float64Array,
  amounts: Float64Array,
  sideOf: (row: number) => TradeSide,
): TapeMarks[] {
  const limits = sizeLimits(amounts)
  const marks = new Map<string, TapeMarks>()
  for (const side of ['buy', 'sell', 'unknown'] as const)
    for (let size = 0; size <= limits.length; size += 1)
      marks.set(`${side} ${size}`, {
        id: size === 0 ? side : `${side} ${size}`,
        side,
        label: size === 0 ? tapeText.series[side] : tapeText.larger(tapeText.series[side], limits[size - 1]),
        mark: { shape: shapeBySide[side], sizePx: sizesPx[size] },
        values: new Float64Array(prices.length).fill(NaN),
      })
  for (let row = 0; row < prices.length; row += 1) {
    const size = limits.findLastIndex((limit) => amounts[row] >= limit) + 1
    marks.get(`${sideOf(row)} ${size}`)!.values[row] = prices[row]
  }
  return [...marks.values()].filter(({ values }) => values.some((value) => !Number.isNaN(value)))
}

/** Sums the amounts of each side. */
export function amountsBySide(amounts: Float64Array, sideOf: (row: number) => TradeSide): Record<TradeSide, number> {
  const sums = { buy: 0, sell: 0, unknown: 0 }
  amounts.forEach((amount, row) => (sums[sideOf(row)] += amount))
  return sums
}
