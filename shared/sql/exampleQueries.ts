/** An example query to start from. */
export interface ExampleQuery {
  id: string
  name: string
  description: string
  sql: string
  parameters: Readonly<Record<string, string>>
}

const example = (
  id: string,
  name: string,
  description: string,
  sql: string,
  parameters: ExampleQuery['parameters'] = {},
): ExampleQuery => ({ id, name, description, sql: sql.trim(), parameters })

/**
 * Lists twelve queries, from simple ones to joins, which all return rows on the sandbox.
 * @param venues venues of the connection; the examples are about the first, and one compares it with the second
 */
export function exampleQueriesOn([venue = '', other = venue]: readonly string[]): readonly ExampleQuery[] {
  const btc = { venue, symbol: 'BTC-USDT' }
  return queriesAbout(btc, other)
}

const queriesAbout = (btc: { venue: string; symbol: string }, other: string): readonly ExampleQuery[] => [
  example(
    'last-funding',
    'Last funding by symbol',
    'The newest hourly funding rate of each symbol.',
    `
SELECT exchange, symbol, funding_rate, time
FROM metrics.funding
WHERE interval = '1h' AND clock = 'exchange'
QUALIFY row_number() OVER (PARTITION BY exchange, symbol ORDER BY time DESC) = 1
ORDER BY funding_rate DESC`,
  ),
  example(
    'cached-files',
    'What is cached',
    'Files, bytes and days by dataset.',
    `
SELECT dataset, count(*) AS files, sum(bytes) AS bytes, min(period) AS first, max(period) AS last
FROM cache.files
GROUP BY dataset
ORDER BY bytes DESC`,
  ),
  example(
    'daily-candles',
    'Daily candles from hours',
    'Open, high, low, close and volume by day.',
    `
SELECT bucket(time, INTERVAL '1 day') AS day, first(open ORDER BY time) AS open, max(high) AS high,
  min(low) AS low, last(close ORDER BY time) AS close, sum(volume) AS volume
FROM metrics.ohlcv
WHERE exchange = $venue AND symbol = instrument($venue, $symbol) AND interval = '1h' AND clock = 'exchange'
GROUP BY day
ORDER BY day`,
    btc,
  ),
  example(
    'volatility-by-hour',
    'Volatility by hour of day',
    'Standard deviation of hourly log returns by hour (UTC).',
    `
WITH r AS (
  SELECT symbol, time, ln(close / lag(close) OVER (PARTITION BY symbol ORDER BY time)) AS r
  FROM metrics.ohlcv
  WHERE exchange = $venue AND interval = '1h' AND clock = 'exchange'
)
SELECT date_part('hour', time) AS hour, stddev_samp(r) AS volatility, count(r) AS n
FROM r
GROUP BY hour
ORDER BY hour`,
    { venue: btc.venue },
  ),
  example(
    'correlation',
    'Correlation of returns with BTC',
    'Pearson correlation of hourly returns of each symbol with BTC.',
    `
WITH r AS (
  SELECT symbol, base, time, close / lag(close) OVER (PARTITION BY symbol ORDER BY time) - 1 AS r
  FROM metrics.ohlcv
  WHERE exchange = $venue AND interval = '1h' AND clock = 'exchange'
)
SELECT a.symbol, corr(a.r, b.r) AS correlation, count(*) AS n
FROM r a JOIN r b ON a.time = b.time AND b.base = 'BTC'
WHERE a.r IS NOT NULL AND b.r IS NOT NULL
GROUP BY a.symbol
ORDER BY correlation DESC`,
    { venue: btc.venue },
  ),
  example(
    'funding-carry',
    'Funding against the next hour',
    'Rank correlation of the funding rate with the return of the next hour, by time.',
    `
WITH p AS (
  SELECT exchange, symbol, time, lead(close) OVER (PARTITION BY exchange, symbol ORDER BY time) / close - 1 AS next
  FROM metrics.ohlcv
  WHERE interval = '1h' AND clock = 'exchange'
)
SELECT f.time, rank_ic(f.funding_rate, p.next) AS ic, count(*) AS n
FROM metrics.funding f JOIN p ON p.exchange = f.exchange AND p.symbol = f.symbol AND p.time = f.time
WHERE f.interval = '1h' AND f.clock = 'exchange'
GROUP BY f.time
ORDER BY f.time`,
  ),
  example(
    'spread-by-venue',
    'Spread by venue',
    'Mean and 95 % quantile of the quoted spread.',
    `
SELECT exchange, symbol, avg(spread_bps) AS mean_bps, quantile_cont(spread_bps, 0.95) AS p95_bps, count(*) AS n
FROM metrics.l1_liquidity
WHERE interval = '1h' AND clock = 'exchange'
GROUP BY exchange, symbol
ORDER BY mean_bps`,
  ),
  example(
    'venue-basis',
    'Price against another venue',
    'Difference of the closes of two venues in basis points.',
    `
SELECT a.time, 1e4 * (a.close / b.close - 1) AS difference_bps
FROM metrics.ohlcv a JOIN metrics.ohlcv b ON a.time = b.time
WHERE a.exchange = $venue AND b.exchange = $other AND a.symbol = instrument($venue, $symbol)
  AND b.symbol = a.symbol AND a.interval = '1h' AND b.interval = '1h'
  AND a.clock = 'exchange' AND b.clock = 'exchange'
ORDER BY a.time`,
    { ...btc, other },
  ),
  example(
    'gaps',
    'Gaps in the rows',
    'Places where more than one hour passes between two rows.',
    `
SELECT exchange, symbol, before, time, date_diff('hour', before, time) - 1 AS missing_hours
FROM (
  SELECT exchange, symbol, time, lag(time) OVER (PARTITION BY exchange, symbol ORDER BY time) AS before
  FROM metrics.ohlcv
  WHERE interval = '1h' AND clock = 'exchange'
)
WHERE date_diff('hour', before, time) > 1
ORDER BY missing_hours DESC`,
  ),
  example(
    'latency',
    'Arrival latency by venue',
    'Median and 99 % quantile of the time from the venue to the capture machine, in ms.',
    `
SELECT exchange, symbol, quantile_cont(ms, 0.5) AS median_ms, quantile_cont(ms, 0.99) AS p99_ms, count(*) AS n
FROM (
  SELECT exchange, symbol, (epoch_us(local_timestamp) - epoch_us(exchange_timestamp)) / 1000 AS ms
  FROM raw.trades
)
GROUP BY exchange, symbol
ORDER BY median_ms`,
  ),
  example(
    'trades-over-quotes',
    'Trades over quotes',
    'Each trade with the last quote that had arrived before it (ASOF JOIN), and on which side of the mid price it was.',
    `
SELECT t.exchange_timestamp, t.price, q.bid_price, q.ask_price,
  sign(t.price - (q.bid_price + q.ask_price) / 2) AS side
FROM raw.trades t ASOF JOIN raw.quotes q
  ON t.exchange = q.exchange AND t.symbol = q.symbol AND t.local_timestamp >= q.local_timestamp
WHERE t.exchange = $venue AND t.symbol = instrument($venue, $symbol)
ORDER BY t.local_timestamp
LIMIT 10000`,
    btc,
  ),
  example(
    'vwap-around-large-trades',
    'VWAP around liquidation-like trades',
    'Volume-weighted price of the minute before and after each of the largest trades, against the last quote (ASOF JOIN).',
    `
WITH large AS (
  SELECT exchange, symbol, local_timestamp, price, amount
  FROM raw.trades
  WHERE exchange = $venue AND symbol = instrument($venue, $symbol)
  ORDER BY amount DESC, local_timestamp
  LIMIT 20
), quoted AS (
  SELECT l.*, (q.bid_price + q.ask_price) / 2 AS middle
  FROM large l ASOF JOIN raw.quotes q
    ON l.exchange = q.exchange AND l.symbol = q.symbol AND l.local_timestamp >= q.local_timestamp
)
SELECT l.local_timestamp, l.price, l.amount, l.middle,
  sum(t.price * t.amount) FILTER (WHERE t.local_timestamp < l.local_timestamp)
    / sum(t.amount) FILTER (WHERE t.local_timestamp < l.local_timestamp) AS vwap_before,
  sum(t.price * t.amount) FILTER (WHERE t.local_timestamp > l.local_timestamp)
    / sum(t.amount) FILTER (WHERE t.local_timestamp > l.local_timestamp) AS vwap_after
FROM quoted l JOIN raw.trades t ON t.exchange = l.exchange AND t.symbol = l.symbol
  AND t.local_timestamp BETWEEN l.local_timestamp - INTERVAL '1 minute' AND l.local_timestamp + INTERVAL '1 minute'
WHERE t.exchange = $venue AND t.symbol = instrument($venue, $symbol)
GROUP BY ALL
ORDER BY l.local_timestamp`,
    btc,
  ),
]
