/**
 * Second implementation of the metric conventions, in SQL: one SELECT per dataset over tables of events with the column
 * `t` in microseconds.
 */
export const intervalUs = 300_000_000

const perInterval = `t // ${intervalUs} AS k`
const timeMs = `k * ${intervalUs / 1000} AS time`
const sides = ['buy', 'sell'] as const
const sizes = { small: 'n < 100', medium: 'n >= 100 AND n < 1000', large: 'n >= 1000' }

/** Subquery of an interval's trades in order, each with the trade before it and the fifth trade after it. */
const ordered = `ordered AS (
  SELECT *, p * q AS n, ${perInterval}, p / lag(p) OVER w - 1 AS rho, ln(p / lag(p) OVER w) AS r, p - lag(p) OVER w AS move,
    lead(p, 5) OVER w / p - 1 AS ahead, CASE side WHEN 'buy' THEN q WHEN 'sell' THEN -q ELSE 0 END AS x
  FROM trades WINDOW w AS (PARTITION BY t // ${intervalUs} ORDER BY t, i))`

const notional = (side: string, size: keyof typeof sizes) =>
  `coalesce(sum(n) FILTER (side = '${side}' AND ${sizes[size]}), 0)`
const classColumns = sides.flatMap((side) =>
  (Object.keys(sizes) as (keyof typeof sizes)[]).flatMap((size) => [
    `${notional(side, size)} AS taker_${side}_${size}_order_volume`,
    `count(*) FILTER (side = '${side}' AND ${sizes[size]}) AS taker_${side}_${size}_order_count`,
    `${notional(side, size)} / nullif(sum(q) FILTER (side = '${side}'), 0) AS taker_${side}_${size}_order_percentage`,
  ]),
)

const tradeQueries = {
  flow: `SELECT ${timeMs}, coalesce(sum(q) FILTER (side = 'buy'), 0) AS taker_buy_volume,
    count(*) FILTER (side = 'sell') AS taker_sell_count,
    coalesce(sum(q) FILTER (side = 'buy'), 0) - coalesce(sum(q) FILTER (side = 'sell'), 0) AS volume_delta,
    sum(q) FILTER (side = 'buy') / nullif(sum(q) FILTER (side <> 'unknown'), 0) AS taker_buy_sell_percentage,
    ${classColumns.join(', ')} FROM ordered GROUP BY k ORDER BY k`,
  trade_size: `SELECT ${timeMs}, sum(q) AS volume, count(*) AS n_trades, avg(q) AS trade_amount_mean,
    median(q) AS trade_amount_median, stddev_samp(q) AS trade_amount_std, var_samp(q) AS trade_amount_variance,
    min(q) AS trade_amount_min, max(q) AS trade_amount_max, max(q) / nullif(min(q), 0) AS trade_amount_range_ratio FROM ordered GROUP BY k ORDER BY k`,
  range: `SELECT ${timeMs}, max(p) - min(p) AS range, avg(p) AS price_mean, median(p) AS price_median,
    max(p) / min(p) AS price_range_ratio, (max(p) - min(p)) / arg_max(p, (t, i)) * 1e4 AS range_bps
    FROM ordered GROUP BY k ORDER BY k`,
  impact: `SELECT ${timeMs}, abs(arg_max(p, (t, i)) / arg_min(p, (t, i)) - 1) / sum(n) AS amihud_like,
    CASE WHEN count(rho) >= 2 THEN covar_samp(rho, x) / nullif(var_samp(x) FILTER (rho IS NOT NULL), 0) END AS kyle_like_lambda,
    avg(ahead) FILTER (n >= tenth) AS large_trade_reversal,
    avg(rho) FILTER (side = 'buy') - avg(-rho) FILTER (side = 'sell') AS directional_impact_asymmetry
    FROM ordered JOIN (SELECT k, quantile_cont(n, 0.9) AS tenth FROM ordered GROUP BY k) USING (k) GROUP BY k ORDER BY k`,
  updownticks: `SELECT ${timeMs}, count(*) FILTER (move > 0) AS uptick_count, count(*) FILTER (move = 0) AS unchanged_count,
    coalesce(sum(q) FILTER (move < 0), 0) AS downtick_volume,
    coalesce(sum(q) FILTER (move > 0), 0) / nullif(sum(q) FILTER (move < 0), 0) AS uptick_downtick_volume_ratio,
    count(*) FILTER (move < 0) / nullif(count(move), 0) AS downtick_count_percentage
    FROM ordered GROUP BY k ORDER BY k`,
  returns: `SELECT ${timeMs}, var_samp(r) AS logret_var, sqrt(sum(r * r)) AS realized_vol,
    abs(sum(r)) / nullif(sum(abs(r)), 0) AS trendiness FROM ordered GROUP BY k ORDER BY k`,
  vtwap: `SELECT ${timeMs}, sum(n) / sum(q) AS vwap, avg(p) AS twap FROM ordered GROUP BY k ORDER BY k`,
  ohlcv: `SELECT ${timeMs}, arg_min(p, (t, i)) AS open, max(p) AS high, min(p) AS low, arg_max(p, (t, i)) AS close,
    sum(q) AS volume, sum(n) AS volume_notional FROM ordered GROUP BY k ORDER BY k`,
  slippage: `SELECT ${timeMs}, avg(s) AS slippage_mean, avg(bps) AS slippage_bps_mean, median(bps) AS slippage_bps_median,
    stddev_samp(bps) AS slippage_bps_std, quantile_cont(bps, 0.95) AS slippage_bps_p95,
    sum(o.q * bps) / sum(o.q) FILTER (bps IS NOT NULL) AS slippage_bps_vwap,
    avg(bps) FILTER (side = 'sell') AS slippage_bps_sell_mean
    FROM (SELECT k, side, q, CASE WHEN side = 'unknown' OR bid = 0 OR ask = 0 THEN NULL WHEN side = 'buy' THEN p - ask ELSE bid - p END AS s,
      s / ((bid + ask) / 2) * 1e4 AS bps FROM ordered ASOF LEFT JOIN quotes USING (t)) o GROUP BY k ORDER BY k`,
}

