-- Metrics from raw events, for DuckDB. Printed by Perpscope.
-- Datasets: flow, trade_size, range, impact, updownticks, run_structure, returns, slippage, vtwap, ohlcv, basis, funding, open_interest, l1_price, l1_imbalance, l1_liquidity
-- Instrument: venuea-futures perpetual-BTC-USDT:USDT
-- Interval: 1m by exchange time, 2026-09-01 to 2026-09-02 (both days inclusive, UTC)
-- Times are UTC whatever the machine says.
SET TimeZone = 'UTC';

-- flow.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount, event_sign AS sign FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price, CAST(amount AS DOUBLE) AS event_amount, CASE side WHEN 'buy' THEN 1e0 WHEN 'sell' THEN -1e0 WHEN 'unknown' THEN 0e0 ELSE error('side must be buy, sell or unknown') END AS event_sign FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Notional is the product of price and amount.
trades_1 AS (
  SELECT *, (price * amount) AS notional FROM trades_numbered
),
-- Each trade is compared with the trade before it in the interval.
trades_2 AS (
  SELECT *, lag(price) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS price_before FROM trades_1
),
-- Log returns inside the interval.
trades_3 AS (
  SELECT *, CASE WHEN abs(price - price_before) < 1e-3 * (price + price_before) THEN 2e0 * ((price - price_before) / (price + price_before)) * (1e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) * (1e0 / 3e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) * (1e0 / 5e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) / 7e0))) ELSE ln(price / price_before) END AS log_return FROM trades_2
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, coalesce(sum(CASE WHEN sign = 1e0 THEN amount END), 0e0) AS buy_amount, coalesce(sum(CASE WHEN sign = -1e0 THEN amount END), 0e0) AS sell_amount, CAST(count(CASE WHEN sign = 1e0 THEN 1 END) AS DOUBLE) AS buy_trades, CAST(count(CASE WHEN sign = -1e0 THEN 1 END) AS DOUBLE) AS sell_trades, coalesce(sum((sign * notional)), 0e0) AS signed_notional, coalesce(sum((log_return * log_return)), 0e0) AS return_squares, coalesce(sum(CASE WHEN (sign = 1e0 AND 100e0 > notional) THEN notional END), 0e0) AS buy_small_notional, CAST(count(CASE WHEN (sign = 1e0 AND 100e0 > notional) THEN 1 END) AS DOUBLE) AS buy_small_trades, coalesce(sum(CASE WHEN (sign = 1e0 AND (notional >= 100e0 AND 1000e0 > notional)) THEN notional END), 0e0) AS buy_medium_notional, CAST(count(CASE WHEN (sign = 1e0 AND (notional >= 100e0 AND 1000e0 > notional)) THEN 1 END) AS DOUBLE) AS buy_medium_trades, coalesce(sum(CASE WHEN (sign = 1e0 AND notional >= 1000e0) THEN notional END), 0e0) AS buy_large_notional, CAST(count(CASE WHEN (sign = 1e0 AND notional >= 1000e0) THEN 1 END) AS DOUBLE) AS buy_large_trades, coalesce(sum(CASE WHEN (sign = -1e0 AND 100e0 > notional) THEN notional END), 0e0) AS sell_small_notional, CAST(count(CASE WHEN (sign = -1e0 AND 100e0 > notional) THEN 1 END) AS DOUBLE) AS sell_small_trades, coalesce(sum(CASE WHEN (sign = -1e0 AND (notional >= 100e0 AND 1000e0 > notional)) THEN notional END), 0e0) AS sell_medium_notional, CAST(count(CASE WHEN (sign = -1e0 AND (notional >= 100e0 AND 1000e0 > notional)) THEN 1 END) AS DOUBLE) AS sell_medium_trades, coalesce(sum(CASE WHEN (sign = -1e0 AND notional >= 1000e0) THEN notional END), 0e0) AS sell_large_notional, CAST(count(CASE WHEN (sign = -1e0 AND notional >= 1000e0) THEN 1 END) AS DOUBLE) AS sell_large_trades FROM trades_3 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.buy_amount AS buy_amount, p0.sell_amount AS sell_amount, p0.buy_trades AS buy_trades, p0.sell_trades AS sell_trades, p0.signed_notional AS signed_notional, p0.return_squares AS return_squares, p0.buy_small_notional AS buy_small_notional, p0.buy_small_trades AS buy_small_trades, p0.buy_medium_notional AS buy_medium_notional, p0.buy_medium_trades AS buy_medium_trades, p0.buy_large_notional AS buy_large_notional, p0.buy_large_trades AS buy_large_trades, p0.sell_small_notional AS sell_small_notional, p0.sell_small_trades AS sell_small_trades, p0.sell_medium_notional AS sell_medium_notional, p0.sell_medium_trades AS sell_medium_trades, p0.sell_large_notional AS sell_large_notional, p0.sell_large_trades AS sell_large_trades FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
),
-- An interval without trades counts with a flow and a volatility of 0.
filled_1 AS (
  SELECT *, coalesce(signed_notional, 0e0) AS flow_or_zero, coalesce(sqrt(return_squares), 0e0) AS volatility_or_zero FROM filled
),
-- Both are compared with the intervals of the day so far.
filled_2 AS (
  SELECT *, CASE WHEN count(flow_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 1 AND stddev_samp(flow_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 0e0 THEN (flow_or_zero - avg(flow_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) / stddev_samp(flow_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) END AS flow_score, CASE WHEN count(volatility_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 1 AND stddev_samp(volatility_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 0e0 THEN (volatility_or_zero - avg(volatility_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) / stddev_samp(volatility_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) END AS volatility_score FROM filled_1
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(coalesce(buy_amount, 0e0) AS DOUBLE)) THEN CAST(coalesce(buy_amount, 0e0) AS DOUBLE) END AS taker_buy_volume,
  CASE WHEN isfinite(CAST(coalesce(sell_amount, 0e0) AS DOUBLE)) THEN CAST(coalesce(sell_amount, 0e0) AS DOUBLE) END AS taker_sell_volume,
  CASE WHEN isfinite(CAST(coalesce(buy_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(buy_trades, 0e0) AS DOUBLE) END AS taker_buy_count,
  CASE WHEN isfinite(CAST(coalesce(sell_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(sell_trades, 0e0) AS DOUBLE) END AS taker_sell_count,
  CASE WHEN isfinite(CAST(coalesce((buy_amount - sell_amount), 0e0) AS DOUBLE)) THEN CAST(coalesce((buy_amount - sell_amount), 0e0) AS DOUBLE) END AS volume_delta,
  CASE WHEN isfinite(CAST(coalesce(signed_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(signed_notional, 0e0) AS DOUBLE) END AS volume_delta_notional,
  CASE WHEN isfinite(CAST(CASE WHEN (buy_amount + sell_amount) > 0e0 THEN (CASE WHEN (buy_amount / nullif((buy_amount + sell_amount), 0e0)) > 0e0 THEN (0e0 - ((buy_amount / nullif((buy_amount + sell_amount), 0e0)) * ln((buy_amount / nullif((buy_amount + sell_amount), 0e0))))) ELSE 0e0 END + CASE WHEN (sell_amount / nullif((buy_amount + sell_amount), 0e0)) > 0e0 THEN (0e0 - ((sell_amount / nullif((buy_amount + sell_amount), 0e0)) * ln((sell_amount / nullif((buy_amount + sell_amount), 0e0))))) ELSE 0e0 END) END AS DOUBLE)) THEN CAST(CASE WHEN (buy_amount + sell_amount) > 0e0 THEN (CASE WHEN (buy_amount / nullif((buy_amount + sell_amount), 0e0)) > 0e0 THEN (0e0 - ((buy_amount / nullif((buy_amount + sell_amount), 0e0)) * ln((buy_amount / nullif((buy_amount + sell_amount), 0e0))))) ELSE 0e0 END + CASE WHEN (sell_amount / nullif((buy_amount + sell_amount), 0e0)) > 0e0 THEN (0e0 - ((sell_amount / nullif((buy_amount + sell_amount), 0e0)) * ln((sell_amount / nullif((buy_amount + sell_amount), 0e0))))) ELSE 0e0 END) END AS DOUBLE) END AS flow_entropy,
  CASE WHEN isfinite(CAST(CASE WHEN return_squares IS NOT NULL THEN (flow_score * volatility_score) END AS DOUBLE)) THEN CAST(CASE WHEN return_squares IS NOT NULL THEN (flow_score * volatility_score) END AS DOUBLE) END AS flow_toxicity_score,
  CASE WHEN isfinite(CAST((buy_amount / nullif(sell_amount, 0e0)) AS DOUBLE)) THEN CAST((buy_amount / nullif(sell_amount, 0e0)) AS DOUBLE) END AS taker_buy_sell_ratio,
  CASE WHEN isfinite(CAST((buy_trades / nullif(sell_trades, 0e0)) AS DOUBLE)) THEN CAST((buy_trades / nullif(sell_trades, 0e0)) AS DOUBLE) END AS taker_buy_sell_count_ratio,
  CASE WHEN isfinite(CAST((buy_amount / nullif((buy_amount + sell_amount), 0e0)) AS DOUBLE)) THEN CAST((buy_amount / nullif((buy_amount + sell_amount), 0e0)) AS DOUBLE) END AS taker_buy_sell_percentage,
  CASE WHEN isfinite(CAST((buy_trades / nullif((buy_trades + sell_trades), 0e0)) AS DOUBLE)) THEN CAST((buy_trades / nullif((buy_trades + sell_trades), 0e0)) AS DOUBLE) END AS taker_buy_sell_count_percentage,
  CASE WHEN isfinite(CAST(coalesce(buy_small_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(buy_small_notional, 0e0) AS DOUBLE) END AS taker_buy_small_order_volume,
  CASE WHEN isfinite(CAST(coalesce(buy_small_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(buy_small_trades, 0e0) AS DOUBLE) END AS taker_buy_small_order_count,
  CASE WHEN isfinite(CAST((buy_small_notional / nullif(buy_amount, 0e0)) AS DOUBLE)) THEN CAST((buy_small_notional / nullif(buy_amount, 0e0)) AS DOUBLE) END AS taker_buy_small_order_percentage,
  CASE WHEN isfinite(CAST((buy_small_trades / nullif(buy_trades, 0e0)) AS DOUBLE)) THEN CAST((buy_small_trades / nullif(buy_trades, 0e0)) AS DOUBLE) END AS taker_buy_small_order_count_percentage,
  CASE WHEN isfinite(CAST(coalesce(buy_medium_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(buy_medium_notional, 0e0) AS DOUBLE) END AS taker_buy_medium_order_volume,
  CASE WHEN isfinite(CAST(coalesce(buy_medium_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(buy_medium_trades, 0e0) AS DOUBLE) END AS taker_buy_medium_order_count,
  CASE WHEN isfinite(CAST((buy_medium_notional / nullif(buy_amount, 0e0)) AS DOUBLE)) THEN CAST((buy_medium_notional / nullif(buy_amount, 0e0)) AS DOUBLE) END AS taker_buy_medium_order_percentage,
  CASE WHEN isfinite(CAST((buy_medium_trades / nullif(buy_trades, 0e0)) AS DOUBLE)) THEN CAST((buy_medium_trades / nullif(buy_trades, 0e0)) AS DOUBLE) END AS taker_buy_medium_order_count_percentage,
  CASE WHEN isfinite(CAST(coalesce(buy_large_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(buy_large_notional, 0e0) AS DOUBLE) END AS taker_buy_large_order_volume,
  CASE WHEN isfinite(CAST(coalesce(buy_large_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(buy_large_trades, 0e0) AS DOUBLE) END AS taker_buy_large_order_count,
  CASE WHEN isfinite(CAST((buy_large_notional / nullif(buy_amount, 0e0)) AS DOUBLE)) THEN CAST((buy_large_notional / nullif(buy_amount, 0e0)) AS DOUBLE) END AS taker_buy_large_order_percentage,
  CASE WHEN isfinite(CAST((buy_large_trades / nullif(buy_trades, 0e0)) AS DOUBLE)) THEN CAST((buy_large_trades / nullif(buy_trades, 0e0)) AS DOUBLE) END AS taker_buy_large_order_count_percentage,
  CASE WHEN isfinite(CAST(coalesce(sell_small_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(sell_small_notional, 0e0) AS DOUBLE) END AS taker_sell_small_order_volume,
  CASE WHEN isfinite(CAST(coalesce(sell_small_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(sell_small_trades, 0e0) AS DOUBLE) END AS taker_sell_small_order_count,
  CASE WHEN isfinite(CAST((sell_small_notional / nullif(sell_amount, 0e0)) AS DOUBLE)) THEN CAST((sell_small_notional / nullif(sell_amount, 0e0)) AS DOUBLE) END AS taker_sell_small_order_percentage,
  CASE WHEN isfinite(CAST((sell_small_trades / nullif(sell_trades, 0e0)) AS DOUBLE)) THEN CAST((sell_small_trades / nullif(sell_trades, 0e0)) AS DOUBLE) END AS taker_sell_small_order_count_percentage,
  CASE WHEN isfinite(CAST(coalesce(sell_medium_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(sell_medium_notional, 0e0) AS DOUBLE) END AS taker_sell_medium_order_volume,
  CASE WHEN isfinite(CAST(coalesce(sell_medium_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(sell_medium_trades, 0e0) AS DOUBLE) END AS taker_sell_medium_order_count,
  CASE WHEN isfinite(CAST((sell_medium_notional / nullif(sell_amount, 0e0)) AS DOUBLE)) THEN CAST((sell_medium_notional / nullif(sell_amount, 0e0)) AS DOUBLE) END AS taker_sell_medium_order_percentage,
  CASE WHEN isfinite(CAST((sell_medium_trades / nullif(sell_trades, 0e0)) AS DOUBLE)) THEN CAST((sell_medium_trades / nullif(sell_trades, 0e0)) AS DOUBLE) END AS taker_sell_medium_order_count_percentage,
  CASE WHEN isfinite(CAST(coalesce(sell_large_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(sell_large_notional, 0e0) AS DOUBLE) END AS taker_sell_large_order_volume,
  CASE WHEN isfinite(CAST(coalesce(sell_large_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(sell_large_trades, 0e0) AS DOUBLE) END AS taker_sell_large_order_count,
  CASE WHEN isfinite(CAST((sell_large_notional / nullif(sell_amount, 0e0)) AS DOUBLE)) THEN CAST((sell_large_notional / nullif(sell_amount, 0e0)) AS DOUBLE) END AS taker_sell_large_order_percentage,
  CASE WHEN isfinite(CAST((sell_large_trades / nullif(sell_trades, 0e0)) AS DOUBLE)) THEN CAST((sell_large_trades / nullif(sell_trades, 0e0)) AS DOUBLE) END AS taker_sell_large_order_count_percentage
FROM filled_2
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'flow' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- trade_size.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price, CAST(amount AS DOUBLE) AS event_amount FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Notional is the product of price and amount.
trades_1 AS (
  SELECT *, (price * amount) AS notional FROM trades_numbered
),
-- Least amount of the interval.
trades_2 AS (
  SELECT *, min(amount) OVER (PARTITION BY interval_us) AS amount_least FROM trades_1
),
-- Differences from the least value keep the digits of small differences.
trades_3 AS (
  SELECT *, (amount - amount_least) AS amount_shifted FROM trades_2
),
-- Mean of these differences.
trades_4 AS (
  SELECT *, avg(amount_shifted) OVER (PARTITION BY interval_us) AS amount_shift FROM trades_3
),
-- Distances from the mean.
trades_5 AS (
  SELECT *, (amount_shifted - amount_shift) AS amount_distance FROM trades_4
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, coalesce(sum(CASE WHEN 100e0 > notional THEN notional END), 0e0) AS small_notional, coalesce(sum(CASE WHEN (notional >= 100e0 AND 1000e0 > notional) THEN notional END), 0e0) AS medium_notional, coalesce(sum(CASE WHEN notional >= 1000e0 THEN notional END), 0e0) AS large_notional, CAST(count(CASE WHEN 100e0 > notional THEN 1 END) AS DOUBLE) AS small_trades, CAST(count(CASE WHEN (notional >= 100e0 AND 1000e0 > notional) THEN 1 END) AS DOUBLE) AS medium_trades, CAST(count(CASE WHEN notional >= 1000e0 THEN 1 END) AS DOUBLE) AS large_trades, CAST(count(*) AS DOUBLE) AS trades, coalesce(sum(amount), 0e0) AS amount_total, min(amount) AS amount_interval_least, max(amount) AS amount_interval_greatest, avg(amount) AS amount_interval_mean, CASE WHEN quantile_cont(amount, 0.5e0) / quantile_disc(amount, 0.5e0) BETWEEN 1 - 1e-15 AND 1 + 1e-15 THEN quantile_disc(amount, 0.5e0) ELSE quantile_cont(amount, 0.5e0) END AS amount_middle, CASE WHEN CAST(count(amount_distance) AS DOUBLE) >= 2 THEN sum(amount_distance * amount_distance) / (CAST(count(amount_distance) AS DOUBLE) - 1e0) END AS amount_sample_variance, CASE WHEN CAST(count(amount_distance) AS DOUBLE) >= 3 AND sum(amount_distance * amount_distance) > 0e0 THEN CAST(count(amount_distance) AS DOUBLE) / ((CAST(count(amount_distance) AS DOUBLE) - 1e0) * (CAST(count(amount_distance) AS DOUBLE) - 2e0)) * sum(amount_distance * amount_distance * amount_distance) / (sum(amount_distance * amount_distance) / (CAST(count(amount_distance) AS DOUBLE) - 1e0) * sqrt(sum(amount_distance * amount_distance) / (CAST(count(amount_distance) AS DOUBLE) - 1e0))) END AS amount_skew, CASE WHEN CAST(count(amount_distance) AS DOUBLE) >= 4 AND sum(amount_distance * amount_distance) > 0e0 THEN CAST(count(amount_distance) AS DOUBLE) * (CAST(count(amount_distance) AS DOUBLE) + 1e0) / ((CAST(count(amount_distance) AS DOUBLE) - 1e0) * (CAST(count(amount_distance) AS DOUBLE) - 2e0) * (CAST(count(amount_distance) AS DOUBLE) - 3e0)) * sum(amount_distance * amount_distance * amount_distance * amount_distance) / (sum(amount_distance * amount_distance) / (CAST(count(amount_distance) AS DOUBLE) - 1e0) * (sum(amount_distance * amount_distance) / (CAST(count(amount_distance) AS DOUBLE) - 1e0))) - 3e0 * (CAST(count(amount_distance) AS DOUBLE) - 1e0) * (CAST(count(amount_distance) AS DOUBLE) - 1e0) / ((CAST(count(amount_distance) AS DOUBLE) - 2e0) * (CAST(count(amount_distance) AS DOUBLE) - 3e0)) END AS amount_tails FROM trades_5 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.small_notional AS small_notional, p0.medium_notional AS medium_notional, p0.large_notional AS large_notional, p0.small_trades AS small_trades, p0.medium_trades AS medium_trades, p0.large_trades AS large_trades, p0.trades AS trades, p0.amount_total AS amount_total, p0.amount_interval_least AS amount_interval_least, p0.amount_interval_greatest AS amount_interval_greatest, p0.amount_interval_mean AS amount_interval_mean, p0.amount_middle AS amount_middle, p0.amount_sample_variance AS amount_sample_variance, p0.amount_skew AS amount_skew, p0.amount_tails AS amount_tails FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(coalesce(small_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(small_notional, 0e0) AS DOUBLE) END AS small_order_volume,
  CASE WHEN isfinite(CAST(coalesce(medium_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(medium_notional, 0e0) AS DOUBLE) END AS medium_order_volume,
  CASE WHEN isfinite(CAST(coalesce(large_notional, 0e0) AS DOUBLE)) THEN CAST(coalesce(large_notional, 0e0) AS DOUBLE) END AS large_order_volume,
  CASE WHEN isfinite(CAST(coalesce(small_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(small_trades, 0e0) AS DOUBLE) END AS small_order_count,
  CASE WHEN isfinite(CAST(coalesce(medium_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(medium_trades, 0e0) AS DOUBLE) END AS medium_order_count,
  CASE WHEN isfinite(CAST(coalesce(large_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(large_trades, 0e0) AS DOUBLE) END AS large_order_count,
  CASE WHEN isfinite(CAST(coalesce(amount_total, 0e0) AS DOUBLE)) THEN CAST(coalesce(amount_total, 0e0) AS DOUBLE) END AS volume,
  CASE WHEN isfinite(CAST(coalesce(trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(trades, 0e0) AS DOUBLE) END AS n_trades,
  CASE WHEN isfinite(CAST((small_notional / nullif(amount_total, 0e0)) AS DOUBLE)) THEN CAST((small_notional / nullif(amount_total, 0e0)) AS DOUBLE) END AS small_order_percentage,
  CASE WHEN isfinite(CAST((medium_notional / nullif(amount_total, 0e0)) AS DOUBLE)) THEN CAST((medium_notional / nullif(amount_total, 0e0)) AS DOUBLE) END AS medium_order_percentage,
  CASE WHEN isfinite(CAST((large_notional / nullif(amount_total, 0e0)) AS DOUBLE)) THEN CAST((large_notional / nullif(amount_total, 0e0)) AS DOUBLE) END AS large_order_percentage,
  CASE WHEN isfinite(CAST((small_trades / nullif(trades, 0e0)) AS DOUBLE)) THEN CAST((small_trades / nullif(trades, 0e0)) AS DOUBLE) END AS small_order_count_percentage,
  CASE WHEN isfinite(CAST((medium_trades / nullif(trades, 0e0)) AS DOUBLE)) THEN CAST((medium_trades / nullif(trades, 0e0)) AS DOUBLE) END AS medium_order_count_percentage,
  CASE WHEN isfinite(CAST((large_trades / nullif(trades, 0e0)) AS DOUBLE)) THEN CAST((large_trades / nullif(trades, 0e0)) AS DOUBLE) END AS large_order_count_percentage,
  CASE WHEN isfinite(CAST(amount_interval_mean AS DOUBLE)) THEN CAST(amount_interval_mean AS DOUBLE) END AS trade_amount_mean,
  CASE WHEN isfinite(CAST(amount_middle AS DOUBLE)) THEN CAST(amount_middle AS DOUBLE) END AS trade_amount_median,
  CASE WHEN isfinite(CAST(sqrt(amount_sample_variance) AS DOUBLE)) THEN CAST(sqrt(amount_sample_variance) AS DOUBLE) END AS trade_amount_std,
  CASE WHEN isfinite(CAST(amount_sample_variance AS DOUBLE)) THEN CAST(amount_sample_variance AS DOUBLE) END AS trade_amount_variance,
  CASE WHEN isfinite(CAST(amount_skew AS DOUBLE)) THEN CAST(amount_skew AS DOUBLE) END AS trade_amount_skewness,
  CASE WHEN isfinite(CAST(amount_tails AS DOUBLE)) THEN CAST(amount_tails AS DOUBLE) END AS trade_amount_kurtosis,
  CASE WHEN isfinite(CAST(amount_interval_least AS DOUBLE)) THEN CAST(amount_interval_least AS DOUBLE) END AS trade_amount_min,
  CASE WHEN isfinite(CAST(amount_interval_greatest AS DOUBLE)) THEN CAST(amount_interval_greatest AS DOUBLE) END AS trade_amount_max,
  CASE WHEN isfinite(CAST((amount_interval_greatest / nullif(amount_interval_least, 0e0)) AS DOUBLE)) THEN CAST((amount_interval_greatest / nullif(amount_interval_least, 0e0)) AS DOUBLE) END AS trade_amount_range_ratio,
  CASE WHEN isfinite(CAST((sqrt(amount_sample_variance) / nullif(amount_interval_mean, 0e0)) AS DOUBLE)) THEN CAST((sqrt(amount_sample_variance) / nullif(amount_interval_mean, 0e0)) AS DOUBLE) END AS trade_amount_cv
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'trade_size' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- range.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Least price of the interval.
trades_1 AS (
  SELECT *, min(price) OVER (PARTITION BY interval_us) AS price_least FROM trades_numbered
),
-- Differences from the least value keep the digits of small differences.
trades_2 AS (
  SELECT *, (price - price_least) AS price_shifted FROM trades_1
),
-- Mean of these differences.
trades_3 AS (
  SELECT *, avg(price_shifted) OVER (PARTITION BY interval_us) AS price_shift FROM trades_2
),
-- Distances from the mean.
trades_4 AS (
  SELECT *, (price_shifted - price_shift) AS price_distance FROM trades_3
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, arg_max_null(price, nth) AS price_last, min(price) AS price_lowest, max(price) AS price_highest, avg(price) AS price_interval_mean, CASE WHEN quantile_cont(price, 0.5e0) / quantile_disc(price, 0.5e0) BETWEEN 1 - 1e-15 AND 1 + 1e-15 THEN quantile_disc(price, 0.5e0) ELSE quantile_cont(price, 0.5e0) END AS price_middle, CASE WHEN CAST(count(price_distance) AS DOUBLE) >= 2 THEN sum(price_distance * price_distance) / (CAST(count(price_distance) AS DOUBLE) - 1e0) END AS price_sample_variance, CASE WHEN CAST(count(price_distance) AS DOUBLE) >= 3 AND sum(price_distance * price_distance) > 0e0 THEN CAST(count(price_distance) AS DOUBLE) / ((CAST(count(price_distance) AS DOUBLE) - 1e0) * (CAST(count(price_distance) AS DOUBLE) - 2e0)) * sum(price_distance * price_distance * price_distance) / (sum(price_distance * price_distance) / (CAST(count(price_distance) AS DOUBLE) - 1e0) * sqrt(sum(price_distance * price_distance) / (CAST(count(price_distance) AS DOUBLE) - 1e0))) END AS price_skew, CASE WHEN CAST(count(price_distance) AS DOUBLE) >= 4 AND sum(price_distance * price_distance) > 0e0 THEN CAST(count(price_distance) AS DOUBLE) * (CAST(count(price_distance) AS DOUBLE) + 1e0) / ((CAST(count(price_distance) AS DOUBLE) - 1e0) * (CAST(count(price_distance) AS DOUBLE) - 2e0) * (CAST(count(price_distance) AS DOUBLE) - 3e0)) * sum(price_distance * price_distance * price_distance * price_distance) / (sum(price_distance * price_distance) / (CAST(count(price_distance) AS DOUBLE) - 1e0) * (sum(price_distance * price_distance) / (CAST(count(price_distance) AS DOUBLE) - 1e0))) - 3e0 * (CAST(count(price_distance) AS DOUBLE) - 1e0) * (CAST(count(price_distance) AS DOUBLE) - 1e0) / ((CAST(count(price_distance) AS DOUBLE) - 2e0) * (CAST(count(price_distance) AS DOUBLE) - 3e0)) END AS price_tails FROM trades_4 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.price_last AS price_last, p0.price_lowest AS price_lowest, p0.price_highest AS price_highest, p0.price_interval_mean AS price_interval_mean, p0.price_middle AS price_middle, p0.price_sample_variance AS price_sample_variance, p0.price_skew AS price_skew, p0.price_tails AS price_tails FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST((price_highest - price_lowest) AS DOUBLE)) THEN CAST((price_highest - price_lowest) AS DOUBLE) END AS range,
  CASE WHEN isfinite(CAST((((price_highest - price_lowest) / nullif(price_last, 0e0)) * 10000e0) AS DOUBLE)) THEN CAST((((price_highest - price_lowest) / nullif(price_last, 0e0)) * 10000e0) AS DOUBLE) END AS range_bps,
  CASE WHEN isfinite(CAST(price_interval_mean AS DOUBLE)) THEN CAST(price_interval_mean AS DOUBLE) END AS price_mean,
  CASE WHEN isfinite(CAST(price_middle AS DOUBLE)) THEN CAST(price_middle AS DOUBLE) END AS price_median,
  CASE WHEN isfinite(CAST(sqrt(price_sample_variance) AS DOUBLE)) THEN CAST(sqrt(price_sample_variance) AS DOUBLE) END AS price_std,
  CASE WHEN isfinite(CAST(price_sample_variance AS DOUBLE)) THEN CAST(price_sample_variance AS DOUBLE) END AS price_variance,
  CASE WHEN isfinite(CAST(price_skew AS DOUBLE)) THEN CAST(price_skew AS DOUBLE) END AS price_skewness,
  CASE WHEN isfinite(CAST(price_tails AS DOUBLE)) THEN CAST(price_tails AS DOUBLE) END AS price_kurtosis,
  CASE WHEN isfinite(CAST((price_highest / nullif(price_lowest, 0e0)) AS DOUBLE)) THEN CAST((price_highest / nullif(price_lowest, 0e0)) AS DOUBLE) END AS price_range_ratio,
  CASE WHEN isfinite(CAST((sqrt(price_sample_variance) / nullif(price_interval_mean, 0e0)) AS DOUBLE)) THEN CAST((sqrt(price_sample_variance) / nullif(price_interval_mean, 0e0)) AS DOUBLE) END AS price_cv
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'range' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- impact.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount, event_sign AS sign FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price, CAST(amount AS DOUBLE) AS event_amount, CASE side WHEN 'buy' THEN 1e0 WHEN 'sell' THEN -1e0 WHEN 'unknown' THEN 0e0 ELSE error('side must be buy, sell or unknown') END AS event_sign FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Notional is the product of price and amount.
trades_1 AS (
  SELECT *, (price * amount) AS notional FROM trades_numbered
),
-- Neighbours of each trade in its interval, and the notional from which a trade is large.
trades_2 AS (
  SELECT *, lag(price) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS price_before, lead(price, 5) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS price_ahead, CASE WHEN quantile_cont(notional, 0.9e0) OVER (PARTITION BY interval_us) / quantile_disc(notional, 0.9e0) OVER (PARTITION BY interval_us) BETWEEN 1 - 1e-15 AND 1 + 1e-15 THEN quantile_disc(notional, 0.9e0) OVER (PARTITION BY interval_us) ELSE quantile_cont(notional, 0.9e0) OVER (PARTITION BY interval_us) END AS large_from FROM trades_1
),
-- Return and signed amount of each trade that has one before it.
trades_3 AS (
  SELECT *, ((price - price_before) / nullif(price_before, 0e0)) AS trade_return, CASE WHEN price_before IS NOT NULL THEN (sign * amount) END AS signed_amount, CASE WHEN notional >= large_from THEN ((price_ahead - price) / nullif(price, 0e0)) END AS reversal FROM trades_2
),
-- Least trade_return and signed_amount of the interval.
trades_4 AS (
  SELECT *, min(trade_return) OVER (PARTITION BY interval_us) AS trade_return_least, min(signed_amount) OVER (PARTITION BY interval_us) AS signed_amount_least FROM trades_3
),
-- Differences from the least value keep the digits of small differences.
trades_5 AS (
  SELECT *, (trade_return - trade_return_least) AS trade_return_shifted, (signed_amount - signed_amount_least) AS signed_amount_shifted FROM trades_4
),
-- Mean of these differences.
trades_6 AS (
  SELECT *, avg(trade_return_shifted) OVER (PARTITION BY interval_us) AS trade_return_shift, avg(signed_amount_shifted) OVER (PARTITION BY interval_us) AS signed_amount_shift FROM trades_5
),
-- Distances from the mean.
trades_7 AS (
  SELECT *, (trade_return_shifted - trade_return_shift) AS trade_return_distance, (signed_amount_shifted - signed_amount_shift) AS signed_amount_distance FROM trades_6
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, arg_min_null(price, nth) AS price_first, arg_max_null(price, nth) AS price_last, coalesce(sum(notional), 0e0) AS notional_total, coalesce(sum((sign * notional)), 0e0) AS signed_notional, CAST(count(CASE WHEN nth > 1e0 THEN 1 END) AS DOUBLE) AS pairs, coalesce(sum((signed_amount_distance * trade_return_distance)), 0e0) AS covariation, coalesce(sum((signed_amount_distance * signed_amount_distance)), 0e0) AS amount_squares, avg(reversal) AS reversal_mean, avg(CASE WHEN sign = 1e0 THEN trade_return END) AS buy_return_mean, avg(CASE WHEN sign = -1e0 THEN trade_return END) AS sell_return_mean FROM trades_7 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.price_first AS price_first, p0.price_last AS price_last, p0.notional_total AS notional_total, p0.signed_notional AS signed_notional, p0.pairs AS pairs, p0.covariation AS covariation, p0.amount_squares AS amount_squares, p0.reversal_mean AS reversal_mean, p0.buy_return_mean AS buy_return_mean, p0.sell_return_mean AS sell_return_mean FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST((abs(((price_last - price_first) / nullif(price_first, 0e0))) / nullif(notional_total, 0e0)) AS DOUBLE)) THEN CAST((abs(((price_last - price_first) / nullif(price_first, 0e0))) / nullif(notional_total, 0e0)) AS DOUBLE) END AS amihud_like,
  CASE WHEN isfinite(CAST(CASE WHEN pairs >= 2e0 THEN (covariation / nullif(amount_squares, 0e0)) END AS DOUBLE)) THEN CAST(CASE WHEN pairs >= 2e0 THEN (covariation / nullif(amount_squares, 0e0)) END AS DOUBLE) END AS kyle_like_lambda,
  CASE WHEN isfinite(CAST((abs(((price_last - price_first) / nullif(price_first, 0e0))) / nullif(abs(signed_notional), 0e0)) AS DOUBLE)) THEN CAST((abs(((price_last - price_first) / nullif(price_first, 0e0))) / nullif(abs(signed_notional), 0e0)) AS DOUBLE) END AS impact_per_notional,
  CASE WHEN isfinite(CAST(reversal_mean AS DOUBLE)) THEN CAST(reversal_mean AS DOUBLE) END AS large_trade_reversal,
  CASE WHEN isfinite(CAST((buy_return_mean + sell_return_mean) AS DOUBLE)) THEN CAST((buy_return_mean + sell_return_mean) AS DOUBLE) END AS directional_impact_asymmetry
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'impact' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- updownticks.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price, CAST(amount AS DOUBLE) AS event_amount FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Each trade is compared with the trade before it in the interval.
trades_1 AS (
  SELECT *, lag(price) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS price_before FROM trades_numbered
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, CAST(count(CASE WHEN price > price_before THEN 1 END) AS DOUBLE) AS uptick_trades, CAST(count(CASE WHEN price_before > price THEN 1 END) AS DOUBLE) AS downtick_trades, CAST(count(CASE WHEN price = price_before THEN 1 END) AS DOUBLE) AS unchanged_trades, coalesce(sum(CASE WHEN price > price_before THEN amount END), 0e0) AS uptick_amount, coalesce(sum(CASE WHEN price_before > price THEN amount END), 0e0) AS downtick_amount, coalesce(sum(CASE WHEN price = price_before THEN amount END), 0e0) AS unchanged_amount, CAST(count(CASE WHEN (price > price_before OR price_before > price OR price = price_before) THEN 1 END) AS DOUBLE) AS compared_trades, coalesce(sum(CASE WHEN price_before IS NOT NULL THEN amount END), 0e0) AS compared_amount FROM trades_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.uptick_trades AS uptick_trades, p0.downtick_trades AS downtick_trades, p0.unchanged_trades AS unchanged_trades, p0.uptick_amount AS uptick_amount, p0.downtick_amount AS downtick_amount, p0.unchanged_amount AS unchanged_amount, p0.compared_trades AS compared_trades, p0.compared_amount AS compared_amount FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(coalesce(uptick_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(uptick_trades, 0e0) AS DOUBLE) END AS uptick_count,
  CASE WHEN isfinite(CAST(coalesce(downtick_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(downtick_trades, 0e0) AS DOUBLE) END AS downtick_count,
  CASE WHEN isfinite(CAST(coalesce(unchanged_trades, 0e0) AS DOUBLE)) THEN CAST(coalesce(unchanged_trades, 0e0) AS DOUBLE) END AS unchanged_count,
  CASE WHEN isfinite(CAST(coalesce(uptick_amount, 0e0) AS DOUBLE)) THEN CAST(coalesce(uptick_amount, 0e0) AS DOUBLE) END AS uptick_volume,
  CASE WHEN isfinite(CAST(coalesce(downtick_amount, 0e0) AS DOUBLE)) THEN CAST(coalesce(downtick_amount, 0e0) AS DOUBLE) END AS downtick_volume,
  CASE WHEN isfinite(CAST(coalesce(unchanged_amount, 0e0) AS DOUBLE)) THEN CAST(coalesce(unchanged_amount, 0e0) AS DOUBLE) END AS unchanged_volume,
  CASE WHEN isfinite(CAST((uptick_amount / nullif(downtick_amount, 0e0)) AS DOUBLE)) THEN CAST((uptick_amount / nullif(downtick_amount, 0e0)) AS DOUBLE) END AS uptick_downtick_volume_ratio,
  CASE WHEN isfinite(CAST((uptick_trades / nullif(downtick_trades, 0e0)) AS DOUBLE)) THEN CAST((uptick_trades / nullif(downtick_trades, 0e0)) AS DOUBLE) END AS uptick_downtick_count_ratio,
  CASE WHEN isfinite(CAST((uptick_trades / nullif(compared_trades, 0e0)) AS DOUBLE)) THEN CAST((uptick_trades / nullif(compared_trades, 0e0)) AS DOUBLE) END AS uptick_count_percentage,
  CASE WHEN isfinite(CAST((downtick_trades / nullif(compared_trades, 0e0)) AS DOUBLE)) THEN CAST((downtick_trades / nullif(compared_trades, 0e0)) AS DOUBLE) END AS downtick_count_percentage,
  CASE WHEN isfinite(CAST((unchanged_trades / nullif(compared_trades, 0e0)) AS DOUBLE)) THEN CAST((unchanged_trades / nullif(compared_trades, 0e0)) AS DOUBLE) END AS unchanged_count_percentage,
  CASE WHEN isfinite(CAST((uptick_amount / nullif(compared_amount, 0e0)) AS DOUBLE)) THEN CAST((uptick_amount / nullif(compared_amount, 0e0)) AS DOUBLE) END AS uptick_volume_percentage,
  CASE WHEN isfinite(CAST((downtick_amount / nullif(compared_amount, 0e0)) AS DOUBLE)) THEN CAST((downtick_amount / nullif(compared_amount, 0e0)) AS DOUBLE) END AS downtick_volume_percentage,
  CASE WHEN isfinite(CAST((unchanged_amount / nullif(compared_amount, 0e0)) AS DOUBLE)) THEN CAST((unchanged_amount / nullif(compared_amount, 0e0)) AS DOUBLE) END AS unchanged_volume_percentage
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'updownticks' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- run_structure.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, CAST(count(*) AS DOUBLE) AS trades FROM trades_numbered GROUP BY interval_us
),
-- Events of trades in the range, each with the start of its interval.
runs_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_sign AS sign FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price, CASE side WHEN 'buy' THEN 1e0 WHEN 'sell' THEN -1e0 WHEN 'unknown' THEN 0e0 ELSE error('side must be buy, sell or unknown') END AS event_sign FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
runs_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM runs_events
),
-- Trades of unknown side belong to no run.
runs_1 AS (
  SELECT * FROM runs_numbered WHERE sign <> 0e0
),
-- Previous sided trade.
runs_2 AS (
  SELECT *, lag(sign) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS sign_before, lag(price) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS sided_price_before FROM runs_1
),
-- A run starts at the first sided trade and at each flip.
runs_3 AS (
  SELECT *, CASE WHEN (coalesce(sign_before, 0e0) = 0e0 OR sign <> sign_before) THEN 1e0 ELSE 0e0 END AS starts_run, CASE WHEN (sign_before IS NOT NULL AND sign <> sign_before) THEN abs(((price - sided_price_before) / nullif(sided_price_before, 0e0))) END AS flip_change FROM runs_2
),
-- Runs are numbered by their starts.
runs_4 AS (
  SELECT *, sum(starts_run) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run FROM runs_3
),
-- One row per run.
runs_5 AS (
  SELECT interval_us, run, arg_max_null(sign, nth) AS run_sign, CAST(count(*) AS DOUBLE) AS run_length, avg(flip_change) AS run_flip_change FROM runs_4 GROUP BY interval_us, run
),
-- One row per interval.
runs_by_interval AS (
  SELECT interval_us, coalesce(sum(run_length), 0e0) AS sided_trades, CAST(count(*) AS DOUBLE) AS runs, max(CASE WHEN run_sign = 1e0 THEN run_length END) AS buy_longest, max(CASE WHEN run_sign = -1e0 THEN run_length END) AS sell_longest, avg(CASE WHEN run_sign = 1e0 THEN run_length END) AS buy_length_mean, avg(CASE WHEN run_sign = -1e0 THEN run_length END) AS sell_length_mean, avg(run_flip_change) AS flip_change_mean FROM runs_5 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.trades AS trades, p1.sided_trades AS sided_trades, p1.runs AS runs, p1.buy_longest AS buy_longest, p1.sell_longest AS sell_longest, p1.buy_length_mean AS buy_length_mean, p1.sell_length_mean AS sell_length_mean, p1.flip_change_mean AS flip_change_mean FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us LEFT JOIN runs_by_interval AS p1 ON p1.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END AS DOUBLE)) THEN CAST(CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END AS DOUBLE) END AS buy_run_max_len,
  CASE WHEN isfinite(CAST(CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END AS DOUBLE)) THEN CAST(CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END AS DOUBLE) END AS sell_run_max_len,
  CASE WHEN isfinite(CAST(CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_length_mean, 0e0) END AS DOUBLE)) THEN CAST(CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_length_mean, 0e0) END AS DOUBLE) END AS buy_run_mean_len,
  CASE WHEN isfinite(CAST(CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_length_mean, 0e0) END AS DOUBLE)) THEN CAST(CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_length_mean, 0e0) END AS DOUBLE) END AS sell_run_mean_len,
  CASE WHEN isfinite(CAST(((CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END - CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END) / nullif((CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END + CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END), 0e0)) AS DOUBLE)) THEN CAST(((CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END - CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END) / nullif((CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END + CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END), 0e0)) AS DOUBLE) END AS run_imbalance,
  CASE WHEN isfinite(CAST(((runs - 1e0) / nullif(sided_trades, 0e0)) AS DOUBLE)) THEN CAST(((runs - 1e0) / nullif(sided_trades, 0e0)) AS DOUBLE) END AS flip_rate,
  CASE WHEN isfinite(CAST(flip_change_mean AS DOUBLE)) THEN CAST(flip_change_mean AS DOUBLE) END AS price_change_on_flip
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'run_structure' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- returns.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Each trade is compared with the trade before it in the interval.
trades_1 AS (
  SELECT *, lag(price) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS price_before FROM trades_numbered
),
-- Log returns inside the interval.
trades_2 AS (
  SELECT *, CASE WHEN abs(price - price_before) < 1e-3 * (price + price_before) THEN 2e0 * ((price - price_before) / (price + price_before)) * (1e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) * (1e0 / 3e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) * (1e0 / 5e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) / 7e0))) ELSE ln(price / price_before) END AS log_return FROM trades_1
),
-- Previous return.
trades_3 AS (
  SELECT *, lag(log_return) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS return_before FROM trades_2
),
-- Pairs of a return and the one before it.
trades_4 AS (
  SELECT *, return_before AS earlier, CASE WHEN return_before IS NOT NULL THEN log_return END AS later FROM trades_3
),
-- Least log_return and earlier and later of the interval.
trades_5 AS (
  SELECT *, min(log_return) OVER (PARTITION BY interval_us) AS log_return_least, min(earlier) OVER (PARTITION BY interval_us) AS earlier_least, min(later) OVER (PARTITION BY interval_us) AS later_least FROM trades_4
),
-- Differences from the least value keep the digits of small differences.
trades_6 AS (
  SELECT *, (log_return - log_return_least) AS log_return_shifted, (earlier - earlier_least) AS earlier_shifted, (later - later_least) AS later_shifted FROM trades_5
),
-- Mean of these differences.
trades_7 AS (
  SELECT *, avg(log_return_shifted) OVER (PARTITION BY interval_us) AS log_return_shift, avg(earlier_shifted) OVER (PARTITION BY interval_us) AS earlier_shift, avg(later_shifted) OVER (PARTITION BY interval_us) AS later_shift FROM trades_6
),
-- Distances from the mean.
trades_8 AS (
  SELECT *, (log_return_shifted - log_return_shift) AS log_return_distance, (earlier_shifted - earlier_shift) AS earlier_distance, (later_shifted - later_shift) AS later_distance FROM trades_7
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, CAST(count(CASE WHEN log_return IS NOT NULL THEN 1 END) AS DOUBLE) AS returns, CAST(count(CASE WHEN return_before IS NOT NULL THEN 1 END) AS DOUBLE) AS pairs, CASE WHEN CAST(count(log_return_distance) AS DOUBLE) >= 2 THEN sum(log_return_distance * log_return_distance) / (CAST(count(log_return_distance) AS DOUBLE) - 1e0) END AS return_variance, coalesce(sum((log_return * log_return)), 0e0) AS return_squares, coalesce(sum(log_return), 0e0) AS return_total, coalesce(sum(abs(log_return)), 0e0) AS return_path, coalesce(sum((abs(log_return) * abs(return_before))), 0e0) AS adjacent_products, coalesce(sum((earlier_distance * later_distance)), 0e0) AS covariation, coalesce(sum((earlier_distance * earlier_distance)), 0e0) AS earlier_squares, coalesce(sum((later_distance * later_distance)), 0e0) AS later_squares FROM trades_8 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.returns AS returns, p0.pairs AS pairs, p0.return_variance AS return_variance, p0.return_squares AS return_squares, p0.return_total AS return_total, p0.return_path AS return_path, p0.adjacent_products AS adjacent_products, p0.covariation AS covariation, p0.earlier_squares AS earlier_squares, p0.later_squares AS later_squares FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(return_variance AS DOUBLE)) THEN CAST(return_variance AS DOUBLE) END AS logret_var,
  CASE WHEN isfinite(CAST(CASE WHEN returns >= 1e0 THEN sqrt(return_squares) END AS DOUBLE)) THEN CAST(CASE WHEN returns >= 1e0 THEN sqrt(return_squares) END AS DOUBLE) END AS realized_vol,
  CASE WHEN isfinite(CAST(CASE WHEN returns >= 2e0 THEN (1.5707963267948966e0 * adjacent_products) END AS DOUBLE)) THEN CAST(CASE WHEN returns >= 2e0 THEN (1.5707963267948966e0 * adjacent_products) END AS DOUBLE) END AS bipower_variation,
  CASE WHEN isfinite(CAST(CASE WHEN returns >= 2e0 THEN ((return_squares - (1.5707963267948966e0 * adjacent_products)) / nullif(return_squares, 0e0)) END AS DOUBLE)) THEN CAST(CASE WHEN returns >= 2e0 THEN ((return_squares - (1.5707963267948966e0 * adjacent_products)) / nullif(return_squares, 0e0)) END AS DOUBLE) END AS jump_ratio,
  CASE WHEN isfinite(CAST(CASE WHEN pairs >= 2e0 THEN (covariation / nullif((sqrt(earlier_squares) * sqrt(later_squares)), 0e0)) END AS DOUBLE)) THEN CAST(CASE WHEN pairs >= 2e0 THEN (covariation / nullif((sqrt(earlier_squares) * sqrt(later_squares)), 0e0)) END AS DOUBLE) END AS ret_autocorr_lag1,
  CASE WHEN isfinite(CAST((abs(return_total) / nullif(return_path, 0e0)) AS DOUBLE)) THEN CAST((abs(return_total) / nullif(return_path, 0e0)) AS DOUBLE) END AS trendiness
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'returns' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- slippage.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, CAST(count(*) AS DOUBLE) AS trades FROM trades_numbered GROUP BY interval_us
),
-- Events of trades in the range, each with the start of its interval.
quoted_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount, event_sign AS sign FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price, CAST(amount AS DOUBLE) AS event_amount, CASE side WHEN 'buy' THEN 1e0 WHEN 'sell' THEN -1e0 WHEN 'unknown' THEN 0e0 ELSE error('side must be buy, sell or unknown') END AS event_sign FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
quoted_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM quoted_events
),
-- All quotes up to the end of the range.
quoted_quotes_events AS (
  SELECT * FROM (SELECT time_us, file_ordinal, row_ordinal, event_bid_price AS bid_price, event_ask_price AS ask_price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(bid_price AS DOUBLE) AS event_bid_price, CAST(ask_price AS DOUBLE) AS event_ask_price FROM read_parquet(['/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of quotes must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us < 1788393600000000
),
-- Last event of each time.
quoted_quotes AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY time_us ORDER BY file_ordinal DESC, row_ordinal DESC) AS from_last FROM quoted_quotes_events) AS ranked WHERE from_last = 1
),
-- Each event with the latest quotes at or before it.
quoted_as_of_quotes AS (
  SELECT l.*, r.bid_price AS quote_bid, r.ask_price AS quote_ask FROM quoted_numbered AS l ASOF LEFT JOIN quoted_quotes AS r ON l.time_us >= r.time_us
),
-- Sided trades whose latest quote has both prices; 0 is a missing one.
quoted_1 AS (
  SELECT * FROM quoted_as_of_quotes WHERE (sign <> 0e0 AND quote_bid <> 0e0 AND quote_ask <> 0e0)
),
-- Part of the price beyond the best quote.
quoted_2 AS (
  SELECT *, CASE WHEN sign = 1e0 THEN (price - quote_ask) ELSE (quote_bid - price) END AS beyond, ((quote_bid + quote_ask) / nullif(2e0, 0e0)) AS quote_mid FROM quoted_1
),
-- The same in basis points of the mid price.
quoted_3 AS (
  SELECT *, ((beyond / nullif(quote_mid, 0e0)) * 10000e0) AS bps FROM quoted_2
),
-- Least bps of the interval.
quoted_4 AS (
  SELECT *, min(bps) OVER (PARTITION BY interval_us) AS bps_least FROM quoted_3
),
-- Differences from the least value keep the digits of small differences.
quoted_5 AS (
  SELECT *, (bps - bps_least) AS bps_shifted FROM quoted_4
),
-- Mean of these differences.
quoted_6 AS (
  SELECT *, avg(bps_shifted) OVER (PARTITION BY interval_us) AS bps_shift FROM quoted_5
),
-- Distances from the mean.
quoted_7 AS (
  SELECT *, (bps_shifted - bps_shift) AS bps_distance FROM quoted_6
),
-- One row per interval.
quoted_by_interval AS (
  SELECT interval_us, avg(beyond) AS beyond_mean, avg(bps) AS bps_mean, CASE WHEN CAST(count(bps_distance) AS DOUBLE) >= 2 THEN sum(bps_distance * bps_distance) / (CAST(count(bps_distance) AS DOUBLE) - 1e0) END AS bps_variance, CASE WHEN quantile_cont(bps, 0.5e0) / quantile_disc(bps, 0.5e0) BETWEEN 1 - 1e-15 AND 1 + 1e-15 THEN quantile_disc(bps, 0.5e0) ELSE quantile_cont(bps, 0.5e0) END AS bps_middle, CASE WHEN quantile_cont(bps, 0.95e0) / quantile_disc(bps, 0.95e0) BETWEEN 1 - 1e-15 AND 1 + 1e-15 THEN quantile_disc(bps, 0.95e0) ELSE quantile_cont(bps, 0.95e0) END AS bps_high, coalesce(sum((amount * bps)), 0e0) AS bps_weighted, coalesce(sum(amount), 0e0) AS bps_weight, avg(CASE WHEN sign = 1e0 THEN bps END) AS buy_bps_mean, avg(CASE WHEN sign = -1e0 THEN bps END) AS sell_bps_mean FROM quoted_7 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.trades AS trades, p1.beyond_mean AS beyond_mean, p1.bps_mean AS bps_mean, p1.bps_variance AS bps_variance, p1.bps_middle AS bps_middle, p1.bps_high AS bps_high, p1.bps_weighted AS bps_weighted, p1.bps_weight AS bps_weight, p1.buy_bps_mean AS buy_bps_mean, p1.sell_bps_mean AS sell_bps_mean FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us LEFT JOIN quoted_by_interval AS p1 ON p1.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(beyond_mean AS DOUBLE)) THEN CAST(beyond_mean AS DOUBLE) END AS slippage_mean,
  CASE WHEN isfinite(CAST(bps_mean AS DOUBLE)) THEN CAST(bps_mean AS DOUBLE) END AS slippage_bps_mean,
  CASE WHEN isfinite(CAST(sqrt(bps_variance) AS DOUBLE)) THEN CAST(sqrt(bps_variance) AS DOUBLE) END AS slippage_bps_std,
  CASE WHEN isfinite(CAST(bps_middle AS DOUBLE)) THEN CAST(bps_middle AS DOUBLE) END AS slippage_bps_median,
  CASE WHEN isfinite(CAST(bps_high AS DOUBLE)) THEN CAST(bps_high AS DOUBLE) END AS slippage_bps_p95,
  CASE WHEN isfinite(CAST((bps_weighted / nullif(bps_weight, 0e0)) AS DOUBLE)) THEN CAST((bps_weighted / nullif(bps_weight, 0e0)) AS DOUBLE) END AS slippage_bps_vwap,
  CASE WHEN isfinite(CAST(buy_bps_mean AS DOUBLE)) THEN CAST(buy_bps_mean AS DOUBLE) END AS slippage_bps_buy_mean,
  CASE WHEN isfinite(CAST(sell_bps_mean AS DOUBLE)) THEN CAST(sell_bps_mean AS DOUBLE) END AS slippage_bps_sell_mean,
  CASE WHEN isfinite(CAST((buy_bps_mean / nullif(sell_bps_mean, 0e0)) AS DOUBLE)) THEN CAST((buy_bps_mean / nullif(sell_bps_mean, 0e0)) AS DOUBLE) END AS slippage_bps_buy_sell_ratio,
  CASE WHEN isfinite(CAST((sell_bps_mean / nullif(buy_bps_mean, 0e0)) AS DOUBLE)) THEN CAST((sell_bps_mean / nullif(buy_bps_mean, 0e0)) AS DOUBLE) END AS slippage_bps_sell_buy_ratio
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'slippage' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- vtwap.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price, CAST(amount AS DOUBLE) AS event_amount FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Notional is the product of price and amount.
trades_1 AS (
  SELECT *, (price * amount) AS notional FROM trades_numbered
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, coalesce(sum(notional), 0e0) AS notional_total, coalesce(sum(amount), 0e0) AS amount_total, avg(price) AS price_interval_mean FROM trades_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.notional_total AS notional_total, p0.amount_total AS amount_total, p0.price_interval_mean AS price_interval_mean FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST((notional_total / nullif(amount_total, 0e0)) AS DOUBLE)) THEN CAST((notional_total / nullif(amount_total, 0e0)) AS DOUBLE) END AS vwap,
  CASE WHEN isfinite(CAST(price_interval_mean AS DOUBLE)) THEN CAST(price_interval_mean AS DOUBLE) END AS twap
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'vtwap' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- ohlcv.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price, CAST(amount AS DOUBLE) AS event_amount FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Notional is the product of price and amount.
trades_1 AS (
  SELECT *, (price * amount) AS notional FROM trades_numbered
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, arg_min_null(price, nth) AS price_first, max(price) AS price_highest, min(price) AS price_lowest, arg_max_null(price, nth) AS price_last, coalesce(sum(amount), 0e0) AS amount_total, coalesce(sum(notional), 0e0) AS notional_total FROM trades_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.price_first AS price_first, p0.price_highest AS price_highest, p0.price_lowest AS price_lowest, p0.price_last AS price_last, p0.amount_total AS amount_total, p0.notional_total AS notional_total FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(price_first AS DOUBLE)) THEN CAST(price_first AS DOUBLE) END AS open,
  CASE WHEN isfinite(CAST(price_highest AS DOUBLE)) THEN CAST(price_highest AS DOUBLE) END AS high,
  CASE WHEN isfinite(CAST(price_lowest AS DOUBLE)) THEN CAST(price_lowest AS DOUBLE) END AS low,
  CASE WHEN isfinite(CAST(price_last AS DOUBLE)) THEN CAST(price_last AS DOUBLE) END AS close,
  CASE WHEN isfinite(CAST(coalesce(amount_total, 0e0) AS DOUBLE)) THEN CAST(coalesce(amount_total, 0e0) AS DOUBLE) END AS volume,
  CASE WHEN isfinite(CAST(coalesce(notional_total, 0e0) AS DOUBLE)) THEN CAST(coalesce(notional_total, 0e0) AS DOUBLE) END AS volume_notional
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'ohlcv' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- basis.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of mark_price in the range, each with the start of its interval.
marks_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_mark_price AS mark_price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(mark_price AS DOUBLE) AS event_mark_price FROM read_parquet(['/data/raw/dataset=mark_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of mark_price must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=mark_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
marks_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM marks_events
),
-- All index_price up to the end of the range.
marks_index_price_events AS (
  SELECT * FROM (SELECT time_us, file_ordinal, row_ordinal, event_index_price AS index_price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(index_price AS DOUBLE) AS event_index_price FROM read_parquet(['/data/raw/dataset=index_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of index_price must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=index_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us < 1788393600000000
),
-- Last event of each time.
marks_index_price AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY time_us ORDER BY file_ordinal DESC, row_ordinal DESC) AS from_last FROM marks_index_price_events) AS ranked WHERE from_last = 1
),
-- Each event with the latest index_price at or before it.
marks_as_of_index_price AS (
  SELECT l.*, r.index_price AS index_then FROM marks_numbered AS l ASOF LEFT JOIN marks_index_price AS r ON l.time_us >= r.time_us
),
-- All trades up to the end of the range.
marks_trades_events AS (
  SELECT * FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(price AS DOUBLE) AS event_price FROM read_parquet(['/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us < 1788393600000000
),
-- Last event of each time.
marks_trades AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY time_us ORDER BY file_ordinal DESC, row_ordinal DESC) AS from_last FROM marks_trades_events) AS ranked WHERE from_last = 1
),
-- Each event with the latest trades at or before it.
marks_as_of_trades AS (
  SELECT l.*, r.price AS trade_then FROM marks_as_of_index_price AS l ASOF LEFT JOIN marks_trades AS r ON l.time_us >= r.time_us
),
-- Differences of the mark from the index and the last trade as of this update.
marks_1 AS (
  SELECT *, (mark_price - index_then) AS index_difference, (((mark_price - index_then) / nullif(index_then, 0e0)) * 10000e0) AS index_bps, (mark_price - trade_then) AS trade_difference, (((mark_price - trade_then) / nullif(trade_then, 0e0)) * 10000e0) AS trade_bps FROM marks_as_of_trades
),
-- Values at the previous update.
marks_2 AS (
  SELECT *, lag(index_difference) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS index_difference_before, lag(index_bps) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS index_bps_before, lag(trade_difference) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS trade_difference_before, lag(trade_bps) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS trade_bps_before FROM marks_1
),
-- Only changed values count.
marks_3 AS (
  SELECT *, CASE WHEN ((index_difference IS NOT NULL AND CASE WHEN index_difference_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (index_difference_before IS NOT NULL AND index_difference <> index_difference_before)) THEN index_difference END AS index_difference_changed, CASE WHEN ((index_bps IS NOT NULL AND CASE WHEN index_bps_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (index_bps_before IS NOT NULL AND index_bps <> index_bps_before)) THEN index_bps END AS index_bps_changed, CASE WHEN ((trade_difference IS NOT NULL AND CASE WHEN trade_difference_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (trade_difference_before IS NOT NULL AND trade_difference <> trade_difference_before)) THEN trade_difference END AS trade_difference_changed, CASE WHEN ((trade_bps IS NOT NULL AND CASE WHEN trade_bps_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (trade_bps_before IS NOT NULL AND trade_bps <> trade_bps_before)) THEN trade_bps END AS trade_bps_changed FROM marks_2
),
-- Least index_bps_changed and trade_bps_changed of the interval.
marks_4 AS (
  SELECT *, min(index_bps_changed) OVER (PARTITION BY interval_us) AS index_bps_changed_least, min(trade_bps_changed) OVER (PARTITION BY interval_us) AS trade_bps_changed_least FROM marks_3
),
-- Differences from the least value keep the digits of small differences.
marks_5 AS (
  SELECT *, (index_bps_changed - index_bps_changed_least) AS index_bps_changed_shifted, (trade_bps_changed - trade_bps_changed_least) AS trade_bps_changed_shifted FROM marks_4
),
-- Mean of these differences.
marks_6 AS (
  SELECT *, avg(index_bps_changed_shifted) OVER (PARTITION BY interval_us) AS index_bps_changed_shift, avg(trade_bps_changed_shifted) OVER (PARTITION BY interval_us) AS trade_bps_changed_shift FROM marks_5
),
-- Distances from the mean.
marks_7 AS (
  SELECT *, (index_bps_changed_shifted - index_bps_changed_shift) AS index_bps_changed_distance, (trade_bps_changed_shifted - trade_bps_changed_shift) AS trade_bps_changed_distance FROM marks_6
),
-- One row per interval.
marks_by_interval AS (
  SELECT interval_us, arg_max_null(index_difference, nth) AS index_difference_last, arg_max_null(index_bps, nth) AS index_bps_last, avg(index_difference_changed) AS index_difference_mean, CASE WHEN CAST(count(index_bps_changed_distance) AS DOUBLE) >= 2 THEN sum(index_bps_changed_distance * index_bps_changed_distance) / (CAST(count(index_bps_changed_distance) AS DOUBLE) - 1e0) END AS index_bps_variance, arg_max_null(trade_difference, nth) AS trade_difference_last, arg_max_null(trade_bps, nth) AS trade_bps_last, avg(trade_difference_changed) AS trade_difference_mean, CASE WHEN CAST(count(trade_bps_changed_distance) AS DOUBLE) >= 2 THEN sum(trade_bps_changed_distance * trade_bps_changed_distance) / (CAST(count(trade_bps_changed_distance) AS DOUBLE) - 1e0) END AS trade_bps_variance FROM marks_7 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM marks_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.index_difference_last AS index_difference_last, p0.index_bps_last AS index_bps_last, p0.index_difference_mean AS index_difference_mean, p0.index_bps_variance AS index_bps_variance, p0.trade_difference_last AS trade_difference_last, p0.trade_bps_last AS trade_bps_last, p0.trade_difference_mean AS trade_difference_mean, p0.trade_bps_variance AS trade_bps_variance FROM intervals AS g LEFT JOIN marks_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(index_difference_last AS DOUBLE)) THEN CAST(index_difference_last AS DOUBLE) END AS basis,
  CASE WHEN isfinite(CAST(index_bps_last AS DOUBLE)) THEN CAST(index_bps_last AS DOUBLE) END AS basis_bps,
  CASE WHEN isfinite(CAST(trade_difference_last AS DOUBLE)) THEN CAST(trade_difference_last AS DOUBLE) END AS mark_price_spread,
  CASE WHEN isfinite(CAST(trade_bps_last AS DOUBLE)) THEN CAST(trade_bps_last AS DOUBLE) END AS mark_price_spread_bps,
  CASE WHEN isfinite(CAST(index_difference_mean AS DOUBLE)) THEN CAST(index_difference_mean AS DOUBLE) END AS basis_mean,
  CASE WHEN isfinite(CAST(sqrt(index_bps_variance) AS DOUBLE)) THEN CAST(sqrt(index_bps_variance) AS DOUBLE) END AS basis_bps_std,
  CASE WHEN isfinite(CAST(trade_difference_mean AS DOUBLE)) THEN CAST(trade_difference_mean AS DOUBLE) END AS mark_price_spread_mean,
  CASE WHEN isfinite(CAST(sqrt(trade_bps_variance) AS DOUBLE)) THEN CAST(sqrt(trade_bps_variance) AS DOUBLE) END AS mark_price_spread_bps_std
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'basis' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- funding.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of funding_rate in the range, each with the start of its interval.
rates_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_funding_rate AS funding_rate FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(funding_rate AS DOUBLE) AS event_funding_rate FROM read_parquet(['/data/raw/dataset=funding_rate/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of funding_rate must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=funding_rate/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
rates_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM rates_events
),
-- Previous rate of the same UTC day.
rates_1 AS (
  SELECT *, lag(funding_rate) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us, nth) AS rate_before FROM rates_numbered
),
-- One row per interval.
rates_by_interval AS (
  SELECT interval_us, arg_max_null(funding_rate, nth) AS rate_last, CAST(count(CASE WHEN ((funding_rate IS NOT NULL AND CASE WHEN rate_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (rate_before IS NOT NULL AND funding_rate <> rate_before)) THEN 1 END) AS DOUBLE) AS updates FROM rates_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM rates_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.rate_last AS rate_last, p0.updates AS updates FROM intervals AS g LEFT JOIN rates_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(rate_last AS DOUBLE)) THEN CAST(rate_last AS DOUBLE) END AS funding_rate,
  CASE WHEN isfinite(CAST(coalesce((coalesce(updates, 0e0) / nullif(interval_seconds, 0e0)), 0e0) AS DOUBLE)) THEN CAST(coalesce((coalesce(updates, 0e0) / nullif(interval_seconds, 0e0)), 0e0) AS DOUBLE) END AS funding_rate_update_frequency,
  CASE WHEN isfinite(CAST((interval_seconds / nullif(updates, 0e0)) AS DOUBLE)) THEN CAST((interval_seconds / nullif(updates, 0e0)) AS DOUBLE) END AS funding_rate_avg_update_interval
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'funding' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- open_interest.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of open_interest in the range, each with the start of its interval.
interest_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_open_interest AS open_interest FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(open_interest AS DOUBLE) AS event_open_interest FROM read_parquet(['/data/raw/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of open_interest must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
interest_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM interest_events
),
-- One row per interval.
interest_by_interval AS (
  SELECT interval_us, arg_min_null(open_interest, nth) AS interest_first, arg_max_null(open_interest, nth) AS interest_last FROM interest_numbered GROUP BY interval_us
),
-- Events of open_interest in the range, each with the start of its interval.
changes_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_open_interest AS open_interest FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(open_interest AS DOUBLE) AS event_open_interest FROM read_parquet(['/data/raw/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of open_interest must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
changes_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM changes_events
),
-- Value at the previous update.
changes_1 AS (
  SELECT *, lag(open_interest) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS interest_before FROM changes_numbered
),
-- Only changed values count.
changes_2 AS (
  SELECT * FROM changes_1 WHERE ((open_interest IS NOT NULL AND CASE WHEN interest_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (interest_before IS NOT NULL AND open_interest <> interest_before))
),
-- Previous changed value.
changes_3 AS (
  SELECT *, lag(open_interest) OVER (PARTITION BY interval_us ORDER BY interval_us, nth) AS changed_before FROM changes_2
),
-- Percentage changes.
changes_4 AS (
  SELECT *, (((open_interest - changed_before) / nullif(changed_before, 0e0)) * 100e0) AS change FROM changes_3
),
-- Least change of the interval.
changes_5 AS (
  SELECT *, min(change) OVER (PARTITION BY interval_us) AS change_least FROM changes_4
),
-- Differences from the least value keep the digits of small differences.
changes_6 AS (
  SELECT *, (change - change_least) AS change_shifted FROM changes_5
),
-- Mean of these differences.
changes_7 AS (
  SELECT *, avg(change_shifted) OVER (PARTITION BY interval_us) AS change_shift FROM changes_6
),
-- Distances from the mean.
changes_8 AS (
  SELECT *, (change_shifted - change_shift) AS change_distance FROM changes_7
),
-- One row per interval.
changes_by_interval AS (
  SELECT interval_us, CASE WHEN CAST(count(change_distance) AS DOUBLE) >= 2 THEN sum(change_distance * change_distance) / (CAST(count(change_distance) AS DOUBLE) - 1e0) END AS change_variance FROM changes_8 GROUP BY interval_us
),
-- Events of mark_price in the range, each with the start of its interval.
marks_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_mark_price AS mark_price FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(mark_price AS DOUBLE) AS event_mark_price FROM read_parquet(['/data/raw/dataset=mark_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of mark_price must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=mark_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
marks_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM marks_events
),
-- One row per interval.
marks_by_interval AS (
  SELECT interval_us, arg_min_null(mark_price, nth) AS mark_first, arg_max_null(mark_price, nth) AS mark_last FROM marks_numbered GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM interest_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.interest_first AS interest_first, p0.interest_last AS interest_last, p1.change_variance AS change_variance, p2.mark_first AS mark_first, p2.mark_last AS mark_last FROM intervals AS g LEFT JOIN interest_by_interval AS p0 ON p0.interval_us = g.interval_us LEFT JOIN changes_by_interval AS p1 ON p1.interval_us = g.interval_us LEFT JOIN marks_by_interval AS p2 ON p2.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(interest_last AS DOUBLE)) THEN CAST(interest_last AS DOUBLE) END AS open_interest,
  CASE WHEN isfinite(CAST((((interest_last - interest_first) / nullif(interest_first, 0e0)) * 100e0) AS DOUBLE)) THEN CAST((((interest_last - interest_first) / nullif(interest_first, 0e0)) * 100e0) AS DOUBLE) END AS open_interest_pct_change,
  CASE WHEN isfinite(CAST(sqrt(change_variance) AS DOUBLE)) THEN CAST(sqrt(change_variance) AS DOUBLE) END AS open_interest_volatility,
  CASE WHEN isfinite(CAST(((((interest_last - interest_first) / nullif(interest_first, 0e0)) * 100e0) / nullif((((mark_last - mark_first) / nullif(mark_first, 0e0)) * 100e0), 0e0)) AS DOUBLE)) THEN CAST(((((interest_last - interest_first) / nullif(interest_first, 0e0)) * 100e0) / nullif((((mark_last - mark_first) / nullif(mark_first, 0e0)) * 100e0), 0e0)) AS DOUBLE) END AS oi_price_change_ratio
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'open_interest' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- l1_price.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of quotes in the range, each with the start of its interval.
quotes_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_bid_price AS bid_price, event_bid_amount AS bid_amount, event_ask_price AS ask_price, event_ask_amount AS ask_amount FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(bid_price AS DOUBLE) AS event_bid_price, CAST(bid_amount AS DOUBLE) AS event_bid_amount, CAST(ask_price AS DOUBLE) AS event_ask_price, CAST(ask_amount AS DOUBLE) AS event_ask_amount FROM read_parquet(['/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of quotes must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
quotes_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM quotes_events
),
-- A price of 0 is a missing one.
quotes_1 AS (
  SELECT *, nullif(bid_price, 0e0) AS bid, nullif(ask_price, 0e0) AS ask FROM quotes_numbered
),
-- Prices of the update.
quotes_2 AS (
  SELECT *, ((bid + ask) / nullif(2e0, 0e0)) AS mid, (((ask * bid_amount) + (bid * ask_amount)) / nullif((bid_amount + ask_amount), 0e0)) AS weighted_mid FROM quotes_1
),
-- One row per interval.
quotes_by_interval AS (
  SELECT interval_us, arg_max_null(ask, nth) AS ask_last, arg_max_null(bid, nth) AS bid_last, arg_max_null(ask_amount, nth) AS ask_amount_last, arg_max_null(bid_amount, nth) AS bid_amount_last, CAST(count(*) AS DOUBLE) AS updates, arg_min_null(time_us, nth) AS time_first, arg_max_null(time_us, nth) AS time_last, arg_max_null(mid, nth) AS mid_last, arg_max_null(weighted_mid, nth) AS weighted_mid_last, avg(bid) AS bid_mean, avg(ask) AS ask_mean, coalesce(sum(CASE WHEN bid IS NOT NULL THEN (bid * bid_amount) END), 0e0) AS bid_weighted, coalesce(sum(CASE WHEN bid IS NOT NULL THEN bid_amount END), 0e0) AS bid_weight, coalesce(sum(CASE WHEN ask IS NOT NULL THEN (ask * ask_amount) END), 0e0) AS ask_weighted, coalesce(sum(CASE WHEN ask IS NOT NULL THEN ask_amount END), 0e0) AS ask_weight FROM quotes_2 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM quotes_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.ask_last AS ask_last, p0.bid_last AS bid_last, p0.ask_amount_last AS ask_amount_last, p0.bid_amount_last AS bid_amount_last, p0.updates AS updates, p0.time_first AS time_first, p0.time_last AS time_last, p0.mid_last AS mid_last, p0.weighted_mid_last AS weighted_mid_last, p0.bid_mean AS bid_mean, p0.ask_mean AS ask_mean, p0.bid_weighted AS bid_weighted, p0.bid_weight AS bid_weight, p0.ask_weighted AS ask_weighted, p0.ask_weight AS ask_weight FROM intervals AS g LEFT JOIN quotes_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(ask_last AS DOUBLE)) THEN CAST(ask_last AS DOUBLE) END AS ask_price,
  CASE WHEN isfinite(CAST(bid_last AS DOUBLE)) THEN CAST(bid_last AS DOUBLE) END AS bid_price,
  CASE WHEN isfinite(CAST(ask_amount_last AS DOUBLE)) THEN CAST(ask_amount_last AS DOUBLE) END AS ask_amount,
  CASE WHEN isfinite(CAST(bid_amount_last AS DOUBLE)) THEN CAST(bid_amount_last AS DOUBLE) END AS bid_amount,
  CASE WHEN isfinite(CAST(coalesce(updates, 0e0) AS DOUBLE)) THEN CAST(coalesce(updates, 0e0) AS DOUBLE) END AS quote_update_frequency,
  CASE WHEN isfinite(CAST(CASE WHEN updates > 1e0 THEN (((time_last - time_first) / nullif(1000e0, 0e0)) / nullif((updates - 1e0), 0e0)) END AS DOUBLE)) THEN CAST(CASE WHEN updates > 1e0 THEN (((time_last - time_first) / nullif(1000e0, 0e0)) / nullif((updates - 1e0), 0e0)) END AS DOUBLE) END AS avg_update_interval,
  CASE WHEN isfinite(CAST(mid_last AS DOUBLE)) THEN CAST(mid_last AS DOUBLE) END AS midprice,
  CASE WHEN isfinite(CAST(weighted_mid_last AS DOUBLE)) THEN CAST(weighted_mid_last AS DOUBLE) END AS weighted_midprice,
  CASE WHEN isfinite(CAST(bid_mean AS DOUBLE)) THEN CAST(bid_mean AS DOUBLE) END AS bid_price_twap,
  CASE WHEN isfinite(CAST(ask_mean AS DOUBLE)) THEN CAST(ask_mean AS DOUBLE) END AS ask_price_twap,
  CASE WHEN isfinite(CAST((bid_weighted / nullif(bid_weight, 0e0)) AS DOUBLE)) THEN CAST((bid_weighted / nullif(bid_weight, 0e0)) AS DOUBLE) END AS bid_price_vwap,
  CASE WHEN isfinite(CAST((ask_weighted / nullif(ask_weight, 0e0)) AS DOUBLE)) THEN CAST((ask_weighted / nullif(ask_weight, 0e0)) AS DOUBLE) END AS ask_price_vwap
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'l1_price' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- l1_imbalance.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of quotes in the range, each with the start of its interval.
quotes_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_bid_amount AS bid_amount, event_ask_amount AS ask_amount FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(bid_amount AS DOUBLE) AS event_bid_amount, CAST(ask_amount AS DOUBLE) AS event_ask_amount FROM read_parquet(['/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of quotes must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
quotes_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM quotes_events
),
-- Values of the update.
quotes_1 AS (
  SELECT *, (bid_amount - ask_amount) AS update_imbalance, ((bid_amount - ask_amount) / nullif((bid_amount + ask_amount), 0e0)) AS update_imbalance_ratio, (bid_amount / nullif(ask_amount, 0e0)) AS update_bid_ask_ratio, (bid_amount / nullif((bid_amount + ask_amount), 0e0)) AS update_bid_percentage, (ask_amount / nullif((bid_amount + ask_amount), 0e0)) AS update_ask_percentage FROM quotes_numbered
),
-- One row per interval.
quotes_by_interval AS (
  SELECT interval_us, arg_max_null(update_imbalance, nth) AS imbalance_last, arg_max_null(update_imbalance_ratio, nth) AS imbalance_ratio_last, arg_max_null(update_bid_ask_ratio, nth) AS bid_ask_ratio_last, arg_max_null(update_bid_percentage, nth) AS bid_percentage_last, arg_max_null(update_ask_percentage, nth) AS ask_percentage_last, avg(update_imbalance) AS imbalance_mean, avg(update_imbalance_ratio) AS imbalance_ratio_mean, avg(update_bid_ask_ratio) AS bid_ask_ratio_mean, avg(update_bid_percentage) AS bid_percentage_mean, avg(update_ask_percentage) AS ask_percentage_mean FROM quotes_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM quotes_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.imbalance_last AS imbalance_last, p0.imbalance_ratio_last AS imbalance_ratio_last, p0.bid_ask_ratio_last AS bid_ask_ratio_last, p0.bid_percentage_last AS bid_percentage_last, p0.ask_percentage_last AS ask_percentage_last, p0.imbalance_mean AS imbalance_mean, p0.imbalance_ratio_mean AS imbalance_ratio_mean, p0.bid_ask_ratio_mean AS bid_ask_ratio_mean, p0.bid_percentage_mean AS bid_percentage_mean, p0.ask_percentage_mean AS ask_percentage_mean FROM intervals AS g LEFT JOIN quotes_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(imbalance_last AS DOUBLE)) THEN CAST(imbalance_last AS DOUBLE) END AS imbalance,
  CASE WHEN isfinite(CAST(imbalance_ratio_last AS DOUBLE)) THEN CAST(imbalance_ratio_last AS DOUBLE) END AS imbalance_ratio,
  CASE WHEN isfinite(CAST(bid_ask_ratio_last AS DOUBLE)) THEN CAST(bid_ask_ratio_last AS DOUBLE) END AS bid_ask_ratio,
  CASE WHEN isfinite(CAST(bid_percentage_last AS DOUBLE)) THEN CAST(bid_percentage_last AS DOUBLE) END AS bid_percentage,
  CASE WHEN isfinite(CAST(ask_percentage_last AS DOUBLE)) THEN CAST(ask_percentage_last AS DOUBLE) END AS ask_percentage,
  CASE WHEN isfinite(CAST(imbalance_mean AS DOUBLE)) THEN CAST(imbalance_mean AS DOUBLE) END AS imbalance_avg,
  CASE WHEN isfinite(CAST(imbalance_ratio_mean AS DOUBLE)) THEN CAST(imbalance_ratio_mean AS DOUBLE) END AS imbalance_ratio_avg,
  CASE WHEN isfinite(CAST(bid_ask_ratio_mean AS DOUBLE)) THEN CAST(bid_ask_ratio_mean AS DOUBLE) END AS bid_ask_ratio_avg,
  CASE WHEN isfinite(CAST(bid_percentage_mean AS DOUBLE)) THEN CAST(bid_percentage_mean AS DOUBLE) END AS bid_percentage_avg,
  CASE WHEN isfinite(CAST(ask_percentage_mean AS DOUBLE)) THEN CAST(ask_percentage_mean AS DOUBLE) END AS ask_percentage_avg
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'l1_imbalance' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;

-- l1_liquidity.
CREATE OR REPLACE TEMPORARY TABLE computed AS
WITH
-- Events of quotes in the range, each with the start of its interval.
quotes_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_bid_price AS bid_price, event_bid_amount AS bid_amount, event_ask_price AS ask_price, event_ask_amount AS ask_amount FROM (SELECT epoch_us(exchange_timestamp) AS time_us, filename AS file_ordinal, file_row_number AS row_ordinal, CAST(bid_price AS DOUBLE) AS event_bid_price, CAST(bid_amount AS DOUBLE) AS event_bid_amount, CAST(ask_price AS DOUBLE) AS event_ask_price, CAST(ask_amount AS DOUBLE) AS event_ask_amount FROM read_parquet(['/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet'], hive_partitioning = false, filename = true, file_row_number = true) WHERE regexp_matches(parse_filename(filename), '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT CASE WHEN count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END) THEN error('files of quotes must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') ELSE true END FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT parse_filename(file) AS name FROM glob('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet')) AS names WHERE regexp_matches(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
quotes_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM quotes_events
),
-- A price of 0 is a missing one.
quotes_1 AS (
  SELECT *, nullif(bid_price, 0e0) AS bid, nullif(ask_price, 0e0) AS ask FROM quotes_numbered
),
-- Values of the update.
quotes_2 AS (
  SELECT *, abs((ask - bid)) AS update_spread, ((abs((ask - bid)) / nullif(((bid + ask) / nullif(2e0, 0e0)), 0e0)) * 10000e0) AS update_spread_bps, (abs((ask - bid)) / nullif((bid_amount + ask_amount), 0e0)) AS update_spread_depth_ratio, (bid_amount + ask_amount) AS update_total_depth, (bid * bid_amount) AS update_dollar_depth_bid, (ask * ask_amount) AS update_dollar_depth_ask, ((bid * bid_amount) + (ask * ask_amount)) AS update_total_dollar_depth FROM quotes_1
),
-- One row per interval.
quotes_by_interval AS (
  SELECT interval_us, arg_max_null(update_spread, nth) AS spread_last, arg_max_null(update_spread_bps, nth) AS spread_bps_last, arg_max_null(update_spread_depth_ratio, nth) AS spread_depth_ratio_last, arg_max_null(update_total_depth, nth) AS total_depth_last, arg_max_null(update_dollar_depth_bid, nth) AS dollar_depth_bid_last, arg_max_null(update_dollar_depth_ask, nth) AS dollar_depth_ask_last, arg_max_null(update_total_dollar_depth, nth) AS total_dollar_depth_last, avg(update_spread) AS spread_mean, avg(update_spread_bps) AS spread_bps_mean, avg(update_spread_depth_ratio) AS spread_depth_ratio_mean, avg(update_total_depth) AS total_depth_mean, avg(update_dollar_depth_bid) AS dollar_depth_bid_mean, avg(update_dollar_depth_ask) AS dollar_depth_ask_mean, avg(update_total_dollar_depth) AS total_dollar_depth_mean FROM quotes_2 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT unnest(range(first_us, last_us + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM quotes_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.spread_last AS spread_last, p0.spread_bps_last AS spread_bps_last, p0.spread_depth_ratio_last AS spread_depth_ratio_last, p0.total_depth_last AS total_depth_last, p0.dollar_depth_bid_last AS dollar_depth_bid_last, p0.dollar_depth_ask_last AS dollar_depth_ask_last, p0.total_dollar_depth_last AS total_dollar_depth_last, p0.spread_mean AS spread_mean, p0.spread_bps_mean AS spread_bps_mean, p0.spread_depth_ratio_mean AS spread_depth_ratio_mean, p0.total_depth_mean AS total_depth_mean, p0.dollar_depth_bid_mean AS dollar_depth_bid_mean, p0.dollar_depth_ask_mean AS dollar_depth_ask_mean, p0.total_dollar_depth_mean AS total_dollar_depth_mean FROM intervals AS g LEFT JOIN quotes_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  CAST(interval_us // 1000 AS BIGINT) AS time,
  CASE WHEN isfinite(CAST(spread_last AS DOUBLE)) THEN CAST(spread_last AS DOUBLE) END AS spread,
  CASE WHEN isfinite(CAST(spread_bps_last AS DOUBLE)) THEN CAST(spread_bps_last AS DOUBLE) END AS spread_bps,
  CASE WHEN isfinite(CAST(spread_depth_ratio_last AS DOUBLE)) THEN CAST(spread_depth_ratio_last AS DOUBLE) END AS spread_depth_ratio,
  CASE WHEN isfinite(CAST(total_depth_last AS DOUBLE)) THEN CAST(total_depth_last AS DOUBLE) END AS total_depth,
  CASE WHEN isfinite(CAST(dollar_depth_bid_last AS DOUBLE)) THEN CAST(dollar_depth_bid_last AS DOUBLE) END AS dollar_depth_bid,
  CASE WHEN isfinite(CAST(dollar_depth_ask_last AS DOUBLE)) THEN CAST(dollar_depth_ask_last AS DOUBLE) END AS dollar_depth_ask,
  CASE WHEN isfinite(CAST(total_dollar_depth_last AS DOUBLE)) THEN CAST(total_dollar_depth_last AS DOUBLE) END AS total_dollar_depth,
  CASE WHEN isfinite(CAST(spread_mean AS DOUBLE)) THEN CAST(spread_mean AS DOUBLE) END AS spread_avg,
  CASE WHEN isfinite(CAST(spread_bps_mean AS DOUBLE)) THEN CAST(spread_bps_mean AS DOUBLE) END AS spread_bps_avg,
  CASE WHEN isfinite(CAST(spread_depth_ratio_mean AS DOUBLE)) THEN CAST(spread_depth_ratio_mean AS DOUBLE) END AS spread_depth_ratio_avg,
  CASE WHEN isfinite(CAST(total_depth_mean AS DOUBLE)) THEN CAST(total_depth_mean AS DOUBLE) END AS total_depth_avg,
  CASE WHEN isfinite(CAST(dollar_depth_bid_mean AS DOUBLE)) THEN CAST(dollar_depth_bid_mean AS DOUBLE) END AS dollar_depth_bid_avg,
  CASE WHEN isfinite(CAST(dollar_depth_ask_mean AS DOUBLE)) THEN CAST(dollar_depth_ask_mean AS DOUBLE) END AS dollar_depth_ask_avg,
  CASE WHEN isfinite(CAST(total_dollar_depth_mean AS DOUBLE)) THEN CAST(total_dollar_depth_mean AS DOUBLE) END AS total_dollar_depth_avg
FROM filled
ORDER BY time;
SET threads = 1;
COPY (SELECT *, 'l1_liquidity' AS "dataset", 'venuea-futures' AS "exchange", 'perpetual-BTC-USDT:USDT' AS "symbol", '1m' AS "interval", 'exchange' AS "timestamp" FROM computed ORDER BY time) TO '/data/metrics' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ("dataset", "exchange", "symbol", "interval", "timestamp"), OVERWRITE_OR_IGNORE);
RESET threads;
