import type { TickerDays } from './panel.ts'
import { roundedTo } from './rounding.ts'

/**
 * A factor. Its value for a ticker on day `i` is computed from that day and the days before; NaN if these are too few.
 */
export interface Factor {
  id: string
  label: string
  /** True if the id may have the suffix of a universe, such as `.40`, which changes nothing. */
  takesSuffix?: boolean
  /** Default of `smoothing`: number of days in the mean. */
  defaultSmoothing: number
  /** Side on which portfolios hold tickers with a high value: long (1) or short (−1). */
  direction: 1 | -1
  valueAt: (days: TickerDays, i: number) => number
}

function meanOf(values: Float64Array, i: number, window: number): number {
  if (i + 1 < window) return Number.NaN
  let sum = 0
  for (let j = i - window + 1; j <= i; j++) sum += values[j]
  return sum / window
}

const change = (values: Float64Array, i: number, window: number) =>
  i < window ? Number.NaN : values[i] / values[i - window] - 1

/** Computes the variance and third central moment of the log returns of `window` days. */
function returnMoments({ logReturn }: TickerDays, i: number, window: number): { variance: number; third: number } {
  const mean = meanOf(logReturn, i, window)
  let squares = 0
  let third = 0
  for (let j = Math.max(0, i - window + 1); j <= i; j++) {
    const deviation = logReturn[j] - mean
    squares += deviation * deviation
    third += deviation * deviation * deviation
  }
  return { variance: squares / (window - 1), third: third / window }
}

export const factors: readonly Factor[] = [
  {
    id: 'momentum',
    takesSuffix: true,
    label: 'Return of the last 30 days',
    defaultSmoothing: 10,
    direction: 1,
    valueAt: (days, i) => change(days.close, i, 30),
  },
  {
    id: 'momentum_long',
    label: 'Return of the last 90 days without the last 7',
    defaultSmoothing: 15,
    direction: 1,
    valueAt: (days, i) => (i < 90 ? Number.NaN : days.close[i - 7] / days.close[i - 90] - 1),
  },
  {
    id: 'mean_reversion',
    label: 'Negative return of the last 5 days',
    defaultSmoothing: 0,
    direction: 1,
    valueAt: (days, i) => -change(days.close, i, 5),
  },
  {
    id: 'trend',
    label: 'Price over its mean of 60 days',
    defaultSmoothing: 10,
    direction: 1,
    valueAt: (days, i) => days.close[i] / meanOf(days.close, i, 60) - 1,
  },
  {
    id: 'carry',
    takesSuffix: true,
    label: 'Mean funding rate over 7 days',
    defaultSmoothing: 5,
    direction: -1,
    valueAt: (days, i) => meanOf(days.funding, i, 7),
  },
  {
    id: 'volatility',
    label: 'Annualised 30-day volatility',
    defaultSmoothing: 20,
    direction: -1,
    valueAt: (days, i) => Math.sqrt(returnMoments(days, i, 30).variance * 365),
  },
  {
    id: 'skewness',
    label: 'Skewness of daily returns over 60 days',
    defaultSmoothing: 20,
    direction: -1,
    valueAt: (days, i) => {
      const { variance, third } = returnMoments(days, i, 60)
      return third / variance ** 1.5
    },
  },
  {
    id: 'flow_size',
    label: 'Net taker flow of 7 days over traded notional',
    defaultSmoothing: 5,
    direction: 1,
    valueAt: (days, i) => meanOf(days.netFlow, i, 7) / meanOf(days.notional, i, 7),
  },
  {
    id: 'volume_trend',
    label: 'Mean traded notional of 7 days over the mean of 30 days',
    defaultSmoothing: 10,
    direction: 1,
    valueAt: (days, i) => meanOf(days.notional, i, 7) / meanOf(days.notional, i, 30) - 1,
  },
  {
    id: 'oi_divergence',
    label: 'Growth of open interest over 14 days minus the return',
    defaultSmoothing: 10,
    direction: -1,
    valueAt: (days, i) => change(days.openInterest, i, 14) - change(days.close, i, 14),
  },
]

/** Finds a factor by its id, or by its id and the suffix of a universe. */
export function findFactor(id: string): Factor | null {
  const bareId = id.replace(/\.(20|30|40|full)$/, '')
  return factors.find((factor) => factor.id === (factor.takesSuffix ? bareId : id)) ?? null
}

/** Writes the factor of every ticker on one day of a panel into `row`. */
export function writeFactor(factor: Factor, series: readonly TickerDays[], i: number, row: Float64Array): void {
  for (let t = 0; t < row.length; t++) row[t] = roundedTo(factor.valueAt(series[t], i), 1e10)
}