const l1 = `(SELECT *, ${perInterval}, nullif(bid, 0) AS b, nullif(ask, 0) AS a, abs(a - b) AS spread FROM quotes)`
const quoteQueries = {
  l1_price: `SELECT ${timeMs}, count(*) AS quote_update_frequency, avg(b) AS bid_price_twap,
    (max(t) - min(t)) / 1000 / nullif(count(*) - 1, 0) AS avg_update_interval,
    sum(a * ask_amount) / nullif(sum(ask_amount) FILTER (a IS NOT NULL), 0) AS ask_price_vwap
    FROM ${l1} GROUP BY k ORDER BY k`,
  l1_imbalance: `SELECT ${timeMs}, avg(bid_amount - ask_amount) AS imbalance_avg,
    avg((bid_amount - ask_amount) / nullif(bid_amount + ask_amount, 0)) AS imbalance_ratio_avg,
    avg(bid_amount / nullif(ask_amount, 0)) AS bid_ask_ratio_avg FROM ${l1} GROUP BY k ORDER BY k`,
  l1_liquidity: `SELECT ${timeMs}, avg(spread) AS spread_avg, avg(spread / ((a + b) / 2) * 1e4) AS spread_bps_avg,
    avg(b * bid_amount) AS dollar_depth_bid_avg, avg(b * bid_amount + a * ask_amount) AS total_dollar_depth_avg
    FROM ${l1} GROUP BY k ORDER BY k`,
}

const top = (side: string, depth: number) => `list_sum(${side}s[1:${depth}])`
const depths = [5, 10, 20, 25]
const bookQueries = {
  l2_imbalance: `SELECT ${timeMs}, ${depths
    .map(
      (depth) => `arg_max(${top('bid', depth)} - ${top('ask', depth)}, t) AS imbalance_${depth},
        avg((${top('bid', depth)} - ${top('ask', depth)}) / (${top('bid', depth)} + ${top('ask', depth)})) AS imbalance_ratio_${depth}_avg,
        avg(${top('bid', depth)} / ${top('ask', depth)}) AS bid_ask_ratio_${depth}_avg`,
    )
    .join(', ')} FROM (SELECT *, ${perInterval} FROM book) GROUP BY k ORDER BY k`,
  l2_liquidity: `SELECT ${timeMs}, ${depths
    .map(
      (depth) =>
        `arg_max(${top('ask', depth)}, t) AS ask_agg_${depth}, avg(${top('bid', depth)}) AS bid_agg_${depth}_avg`,
    )
    .join(', ')} FROM (SELECT *, ${perInterval} FROM book) GROUP BY k ORDER BY k`,
}

export const secondOpinions = {
  ...Object.fromEntries(
    Object.entries(tradeQueries).map(([dataset, select]) => [dataset, `WITH ${ordered} ${select}`]),
  ),
  ...quoteQueries,
  ...bookQueries,
} as Record<string, string>
