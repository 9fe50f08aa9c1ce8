-- Metrics from raw events, for ClickHouse. Printed by Perpscope.
-- Datasets: flow, trade_size, range, impact, updownticks, run_structure, returns, slippage, vtwap, ohlcv, basis, funding, open_interest, l1_price, l1_imbalance, l1_liquidity
-- Instrument: venuea-futures perpetual-BTC-USDT:USDT
-- Interval: 1m by exchange time, 2026-09-01 to 2026-09-02 (both days inclusive, UTC)
-- Times are UTC whatever the server says.
SET session_timezone = 'UTC';
-- A join without a match gives NULL, not 0.
SET join_use_nulls = 1;
-- Folder names are not columns: the query names its files.
SET use_hive_partitioning = 0;
-- A second run replaces the files of the first.
SET engine_file_truncate_on_insert = 1, s3_truncate_on_insert = 1;

-- flow.
INSERT INTO FUNCTION file('/data/metrics/dataset=flow/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount, event_sign AS sign FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price, toNullable(toFloat64(amount)) AS event_amount, toNullable(CASE WHEN side = 'buy' THEN 1e0 WHEN side = 'sell' THEN -1e0 ELSE 0e0 END + throwIf(side NOT IN ('buy', 'sell', 'unknown'), 'side must be buy, sell or unknown')) AS event_sign FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT *, lagInFrame(toNullable(price)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS price_before FROM trades_1
),
-- Log returns inside the interval.
trades_3 AS (
  SELECT *, CASE WHEN abs(price - price_before) < 1e-3 * (price + price_before) THEN 2e0 * ((price - price_before) / (price + price_before)) * (1e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) * (1e0 / 3e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) * (1e0 / 5e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) / 7e0))) ELSE ln(price / price_before) END AS log_return FROM trades_2
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, coalesce(sum(CASE WHEN sign = 1e0 THEN amount END), 0e0) AS buy_amount, coalesce(sum(CASE WHEN sign = -1e0 THEN amount END), 0e0) AS sell_amount, toFloat64(count(CASE WHEN sign = 1e0 THEN 1 END)) AS buy_trades, toFloat64(count(CASE WHEN sign = -1e0 THEN 1 END)) AS sell_trades, coalesce(sum((sign * notional)), 0e0) AS signed_notional, coalesce(sum((log_return * log_return)), 0e0) AS return_squares, coalesce(sum(CASE WHEN (sign = 1e0 AND 100e0 > notional) THEN notional END), 0e0) AS buy_small_notional, toFloat64(count(CASE WHEN (sign = 1e0 AND 100e0 > notional) THEN 1 END)) AS buy_small_trades, coalesce(sum(CASE WHEN (sign = 1e0 AND (notional >= 100e0 AND 1000e0 > notional)) THEN notional END), 0e0) AS buy_medium_notional, toFloat64(count(CASE WHEN (sign = 1e0 AND (notional >= 100e0 AND 1000e0 > notional)) THEN 1 END)) AS buy_medium_trades, coalesce(sum(CASE WHEN (sign = 1e0 AND notional >= 1000e0) THEN notional END), 0e0) AS buy_large_notional, toFloat64(count(CASE WHEN (sign = 1e0 AND notional >= 1000e0) THEN 1 END)) AS buy_large_trades, coalesce(sum(CASE WHEN (sign = -1e0 AND 100e0 > notional) THEN notional END), 0e0) AS sell_small_notional, toFloat64(count(CASE WHEN (sign = -1e0 AND 100e0 > notional) THEN 1 END)) AS sell_small_trades, coalesce(sum(CASE WHEN (sign = -1e0 AND (notional >= 100e0 AND 1000e0 > notional)) THEN notional END), 0e0) AS sell_medium_notional, toFloat64(count(CASE WHEN (sign = -1e0 AND (notional >= 100e0 AND 1000e0 > notional)) THEN 1 END)) AS sell_medium_trades, coalesce(sum(CASE WHEN (sign = -1e0 AND notional >= 1000e0) THEN notional END), 0e0) AS sell_large_notional, toFloat64(count(CASE WHEN (sign = -1e0 AND notional >= 1000e0) THEN 1 END)) AS sell_large_trades FROM trades_3 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
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
  SELECT *, CASE WHEN count(flow_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 1 AND stddevSampStable(flow_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 0e0 THEN (flow_or_zero - avg(flow_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) / stddevSampStable(flow_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) END AS flow_score, CASE WHEN count(volatility_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 1 AND stddevSampStable(volatility_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) > 0e0 THEN (volatility_or_zero - avg(volatility_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) / stddevSampStable(volatility_or_zero) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) END AS volatility_score FROM filled_1
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(coalesce(buy_amount, 0e0)), toNullable(toFloat64(coalesce(buy_amount, 0e0))), NULL) AS taker_buy_volume,
  if(isFinite(coalesce(sell_amount, 0e0)), toNullable(toFloat64(coalesce(sell_amount, 0e0))), NULL) AS taker_sell_volume,
  if(isFinite(coalesce(buy_trades, 0e0)), toNullable(toFloat64(coalesce(buy_trades, 0e0))), NULL) AS taker_buy_count,
  if(isFinite(coalesce(sell_trades, 0e0)), toNullable(toFloat64(coalesce(sell_trades, 0e0))), NULL) AS taker_sell_count,
  if(isFinite(coalesce((buy_amount - sell_amount), 0e0)), toNullable(toFloat64(coalesce((buy_amount - sell_amount), 0e0))), NULL) AS volume_delta,
  if(isFinite(coalesce(signed_notional, 0e0)), toNullable(toFloat64(coalesce(signed_notional, 0e0))), NULL) AS volume_delta_notional,
  if(isFinite(CASE WHEN (buy_amount + sell_amount) > 0e0 THEN (CASE WHEN (buy_amount / nullif((buy_amount + sell_amount), 0e0)) > 0e0 THEN (0e0 - ((buy_amount / nullif((buy_amount + sell_amount), 0e0)) * log((buy_amount / nullif((buy_amount + sell_amount), 0e0))))) ELSE 0e0 END + CASE WHEN (sell_amount / nullif((buy_amount + sell_amount), 0e0)) > 0e0 THEN (0e0 - ((sell_amount / nullif((buy_amount + sell_amount), 0e0)) * log((sell_amount / nullif((buy_amount + sell_amount), 0e0))))) ELSE 0e0 END) END), toNullable(toFloat64(CASE WHEN (buy_amount + sell_amount) > 0e0 THEN (CASE WHEN (buy_amount / nullif((buy_amount + sell_amount), 0e0)) > 0e0 THEN (0e0 - ((buy_amount / nullif((buy_amount + sell_amount), 0e0)) * log((buy_amount / nullif((buy_amount + sell_amount), 0e0))))) ELSE 0e0 END + CASE WHEN (sell_amount / nullif((buy_amount + sell_amount), 0e0)) > 0e0 THEN (0e0 - ((sell_amount / nullif((buy_amount + sell_amount), 0e0)) * log((sell_amount / nullif((buy_amount + sell_amount), 0e0))))) ELSE 0e0 END) END)), NULL) AS flow_entropy,
  if(isFinite(CASE WHEN return_squares IS NOT NULL THEN (flow_score * volatility_score) END), toNullable(toFloat64(CASE WHEN return_squares IS NOT NULL THEN (flow_score * volatility_score) END)), NULL) AS flow_toxicity_score,
  if(isFinite((buy_amount / nullif(sell_amount, 0e0))), toNullable(toFloat64((buy_amount / nullif(sell_amount, 0e0)))), NULL) AS taker_buy_sell_ratio,
  if(isFinite((buy_trades / nullif(sell_trades, 0e0))), toNullable(toFloat64((buy_trades / nullif(sell_trades, 0e0)))), NULL) AS taker_buy_sell_count_ratio,
  if(isFinite((buy_amount / nullif((buy_amount + sell_amount), 0e0))), toNullable(toFloat64((buy_amount / nullif((buy_amount + sell_amount), 0e0)))), NULL) AS taker_buy_sell_percentage,
  if(isFinite((buy_trades / nullif((buy_trades + sell_trades), 0e0))), toNullable(toFloat64((buy_trades / nullif((buy_trades + sell_trades), 0e0)))), NULL) AS taker_buy_sell_count_percentage,
  if(isFinite(coalesce(buy_small_notional, 0e0)), toNullable(toFloat64(coalesce(buy_small_notional, 0e0))), NULL) AS taker_buy_small_order_volume,
  if(isFinite(coalesce(buy_small_trades, 0e0)), toNullable(toFloat64(coalesce(buy_small_trades, 0e0))), NULL) AS taker_buy_small_order_count,
  if(isFinite((buy_small_notional / nullif(buy_amount, 0e0))), toNullable(toFloat64((buy_small_notional / nullif(buy_amount, 0e0)))), NULL) AS taker_buy_small_order_percentage,
  if(isFinite((buy_small_trades / nullif(buy_trades, 0e0))), toNullable(toFloat64((buy_small_trades / nullif(buy_trades, 0e0)))), NULL) AS taker_buy_small_order_count_percentage,
  if(isFinite(coalesce(buy_medium_notional, 0e0)), toNullable(toFloat64(coalesce(buy_medium_notional, 0e0))), NULL) AS taker_buy_medium_order_volume,
  if(isFinite(coalesce(buy_medium_trades, 0e0)), toNullable(toFloat64(coalesce(buy_medium_trades, 0e0))), NULL) AS taker_buy_medium_order_count,
  if(isFinite((buy_medium_notional / nullif(buy_amount, 0e0))), toNullable(toFloat64((buy_medium_notional / nullif(buy_amount, 0e0)))), NULL) AS taker_buy_medium_order_percentage,
  if(isFinite((buy_medium_trades / nullif(buy_trades, 0e0))), toNullable(toFloat64((buy_medium_trades / nullif(buy_trades, 0e0)))), NULL) AS taker_buy_medium_order_count_percentage,
  if(isFinite(coalesce(buy_large_notional, 0e0)), toNullable(toFloat64(coalesce(buy_large_notional, 0e0))), NULL) AS taker_buy_large_order_volume,
  if(isFinite(coalesce(buy_large_trades, 0e0)), toNullable(toFloat64(coalesce(buy_large_trades, 0e0))), NULL) AS taker_buy_large_order_count,
  if(isFinite((buy_large_notional / nullif(buy_amount, 0e0))), toNullable(toFloat64((buy_large_notional / nullif(buy_amount, 0e0)))), NULL) AS taker_buy_large_order_percentage,
  if(isFinite((buy_large_trades / nullif(buy_trades, 0e0))), toNullable(toFloat64((buy_large_trades / nullif(buy_trades, 0e0)))), NULL) AS taker_buy_large_order_count_percentage,
  if(isFinite(coalesce(sell_small_notional, 0e0)), toNullable(toFloat64(coalesce(sell_small_notional, 0e0))), NULL) AS taker_sell_small_order_volume,
  if(isFinite(coalesce(sell_small_trades, 0e0)), toNullable(toFloat64(coalesce(sell_small_trades, 0e0))), NULL) AS taker_sell_small_order_count,
  if(isFinite((sell_small_notional / nullif(sell_amount, 0e0))), toNullable(toFloat64((sell_small_notional / nullif(sell_amount, 0e0)))), NULL) AS taker_sell_small_order_percentage,
  if(isFinite((sell_small_trades / nullif(sell_trades, 0e0))), toNullable(toFloat64((sell_small_trades / nullif(sell_trades, 0e0)))), NULL) AS taker_sell_small_order_count_percentage,
  if(isFinite(coalesce(sell_medium_notional, 0e0)), toNullable(toFloat64(coalesce(sell_medium_notional, 0e0))), NULL) AS taker_sell_medium_order_volume,
  if(isFinite(coalesce(sell_medium_trades, 0e0)), toNullable(toFloat64(coalesce(sell_medium_trades, 0e0))), NULL) AS taker_sell_medium_order_count,
  if(isFinite((sell_medium_notional / nullif(sell_amount, 0e0))), toNullable(toFloat64((sell_medium_notional / nullif(sell_amount, 0e0)))), NULL) AS taker_sell_medium_order_percentage,
  if(isFinite((sell_medium_trades / nullif(sell_trades, 0e0))), toNullable(toFloat64((sell_medium_trades / nullif(sell_trades, 0e0)))), NULL) AS taker_sell_medium_order_count_percentage,
  if(isFinite(coalesce(sell_large_notional, 0e0)), toNullable(toFloat64(coalesce(sell_large_notional, 0e0))), NULL) AS taker_sell_large_order_volume,
  if(isFinite(coalesce(sell_large_trades, 0e0)), toNullable(toFloat64(coalesce(sell_large_trades, 0e0))), NULL) AS taker_sell_large_order_count,
  if(isFinite((sell_large_notional / nullif(sell_amount, 0e0))), toNullable(toFloat64((sell_large_notional / nullif(sell_amount, 0e0)))), NULL) AS taker_sell_large_order_percentage,
  if(isFinite((sell_large_trades / nullif(sell_trades, 0e0))), toNullable(toFloat64((sell_large_trades / nullif(sell_trades, 0e0)))), NULL) AS taker_sell_large_order_count_percentage
FROM filled_2
ORDER BY time;

-- trade_size.
INSERT INTO FUNCTION file('/data/metrics/dataset=trade_size/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price, toNullable(toFloat64(amount)) AS event_amount FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT *, minOrNull(amount) OVER (PARTITION BY interval_us) AS amount_least FROM trades_1
),
-- Differences from the least value keep the digits of small differences.
trades_3 AS (
  SELECT *, (amount - amount_least) AS amount_shifted FROM trades_2
),
-- Mean of these differences.
trades_4 AS (
  SELECT *, avgOrNull(amount_shifted) OVER (PARTITION BY interval_us) AS amount_shift FROM trades_3
),
-- Distances from the mean.
trades_5 AS (
  SELECT *, (amount_shifted - amount_shift) AS amount_distance FROM trades_4
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, coalesce(sum(CASE WHEN 100e0 > notional THEN notional END), 0e0) AS small_notional, coalesce(sum(CASE WHEN (notional >= 100e0 AND 1000e0 > notional) THEN notional END), 0e0) AS medium_notional, coalesce(sum(CASE WHEN notional >= 1000e0 THEN notional END), 0e0) AS large_notional, toFloat64(count(CASE WHEN 100e0 > notional THEN 1 END)) AS small_trades, toFloat64(count(CASE WHEN (notional >= 100e0 AND 1000e0 > notional) THEN 1 END)) AS medium_trades, toFloat64(count(CASE WHEN notional >= 1000e0 THEN 1 END)) AS large_trades, toFloat64(count()) AS trades, coalesce(sum(amount), 0e0) AS amount_total, minOrNull(amount) AS amount_interval_least, maxOrNull(amount) AS amount_interval_greatest, avgOrNull(amount) AS amount_interval_mean, quantileExactInclusiveOrNull(0.5e0)(amount) AS amount_middle, CASE WHEN toFloat64(count(amount_distance)) >= 2 THEN sum(amount_distance * amount_distance) / (toFloat64(count(amount_distance)) - 1e0) END AS amount_sample_variance, CASE WHEN toFloat64(count(amount_distance)) >= 3 AND sum(amount_distance * amount_distance) > 0e0 THEN toFloat64(count(amount_distance)) / ((toFloat64(count(amount_distance)) - 1e0) * (toFloat64(count(amount_distance)) - 2e0)) * sum(amount_distance * amount_distance * amount_distance) / (sum(amount_distance * amount_distance) / (toFloat64(count(amount_distance)) - 1e0) * sqrt(sum(amount_distance * amount_distance) / (toFloat64(count(amount_distance)) - 1e0))) END AS amount_skew, CASE WHEN toFloat64(count(amount_distance)) >= 4 AND sum(amount_distance * amount_distance) > 0e0 THEN toFloat64(count(amount_distance)) * (toFloat64(count(amount_distance)) + 1e0) / ((toFloat64(count(amount_distance)) - 1e0) * (toFloat64(count(amount_distance)) - 2e0) * (toFloat64(count(amount_distance)) - 3e0)) * sum(amount_distance * amount_distance * amount_distance * amount_distance) / (sum(amount_distance * amount_distance) / (toFloat64(count(amount_distance)) - 1e0) * (sum(amount_distance * amount_distance) / (toFloat64(count(amount_distance)) - 1e0))) - 3e0 * (toFloat64(count(amount_distance)) - 1e0) * (toFloat64(count(amount_distance)) - 1e0) / ((toFloat64(count(amount_distance)) - 2e0) * (toFloat64(count(amount_distance)) - 3e0)) END AS amount_tails FROM trades_5 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.small_notional AS small_notional, p0.medium_notional AS medium_notional, p0.large_notional AS large_notional, p0.small_trades AS small_trades, p0.medium_trades AS medium_trades, p0.large_trades AS large_trades, p0.trades AS trades, p0.amount_total AS amount_total, p0.amount_interval_least AS amount_interval_least, p0.amount_interval_greatest AS amount_interval_greatest, p0.amount_interval_mean AS amount_interval_mean, p0.amount_middle AS amount_middle, p0.amount_sample_variance AS amount_sample_variance, p0.amount_skew AS amount_skew, p0.amount_tails AS amount_tails FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(coalesce(small_notional, 0e0)), toNullable(toFloat64(coalesce(small_notional, 0e0))), NULL) AS small_order_volume,
  if(isFinite(coalesce(medium_notional, 0e0)), toNullable(toFloat64(coalesce(medium_notional, 0e0))), NULL) AS medium_order_volume,
  if(isFinite(coalesce(large_notional, 0e0)), toNullable(toFloat64(coalesce(large_notional, 0e0))), NULL) AS large_order_volume,
  if(isFinite(coalesce(small_trades, 0e0)), toNullable(toFloat64(coalesce(small_trades, 0e0))), NULL) AS small_order_count,
  if(isFinite(coalesce(medium_trades, 0e0)), toNullable(toFloat64(coalesce(medium_trades, 0e0))), NULL) AS medium_order_count,
  if(isFinite(coalesce(large_trades, 0e0)), toNullable(toFloat64(coalesce(large_trades, 0e0))), NULL) AS large_order_count,
  if(isFinite(coalesce(amount_total, 0e0)), toNullable(toFloat64(coalesce(amount_total, 0e0))), NULL) AS volume,
  if(isFinite(coalesce(trades, 0e0)), toNullable(toFloat64(coalesce(trades, 0e0))), NULL) AS n_trades,
  if(isFinite((small_notional / nullif(amount_total, 0e0))), toNullable(toFloat64((small_notional / nullif(amount_total, 0e0)))), NULL) AS small_order_percentage,
  if(isFinite((medium_notional / nullif(amount_total, 0e0))), toNullable(toFloat64((medium_notional / nullif(amount_total, 0e0)))), NULL) AS medium_order_percentage,
  if(isFinite((large_notional / nullif(amount_total, 0e0))), toNullable(toFloat64((large_notional / nullif(amount_total, 0e0)))), NULL) AS large_order_percentage,
  if(isFinite((small_trades / nullif(trades, 0e0))), toNullable(toFloat64((small_trades / nullif(trades, 0e0)))), NULL) AS small_order_count_percentage,
  if(isFinite((medium_trades / nullif(trades, 0e0))), toNullable(toFloat64((medium_trades / nullif(trades, 0e0)))), NULL) AS medium_order_count_percentage,
  if(isFinite((large_trades / nullif(trades, 0e0))), toNullable(toFloat64((large_trades / nullif(trades, 0e0)))), NULL) AS large_order_count_percentage,
  if(isFinite(amount_interval_mean), toNullable(toFloat64(amount_interval_mean)), NULL) AS trade_amount_mean,
  if(isFinite(amount_middle), toNullable(toFloat64(amount_middle)), NULL) AS trade_amount_median,
  if(isFinite(sqrt(amount_sample_variance)), toNullable(toFloat64(sqrt(amount_sample_variance))), NULL) AS trade_amount_std,
  if(isFinite(amount_sample_variance), toNullable(toFloat64(amount_sample_variance)), NULL) AS trade_amount_variance,
  if(isFinite(amount_skew), toNullable(toFloat64(amount_skew)), NULL) AS trade_amount_skewness,
  if(isFinite(amount_tails), toNullable(toFloat64(amount_tails)), NULL) AS trade_amount_kurtosis,
  if(isFinite(amount_interval_least), toNullable(toFloat64(amount_interval_least)), NULL) AS trade_amount_min,
  if(isFinite(amount_interval_greatest), toNullable(toFloat64(amount_interval_greatest)), NULL) AS trade_amount_max,
  if(isFinite((amount_interval_greatest / nullif(amount_interval_least, 0e0))), toNullable(toFloat64((amount_interval_greatest / nullif(amount_interval_least, 0e0)))), NULL) AS trade_amount_range_ratio,
  if(isFinite((sqrt(amount_sample_variance) / nullif(amount_interval_mean, 0e0))), toNullable(toFloat64((sqrt(amount_sample_variance) / nullif(amount_interval_mean, 0e0)))), NULL) AS trade_amount_cv
FROM filled
ORDER BY time;

-- range.
INSERT INTO FUNCTION file('/data/metrics/dataset=range/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Least price of the interval.
trades_1 AS (
  SELECT *, minOrNull(price) OVER (PARTITION BY interval_us) AS price_least FROM trades_numbered
),
-- Differences from the least value keep the digits of small differences.
trades_2 AS (
  SELECT *, (price - price_least) AS price_shifted FROM trades_1
),
-- Mean of these differences.
trades_3 AS (
  SELECT *, avgOrNull(price_shifted) OVER (PARTITION BY interval_us) AS price_shift FROM trades_2
),
-- Distances from the mean.
trades_4 AS (
  SELECT *, (price_shifted - price_shift) AS price_distance FROM trades_3
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, (argMax(tuple(price), nth)).1 AS price_last, minOrNull(price) AS price_lowest, maxOrNull(price) AS price_highest, avgOrNull(price) AS price_interval_mean, quantileExactInclusiveOrNull(0.5e0)(price) AS price_middle, CASE WHEN toFloat64(count(price_distance)) >= 2 THEN sum(price_distance * price_distance) / (toFloat64(count(price_distance)) - 1e0) END AS price_sample_variance, CASE WHEN toFloat64(count(price_distance)) >= 3 AND sum(price_distance * price_distance) > 0e0 THEN toFloat64(count(price_distance)) / ((toFloat64(count(price_distance)) - 1e0) * (toFloat64(count(price_distance)) - 2e0)) * sum(price_distance * price_distance * price_distance) / (sum(price_distance * price_distance) / (toFloat64(count(price_distance)) - 1e0) * sqrt(sum(price_distance * price_distance) / (toFloat64(count(price_distance)) - 1e0))) END AS price_skew, CASE WHEN toFloat64(count(price_distance)) >= 4 AND sum(price_distance * price_distance) > 0e0 THEN toFloat64(count(price_distance)) * (toFloat64(count(price_distance)) + 1e0) / ((toFloat64(count(price_distance)) - 1e0) * (toFloat64(count(price_distance)) - 2e0) * (toFloat64(count(price_distance)) - 3e0)) * sum(price_distance * price_distance * price_distance * price_distance) / (sum(price_distance * price_distance) / (toFloat64(count(price_distance)) - 1e0) * (sum(price_distance * price_distance) / (toFloat64(count(price_distance)) - 1e0))) - 3e0 * (toFloat64(count(price_distance)) - 1e0) * (toFloat64(count(price_distance)) - 1e0) / ((toFloat64(count(price_distance)) - 2e0) * (toFloat64(count(price_distance)) - 3e0)) END AS price_tails FROM trades_4 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.price_last AS price_last, p0.price_lowest AS price_lowest, p0.price_highest AS price_highest, p0.price_interval_mean AS price_interval_mean, p0.price_middle AS price_middle, p0.price_sample_variance AS price_sample_variance, p0.price_skew AS price_skew, p0.price_tails AS price_tails FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite((price_highest - price_lowest)), toNullable(toFloat64((price_highest - price_lowest))), NULL) AS range,
  if(isFinite((((price_highest - price_lowest) / nullif(price_last, 0e0)) * 10000e0)), toNullable(toFloat64((((price_highest - price_lowest) / nullif(price_last, 0e0)) * 10000e0))), NULL) AS range_bps,
  if(isFinite(price_interval_mean), toNullable(toFloat64(price_interval_mean)), NULL) AS price_mean,
  if(isFinite(price_middle), toNullable(toFloat64(price_middle)), NULL) AS price_median,
  if(isFinite(sqrt(price_sample_variance)), toNullable(toFloat64(sqrt(price_sample_variance))), NULL) AS price_std,
  if(isFinite(price_sample_variance), toNullable(toFloat64(price_sample_variance)), NULL) AS price_variance,
  if(isFinite(price_skew), toNullable(toFloat64(price_skew)), NULL) AS price_skewness,
  if(isFinite(price_tails), toNullable(toFloat64(price_tails)), NULL) AS price_kurtosis,
  if(isFinite((price_highest / nullif(price_lowest, 0e0))), toNullable(toFloat64((price_highest / nullif(price_lowest, 0e0)))), NULL) AS price_range_ratio,
  if(isFinite((sqrt(price_sample_variance) / nullif(price_interval_mean, 0e0))), toNullable(toFloat64((sqrt(price_sample_variance) / nullif(price_interval_mean, 0e0)))), NULL) AS price_cv
FROM filled
ORDER BY time;

-- impact.
INSERT INTO FUNCTION file('/data/metrics/dataset=impact/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount, event_sign AS sign FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price, toNullable(toFloat64(amount)) AS event_amount, toNullable(CASE WHEN side = 'buy' THEN 1e0 WHEN side = 'sell' THEN -1e0 ELSE 0e0 END + throwIf(side NOT IN ('buy', 'sell', 'unknown'), 'side must be buy, sell or unknown')) AS event_sign FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT *, lagInFrame(toNullable(price)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS price_before, leadInFrame(toNullable(price), 5) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS price_ahead, quantileExactInclusiveOrNull(0.9e0)(notional) OVER (PARTITION BY interval_us) AS large_from FROM trades_1
),
-- Return and signed amount of each trade that has one before it.
trades_3 AS (
  SELECT *, ((price - price_before) / nullif(price_before, 0e0)) AS trade_return, CASE WHEN price_before IS NOT NULL THEN (sign * amount) END AS signed_amount, CASE WHEN notional >= large_from THEN ((price_ahead - price) / nullif(price, 0e0)) END AS reversal FROM trades_2
),
-- Least trade_return and signed_amount of the interval.
trades_4 AS (
  SELECT *, minOrNull(trade_return) OVER (PARTITION BY interval_us) AS trade_return_least, minOrNull(signed_amount) OVER (PARTITION BY interval_us) AS signed_amount_least FROM trades_3
),
-- Differences from the least value keep the digits of small differences.
trades_5 AS (
  SELECT *, (trade_return - trade_return_least) AS trade_return_shifted, (signed_amount - signed_amount_least) AS signed_amount_shifted FROM trades_4
),
-- Mean of these differences.
trades_6 AS (
  SELECT *, avgOrNull(trade_return_shifted) OVER (PARTITION BY interval_us) AS trade_return_shift, avgOrNull(signed_amount_shifted) OVER (PARTITION BY interval_us) AS signed_amount_shift FROM trades_5
),
-- Distances from the mean.
trades_7 AS (
  SELECT *, (trade_return_shifted - trade_return_shift) AS trade_return_distance, (signed_amount_shifted - signed_amount_shift) AS signed_amount_distance FROM trades_6
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, (argMin(tuple(price), nth)).1 AS price_first, (argMax(tuple(price), nth)).1 AS price_last, coalesce(sum(notional), 0e0) AS notional_total, coalesce(sum((sign * notional)), 0e0) AS signed_notional, toFloat64(count(CASE WHEN nth > 1e0 THEN 1 END)) AS pairs, coalesce(sum((signed_amount_distance * trade_return_distance)), 0e0) AS covariation, coalesce(sum((signed_amount_distance * signed_amount_distance)), 0e0) AS amount_squares, avgOrNull(reversal) AS reversal_mean, avgOrNull(CASE WHEN sign = 1e0 THEN trade_return END) AS buy_return_mean, avgOrNull(CASE WHEN sign = -1e0 THEN trade_return END) AS sell_return_mean FROM trades_7 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.price_first AS price_first, p0.price_last AS price_last, p0.notional_total AS notional_total, p0.signed_notional AS signed_notional, p0.pairs AS pairs, p0.covariation AS covariation, p0.amount_squares AS amount_squares, p0.reversal_mean AS reversal_mean, p0.buy_return_mean AS buy_return_mean, p0.sell_return_mean AS sell_return_mean FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite((abs(((price_last - price_first) / nullif(price_first, 0e0))) / nullif(notional_total, 0e0))), toNullable(toFloat64((abs(((price_last - price_first) / nullif(price_first, 0e0))) / nullif(notional_total, 0e0)))), NULL) AS amihud_like,
  if(isFinite(CASE WHEN pairs >= 2e0 THEN (covariation / nullif(amount_squares, 0e0)) END), toNullable(toFloat64(CASE WHEN pairs >= 2e0 THEN (covariation / nullif(amount_squares, 0e0)) END)), NULL) AS kyle_like_lambda,
  if(isFinite((abs(((price_last - price_first) / nullif(price_first, 0e0))) / nullif(abs(signed_notional), 0e0))), toNullable(toFloat64((abs(((price_last - price_first) / nullif(price_first, 0e0))) / nullif(abs(signed_notional), 0e0)))), NULL) AS impact_per_notional,
  if(isFinite(reversal_mean), toNullable(toFloat64(reversal_mean)), NULL) AS large_trade_reversal,
  if(isFinite((buy_return_mean + sell_return_mean)), toNullable(toFloat64((buy_return_mean + sell_return_mean))), NULL) AS directional_impact_asymmetry
FROM filled
ORDER BY time;

-- updownticks.
INSERT INTO FUNCTION file('/data/metrics/dataset=updownticks/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price, toNullable(toFloat64(amount)) AS event_amount FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Each trade is compared with the trade before it in the interval.
trades_1 AS (
  SELECT *, lagInFrame(toNullable(price)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS price_before FROM trades_numbered
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, toFloat64(count(CASE WHEN price > price_before THEN 1 END)) AS uptick_trades, toFloat64(count(CASE WHEN price_before > price THEN 1 END)) AS downtick_trades, toFloat64(count(CASE WHEN price = price_before THEN 1 END)) AS unchanged_trades, coalesce(sum(CASE WHEN price > price_before THEN amount END), 0e0) AS uptick_amount, coalesce(sum(CASE WHEN price_before > price THEN amount END), 0e0) AS downtick_amount, coalesce(sum(CASE WHEN price = price_before THEN amount END), 0e0) AS unchanged_amount, toFloat64(count(CASE WHEN (price > price_before OR price_before > price OR price = price_before) THEN 1 END)) AS compared_trades, coalesce(sum(CASE WHEN price_before IS NOT NULL THEN amount END), 0e0) AS compared_amount FROM trades_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.uptick_trades AS uptick_trades, p0.downtick_trades AS downtick_trades, p0.unchanged_trades AS unchanged_trades, p0.uptick_amount AS uptick_amount, p0.downtick_amount AS downtick_amount, p0.unchanged_amount AS unchanged_amount, p0.compared_trades AS compared_trades, p0.compared_amount AS compared_amount FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(coalesce(uptick_trades, 0e0)), toNullable(toFloat64(coalesce(uptick_trades, 0e0))), NULL) AS uptick_count,
  if(isFinite(coalesce(downtick_trades, 0e0)), toNullable(toFloat64(coalesce(downtick_trades, 0e0))), NULL) AS downtick_count,
  if(isFinite(coalesce(unchanged_trades, 0e0)), toNullable(toFloat64(coalesce(unchanged_trades, 0e0))), NULL) AS unchanged_count,
  if(isFinite(coalesce(uptick_amount, 0e0)), toNullable(toFloat64(coalesce(uptick_amount, 0e0))), NULL) AS uptick_volume,
  if(isFinite(coalesce(downtick_amount, 0e0)), toNullable(toFloat64(coalesce(downtick_amount, 0e0))), NULL) AS downtick_volume,
  if(isFinite(coalesce(unchanged_amount, 0e0)), toNullable(toFloat64(coalesce(unchanged_amount, 0e0))), NULL) AS unchanged_volume,
  if(isFinite((uptick_amount / nullif(downtick_amount, 0e0))), toNullable(toFloat64((uptick_amount / nullif(downtick_amount, 0e0)))), NULL) AS uptick_downtick_volume_ratio,
  if(isFinite((uptick_trades / nullif(downtick_trades, 0e0))), toNullable(toFloat64((uptick_trades / nullif(downtick_trades, 0e0)))), NULL) AS uptick_downtick_count_ratio,
  if(isFinite((uptick_trades / nullif(compared_trades, 0e0))), toNullable(toFloat64((uptick_trades / nullif(compared_trades, 0e0)))), NULL) AS uptick_count_percentage,
  if(isFinite((downtick_trades / nullif(compared_trades, 0e0))), toNullable(toFloat64((downtick_trades / nullif(compared_trades, 0e0)))), NULL) AS downtick_count_percentage,
  if(isFinite((unchanged_trades / nullif(compared_trades, 0e0))), toNullable(toFloat64((unchanged_trades / nullif(compared_trades, 0e0)))), NULL) AS unchanged_count_percentage,
  if(isFinite((uptick_amount / nullif(compared_amount, 0e0))), toNullable(toFloat64((uptick_amount / nullif(compared_amount, 0e0)))), NULL) AS uptick_volume_percentage,
  if(isFinite((downtick_amount / nullif(compared_amount, 0e0))), toNullable(toFloat64((downtick_amount / nullif(compared_amount, 0e0)))), NULL) AS downtick_volume_percentage,
  if(isFinite((unchanged_amount / nullif(compared_amount, 0e0))), toNullable(toFloat64((unchanged_amount / nullif(compared_amount, 0e0)))), NULL) AS unchanged_volume_percentage
FROM filled
ORDER BY time;

-- run_structure.
INSERT INTO FUNCTION file('/data/metrics/dataset=run_structure/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, toFloat64(count()) AS trades FROM trades_numbered GROUP BY interval_us
),
-- Events of trades in the range, each with the start of its interval.
runs_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_sign AS sign FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price, toNullable(CASE WHEN side = 'buy' THEN 1e0 WHEN side = 'sell' THEN -1e0 ELSE 0e0 END + throwIf(side NOT IN ('buy', 'sell', 'unknown'), 'side must be buy, sell or unknown')) AS event_sign FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT *, lagInFrame(toNullable(sign)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS sign_before, lagInFrame(toNullable(price)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS sided_price_before FROM runs_1
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
  SELECT interval_us, run, (argMax(tuple(sign), nth)).1 AS run_sign, toFloat64(count()) AS run_length, avgOrNull(flip_change) AS run_flip_change FROM runs_4 GROUP BY interval_us, run
),
-- One row per interval.
runs_by_interval AS (
  SELECT interval_us, coalesce(sum(run_length), 0e0) AS sided_trades, toFloat64(count()) AS runs, maxOrNull(CASE WHEN run_sign = 1e0 THEN run_length END) AS buy_longest, maxOrNull(CASE WHEN run_sign = -1e0 THEN run_length END) AS sell_longest, avgOrNull(CASE WHEN run_sign = 1e0 THEN run_length END) AS buy_length_mean, avgOrNull(CASE WHEN run_sign = -1e0 THEN run_length END) AS sell_length_mean, avgOrNull(run_flip_change) AS flip_change_mean FROM runs_5 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.trades AS trades, p1.sided_trades AS sided_trades, p1.runs AS runs, p1.buy_longest AS buy_longest, p1.sell_longest AS sell_longest, p1.buy_length_mean AS buy_length_mean, p1.sell_length_mean AS sell_length_mean, p1.flip_change_mean AS flip_change_mean FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us LEFT JOIN runs_by_interval AS p1 ON p1.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END), toNullable(toFloat64(CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END)), NULL) AS buy_run_max_len,
  if(isFinite(CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END), toNullable(toFloat64(CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END)), NULL) AS sell_run_max_len,
  if(isFinite(CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_length_mean, 0e0) END), toNullable(toFloat64(CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_length_mean, 0e0) END)), NULL) AS buy_run_mean_len,
  if(isFinite(CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_length_mean, 0e0) END), toNullable(toFloat64(CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_length_mean, 0e0) END)), NULL) AS sell_run_mean_len,
  if(isFinite(((CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END - CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END) / nullif((CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END + CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END), 0e0))), toNullable(toFloat64(((CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END - CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END) / nullif((CASE WHEN sided_trades IS NOT NULL THEN coalesce(buy_longest, 0e0) END + CASE WHEN sided_trades IS NOT NULL THEN coalesce(sell_longest, 0e0) END), 0e0)))), NULL) AS run_imbalance,
  if(isFinite(((runs - 1e0) / nullif(sided_trades, 0e0))), toNullable(toFloat64(((runs - 1e0) / nullif(sided_trades, 0e0)))), NULL) AS flip_rate,
  if(isFinite(flip_change_mean), toNullable(toFloat64(flip_change_mean)), NULL) AS price_change_on_flip
FROM filled
ORDER BY time;

-- returns.
INSERT INTO FUNCTION file('/data/metrics/dataset=returns/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- Each trade is compared with the trade before it in the interval.
trades_1 AS (
  SELECT *, lagInFrame(toNullable(price)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS price_before FROM trades_numbered
),
-- Log returns inside the interval.
trades_2 AS (
  SELECT *, CASE WHEN abs(price - price_before) < 1e-3 * (price + price_before) THEN 2e0 * ((price - price_before) / (price + price_before)) * (1e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) * (1e0 / 3e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) * (1e0 / 5e0 + ((price - price_before) / (price + price_before)) * ((price - price_before) / (price + price_before)) / 7e0))) ELSE ln(price / price_before) END AS log_return FROM trades_1
),
-- Previous return.
trades_3 AS (
  SELECT *, lagInFrame(toNullable(log_return)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS return_before FROM trades_2
),
-- Pairs of a return and the one before it.
trades_4 AS (
  SELECT *, return_before AS earlier, CASE WHEN return_before IS NOT NULL THEN log_return END AS later FROM trades_3
),
-- Least log_return and earlier and later of the interval.
trades_5 AS (
  SELECT *, minOrNull(log_return) OVER (PARTITION BY interval_us) AS log_return_least, minOrNull(earlier) OVER (PARTITION BY interval_us) AS earlier_least, minOrNull(later) OVER (PARTITION BY interval_us) AS later_least FROM trades_4
),
-- Differences from the least value keep the digits of small differences.
trades_6 AS (
  SELECT *, (log_return - log_return_least) AS log_return_shifted, (earlier - earlier_least) AS earlier_shifted, (later - later_least) AS later_shifted FROM trades_5
),
-- Mean of these differences.
trades_7 AS (
  SELECT *, avgOrNull(log_return_shifted) OVER (PARTITION BY interval_us) AS log_return_shift, avgOrNull(earlier_shifted) OVER (PARTITION BY interval_us) AS earlier_shift, avgOrNull(later_shifted) OVER (PARTITION BY interval_us) AS later_shift FROM trades_6
),
-- Distances from the mean.
trades_8 AS (
  SELECT *, (log_return_shifted - log_return_shift) AS log_return_distance, (earlier_shifted - earlier_shift) AS earlier_distance, (later_shifted - later_shift) AS later_distance FROM trades_7
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, toFloat64(count(CASE WHEN log_return IS NOT NULL THEN 1 END)) AS returns, toFloat64(count(CASE WHEN return_before IS NOT NULL THEN 1 END)) AS pairs, CASE WHEN toFloat64(count(log_return_distance)) >= 2 THEN sum(log_return_distance * log_return_distance) / (toFloat64(count(log_return_distance)) - 1e0) END AS return_variance, coalesce(sum((log_return * log_return)), 0e0) AS return_squares, coalesce(sum(log_return), 0e0) AS return_total, coalesce(sum(abs(log_return)), 0e0) AS return_path, coalesce(sum((abs(log_return) * abs(return_before))), 0e0) AS adjacent_products, coalesce(sum((earlier_distance * later_distance)), 0e0) AS covariation, coalesce(sum((earlier_distance * earlier_distance)), 0e0) AS earlier_squares, coalesce(sum((later_distance * later_distance)), 0e0) AS later_squares FROM trades_8 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.returns AS returns, p0.pairs AS pairs, p0.return_variance AS return_variance, p0.return_squares AS return_squares, p0.return_total AS return_total, p0.return_path AS return_path, p0.adjacent_products AS adjacent_products, p0.covariation AS covariation, p0.earlier_squares AS earlier_squares, p0.later_squares AS later_squares FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(return_variance), toNullable(toFloat64(return_variance)), NULL) AS logret_var,
  if(isFinite(CASE WHEN returns >= 1e0 THEN sqrt(return_squares) END), toNullable(toFloat64(CASE WHEN returns >= 1e0 THEN sqrt(return_squares) END)), NULL) AS realized_vol,
  if(isFinite(CASE WHEN returns >= 2e0 THEN (1.5707963267948966e0 * adjacent_products) END), toNullable(toFloat64(CASE WHEN returns >= 2e0 THEN (1.5707963267948966e0 * adjacent_products) END)), NULL) AS bipower_variation,
  if(isFinite(CASE WHEN returns >= 2e0 THEN ((return_squares - (1.5707963267948966e0 * adjacent_products)) / nullif(return_squares, 0e0)) END), toNullable(toFloat64(CASE WHEN returns >= 2e0 THEN ((return_squares - (1.5707963267948966e0 * adjacent_products)) / nullif(return_squares, 0e0)) END)), NULL) AS jump_ratio,
  if(isFinite(CASE WHEN pairs >= 2e0 THEN (covariation / nullif((sqrt(earlier_squares) * sqrt(later_squares)), 0e0)) END), toNullable(toFloat64(CASE WHEN pairs >= 2e0 THEN (covariation / nullif((sqrt(earlier_squares) * sqrt(later_squares)), 0e0)) END)), NULL) AS ret_autocorr_lag1,
  if(isFinite((abs(return_total) / nullif(return_path, 0e0))), toNullable(toFloat64((abs(return_total) / nullif(return_path, 0e0)))), NULL) AS trendiness
FROM filled
ORDER BY time;

-- slippage.
INSERT INTO FUNCTION file('/data/metrics/dataset=slippage/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
trades_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM trades_events
),
-- One row per interval.
trades_by_interval AS (
  SELECT interval_us, toFloat64(count()) AS trades FROM trades_numbered GROUP BY interval_us
),
-- Events of trades in the range, each with the start of its interval.
quoted_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount, event_sign AS sign FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price, toNullable(toFloat64(amount)) AS event_amount, toNullable(CASE WHEN side = 'buy' THEN 1e0 WHEN side = 'sell' THEN -1e0 ELSE 0e0 END + throwIf(side NOT IN ('buy', 'sell', 'unknown'), 'side must be buy, sell or unknown')) AS event_sign FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
quoted_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM quoted_events
),
-- All quotes up to the end of the range.
quoted_quotes_events AS (
  SELECT * FROM (SELECT time_us, file_ordinal, row_ordinal, event_bid_price AS bid_price, event_ask_price AS ask_price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(bid_price)) AS event_bid_price, toNullable(toFloat64(ask_price)) AS event_ask_price FROM file('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of quotes must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us < 1788393600000000
),
-- Last event of each time.
quoted_quotes AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY time_us ORDER BY file_ordinal DESC, row_ordinal DESC) AS from_last FROM quoted_quotes_events) AS ranked WHERE from_last = 1
),
-- Each event with the latest quotes at or before it.
quoted_as_of_quotes AS (
  SELECT l.*, r.bid_price AS quote_bid, r.ask_price AS quote_ask FROM (SELECT *, 1 AS everywhere FROM quoted_numbered) AS l ASOF LEFT JOIN (SELECT *, 1 AS everywhere FROM quoted_quotes) AS r ON l.everywhere = r.everywhere AND l.time_us >= r.time_us
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
  SELECT *, minOrNull(bps) OVER (PARTITION BY interval_us) AS bps_least FROM quoted_3
),
-- Differences from the least value keep the digits of small differences.
quoted_5 AS (
  SELECT *, (bps - bps_least) AS bps_shifted FROM quoted_4
),
-- Mean of these differences.
quoted_6 AS (
  SELECT *, avgOrNull(bps_shifted) OVER (PARTITION BY interval_us) AS bps_shift FROM quoted_5
),
-- Distances from the mean.
quoted_7 AS (
  SELECT *, (bps_shifted - bps_shift) AS bps_distance FROM quoted_6
),
-- One row per interval.
quoted_by_interval AS (
  SELECT interval_us, avgOrNull(beyond) AS beyond_mean, avgOrNull(bps) AS bps_mean, CASE WHEN toFloat64(count(bps_distance)) >= 2 THEN sum(bps_distance * bps_distance) / (toFloat64(count(bps_distance)) - 1e0) END AS bps_variance, quantileExactInclusiveOrNull(0.5e0)(bps) AS bps_middle, quantileExactInclusiveOrNull(0.95e0)(bps) AS bps_high, coalesce(sum((amount * bps)), 0e0) AS bps_weighted, coalesce(sum(amount), 0e0) AS bps_weight, avgOrNull(CASE WHEN sign = 1e0 THEN bps END) AS buy_bps_mean, avgOrNull(CASE WHEN sign = -1e0 THEN bps END) AS sell_bps_mean FROM quoted_7 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.trades AS trades, p1.beyond_mean AS beyond_mean, p1.bps_mean AS bps_mean, p1.bps_variance AS bps_variance, p1.bps_middle AS bps_middle, p1.bps_high AS bps_high, p1.bps_weighted AS bps_weighted, p1.bps_weight AS bps_weight, p1.buy_bps_mean AS buy_bps_mean, p1.sell_bps_mean AS sell_bps_mean FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us LEFT JOIN quoted_by_interval AS p1 ON p1.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(beyond_mean), toNullable(toFloat64(beyond_mean)), NULL) AS slippage_mean,
  if(isFinite(bps_mean), toNullable(toFloat64(bps_mean)), NULL) AS slippage_bps_mean,
  if(isFinite(sqrt(bps_variance)), toNullable(toFloat64(sqrt(bps_variance))), NULL) AS slippage_bps_std,
  if(isFinite(bps_middle), toNullable(toFloat64(bps_middle)), NULL) AS slippage_bps_median,
  if(isFinite(bps_high), toNullable(toFloat64(bps_high)), NULL) AS slippage_bps_p95,
  if(isFinite((bps_weighted / nullif(bps_weight, 0e0))), toNullable(toFloat64((bps_weighted / nullif(bps_weight, 0e0)))), NULL) AS slippage_bps_vwap,
  if(isFinite(buy_bps_mean), toNullable(toFloat64(buy_bps_mean)), NULL) AS slippage_bps_buy_mean,
  if(isFinite(sell_bps_mean), toNullable(toFloat64(sell_bps_mean)), NULL) AS slippage_bps_sell_mean,
  if(isFinite((buy_bps_mean / nullif(sell_bps_mean, 0e0))), toNullable(toFloat64((buy_bps_mean / nullif(sell_bps_mean, 0e0)))), NULL) AS slippage_bps_buy_sell_ratio,
  if(isFinite((sell_bps_mean / nullif(buy_bps_mean, 0e0))), toNullable(toFloat64((sell_bps_mean / nullif(buy_bps_mean, 0e0)))), NULL) AS slippage_bps_sell_buy_ratio
