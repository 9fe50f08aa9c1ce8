import { roundedTo } from './rounding.ts'

/**
 * An overlay, which scales a portfolio on each day, depending on the portfolio's returns up to that day. The multiplier
 * is NaN if there are too few returns.
 */
export interface Overlay {
  id: string
  label: string
  /** True if the id of its portfolio must not have the suffix of the universe. */
  takesBareName?: boolean
  multiplierAt: (returns: ArrayLike<number>, i: number) => number
}

function annualVolatility(returns: ArrayLike<number>, i: number, window: number): number {
  if (i + 1 < window) return Number.NaN
  let sum = 0
  let squares = 0
  for (let j = i - window + 1; j <= i; j++) {
    sum += returns[j]
    squares += returns[j] * returns[j]
  }
  return Math.sqrt(((squares - (sum * sum) / window) / (window - 1)) * 365)
}

/**
 * Returns the equity at the end of a window relative to its mean and to its peak; before the window the equity is 1.
 */
function relativeEquity(
  returns: ArrayLike<number>,
  i: number,
  window: number,
): { ratioToMean: number; ratioToPeak: number } {
  if (i + 1 < window) return { ratioToMean: Number.NaN, ratioToPeak: Number.NaN }
  let equity = 1
  let sum = 0
  let peak = 1
  for (let j = i - window + 1; j <= i; j++) {
    equity *= 1 + returns[j]
    sum += equity
    if (equity > peak) peak = equity
  }
  return { ratioToMean: equity / (sum / window), ratioToPeak: equity / peak }
}

const targetVolatility = 0.1

export const overlays: readonly Overlay[] = [
  {
    id: 'vol_target',
    label: 'Holds annualised 30-day volatility near 10 %',
    multiplierAt: (returns, i) => Math.min(1.5, targetVolatility / annualVolatility(returns, i, 30)),
  },
  {
    id: 'trend_guard',
    label: 'Halves the portfolio while its equity is below its 60-day mean',
    multiplierAt: (returns, i) => {
      const { ratioToMean } = relativeEquity(returns, i, 60)
      return Number.isNaN(ratioToMean) ? ratioToMean : ratioToMean >= 1 ? 1 : 0.5
    },
  },
  {
    id: 'drawdown_control',
    label: 'Shrinks the portfolio as it falls below its peak of 180 days: full size down to −3 %, a quarter from −15 %',
    takesBareName: true,
    multiplierAt: (returns, i) => {
      const { ratioToPeak } = relativeEquity(returns, i, Math.max(30, Math.min(180, i + 1)))
      return Math.max(0.25, Math.min(1, 1 - (0.75 * (1 - ratioToPeak - 0.03)) / 0.12))
    },
  },
]

export function findOverlay(id: string): Overlay | null {
  return overlays.find((overlay) => overlay.id === id) ?? null
}

export const roundedMultiplier = (overlay: Overlay, returns: ArrayLike<number>, i: number) =>
  roundedTo(overlay.multiplierAt(returns, i), 1e4)
