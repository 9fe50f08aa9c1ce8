/**
 * Sentences on the fields of calls. The schemas carry them into the API description and the tools of assistants, and
 * `--help` prints them. They stand apart from the schemas, because help loads none.
 */

export const symbolForm = 'such as perpetual-BTC-USDT:USDT'
const clock = 'Clock of the rows: exchange (event time at the venue) or true (arrival time).'

/** A series and its rows. */
export const seriesTexts = {
  dataset: 'Metric dataset, or raw dataset.',
  exchange: 'Venue.',
  symbol: `Symbol, ${symbolForm}.`,
  interval: 'Interval of a metric dataset; raw events have none.',
  timestamp: clock,
  columns: 'Columns besides time (default: all).',
  start: 'First UTC day, or instant.',
  end: 'Last UTC day, inclusive; or instant, exclusive.',
} as const

/** What to download. */
export const selectionTexts = {
  exchange: 'Venues.',
  symbol: `Symbols, ${symbolForm}.`,
  interval: 'Intervals, such as 1m or 1h.',
  timestamp: clock,
  start: 'First UTC day, YYYY-MM-DD.',
  end: 'Last UTC day, inclusive.',
  refresh: 'Download cached files again and report which have changed.',
  tryLocked: 'Also request files that your subscription tier does not seem to include, or that may not exist.',
  lastDays: 'Always the last N days, instead of --start.',
} as const

/** Which files in the cache. */
export const fileFilterTexts = {
  dataset: 'Only these datasets.',
  exchange: 'Only these venues.',
  symbol: 'Only these symbols.',
  interval: 'Only these intervals.',
  timestamp: 'Only these clocks: exchange or true.',
  start: 'Only files that cover this UTC day or later days.',
  end: 'Only files that cover this UTC day or earlier days.',
  period: 'Only these files: months (2026-07) or days (2026-08-01).',
  origin: 'Only files that were downloaded (service), imported (import) or computed (computed).',
} as const

export const deepText = 'Also read every value: slower, but finds files that were damaged before they were downloaded.'

export const listText =
  'Use the venue–symbol pairs of this list in place of symbols; with venues, only those on the given venues.'

export const refreshText = 'Ask the service even if the cached answer is fresh.'

export const connectionTexts = {
  name: 'Name for the connection, at most 60 characters.',
  metricsUrl: 'Base URL of the metrics service: everything before /api/v1.',
  portfolioUrl: 'Base URL of the portfolio service: everything before /api/v1.',
  catalogLocation:
    'URL or file of the catalog of raw events (default: looked for once at /api/v1/metadata/raw of the metrics service, without the key).',
  tier: 'Subscription tier, 0 to 3 (default: unknown).',
  privateStorage: 'Whether the service may store its files at private addresses of this network (default: no).',
  store:
    'Shared store that fetch looks in before it asks the service: a folder, which must exist, or a bucket of an S3-compatible service. “none” removes it.',
  storeEndpoint: 'Endpoint of the service that hosts the bucket (default: Amazon S3).',
  storePlainHttp:
    'Allow a plain-http endpoint of the store on another machine: files can then be read and changed in transit.',
  preview:
    'Previews only, which need no key unless the service asks for a demo key: the month and the symbol of each venue that the catalog names. Fetch then takes them by default, and anything else is refused before a request.',
  venues:
    'Venue of the service: its id, its short name in the portfolio service, whether it counts sizes in base asset or contracts, and whether its exchange times are measured or modelled. Repeatable; with edit, replaces the venue of that id. What is not typed is taken from the catalog.',
} as const

/** The ClickHouse server of a connection. */
export const engineTexts = {
  url: 'Address of its HTTP interface, such as https://clickhouse.example.com:8443.',
  user: 'Name of the user (default: default).',
  cluster: 'Cluster whose servers read files in parallel.',
  plainHttp: 'Allow plain http to another machine: the password and the events can then be read in transit.',
} as const

/** A funding period that the user types. */
export const fundingTexts = {
  exchange: 'Venue.',
  symbol: `Symbol, ${symbolForm} (default: all symbols of the venue).`,
  every: 'Period such as 1h, 8h or 30m, at most 24h; “unknown” removes what was typed.',
} as const

export const maxSizeText = 'Maximum size of the cache, such as 500MB, 20GB or 1.5TiB.'

/** A comparison of engines. */
export const comparisonTexts = {
  engines: 'Engines to compare: local, duckdb, clickhouse, spark.',
  sample: 'Symbol-days to compare, at most 10000 (default: 20).',
  raw: 'Events, as for compute: a folder, an s3://BUCKET/PREFIX or table:DATABASE (default: the cache).',
} as const

/** How files of one's own become a dataset. */
export const ownDataTexts = {
  name: 'Name of the dataset: small letters, digits and _, at most 31, such as unlocks.',
  time: 'Column of the times (default: time, timestamp, date, datetime or ts).',
  symbol: 'Column of the symbols (default: symbol); without one, the rows stand beside every instrument.',
  exchange: 'Column of the venues (default: exchange), or the one venue of all rows.',
  interval: 'Interval of the rows (default: the most frequent step that divides a day).',
  events: 'The rows are events: any times, no grid.',
  knownAfter: 'How long after the end of its interval, or after its time if it is an event, a row is known.',
  unit: 'Unit of a column, or none.',
  label: 'Column with the labels of events.',
  columns: 'Columns of values (default: all that are numbers).',
} as const

/** A plan of trades, correlations and attributions. */
export const bookTexts = {
  weights: 'Target weights: live:PORTFOLIO, close:PORTFOLIO, blend:ID, test:ID, or a CSV ticker,weight.',
  capital: 'Capital in the quote currency.',
  positions: 'Positions held now: CSV symbol,units (default: none).',
  aliases:
    'CSV ticker,symbol,multiplier: one unit of the symbol is that many units of the ticker (default: as typed in Settings).',
  prices: 'CSV ticker,price (default: the last close of the portfolio service).',
  lots: 'CSV symbol,lot[,min_units]: orders are whole multiples of the lot (default: as typed in Settings).',
  band: 'Difference of weights up to which nothing is traded, such as 0.02 (default: 0).',
  mode: 'Trade to the target (centre, the default) or to the edge of the band (edge).',
  minOrder: 'Smallest notional of an order in the quote currency (default: 0).',
  cap: 'Largest target on either side, such as 0.1 (default: none).',
  costBps: 'Cost of trading in basis points (default: half the last cached spread).',
  series: 'Series: portfolio:ID, test:ID, blend:ID, own:NAME or price:TICKER.',
  start: 'First UTC day.',
  end: 'Last UTC day, inclusive.',
  minDays: 'Fewest common days of a pair (default: 60).',
  common: 'Use only the days that all series have.',
  order: 'Order of the series: given (the default), or linkage, which puts similar ones beside each other.',
  subject: 'Series to explain, named as for correlations.',
  on: 'Series to explain it by, at most 20.',
  lags: 'Lags of the Newey–West errors (default: by the number of days).',
  rolling: 'Days of a rolling window for betas by day (default: none).',
  ruleTicker: 'What weights and prices call the symbol (default: the symbol itself).',
  multiplier: 'Units of the ticker in one unit of the symbol (default: 1).',
  lot: 'Orders are whole multiples of it.',
  minUnits: 'Least units of an order.',
  minOrderOfSymbol: 'Least notional of an order in the quote currency.',
} as const