FROM filled
ORDER BY time;

-- vtwap.
INSERT INTO FUNCTION file('/data/metrics/dataset=vtwap/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price, toNullable(toFloat64(amount)) AS event_amount FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT interval_us, coalesce(sum(notional), 0e0) AS notional_total, coalesce(sum(amount), 0e0) AS amount_total, avgOrNull(price) AS price_interval_mean FROM trades_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.notional_total AS notional_total, p0.amount_total AS amount_total, p0.price_interval_mean AS price_interval_mean FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite((notional_total / nullif(amount_total, 0e0))), toNullable(toFloat64((notional_total / nullif(amount_total, 0e0)))), NULL) AS vwap,
  if(isFinite(price_interval_mean), toNullable(toFloat64(price_interval_mean)), NULL) AS twap
FROM filled
ORDER BY time;

-- ohlcv.
INSERT INTO FUNCTION file('/data/metrics/dataset=ohlcv/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of trades in the range, each with the start of its interval.
trades_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price, event_amount AS amount FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price, toNullable(toFloat64(amount)) AS event_amount FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT interval_us, (argMin(tuple(price), nth)).1 AS price_first, maxOrNull(price) AS price_highest, minOrNull(price) AS price_lowest, (argMax(tuple(price), nth)).1 AS price_last, coalesce(sum(amount), 0e0) AS amount_total, coalesce(sum(notional), 0e0) AS notional_total FROM trades_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM trades_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.price_first AS price_first, p0.price_highest AS price_highest, p0.price_lowest AS price_lowest, p0.price_last AS price_last, p0.amount_total AS amount_total, p0.notional_total AS notional_total FROM intervals AS g LEFT JOIN trades_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(price_first), toNullable(toFloat64(price_first)), NULL) AS open,
  if(isFinite(price_highest), toNullable(toFloat64(price_highest)), NULL) AS high,
  if(isFinite(price_lowest), toNullable(toFloat64(price_lowest)), NULL) AS low,
  if(isFinite(price_last), toNullable(toFloat64(price_last)), NULL) AS close,
  if(isFinite(coalesce(amount_total, 0e0)), toNullable(toFloat64(coalesce(amount_total, 0e0))), NULL) AS volume,
  if(isFinite(coalesce(notional_total, 0e0)), toNullable(toFloat64(coalesce(notional_total, 0e0))), NULL) AS volume_notional
FROM filled
ORDER BY time;

-- basis.
INSERT INTO FUNCTION file('/data/metrics/dataset=basis/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of mark_price in the range, each with the start of its interval.
marks_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_mark_price AS mark_price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(mark_price)) AS event_mark_price FROM file('/data/raw/dataset=mark_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of mark_price must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=mark_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
marks_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM marks_events
),
-- All index_price up to the end of the range.
marks_index_price_events AS (
  SELECT * FROM (SELECT time_us, file_ordinal, row_ordinal, event_index_price AS index_price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(index_price)) AS event_index_price FROM file('/data/raw/dataset=index_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of index_price must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=index_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us < 1788393600000000
),
-- Last event of each time.
marks_index_price AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY time_us ORDER BY file_ordinal DESC, row_ordinal DESC) AS from_last FROM marks_index_price_events) AS ranked WHERE from_last = 1
),
-- Each event with the latest index_price at or before it.
marks_as_of_index_price AS (
  SELECT l.*, r.index_price AS index_then FROM (SELECT *, 1 AS everywhere FROM marks_numbered) AS l ASOF LEFT JOIN (SELECT *, 1 AS everywhere FROM marks_index_price) AS r ON l.everywhere = r.everywhere AND l.time_us >= r.time_us
),
-- All trades up to the end of the range.
marks_trades_events AS (
  SELECT * FROM (SELECT time_us, file_ordinal, row_ordinal, event_price AS price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(price)) AS event_price FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of trades must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us < 1788393600000000
),
-- Last event of each time.
marks_trades AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY time_us ORDER BY file_ordinal DESC, row_ordinal DESC) AS from_last FROM marks_trades_events) AS ranked WHERE from_last = 1
),
-- Each event with the latest trades at or before it.
marks_as_of_trades AS (
  SELECT l.*, r.price AS trade_then FROM (SELECT *, 1 AS everywhere FROM marks_as_of_index_price) AS l ASOF LEFT JOIN (SELECT *, 1 AS everywhere FROM marks_trades) AS r ON l.everywhere = r.everywhere AND l.time_us >= r.time_us
),
-- Differences of the mark from the index and the last trade as of this update.
marks_1 AS (
  SELECT *, (mark_price - index_then) AS index_difference, (((mark_price - index_then) / nullif(index_then, 0e0)) * 10000e0) AS index_bps, (mark_price - trade_then) AS trade_difference, (((mark_price - trade_then) / nullif(trade_then, 0e0)) * 10000e0) AS trade_bps FROM marks_as_of_trades
),
-- Values at the previous update.
marks_2 AS (
  SELECT *, lagInFrame(toNullable(index_difference)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS index_difference_before, lagInFrame(toNullable(index_bps)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS index_bps_before, lagInFrame(toNullable(trade_difference)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS trade_difference_before, lagInFrame(toNullable(trade_bps)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS trade_bps_before FROM marks_1
),
-- Only changed values count.
marks_3 AS (
  SELECT *, CASE WHEN ((index_difference IS NOT NULL AND CASE WHEN index_difference_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (index_difference_before IS NOT NULL AND index_difference <> index_difference_before)) THEN index_difference END AS index_difference_changed, CASE WHEN ((index_bps IS NOT NULL AND CASE WHEN index_bps_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (index_bps_before IS NOT NULL AND index_bps <> index_bps_before)) THEN index_bps END AS index_bps_changed, CASE WHEN ((trade_difference IS NOT NULL AND CASE WHEN trade_difference_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (trade_difference_before IS NOT NULL AND trade_difference <> trade_difference_before)) THEN trade_difference END AS trade_difference_changed, CASE WHEN ((trade_bps IS NOT NULL AND CASE WHEN trade_bps_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (trade_bps_before IS NOT NULL AND trade_bps <> trade_bps_before)) THEN trade_bps END AS trade_bps_changed FROM marks_2
),
-- Least index_bps_changed and trade_bps_changed of the interval.
marks_4 AS (
  SELECT *, minOrNull(index_bps_changed) OVER (PARTITION BY interval_us) AS index_bps_changed_least, minOrNull(trade_bps_changed) OVER (PARTITION BY interval_us) AS trade_bps_changed_least FROM marks_3
),
-- Differences from the least value keep the digits of small differences.
marks_5 AS (
  SELECT *, (index_bps_changed - index_bps_changed_least) AS index_bps_changed_shifted, (trade_bps_changed - trade_bps_changed_least) AS trade_bps_changed_shifted FROM marks_4
),
-- Mean of these differences.
marks_6 AS (
  SELECT *, avgOrNull(index_bps_changed_shifted) OVER (PARTITION BY interval_us) AS index_bps_changed_shift, avgOrNull(trade_bps_changed_shifted) OVER (PARTITION BY interval_us) AS trade_bps_changed_shift FROM marks_5
),
-- Distances from the mean.
marks_7 AS (
  SELECT *, (index_bps_changed_shifted - index_bps_changed_shift) AS index_bps_changed_distance, (trade_bps_changed_shifted - trade_bps_changed_shift) AS trade_bps_changed_distance FROM marks_6
),
-- One row per interval.
marks_by_interval AS (
  SELECT interval_us, (argMax(tuple(index_difference), nth)).1 AS index_difference_last, (argMax(tuple(index_bps), nth)).1 AS index_bps_last, avgOrNull(index_difference_changed) AS index_difference_mean, CASE WHEN toFloat64(count(index_bps_changed_distance)) >= 2 THEN sum(index_bps_changed_distance * index_bps_changed_distance) / (toFloat64(count(index_bps_changed_distance)) - 1e0) END AS index_bps_variance, (argMax(tuple(trade_difference), nth)).1 AS trade_difference_last, (argMax(tuple(trade_bps), nth)).1 AS trade_bps_last, avgOrNull(trade_difference_changed) AS trade_difference_mean, CASE WHEN toFloat64(count(trade_bps_changed_distance)) >= 2 THEN sum(trade_bps_changed_distance * trade_bps_changed_distance) / (toFloat64(count(trade_bps_changed_distance)) - 1e0) END AS trade_bps_variance FROM marks_7 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM marks_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.index_difference_last AS index_difference_last, p0.index_bps_last AS index_bps_last, p0.index_difference_mean AS index_difference_mean, p0.index_bps_variance AS index_bps_variance, p0.trade_difference_last AS trade_difference_last, p0.trade_bps_last AS trade_bps_last, p0.trade_difference_mean AS trade_difference_mean, p0.trade_bps_variance AS trade_bps_variance FROM intervals AS g LEFT JOIN marks_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(index_difference_last), toNullable(toFloat64(index_difference_last)), NULL) AS basis,
  if(isFinite(index_bps_last), toNullable(toFloat64(index_bps_last)), NULL) AS basis_bps,
  if(isFinite(trade_difference_last), toNullable(toFloat64(trade_difference_last)), NULL) AS mark_price_spread,
  if(isFinite(trade_bps_last), toNullable(toFloat64(trade_bps_last)), NULL) AS mark_price_spread_bps,
  if(isFinite(index_difference_mean), toNullable(toFloat64(index_difference_mean)), NULL) AS basis_mean,
  if(isFinite(sqrt(index_bps_variance)), toNullable(toFloat64(sqrt(index_bps_variance))), NULL) AS basis_bps_std,
  if(isFinite(trade_difference_mean), toNullable(toFloat64(trade_difference_mean)), NULL) AS mark_price_spread_mean,
  if(isFinite(sqrt(trade_bps_variance)), toNullable(toFloat64(sqrt(trade_bps_variance))), NULL) AS mark_price_spread_bps_std
FROM filled
ORDER BY time;

-- funding.
INSERT INTO FUNCTION file('/data/metrics/dataset=funding/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of funding_rate in the range, each with the start of its interval.
rates_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_funding_rate AS funding_rate FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(funding_rate)) AS event_funding_rate FROM file('/data/raw/dataset=funding_rate/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of funding_rate must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=funding_rate/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
rates_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM rates_events
),
-- Previous rate of the same UTC day.
rates_1 AS (
  SELECT *, lagInFrame(toNullable(funding_rate)) OVER (PARTITION BY interval_us - interval_us % 86400000000 ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS rate_before FROM rates_numbered
),
-- One row per interval.
rates_by_interval AS (
  SELECT interval_us, (argMax(tuple(funding_rate), nth)).1 AS rate_last, toFloat64(count(CASE WHEN ((funding_rate IS NOT NULL AND CASE WHEN rate_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (rate_before IS NOT NULL AND funding_rate <> rate_before)) THEN 1 END)) AS updates FROM rates_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM rates_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.rate_last AS rate_last, p0.updates AS updates FROM intervals AS g LEFT JOIN rates_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(rate_last), toNullable(toFloat64(rate_last)), NULL) AS funding_rate,
  if(isFinite(coalesce((coalesce(updates, 0e0) / nullif(interval_seconds, 0e0)), 0e0)), toNullable(toFloat64(coalesce((coalesce(updates, 0e0) / nullif(interval_seconds, 0e0)), 0e0))), NULL) AS funding_rate_update_frequency,
  if(isFinite((interval_seconds / nullif(updates, 0e0))), toNullable(toFloat64((interval_seconds / nullif(updates, 0e0)))), NULL) AS funding_rate_avg_update_interval
FROM filled
ORDER BY time;

-- open_interest.
INSERT INTO FUNCTION file('/data/metrics/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of open_interest in the range, each with the start of its interval.
interest_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_open_interest AS open_interest FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(open_interest)) AS event_open_interest FROM file('/data/raw/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of open_interest must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
interest_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM interest_events
),
-- One row per interval.
interest_by_interval AS (
  SELECT interval_us, (argMin(tuple(open_interest), nth)).1 AS interest_first, (argMax(tuple(open_interest), nth)).1 AS interest_last FROM interest_numbered GROUP BY interval_us
),
-- Events of open_interest in the range, each with the start of its interval.
changes_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_open_interest AS open_interest FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(open_interest)) AS event_open_interest FROM file('/data/raw/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of open_interest must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=open_interest/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
changes_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM changes_events
),
-- Value at the previous update.
changes_1 AS (
  SELECT *, lagInFrame(toNullable(open_interest)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS interest_before FROM changes_numbered
),
-- Only changed values count.
changes_2 AS (
  SELECT * FROM changes_1 WHERE ((open_interest IS NOT NULL AND CASE WHEN interest_before IS NOT NULL THEN 1e0 ELSE 0e0 END = 0e0) OR (interest_before IS NOT NULL AND open_interest <> interest_before))
),
-- Previous changed value.
changes_3 AS (
  SELECT *, lagInFrame(toNullable(open_interest)) OVER (PARTITION BY interval_us ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS changed_before FROM changes_2
),
-- Percentage changes.
changes_4 AS (
  SELECT *, (((open_interest - changed_before) / nullif(changed_before, 0e0)) * 100e0) AS change FROM changes_3
),
-- Least change of the interval.
changes_5 AS (
  SELECT *, minOrNull(change) OVER (PARTITION BY interval_us) AS change_least FROM changes_4
),
-- Differences from the least value keep the digits of small differences.
changes_6 AS (
  SELECT *, (change - change_least) AS change_shifted FROM changes_5
),
-- Mean of these differences.
changes_7 AS (
  SELECT *, avgOrNull(change_shifted) OVER (PARTITION BY interval_us) AS change_shift FROM changes_6
),
-- Distances from the mean.
changes_8 AS (
  SELECT *, (change_shifted - change_shift) AS change_distance FROM changes_7
),
-- One row per interval.
changes_by_interval AS (
  SELECT interval_us, CASE WHEN toFloat64(count(change_distance)) >= 2 THEN sum(change_distance * change_distance) / (toFloat64(count(change_distance)) - 1e0) END AS change_variance FROM changes_8 GROUP BY interval_us
),
-- Events of mark_price in the range, each with the start of its interval.
marks_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_mark_price AS mark_price FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(mark_price)) AS event_mark_price FROM file('/data/raw/dataset=mark_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of mark_price must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=mark_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
),
-- Number of each event in its interval; events at equal times keep the order of files and rows.
marks_numbered AS (
  SELECT *, row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal) AS nth FROM marks_events
),
-- One row per interval.
marks_by_interval AS (
  SELECT interval_us, (argMin(tuple(mark_price), nth)).1 AS mark_first, (argMax(tuple(mark_price), nth)).1 AS mark_last FROM marks_numbered GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM interest_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.interest_first AS interest_first, p0.interest_last AS interest_last, p1.change_variance AS change_variance, p2.mark_first AS mark_first, p2.mark_last AS mark_last FROM intervals AS g LEFT JOIN interest_by_interval AS p0 ON p0.interval_us = g.interval_us LEFT JOIN changes_by_interval AS p1 ON p1.interval_us = g.interval_us LEFT JOIN marks_by_interval AS p2 ON p2.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(interest_last), toNullable(toFloat64(interest_last)), NULL) AS open_interest,
  if(isFinite((((interest_last - interest_first) / nullif(interest_first, 0e0)) * 100e0)), toNullable(toFloat64((((interest_last - interest_first) / nullif(interest_first, 0e0)) * 100e0))), NULL) AS open_interest_pct_change,
  if(isFinite(sqrt(change_variance)), toNullable(toFloat64(sqrt(change_variance))), NULL) AS open_interest_volatility,
  if(isFinite(((((interest_last - interest_first) / nullif(interest_first, 0e0)) * 100e0) / nullif((((mark_last - mark_first) / nullif(mark_first, 0e0)) * 100e0), 0e0))), toNullable(toFloat64(((((interest_last - interest_first) / nullif(interest_first, 0e0)) * 100e0) / nullif((((mark_last - mark_first) / nullif(mark_first, 0e0)) * 100e0), 0e0)))), NULL) AS oi_price_change_ratio
FROM filled
ORDER BY time;

-- l1_price.
INSERT INTO FUNCTION file('/data/metrics/dataset=l1_price/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of quotes in the range, each with the start of its interval.
quotes_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_bid_price AS bid_price, event_bid_amount AS bid_amount, event_ask_price AS ask_price, event_ask_amount AS ask_amount FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(bid_price)) AS event_bid_price, toNullable(toFloat64(bid_amount)) AS event_bid_amount, toNullable(toFloat64(ask_price)) AS event_ask_price, toNullable(toFloat64(ask_amount)) AS event_ask_amount FROM file('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of quotes must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT interval_us, (argMax(tuple(ask), nth)).1 AS ask_last, (argMax(tuple(bid), nth)).1 AS bid_last, (argMax(tuple(ask_amount), nth)).1 AS ask_amount_last, (argMax(tuple(bid_amount), nth)).1 AS bid_amount_last, toFloat64(count()) AS updates, (argMin(tuple(time_us), nth)).1 AS time_first, (argMax(tuple(time_us), nth)).1 AS time_last, (argMax(tuple(mid), nth)).1 AS mid_last, (argMax(tuple(weighted_mid), nth)).1 AS weighted_mid_last, avgOrNull(bid) AS bid_mean, avgOrNull(ask) AS ask_mean, coalesce(sum(CASE WHEN bid IS NOT NULL THEN (bid * bid_amount) END), 0e0) AS bid_weighted, coalesce(sum(CASE WHEN bid IS NOT NULL THEN bid_amount END), 0e0) AS bid_weight, coalesce(sum(CASE WHEN ask IS NOT NULL THEN (ask * ask_amount) END), 0e0) AS ask_weighted, coalesce(sum(CASE WHEN ask IS NOT NULL THEN ask_amount END), 0e0) AS ask_weight FROM quotes_2 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM quotes_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.ask_last AS ask_last, p0.bid_last AS bid_last, p0.ask_amount_last AS ask_amount_last, p0.bid_amount_last AS bid_amount_last, p0.updates AS updates, p0.time_first AS time_first, p0.time_last AS time_last, p0.mid_last AS mid_last, p0.weighted_mid_last AS weighted_mid_last, p0.bid_mean AS bid_mean, p0.ask_mean AS ask_mean, p0.bid_weighted AS bid_weighted, p0.bid_weight AS bid_weight, p0.ask_weighted AS ask_weighted, p0.ask_weight AS ask_weight FROM intervals AS g LEFT JOIN quotes_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(ask_last), toNullable(toFloat64(ask_last)), NULL) AS ask_price,
  if(isFinite(bid_last), toNullable(toFloat64(bid_last)), NULL) AS bid_price,
  if(isFinite(ask_amount_last), toNullable(toFloat64(ask_amount_last)), NULL) AS ask_amount,
  if(isFinite(bid_amount_last), toNullable(toFloat64(bid_amount_last)), NULL) AS bid_amount,
  if(isFinite(coalesce(updates, 0e0)), toNullable(toFloat64(coalesce(updates, 0e0))), NULL) AS quote_update_frequency,
  if(isFinite(CASE WHEN updates > 1e0 THEN (((time_last - time_first) / nullif(1000e0, 0e0)) / nullif((updates - 1e0), 0e0)) END), toNullable(toFloat64(CASE WHEN updates > 1e0 THEN (((time_last - time_first) / nullif(1000e0, 0e0)) / nullif((updates - 1e0), 0e0)) END)), NULL) AS avg_update_interval,
  if(isFinite(mid_last), toNullable(toFloat64(mid_last)), NULL) AS midprice,
  if(isFinite(weighted_mid_last), toNullable(toFloat64(weighted_mid_last)), NULL) AS weighted_midprice,
  if(isFinite(bid_mean), toNullable(toFloat64(bid_mean)), NULL) AS bid_price_twap,
  if(isFinite(ask_mean), toNullable(toFloat64(ask_mean)), NULL) AS ask_price_twap,
  if(isFinite((bid_weighted / nullif(bid_weight, 0e0))), toNullable(toFloat64((bid_weighted / nullif(bid_weight, 0e0)))), NULL) AS bid_price_vwap,
  if(isFinite((ask_weighted / nullif(ask_weight, 0e0))), toNullable(toFloat64((ask_weighted / nullif(ask_weight, 0e0)))), NULL) AS ask_price_vwap
FROM filled
ORDER BY time;

-- l1_imbalance.
INSERT INTO FUNCTION file('/data/metrics/dataset=l1_imbalance/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of quotes in the range, each with the start of its interval.
quotes_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_bid_amount AS bid_amount, event_ask_amount AS ask_amount FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(bid_amount)) AS event_bid_amount, toNullable(toFloat64(ask_amount)) AS event_ask_amount FROM file('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of quotes must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT interval_us, (argMax(tuple(update_imbalance), nth)).1 AS imbalance_last, (argMax(tuple(update_imbalance_ratio), nth)).1 AS imbalance_ratio_last, (argMax(tuple(update_bid_ask_ratio), nth)).1 AS bid_ask_ratio_last, (argMax(tuple(update_bid_percentage), nth)).1 AS bid_percentage_last, (argMax(tuple(update_ask_percentage), nth)).1 AS ask_percentage_last, avgOrNull(update_imbalance) AS imbalance_mean, avgOrNull(update_imbalance_ratio) AS imbalance_ratio_mean, avgOrNull(update_bid_ask_ratio) AS bid_ask_ratio_mean, avgOrNull(update_bid_percentage) AS bid_percentage_mean, avgOrNull(update_ask_percentage) AS ask_percentage_mean FROM quotes_1 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM quotes_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.imbalance_last AS imbalance_last, p0.imbalance_ratio_last AS imbalance_ratio_last, p0.bid_ask_ratio_last AS bid_ask_ratio_last, p0.bid_percentage_last AS bid_percentage_last, p0.ask_percentage_last AS ask_percentage_last, p0.imbalance_mean AS imbalance_mean, p0.imbalance_ratio_mean AS imbalance_ratio_mean, p0.bid_ask_ratio_mean AS bid_ask_ratio_mean, p0.bid_percentage_mean AS bid_percentage_mean, p0.ask_percentage_mean AS ask_percentage_mean FROM intervals AS g LEFT JOIN quotes_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(imbalance_last), toNullable(toFloat64(imbalance_last)), NULL) AS imbalance,
  if(isFinite(imbalance_ratio_last), toNullable(toFloat64(imbalance_ratio_last)), NULL) AS imbalance_ratio,
  if(isFinite(bid_ask_ratio_last), toNullable(toFloat64(bid_ask_ratio_last)), NULL) AS bid_ask_ratio,
  if(isFinite(bid_percentage_last), toNullable(toFloat64(bid_percentage_last)), NULL) AS bid_percentage,
  if(isFinite(ask_percentage_last), toNullable(toFloat64(ask_percentage_last)), NULL) AS ask_percentage,
  if(isFinite(imbalance_mean), toNullable(toFloat64(imbalance_mean)), NULL) AS imbalance_avg,
  if(isFinite(imbalance_ratio_mean), toNullable(toFloat64(imbalance_ratio_mean)), NULL) AS imbalance_ratio_avg,
  if(isFinite(bid_ask_ratio_mean), toNullable(toFloat64(bid_ask_ratio_mean)), NULL) AS bid_ask_ratio_avg,
  if(isFinite(bid_percentage_mean), toNullable(toFloat64(bid_percentage_mean)), NULL) AS bid_percentage_avg,
  if(isFinite(ask_percentage_mean), toNullable(toFloat64(ask_percentage_mean)), NULL) AS ask_percentage_avg
FROM filled
ORDER BY time;

-- l1_liquidity.
INSERT INTO FUNCTION file('/data/metrics/dataset=l1_liquidity/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1m/timestamp=exchange/part.parquet', 'Parquet')
WITH
-- Events of quotes in the range, each with the start of its interval.
quotes_events AS (
  SELECT *, time_us - time_us % 60000000 AS interval_us FROM (SELECT time_us, file_ordinal, row_ordinal, event_bid_price AS bid_price, event_bid_amount AS bid_amount, event_ask_price AS ask_price, event_ask_amount AS ask_amount FROM (SELECT toUnixTimestamp64Micro(toDateTime64(exchange_timestamp, 6, 'UTC')) AS time_us, _path AS file_ordinal, _row_number AS row_ordinal, toNullable(toFloat64(bid_price)) AS event_bid_price, toNullable(toFloat64(bid_amount)) AS event_bid_amount, toNullable(toFloat64(ask_price)) AS event_ask_price, toNullable(toFloat64(ask_amount)) AS event_ask_amount FROM file('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'Parquet') WHERE match(_file, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$') AND (SELECT throwIf(count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT substr(period, 1, 7)) < count(DISTINCT CASE WHEN length(period) = 7 THEN substr(period, 1, 7) END) + count(DISTINCT CASE WHEN length(period) = 10 THEN substr(period, 1, 7) END), 'files of quotes must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them') = 0 FROM (SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (SELECT DISTINCT _file AS name FROM file('/data/raw/dataset=quotes/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet', 'One')) AS names WHERE match(name, '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?([.][0-9a-f]{16})?[.]parquet$')) AS periods)) AS events) AS source_events WHERE time_us >= 1788220800000000 AND time_us < 1788393600000000
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
  SELECT interval_us, (argMax(tuple(update_spread), nth)).1 AS spread_last, (argMax(tuple(update_spread_bps), nth)).1 AS spread_bps_last, (argMax(tuple(update_spread_depth_ratio), nth)).1 AS spread_depth_ratio_last, (argMax(tuple(update_total_depth), nth)).1 AS total_depth_last, (argMax(tuple(update_dollar_depth_bid), nth)).1 AS dollar_depth_bid_last, (argMax(tuple(update_dollar_depth_ask), nth)).1 AS dollar_depth_ask_last, (argMax(tuple(update_total_dollar_depth), nth)).1 AS total_dollar_depth_last, avgOrNull(update_spread) AS spread_mean, avgOrNull(update_spread_bps) AS spread_bps_mean, avgOrNull(update_spread_depth_ratio) AS spread_depth_ratio_mean, avgOrNull(update_total_depth) AS total_depth_mean, avgOrNull(update_dollar_depth_bid) AS dollar_depth_bid_mean, avgOrNull(update_dollar_depth_ask) AS dollar_depth_ask_mean, avgOrNull(update_total_dollar_depth) AS total_dollar_depth_mean FROM quotes_2 GROUP BY interval_us
),
-- Every interval from the first to the last one with driving events.
intervals AS (
  SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, 60000000)) AS interval_us FROM (SELECT min(interval_us) AS first_us, max(interval_us) AS last_us FROM quotes_by_interval HAVING count(*) > 0) AS bounds
),
-- Intervals without events have null aggregates.
filled AS (
  SELECT g.interval_us AS interval_us, 60e0 AS interval_seconds, p0.spread_last AS spread_last, p0.spread_bps_last AS spread_bps_last, p0.spread_depth_ratio_last AS spread_depth_ratio_last, p0.total_depth_last AS total_depth_last, p0.dollar_depth_bid_last AS dollar_depth_bid_last, p0.dollar_depth_ask_last AS dollar_depth_ask_last, p0.total_dollar_depth_last AS total_dollar_depth_last, p0.spread_mean AS spread_mean, p0.spread_bps_mean AS spread_bps_mean, p0.spread_depth_ratio_mean AS spread_depth_ratio_mean, p0.total_depth_mean AS total_depth_mean, p0.dollar_depth_bid_mean AS dollar_depth_bid_mean, p0.dollar_depth_ask_mean AS dollar_depth_ask_mean, p0.total_dollar_depth_mean AS total_dollar_depth_mean FROM intervals AS g LEFT JOIN quotes_by_interval AS p0 ON p0.interval_us = g.interval_us
)
SELECT
  toInt64(intDiv(interval_us, 1000)) AS time,
  if(isFinite(spread_last), toNullable(toFloat64(spread_last)), NULL) AS spread,
  if(isFinite(spread_bps_last), toNullable(toFloat64(spread_bps_last)), NULL) AS spread_bps,
  if(isFinite(spread_depth_ratio_last), toNullable(toFloat64(spread_depth_ratio_last)), NULL) AS spread_depth_ratio,
  if(isFinite(total_depth_last), toNullable(toFloat64(total_depth_last)), NULL) AS total_depth,
  if(isFinite(dollar_depth_bid_last), toNullable(toFloat64(dollar_depth_bid_last)), NULL) AS dollar_depth_bid,
  if(isFinite(dollar_depth_ask_last), toNullable(toFloat64(dollar_depth_ask_last)), NULL) AS dollar_depth_ask,
  if(isFinite(total_dollar_depth_last), toNullable(toFloat64(total_dollar_depth_last)), NULL) AS total_dollar_depth,
  if(isFinite(spread_mean), toNullable(toFloat64(spread_mean)), NULL) AS spread_avg,
  if(isFinite(spread_bps_mean), toNullable(toFloat64(spread_bps_mean)), NULL) AS spread_bps_avg,
  if(isFinite(spread_depth_ratio_mean), toNullable(toFloat64(spread_depth_ratio_mean)), NULL) AS spread_depth_ratio_avg,
  if(isFinite(total_depth_mean), toNullable(toFloat64(total_depth_mean)), NULL) AS total_depth_avg,
  if(isFinite(dollar_depth_bid_mean), toNullable(toFloat64(dollar_depth_bid_mean)), NULL) AS dollar_depth_bid_avg,
  if(isFinite(dollar_depth_ask_mean), toNullable(toFloat64(dollar_depth_ask_mean)), NULL) AS dollar_depth_ask_avg,
  if(isFinite(total_dollar_depth_mean), toNullable(toFloat64(total_dollar_depth_mean)), NULL) AS total_dollar_depth_avg
FROM filled
ORDER BY time;
