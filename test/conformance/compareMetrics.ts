import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers } from '#core/parquet/readColumn.ts'

export interface Table {
  time: Float64Array
  columns: Map<string, Float64Array>
}

/** Columns in which large parts cancel, so that their last digits depend on the order of additions. */
const cancelling = new Set(
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

/** Every number column of a metric file; NaN is null. */
export function readTable(path: string): Table {
  using file = new ParquetFile(path)
  const all = { from: 0, to: file.rows }
  const read = (name: string) => {
    const values = new Float64Array(file.rows)
    readNumbers(file, name, all, { values, at: 0 })
    return values
  }
  const columns = new Map(file.columns.map(({ name }) => [name, read(name)]))
  const time = columns.get('time')!
  columns.delete('time')
  return { time, columns }
}

/** Where `actual` differs from `expected` beyond the tolerance of their columns, one line a column. */
export function differences(expected: Table, actual: Table, rtol = 1e-9): string[] {
  const same = expected.time.length === actual.time.length && expected.time.every((t, i) => t === actual.time[i])
  if (!same) return [`rows: ${expected.time.length} expected, ${actual.time.length} found, or other times`]
  const problems: string[] = []
  if ([...expected.columns.keys()].join() !== [...actual.columns.keys()].join()) problems.push('other columns')
  for (const [name, values] of expected.columns) {
    const found = actual.columns.get(name)
    const problem = found && columnProblem(name, values, found, rtol)
    if (problem) problems.push(problem)
  }
  return problems
}

function columnProblem(name: string, expected: Float64Array, actual: Float64Array, rtol: number): string | null {
  const isCancelling = cancelling.has(name)
  const sizes = expected.map(Math.abs).filter((size) => size > 0)
  const floor = isCancelling && sizes.length > 0 ? 1e-7 * sizes.sort()[sizes.length >> 1] : 0
  const relative = isCancelling ? Math.max(1e-6, rtol) : rtol
  let count = 0
  let first = -1
  for (let i = 0; i < expected.length; i++) {
    const isNull = Number.isNaN(expected[i])
    const isRight = isNull
      ? Number.isNaN(actual[i])
      : Math.abs(actual[i] - expected[i]) <= relative * Math.abs(expected[i]) + floor
    if (isRight) continue
    count++
    if (first < 0) first = i
  }
  return count === 0 ? null : `${name}: ${count} rows, first at row ${first}: ${expected[first]} != ${actual[first]}`
}
