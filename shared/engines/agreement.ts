/** Columns subject to cancellation, whose last digits depend on the order of additions. */
const cancellingColumns = new Set(
  `volume_delta volume_delta_notional impact_per_notional flow_toxicity_score
  trade_amount_std trade_amount_variance trade_amount_skewness trade_amount_kurtosis trade_amount_cv
  price_std price_variance price_skewness price_kurtosis price_cv
  slippage_bps_std basis_bps_std mark_price_spread_bps_std open_interest_volatility logret_var
  amihud_like kyle_like_lambda large_trade_reversal directional_impact_asymmetry
  price_change_on_flip realized_vol bipower_variation jump_ratio ret_autocorr_lag1 trendiness
  open_interest_pct_change oi_price_change_ratio
  slippage_mean slippage_bps_mean slippage_bps_median slippage_bps_p95 slippage_bps_vwap slippage_bps_buy_mean
  slippage_bps_sell_mean slippage_bps_buy_sell_ratio slippage_bps_sell_buy_ratio
  basis_mean mark_price_spread_mean imbalance_avg imbalance_ratio_avg`.split(/\s+/),
)

export const isCancelling = (column: string): boolean => cancellingColumns.has(column)

/** Returns the largest relative difference at which two engines agree on a column. */
export const toleranceOf = (column: string): number => (isCancelling(column) ? 1e-6 : 1e-9)

/** Fraction of the median magnitude of a cancelling column below which a difference is rounding noise. */
const NOISE_FRACTION = 1e-7

interface LargestDifference {
  /** Largest difference, relative to the larger value; 1 if only one of the engines has a value. */
  largest: number
  /** Row of the largest difference; -1 if all values are equal. */
  row: number
}

/** Finds the largest relative difference of a column. NaN is a missing value, and two missing values are equal. */
export function largestDifference(column: string, expected: Float64Array, found: Float64Array): LargestDifference {
  const floor = isCancelling(column) ? (NOISE_FRACTION / toleranceOf(column)) * medianMagnitude(expected) : 0
  let largest = 0
  let row = -1
  for (let i = 0; i < expected.length; i++) {
    const difference = relativeDifference(expected[i], found[i], floor)
    if (difference <= largest) continue
    largest = difference
    row = i
  }
  return { largest, row }
}

function relativeDifference(expected: number, found: number, floor: number): number {
  const isMissing = !Number.isFinite(expected)
  if (isMissing || !Number.isFinite(found)) return isMissing && !Number.isFinite(found) ? 0 : 1
  const difference = Math.abs(expected - found)
  return difference === 0 ? 0 : difference / (Math.max(Math.abs(expected), Math.abs(found)) + floor)
}

/** Computes the median magnitude of the values other than 0; 0 if there are none. */
function medianMagnitude(values: Float64Array): number {
  const magnitudes = values.map(Math.abs).filter((magnitude) => magnitude > 0)
  return magnitudes.length === 0 ? 0 : magnitudes.sort()[magnitudes.length >> 1]
}
