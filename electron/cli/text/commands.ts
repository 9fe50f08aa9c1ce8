import { venueGrammar } from '#shared/catalog/writtenVenue.ts'
import type { MissingSqlData } from '#shared/contract/areas/sql.ts'
import {
  bookTexts,
  comparisonTexts,
  connectionTexts,
  deepText,
  engineTexts,
  fileFilterTexts,
  fundingTexts,
  listText,
  maxSizeText,
  refreshText,
  selectionTexts,
  seriesTexts,
  symbolForm,
} from '#shared/contract/fieldTexts.ts'
import { agree, plainPlural } from '#shared/units/plurals.ts'

/**
 * Help texts of the commands, as `perpscope --help` prints them; `recordCommands.ts` has those of reports, checks,
 * schedules, documents and the like. Summaries are lower-case clauses in the imperative; descriptions are paragraphs.
 * Names of options, states and JSON keys are promises to scripts and never change.
 */

export const globalOptionsText = {
  options: {
    'data-dir': 'Data folder (default: the app’s own folder; env PERPSCOPE_DATA_DIR).',
    connection: 'Use this connection instead of the active one.',
    json: 'Print one JSON document, or JSON Lines for commands that stream.',
    offline: 'Answer from the cache only; send no requests.',
    proxy:
      'Send requests through this proxy; “direct” for none (default: the settings, then env HTTPS_PROXY, NO_PROXY).',
    'ca-file': 'Also trust the certificates in this PEM file (default: the settings; env NODE_EXTRA_CA_CERTS).',
    quiet: 'Print no progress and no notes on stderr; errors are still printed.',
    help: 'Show help for perpscope or for the command, and exit.',
    version: 'Print the version and exit.',
  },
} as const

export const dayOptionsText = {
  options: {
    start: 'First UTC day, YYYY-MM-DD (default: the first day available).',
    end: 'Last UTC day, inclusive (default: today).',
  },
} as const

export const listOptionText = {
  description: listText,
} as const

export const selectionText = {
  options: {
    raw: 'Fetch raw events instead of metrics: --dataset then names raw datasets; --interval and --timestamp do not apply.',
    dataset: 'Metric datasets; with --raw, raw datasets.',
    exchange: selectionTexts.exchange,
    symbol: selectionTexts.symbol,
    interval: selectionTexts.interval,
    timestamp: selectionTexts.timestamp,
    start: selectionTexts.start,
  },
} as const

export const cacheText = {
  summary: 'remove files from the cache',
  description: [
    'Removes those downloaded, imported and computed files of the active connection, or of --connection, that match all options; --dry-run counts them first. At least one option is needed. A monthly file is removed completely, even if --start or --end falls within its month. Pinned files are removed too.',
    'With --json, prints {"files", "bytes"}: how much was removed or, with --dry-run, would be removed.',
  ],
  remove: {
    summary: 'remove cached, imported or computed files',
    interrupted: 'files removed so far are gone; run the same command again to continue.',
    options: {
      ...fileFilterTexts,
      raw: 'Only raw events.',
      'dry-run': 'Show what would be removed; remove nothing.',
    },
  },
} as const

export const catalogCommandText = {
  summary: 'list the datasets of the services and their columns',
  description: [
    'Offline, or if the cached catalog is less than a day old, answers from the cache; --refresh asks the service. With --json, each dataset lists its columns with their labels and descriptions.',
    'With --tiers, shows the lowest subscription tier that includes each metric dataset; – (null with --json) where it is not documented.',
    'With --raw, lists the datasets of raw events from the catalog: columns (with type, nullability and, for sizes, the unit on each venue), notes, the summary by venue, and the first day of daily files.',
  ],
  run: {
    summary: 'list the datasets',
    options: {
      raw: 'List the datasets of raw events instead.',
      tiers: 'Show the tier that each metric dataset needs.',
      refresh: refreshText,
    },
  },
} as const

export const completionText = {
  summary: 'print a completion script for a shell',
  description: [
    'Completes commands, actions, options and their values. Load the script in your shell’s start-up file.',
  ],
  run: { summary: 'print the script', args: { SHELL: 'The shell.' } },
} as const

export const computeCommandText = {
  summary: 'compute metric files from raw events',
  description: [
    'Computes any metric dataset that can be derived from raw events (all but l2_*) at any interval that divides a day. The file appears only when it is complete. The column time is in milliseconds; all other columns are numbers, null where a metric is undefined.',
    'Without --raw, raw events are read from the cache of the connection.',
    'Days without raw events are listed on stderr and, with --json, under "missing"; the exit status is then 3.',
    '--engine clickhouse runs on the ClickHouse server of the connection (connection add-engine), day by day and symbol by symbol. Without --out, each day is stored in the cache as a computed file; with --out the files stay on the server, one per day. If interrupted, complete days are kept, and the same command computes the rest. With --json, prints {"engine", "version", "outputs": [{"dataset", "exchange", "symbol", "files", "kept", "rows", "places"}], "missing", "notes"}.',
    '--engine spark --submit CMD runs the printed script with your own command, waits for it, and imports the files it wrote as import --computed does, with the same output and exit statuses; without --out the files are written to a temporary folder on this machine, which is removed afterwards. If interrupted, the command and every process it started are stopped, and nothing is imported. If perpscope itself is killed, the Spark job continues: import what it writes to --out with import --computed.',
    'With --print-sql, --engine duckdb|clickhouse|spark prints a complete script that computes the same metrics on that engine. Every column of all three engines was compared with independent values, with the events read from files. ClickHouse was also tested on servers of version 26.7 over HTTP, with tables and with a bucket (s3:// addresses) that the servers of a cluster read together. Spark ran on one machine and, for three datasets, on a standalone cluster of two workers. Not tested: Spark with s3:// addresses or tables, and Amazon S3 itself.',
  ],
  run: {
    summary: 'compute metric files from raw events',
    interrupted: 'nothing was written.',
    lacksDays: 'Computed in part: the rows of the days without raw events named above are missing or incomplete.',
    interruptedOnServer: 'complete days are kept; run the same command again to compute the rest.',
    options: {
      dataset: 'Metric datasets; events that several of them need are read once.',
      exchange: seriesTexts.exchange,
      symbol: seriesTexts.symbol,
      interval: 'Any <n>s, <n>m, <n>h or <n>d that divides a day.',
      timestamp: seriesTexts.timestamp,
      start: selectionTexts.start,
      end: selectionTexts.end,
      raw: 'Folder of raw events, dataset=…/exchange=…/symbol=…/<day or month> (default: the cache).',
      out: 'Output Parquet file; a folder if several datasets are computed or --list is given.',
      engine:
        'local (default) and duckdb compute here, clickhouse on the server of the connection; spark needs --print-sql or --submit. Files computed by duckdb, clickhouse or spark record the engine, its version, the raw files and the SHA-256 of the SQL under the key perpscope.provenance.',
      submit:
        'With --engine spark: the command that runs the printed script, such as "spark-sql --master spark://node:7077"; -f FILE is added. No shell runs it: it is split at spaces; quotes keep words together, and a backslash escapes the next character.',
      parallel: 'Number of days that the server computes in parallel (default: 2).',
      'print-sql':
        'Print the script that computes the same metrics on another engine, and compute nothing. --raw is then a folder, an s3://BUCKET/PREFIX or table:DATABASE as that engine sees it, and --out a folder or s3:// address; without --out the script selects the rows.',
    },
  },
} as const

export const reconcileCommandText = {
  summary: 'compare engines column by column on a sample of symbol-days',
  description: [
    'Computes a sample of symbol-days of the selection on every engine and compares all columns with those of local. If --engines does not name local, the reference is the first of duckdb, clickhouse and spark that it names. Nothing is written into the cache. The same selection always yields the same sample, spread evenly over symbols and days; it always includes the days that differed before.',
    'A column differs if one of its values has a relative error above 1e-9 (1e-6 where large terms cancel). The column is then named, the exit status is 1, and compute refuses the dataset on that engine until a comparison of the day that differed agrees.',
    'local and duckdb read --raw if it is a folder on this machine, otherwise the cache. clickhouse runs on the server of the connection and reads --raw. spark stands for the files of a Spark job that were imported with import --computed or compute --submit.',
    'With --json, prints {"reference", "engines": [{"engine", "version"}], "symbolDays", "columns": [{"dataset", "column", "engine", "largest", "agrees", "rows", "worst"}], "notes"}; largest is the largest relative difference, 1 if only one of the engines has a value.',
  ],
  run: {
    summary: 'compare engines column by column on a sample of symbol-days',
    interrupted: 'nothing was recorded.',
    options: {
      engines: comparisonTexts.engines,
      sample: comparisonTexts.sample,
      dataset: 'Metric datasets to compare.',
      raw: comparisonTexts.raw,
    },
  },
} as const

export const connectionText = {
  summary: 'list, add, edit, select, remove and test connections',
  description: [
    'A connection names the metrics service, the portfolio service and the catalog of raw events. Each connection has its own key and its own data.',
    'It may also name a shared store, which holds metric files and raw events that others have published: see “perpscope fetch --help”. Set the key of a bucket with “key set NAME --service store”. Changing the address of the store’s service removes that key.',
    'With --json, list prints an array of connections (with catalog: {from, location}, where from is typed, found, none or unknown (not looked for yet); and with store, and engine: {url, user, cluster, plainHttp}, where they have them) and add-engine prints {"connection", "url", "user", "cluster", "plainHttp", "password"}, where password only says whether one is set. add and use print that connection: id, name, addresses, tier, store and storeEndpoint where there is a store, whether it is active, and for each key whether it is set and its last characters. edit prints {"files", "bytes"}, the data that stays with the connection, or {"version", "connection", "defaults"} where only defaults were changed; remove prints {"removed", "files", "bytes"}, where the files are those that stay on disk or, with --files, those that were removed too. test prints an array of {"service", "outcome", "words"}: metrics, portfolio, catalog, and engine and store if the connection has them. venues prints an array of {"id", "short", "sizes", "exchangeTimes", "basis"}; basis says for each field whether it was typed, or is from the catalog, the service documents, or requests that the service answered (seen), and is null for what is not known.',
  ],
  args: { NAME: 'Name of the connection.' },
  list: {
    summary: 'list all connections; * marks the active one',
    preview: 'previews',
    /** Where the raw-event catalog comes from. */
    catalog: {
      typed: (location: string) => location,
      found: (location: string) => `${location} (found)`,
      none: () => '',
      unknown: () => 'not looked for yet',
    },
  },
  add: {
    summary: 'add a connection',
    args: { NAME: connectionTexts.name },
    options: {
      'metrics-url': connectionTexts.metricsUrl,
      'portfolio-url': connectionTexts.portfolioUrl,
      catalog: connectionTexts.catalogLocation,
      tier: connectionTexts.tier,
      'private-storage': connectionTexts.privateStorage,
      store: connectionTexts.store,
      'store-endpoint': connectionTexts.storeEndpoint,
      'plain-http': connectionTexts.storePlainHttp,
      preview: connectionTexts.preview,
      venue: connectionTexts.venues,
    },
  },
  edit: {
    summary: 'change a connection; it keeps its files',
    options: {
      name: 'New name, at most 60 characters.',
      tier: 'Subscription tier, 0 to 3 or unknown.',
      'no-preview': 'The service offers everything again, as far as the key opens it.',
      'no-venue': 'Typed venue to remove. Repeatable.',
    },
  },
  venues: {
    summary: 'list the venues of a connection, with where each field is from',
    description: 'Name of the connection (default: the active one).',
    none: 'No venue is known. Read the catalog (“perpscope coverage --refresh”), or name one: “perpscope connection edit NAME --venue ID”.',
  },
  addEngine: {
    summary:
      'set the ClickHouse server of a connection, on which compute --engine clickhouse runs; replaces an earlier one',
    options: {
      clickhouse: engineTexts.url,
      user: engineTexts.user,
      cluster: engineTexts.cluster,
      'plain-http': engineTexts.plainHttp,
    },
  },
  removeEngine: {
    summary: 'remove the ClickHouse server of a connection, with its password and the results of comparisons',
  },
  use: { summary: 'make a connection the active one' },
  remove: {
    summary: 'remove a connection and its keys; downloaded files stay unless --files is given',
    options: { files: 'Remove its files from the cache too.' },
  },
  test: {
    summary:
      'check that each service, ClickHouse server and shared store of a connection responds; exit status 3 if only some do',
    description: 'Name of the connection (default: the active one).',
  },
} as const

export const coverageCommandText = {
  summary: 'show which raw events exist: first day, last day, number of days, missing days',
  description: [
    'Reads the connection’s catalog of raw events. MISSING counts the missing days between the first and the last day; SIZE and GAPS, the size of all files and the days that are missing, are shown where the catalog says them. Offline, or if the cached catalog is less than a day old, answers from the cache.',
    'With --json, prints one document {"learned", "coverage": [{"dataset", "exchange", "symbol", "first", "last", "days", "missing", "bytes", "gaps": [{"first", "last"}]}]}, where bytes and gaps are null if the catalog does not say them; "learned" says when and from where the catalog was read.',
  ],
  run: {
    summary: 'show the coverage',
    options: {
      dataset: 'Only this raw dataset.',
      exchange: 'Only this venue.',
      symbol: 'Only this symbol.',
      refresh: 'Read the catalog again even if the cached one is fresh.',
    },
  },
} as const

export const exportText = {
  summary: 'write series or whole datasets to files',
  description: [
    'csv and parquet: the rows of one series, or of several series joined on time (one row for each time that occurs in any of them). Times keep milliseconds, those of raw events microseconds; in csv they are ISO 8601 with the offset of the zone, in parquet UTC timestamps. Missing values are empty or null. Text that a spreadsheet would run as a formula gets an apostrophe in front, unless --raw-text is given. If a time occurs twice, the last row is written; the number of rows left out is printed on stderr and stored in the provenance. A csv comes with PATH.provenance.json; a parquet file stores the same document under the key perpscope.provenance: series, files with their sha256, clock, and when they were fetched.',
    'hive: the cached files unchanged, in partitions that DuckDB, pandas, Polars, Spark and ClickHouse read, with a README and provenance.json. With --out s3://BUCKET/PREFIX they go into a shared store, which others can add to their connection: files are named by their content, a manifest for this data folder lists them, and there is no README. The connection’s store key is used if its own store is on the same S3 service as BUCKET; otherwise PERPSCOPE_STORE_KEY. Such an export prints on stderr who will be able to read the data, and never prompts; with --json, it prints {"name", "path", "files", "bytes", "published", "rewritten", "there"}.',
    'PATH appears only when it is complete. Files that cannot be read are named and skipped; the exit status is then 3.',
  ],
  run: {
    summary: 'write series or whole datasets to files',
    interrupted: 'nothing was written.',
    ownIsNoHive: 'A dataset of your own is written as csv or parquet.',
    interruptedInBucket: 'files published so far stay; run the same command again to continue.',
    options: {
      dataset: 'Metric datasets, or one raw dataset.',
      exchange: 'Venues (hive: all by default).',
      symbol: 'Symbols (hive: all by default).',
      interval: 'Intervals of metric datasets; raw events have none.',
      timestamp: seriesTexts.timestamp,
      columns: 'Columns in addition to time (default: all); not with hive.',
      start: 'First UTC day, or instant (default: the first row available).',
      end: seriesTexts.end,
      format: 'csv, parquet, or hive (a folder).',
      out: 'Output file; with hive, a new or empty folder, or s3://BUCKET/PREFIX.',
      'store-endpoint': 'Endpoint of the service that hosts the bucket of --out (default: Amazon S3).',
      'plain-http': 'Allow a plain-http --store-endpoint on another machine.',
      zone: 'Time zone of times in csv, such as Europe/Paris (default: UTC).',
      raw: 'Write a hive folder of raw events instead of metrics.',
      rawText: 'Write text in csv exactly as it is, even if a spreadsheet would run it as a formula.',
    },
  },
} as const

export const fetchText = {
  summary: 'plan and download metric or raw-event files',
  description: [
    'Plans which files the range needs, skips the cached ones, and downloads the rest through the queue. Files cover whole months before 2026-08-01 and single days from then on. Files that another Perpscope is already downloading are followed, not downloaded twice. --dataset, --exchange, --symbol, --interval, --timestamp, --start and --end are all required, or --set alone (see “perpscope set”); --list takes the place of --exchange and --symbol, --days that of --start and --end, and a connection may have defaults for --exchange and --timestamp (connection edit NAME --default-exchange V). --symbol also takes short names such as BTC-USDT, all, and patterns such as perpetual-*; a name with several meanings is wrong usage. With --raw, raw events are downloaded if the service lists them; --interval and --timestamp are then not needed, and days that the catalog names as missing are not requested. On a connection of previews, --exchange, --symbol, --start and --end are those of the preview by default.',
    'Where the connection names a shared store (connection edit NAME --store …), each file is looked for there first, checked and copied; a damaged file there counts as absent and is requested from the service. If the store is a folder, this also works with --offline. --refresh skips the store.',
    'Prints a line for each file that was not cached already (--verbose: for each file) and one with all counts. With --json, prints one line per file: {"dataset", "exchange", "symbol", "interval", "timestamp", "period", "state", "bytes", "path", "error"}; state is cached, copied (from the shared store), downloaded, failed, locked or absent (with --dry-run also missing: it would be downloaded). The last line is {"summary":{…}}, which is all that --estimate prints; its "outsideListing" counts the files left out because “instruments import” says that the symbol was not listed then.',
    'Exit status 3 if some of the files failed or are locked, 1 if all of them. If interrupted, finished files are kept and the rest leave the queue.',
  ],
  options: {
    end: selectionTexts.end,
    set: 'Download what the set with this name selects, up to today, instead of the options above.',
    'dry-run': 'Show what would be downloaded; download nothing.',
    concurrency: 'Number of simultaneous downloads (default: as in Settings).',
    refresh: selectionTexts.refresh,
    'try-locked': selectionTexts.tryLocked,
    publish:
      'Also copy the files of the range into the connection’s shared store, including those cached before. Damaged files there are replaced; files of unfinished periods are left out. Prints on stderr who will be able to read the data, and never prompts.',
  },
  run: { summary: 'plan and download metric or raw-event files' },
} as const

export const importCommandText = {
  summary: 'import raw-event files, or metric files that another engine computed, into the cache',
  description: [
    'Recognises the dataset of each Parquet file by its columns, and the venue, symbol and day by its path and its events. Problems are reported file by file; a file is imported completely or not at all. A file that is already in the cache is not copied again.',
    'With --json, prints one line per file: {"file", "dataset", "exchange", "symbol", "period", "state", "bytes", "rows", "path", "warnings", "error"}; state is imported, cached, conflict (the cache has a different file for the same day) or failed. The last line is {"summary":{…}}.',
    '--computed DIR imports the Parquet files of a script that compute --print-sql printed: DIR/dataset=…/exchange=…/symbol=…/interval=…/timestamp=…/*.parquet, with column time as INT64 milliseconds and all others DOUBLE. Every file is read completely first; if one file of a series is incomplete, missing or wrong, the whole series is refused and the message names the file. Each day becomes one computed file that names the engine and its version if the files contain them (ls --json shows them under "computedBy"). With --json, prints one line per day, or per refused file: {"dataset", "exchange", "symbol", "interval", "timestamp", "files", "period", "state", "rows", "bytes", "path", "error"}; the last line is {"summary":{…}}.',
    '--metrics DIR imports metric files that another program downloaded: YYYY-MM.parquet and YYYY-MM-DD.parquet in folders whose names say, in any order, what --dataset, --exchange, --symbol, --interval and --timestamp do not. A table shows what each file is taken for. They are checked like downloads and marked as imported; a later fetch takes over and says which differ. With --json, prints one line per file: {"file", "dataset", "exchange", "symbol", "interval", "timestamp", "period", "state", "rows", "bytes", "sha256", "path", "error"}; the last line is {"summary":{…}}.',
    'Exit status 3 if some of the files failed or are in conflict, 1 if all of them.',
  ],
  run: {
    summary: 'import raw-event files, or metric files that another engine computed, into the cache',
    interrupted: 'files imported so far stay; run the same command again to continue.',
    args: { PATH: 'Parquet files, or folders that contain some.' },
    options: {
      dataset: 'Raw dataset (default: recognised from the columns); with --metrics, metric dataset.',
      exchange: 'Venue (default: recognised from the path).',
      symbol: `Symbol, ${symbolForm} (default: recognised from the path).`,
      interval: 'Interval of metric files (default: recognised from the path).',
      timestamp: 'Clock of metric files: exchange or true (default: recognised from the path).',
      metrics: 'Folder of metric files that another program downloaded.',
      computed: 'Folder of metric files that another engine computed, in the layout of the cache.',
    },
  },
} as const

export const keyText = {
  summary: 'set, remove and inspect the API keys of connections',
  description: [
    'Keys are stored in the system keychain and never printed. Without a keychain, set an environment variable for each run: PERPSCOPE_API_KEY (or PERPSCOPE_API_KEY_FILE, which names a file of mode 0600 with the key), PERPSCOPE_PORTFOLIO_KEY (of a portfolio service with a key of its own; in the file, a line portfolio=KEY), PERPSCOPE_ENGINE_PASSWORD (of a ClickHouse server) or PERPSCOPE_STORE_KEY (of a shared store).',
    'With --json, prints {"connection", "service", "set", "ending", "kept"}: whether a key is set, its last characters, and whether it is kept in the keychain or for this run only.',
  ],
  args: { NAME: 'Name of the connection.' },
  options: {
    service:
      'Service the key is for (default: metrics, whose key serves both services unless the portfolio service has its own). “engine” sets the password of the connection’s ClickHouse server, “store” the key of its shared store, as ID:SECRET.',
  },
  set: { summary: 'read a key from stdin (one line, not echoed) and store it in the system keychain' },
  remove: { summary: 'remove a key from the keychain' },
  status: { summary: 'show whether a key is set and its last characters, never the key' },
} as const

export const lsText = {
  summary: 'list the files in the cache',
  description: [
    'Lists the files of the active connection, or of --connection, including those computed from its raw events. Days are UTC. With --json, prints one line per file with its path and checksum; computedBy is {"engine", "version", "sqlSha256", "source"} for a file computed by an engine other than the built-in one.',
  ],
  run: {
    summary: 'list the files in the cache',
    options: fileFilterTexts,
  },
} as const

export const portfolioCommandText = {
  summary: 'show weights, returns with their statistics, factors, universes, overlays, regimes and prices',
  description: [
    'Answers are cached by request and reused until the service can have newer data: histories until the next day, live values until the next hour. For a cached history, only the most recent part is requested again. With --offline, answers come from the cache only.',
    'With --json, the answer has the shape that the service returns (data, index, columns, createdAt, tickers); "learned" says when and from where it was fetched.',
    'correlations and attribution take series by name: portfolio:ID, test:ID, blend:ID, own:NAME or price:TICKER. correlations --json prints {"names", "order", "r", "n", "days"}; attribution --json prints {"n", "lags", "alpha", "terms", "r2", "adjustedR2", "residualVolatility", "days", "residual", "rolling"}, whose contributions and alpha add up to the mean annual return.',
    'own keeps CSV files under names; what a file has is told by its header.',
    'snapshots lists every live answer fetched so far, newest first, without a request to the service; with --json, as an array of {"kind", "name", "date", "createdAt", "fetchedAt"}. Where the service does not say when it generated an answer, "createdAt" is null, and "fetchedAt" is when the answer was first fetched. With --at, it prints one of them in the form of its live command.',
    'tearsheet computes its statistics from daily returns: 365 days per year, sample standard deviation, each figure with its definition. With --format csv, each row is one value in full precision, with its table, line and column; with --json, the daily series are included.',
  ],
  options: { refresh: refreshText },
} as const

export const bookText = {
  plan: {
    summary: 'work out the trades from target weights and positions; nothing is ever sent',
    description: [
      'Compares target weights with positions at prices and lists the orders that lead from one to the other, with the reason for each that is left out. Nothing is ever sent: a person, or a program of the person’s own, executes the list elsewhere.',
      'A weight is units · price / capital. A symbol trades where its target is further than --band from its weight, or where it has no target; then it trades to the target, or with --mode edge to the edge of the band.',
      'With --json, prints {"version", "asOf", "pricesAsOf", "capital", "rows": [{"ticker", "symbol", "price", "units", "weight", "target", "goal", "order", "notional", "after", "cost", "reason"}], "totals", "warnings"}. Reasons are no-price, inside-band, below-lot, below-min-units and below-min-order. --format csv writes the rows.',
    ],
    options: {
      weights: bookTexts.weights,
      capital: bookTexts.capital,
      positions: bookTexts.positions,
      aliases: bookTexts.aliases,
      prices: bookTexts.prices,
      lots: bookTexts.lots,
      band: bookTexts.band,
      mode: bookTexts.mode,
      'min-order': bookTexts.minOrder,
      cap: bookTexts.cap,
      'cost-bps': bookTexts.costBps,
      format: 'table (the default), csv or json.',
    },
  },
  correlations: {
    summary: 'show the correlations of daily series',
    args: { SERIES: bookTexts.series },
    options: {
      'min-days': bookTexts.minDays,
      pairwise: 'Use the days that both of a pair have (the default).',
      common: bookTexts.common,
      order: bookTexts.order,
      format: 'table (the default), csv or json.',
    },
    twoSeries: 'Name two to 200 series.',
    bothDays: '--pairwise and --common cannot be combined.',
  },
  attribution: {
    summary: 'explain the returns of a series by other series',
    args: { SERIES: bookTexts.subject },
    options: { on: bookTexts.on, lags: bookTexts.lags, rolling: bookTexts.rolling },
    tooMany: (most: number) => `--on names more than ${most} series.`,
    shortWindow: (least: number) => `--rolling must be at least ${least} days for so many series.`,
  },
  own: {
    summary: 'keep your own returns, weights and prices under names',
    args: {
      ACTION: 'add NAME FILE, list, or remove NAME.',
      NAME: 'Name, which series (own:NAME), blends and plans then use.',
      FILE: 'CSV: date,return or date,ticker,weight or date,ticker,price.',
    },
    options: {
      percent: 'Numbers of returns are per cent: 1.2 means 1.2 %.',
      fraction: 'Numbers of returns are fractions (the default): 1.2 means 120 %.',
    },
    needsName: (action: string) => `own ${action} needs a NAME.`,
    needsFile: 'own add needs a NAME and a FILE.',
    tooMany: (action: string) => `own ${action} takes fewer arguments.`,
    added: (name: string, kind: string) => `The ${kind} are kept as ${name}.`,
    removed: (name: string) => `${name} was removed.`,
    none: 'There are no own files.',
  },
  notSeries: (typed: string) =>
    `${typed} is not a series: it is portfolio:ID, test:ID, blend:ID, own:NAME or price:TICKER.`,
  notAmount: (option: string, rule: string, typed: string) => `--${option} must be ${rule}, not “${typed}”.`,
} as const

export const snapshotsText = {
  summary: 'list the live answers fetched so far, or show one of them',
  options: {
    kind: 'Kind of live answer: weights, factors, overlay or regime.',
    at: 'Show the snapshot taken at this time, or the last one before it.',
  },
} as const

export const tearSheetActionText = {
  tearsheet: {
    summary: 'show the statistics of a portfolio’s returns',
    runOption: '--smoothing and --exchange are for portfolios of the service, not for a test or a blend.',
    options: {
      runs: 'Also test:ID or blend:ID, whose net returns are shown.',
      returns:
        'Your own CSV instead of a portfolio: date,return[,benchmark]; or date,ticker,weight, from which returns are computed with the service’s prices.',
      percent: 'Numbers in the file are per cent: 1.2 means 1.2 %.',
      fraction: 'Numbers in the file are fractions: 1.2 means 120 %.',
      cost: 'Cost of trading in basis points of the turnover, for weights (default: 0).',
      benchmark: 'Ticker whose price is the benchmark for alpha, beta and correlation.',
      'risk-free': 'Annual risk-free rate in % (default: 0).',
      rolling: 'Window of the rolling statistics, in days (default: 365).',
      format: 'table (the default), csv or json.',
      refresh: refreshText,
    },
  },
} as const

export const pruneText = {
  summary: 'free up disk space by removing the least recently used files',
  description: [
    'Removes files of all connections, the least recently used first, until the cache is no larger than --max-size. Partial files of interrupted transfers are removed first. Pinned files and files that the queue needs are kept.',
    'With --json, prints {"removed": {"files", "bytes"}, "kept": {"files", "bytes"}}; with --dry-run, {"files", "bytes"}: how much would be removed.',
  ],
  run: {
    summary: 'free up disk space',
    interrupted: 'files removed so far are gone; run the same command again to continue.',
    options: {
      'max-size': maxSizeText,
      'dry-run': 'Show what would be removed; remove nothing.',
    },
  },
} as const

export const qualityCommandText = {
  summary: 'look for faults in cached files: gaps, stale values, spikes, impossible values and more',
  description: [
    'Checks the cached files of the active connection, or of --connection, those that were imported or computed here too: missing, stale, spike, duplicate, order, impossible, overlap (monthly against daily files), computed (served against computed here), venue (against other venues) and republished. --definitions says what each means. Datasets of your own (--dataset own_NAME) are checked for gaps, stale stretches and spikes in every column; nothing but infinite values is a fault of events. What was checked before is not read again.',
    'With --json, prints one line per finding: {"dataset", "exchange", "symbol", "interval", "timestamp", "day", "kind", "column", "from", "to", "count", "value", "expected", "detail"}; times are milliseconds within the day, from inclusive, to exclusive. A finding in a file that was computed here also has {"origin": "computed"}; raw events have no interval and timestamp, datasets of your own no timestamp and the venue and symbol that their files name. The last line is {"summary": {"files", "days", "findings": {kind: count}}}.',
    'Exit status 3 if there are findings, or files that cannot be read.',
  ],
  run: {
    summary: 'look for faults in cached files',
    interrupted: 'files checked so far are remembered; run the same command again to continue.',
    summaryLine: (files: number, days: number, counts: Record<string, number>) => {
      if (files === 0) return 'Nothing was checked: no file in the cache matches. “perpscope ls” lists the files.'
      const found = Object.entries(counts).filter(([, count]) => count > 0)
      const findings = found.reduce((sum, [, count]) => sum + count, 0)
      const kindList = found.map(([kind, count]) => `${kind} ${count}`).join(', ')
      const checkedText = `${plainPlural(files, 'file')} with ${plainPlural(days, 'series-day')}`
      return `${checkedText}: ${findings > 0 ? `${plainPlural(findings, 'finding')} (${kindList})` : 'no findings'}.`
    },
    options: {
      ...fileFilterTexts,
      start: 'Only files and findings of this UTC day or later days.',
      end: 'Only files and findings of this UTC day or earlier days.',
      kind: 'Only findings of these kinds.',
      definitions: 'Show what each kind of finding means, and exit.',
    },
  },
} as const

export const watchCommandText = {
  summary: 'print last value, change, funding, open interest, volume, coverage and quality of symbols',
  description: [
    'Answers from the cache alone. LAST is the last close; CHANGE and OPEN_INTEREST_CHANGE compare with 24 hours earlier, in per cent (fractions with --json); FUNDING_ANNUALISED is the last rate · 365 days over the period that it refers to; FUNDING_EVERY is the funding period at the time of that rate and FUNDING_BASIS where it is known from (observed, announced, inferred or asked, as in “perpscope funding list”); VOLUME_Z compares the last complete UTC day with the 30 days before, in sample standard deviations; COVERAGE is the share of the last 30 complete days that is cached; QUALITY counts the findings in those days. – (null with --json) where nothing is cached.',
    'Formula columns take inputs as dataset.column, such as l1_price.midprice.',
  ],
  run: {
    summary: 'print one line per symbol',
    nothing: 'No candles are cached. Download ohlcv with “perpscope fetch”.',
    unknownPeriods: (unknownCount: number, all: number) =>
      `the funding period is not known for ${unknownCount} of ${plainPlural(all, 'symbol')}, so ${agree(unknownCount, 'its', 'their')} funding_annualised is empty; type it with: perpscope funding set, or enter it in a CSV (exchange,symbol,funding_every) and run: perpscope instruments import FILE.csv`,
    options: {
      list: 'The symbols of this list, in its order (default: all with cached candles).',
      columns: 'Additional columns, NAME=FORMULA, such as spread=l1_price.ask_price-l1_price.bid_price.',
    },
  },
} as const

export const queueText = {
  summary: 'show and change the download queue',
  description: [
    'Shows the same queue as the window. The queue runs while a window is open or “perpscope serve” or “perpscope fetch” is running, and changes made here take effect there immediately.',
    'With --json, list prints one document {"counts", "holds", "downloads"}: the number of files in each state, the paused connections with their reasons, and the files.',
  ],
  args: { ID: 'Number of the file, as shown by “perpscope queue list”.' },
  list: {
    summary: 'list the queue in the order in which it runs',
    nothing: 'Nothing is queued.',
    options: { all: 'Include finished and cancelled files.' },
  },
  pause: { summary: 'pause all unfinished downloads' },
  resume: { summary: 'resume all paused and waiting downloads' },
  cancel: { summary: 'remove one file from the queue' },
  retry: { summary: 'retry a failed or cancelled file' },
} as const

export const readCommandText = {
  summary: 'print rows from the cache',
  description: [
    'Rows are in time order; if a time occurs twice, the last row is printed. Missing values are empty in csv, “–” in a table and null in json. NaN and infinities are printed by name; in json they are null. Times are ISO 8601 in UTC; in json, milliseconds since 1970. Times of raw events have microseconds, in json as a fraction.',
    'With --json, the last line on stderr is a JSON document that describes all rows: rows, duplicates, units, unitWarnings and modelledTimes (times that the feed of a venue does not carry).',
    'Ranges that are not in the cache are listed on stderr. Files that cannot be read are named and skipped; the exit status is then 3.',
  ],
  run: {
    summary: 'print rows from the cache',
    options: {
      dataset: seriesTexts.dataset,
      exchange: seriesTexts.exchange,
      symbol: seriesTexts.symbol,
      interval: seriesTexts.interval,
      timestamp: seriesTexts.timestamp,
      columns: seriesTexts.columns,
      start: seriesTexts.start,
      end: seriesTexts.end,
      format: 'table (the default), csv or json.',
      rawText: 'Print text in csv exactly as it is, even if a spreadsheet would run it as a formula.',
    },
  },
} as const

export const sandboxText = {
  summary: 'run the sandbox: all services on this machine, with a synthetic market',
  description: [
    'Serves the metrics service, the portfolio service and the catalog of raw events on 127.0.0.1 until interrupted. All data is generated from the seed; nothing is fetched. With --json, one document with the address, the keys, the catalog and the known portfolios, factors, overlays, regimes, funding periods and planted effects replaces the text lines.',
    'Funding is there to be found: a venue like the third pays every hour, the others every 8 h; of the first, perpetual-LTC-USDT:USDT goes from 8 h to 4 h on 2026-08-01 and the rate of perpetual-ADA-USDT:USDT changes all the time; of the second, perpetual-LINK-USDT:USDT has no next_funding_timestamp. With --json, “funding” lists the truth of every symbol: [{"exchange","symbol","from","to","every","offset","ratePer"}], times in milliseconds; “to” is null while a period lasts.',
    'Effects are there to be found too. With --json, “planted” lists them by symbol: [{"exchange","symbol","interval","effect","columns","size","unit",…}]. One symbol of the first venue has three along time, which no other has: an imbalance of the book that tells the return of the bar after the next (with its rank IC), crowded positions before falls of the price (with a formula of the state and its times), and an hour with half the spread. The others are those of the ready-made studies, on every symbol that is no major.',
    'GET /api/v1/data/raw/DATASET?exchange=&symbol=&start_date=&end_date= (both dates inclusive, at most 366 days, a key of tier 1 or higher) lists raw files: {"files":[{"period","url","size"}], "missing_periods":[…], "expires_in", "schema_version"}. GET /api/v1/raw/files?dataset=&… does so as in 0.2.0: {"files":[{"period","year","month","day"?,"url"}],"missing_periods":[…]}. GET /api/v1/metadata/raw serves the catalog of raw events without a key; the fault rawEvents ("old" or "new") removes what the other release has.',
    'The demo key, and no key at all, open GET /api/v1/data/preview/DATASET and /api/v1/data/raw/preview/DATASET, with the parameters of /data/DATASET and /data/raw/DATASET, for the month and symbol that “preview” of the catalog names; anything else is refused with 400.',
    'Beyond the service documents, there are the dataset derivative_price and, on the first venue and those like it, a future and a spot pair; an overlay that takes its portfolio without the suffix of the universe, factors that are known with it, and a live answer without createdAt. Metric files have naive timestamps; the fault files.time asks for another form.',
    'Faults are JSON. {"rules":[…]} makes individual responses fail. A rule has any of the conditions "on" ("api" or "storage"), path, skip, times and chance, and any of the faults latencyMs, bytesPerSecond, status, retryAfter, retryAfterDate, html, cutAfterBytes, stallAfterBytes, corrupt, lengthOffset, expired, redirect, drop, noEtag. Faults outside rules: errorBody, rejectKeys, tierCap, linkLifetimeSeconds, files (duplicates, unsorted, nonFinite, extraColumn, time), republished, bothPartitions, dailyFilesFrom, rawEvents, unknownDataset, jsonNaN, historyEndsDaysAgo.',
    'While the sandbox runs, programs on this machine may GET /sandbox/status, PUT faults to /sandbox/faults and PUT {"now": ISO or null} to /sandbox/clock.',
  ],
  run: {
    summary: 'run the sandbox',
    options: {
      port: 'Port (default: always the same for a data folder, or a free one where that is taken).',
      now: 'Fix the clock at this time (default: the system clock).',
      venues: `Venues, separated by semicolons: ${venueGrammar} (default: those of the service documents). The first is like the first documented venue, and so on.`,
      seed: 'Seed of the synthetic market (default: 1).',
      faults: 'Faults to simulate.',
    },
  },
} as const

export const serveText = {
  summary: 'serve the app to a browser on this machine',
  description: [
    'Serves on 127.0.0.1 until interrupted. The address on the first line contains a token that is new at every start; anyone who has it can use the app. From another machine, forward the port over SSH: ssh -L PORT:127.0.0.1:PORT HOST.',
    'With --json, one document {"url","port","token"} replaces the first line.',
    '--api serves the local API for other programs instead of the window: rows, SQL, formulas and studies over HTTP, as JSON or Arrow, described at /v1/openapi.json. It reads and computes; it downloads and deletes nothing. Requests carry the token of the token file, which is new at every start: Authorization: Bearer TOKEN. With --json, the first line is {"url","port","tokenFile"}.',
  ],
  run: {
    summary: 'serve the app',
    options: {
      port: 'Port (default: a free one).',
      open: 'Open the address in a browser, in Chromium or Chrome as an app window if available.',
      api: 'Serve the local API for other programs instead of the window.',
      install:
        'Write a systemd user unit that serves from now on, on the port of --port (8765 if it is not given), with the key file that PERPSCOPE_API_KEY_FILE names; the first line of its output, with the address, is shown by: journalctl --user -u perpscope-serve. It stops when your last session ends unless you run: loginctl enable-linger. Exit status 3 if systemd refuses the unit.',
    },
    noWindow: '--open does not work with --api or --install, because neither opens a window. Leave it out.',
    noSystemd: '--install writes a systemd unit, which needs Linux.',
    unitWritten: (path: string, port: number) =>
      `${path} (port ${port}); stop and disable the service with: systemctl --user disable --now perpscope-serve`,
    unitRefused: (cause: string) => `The unit was written, but systemd did not enable it: ${cause}`,
    localApiReady: (url: string, tokenFile: string) =>
      `The local API is available at ${url}/v1 (description: ${url}/v1/openapi.json; token: ${tokenFile})`,
  },
} as const

export const instrumentsCommandText = {
  summary: 'describe instruments by date: contract sizes, tick sizes, funding periods, listings, renames',
  description: [
    'No service provides contract sizes. With a contract size, inquote(x, price) in a formula converts contracts to quote currency, and the size is recorded in the provenance. None is set by default.',
    'The file is a CSV with the columns exchange and symbol, and any of valid_from, contract_size, quote, tick, funding_every (such as 8h), funding_offset (from 00:00 UTC to the first funding time; 0h if empty), funding_rate_per (the period that the published rate refers to; funding_every if empty), native (the venue’s own name), listed, delisted (first and last UTC day) and renamed_from; or a JSON array of objects with the same keys.',
    'A pair may have several rows, each from its valid_from (a UTC day, or an instant such as 2026-08-01T08:00Z; always if empty) to the next one. An empty cell of a dated row means “as before”, except that an empty funding_every takes back the period of the row before. Of two rows with the same valid_from the later one stands, and a note says so.',
    'All rows of a pair that the file names are replaced. One bad line makes the import fail; every bad line is listed with its number, in JSON every bad item.',
    'rule types the lot, the least units and notional of an order, and the ticker and multiplier of a symbol, in place of what was typed for it; plan goes by them where no line of --lots or --aliases says otherwise.',
    'With --json, list prints an array of objects with the names of the columns, null where no value was given, which import reads; import prints {"imported", "warnings"}; rules and rule print {"symbol", "ticker", "multiplier", "lot", "minUnits", "minOrder"}, rules an array of them.',
  ],
  import: { summary: 'read instruments from a CSV or JSON file', args: { FILE: 'The CSV or JSON file.' } },
  list: {
    summary: 'list the instruments',
    none: 'No instruments yet. Import a file with: perpscope instruments import FILE',
  },
  rules: {
    summary: 'list the typed lots, least orders and multipliers that plans go by',
    none: 'Nothing is typed yet. Type a lot with: perpscope instruments rule SYMBOL --lot 0.001',
  },
  rule: {
    summary: 'type what plans go by for a symbol; without an option, remove it',
    args: { SYMBOL: 'The symbol as positions and orders name it.' },
    options: {
      ticker: bookTexts.ruleTicker,
      multiplier: bookTexts.multiplier,
      lot: bookTexts.lot,
      'min-units': bookTexts.minUnits,
      'min-order': bookTexts.minOrderOfSymbol,
    },
    done: (symbol: string) => `Plans go by what is typed for ${symbol}.`,
    removed: (symbol: string) => `Nothing is typed for ${symbol} any more.`,
  },
} as const

const allSymbolsOf = (exchange: string, symbol: string | null) =>
  symbol === null ? `all symbols of ${exchange}` : `${symbol} on ${exchange}`

type Conflict = Record<'exchange' | 'symbol' | 'observed' | 'announced', string>

export const fundingCommandText = {
  summary: 'list how often funding is paid, or say it where nothing else does',
  description: [
    'list prints what is known of the funding period of each instrument, with its basis: observed (the funding times in cached raw funding_rate events), announced (your instruments), inferred (the hours at which cached funding rates change) or asked (typed here). Times are UTC; – is an open end; where nothing is known there is no row.',
    'With --json, list prints {"version": 1, "periods": [{"exchange", "symbol", "from", "to", "every_hours", "offset_hours", "rate_per_hours", "basis"}], "conflicts": [{"exchange", "symbol", "from", "to", "observed", "announced"}]}: from and to are instants or null, conflicts are stretches in which raw events show other funding times than you announced.',
    'A typed period counts where neither cached raw events, nor imported instruments, nor the cached rates themselves tell the funding times. The period of a symbol wins over that of its venue.',
    'With --json, set prints {"exchange", "symbol", "every"}: symbol is null for all symbols of the venue, every is null if nothing is typed there any more.',
  ],
  list: {
    summary: 'list funding periods with their basis',
    options: { exchange: 'Venues (default: all).', symbol: `Symbols, ${symbolForm} (default: all).` },
    none: 'No funding period is known. Download raw funding_rate files or hourly rates (dataset funding), import instruments, or type one with: perpscope funding set',
    conflict: ({ exchange, symbol, observed, announced }: Conflict, from: string, to: string) =>
      `${symbol} on ${exchange}: raw events show funding every ${observed}, announced is every ${announced} (${from} to ${to}); the observed times are used`,
  },
  set: {
    summary: 'type a funding period, or remove what was typed',
    options: {
      exchange: fundingTexts.exchange,
      symbol: fundingTexts.symbol,
      every: fundingTexts.every,
    },
    done: (exchange: string, symbol: string | null, every: string) =>
      `Funding of ${allSymbolsOf(exchange, symbol)}: every ${every} where nothing else says it.`,
    removed: (exchange: string, symbol: string | null, ofVenue: string | null) =>
      `No funding period is typed for ${allSymbolsOf(exchange, symbol)}.${ofVenue === null ? '' : ` That of the venue, ${ofVenue}, applies.`}`,
  },
} as const

export const listsCommandText = {
  summary: 'keep named lists of symbols',
  description: [
    'The file is a CSV with the columns “list”, “exchange” and “symbol”, and optionally “group”. A list named in the file is replaced, others stay, and the order of the file is kept. One bad line makes the import fail; every bad line is listed with its number.',
    'With --json, list prints an array of objects with the names of the columns and “known”: whether the connection lists the symbol or the cache has files of it.',
  ],
  import: { summary: 'read lists from a CSV', args: { FILE: 'The CSV.' } },
  list: {
    summary: 'list the symbols of all lists',
    none: 'No lists yet. Import a CSV with: perpscope lists import FILE',
    known: 'yes',
    unknown: 'no',
  },
  remove: {
    summary: 'remove a list',
    args: { NAME: 'Name of the list.' },
    done: (name: string) => `Removed the list “${name}”.`,
  },
} as const

export const dataCommandText = {
  summary: 'make datasets of your own files',
  description: [
    'CSV and Parquet files become a dataset like those of a service: own_NAME in formulas, charts, studies and reads, own.NAME in SQL. Several files or a folder are one dataset, read in the order of their names; of two rows with the same time and symbol the later one counts. The files stay where they are; they are converted once into the data folder. Rows from standard input (-) cannot be read again: refresh says so.',
    'A row is known at the end of its interval, an event at its time, each plus --known-after; nothing reads it earlier. Values stand for three intervals, events for good.',
    'With --json, add and show print an object: {"version", "name", "dataset", "kind", "interval", "time", "symbol", "exchange", "knownAfter", "columns", "label", "rows", "duplicates", "firstTime", "lastTime", "unknownSymbols", "leftOut", "files", "references"} (with "newRecipe": true where the documents folder has another recipe); list prints an array of these without "files", refresh {"version", "name", "added", "changed", "removed"}.',
  ],
  nameArgument: 'Name of the dataset.',
  timeUnits: { instant: 'instants in UTC', s: 'seconds', ms: 'milliseconds', us: 'microseconds' },
  add: {
    summary: 'make a dataset of files',
    args: { FILE: 'CSV or Parquet file, or a folder of them.' },
    noFile: 'Name at least one FILE.',
    badUnit: (given: string) => `--unit ${given}: write a column and its unit, such as --unit netflow=quote.`,
    interrupted: 'Nothing was added; run the command again to start over.',
  },
  list: {
    summary: 'list your own datasets',
    none: 'No datasets of your own yet. Make one with: perpscope data add NAME FILE',
  },
  show: {
    summary: 'show what a dataset is, and what refers to it',
    everyInstrument: 'none: its rows stand beside every instrument',
    everyVenue: 'every venue',
    noUnit: 'unit not said',
    newRecipe: (name: string) => `another one is in the documents folder; “data refresh ${name}” follows it`,
    noRows: (name: string) => `none on this machine; “data refresh ${name} [FILE…]” reads its files`,
    known: (kind: 'regular' | 'events', knownAfter: string) =>
      `${knownAfter} after ${kind === 'events' ? 'its time' : 'the end of its interval'}`,
  },
  refresh: {
    summary: 'read the files of a dataset again',
    args: { FILE: 'Where the files are from now on, if they were moved.' },
    options: {
      watch:
        'Go on, and read the files whenever one of them changes or one comes into their folder or a folder in it; what is refused then is said, and the watch goes on.',
    },
    interrupted: 'What was read before stays.',
    done: (added: number, changed: number, removed: number) =>
      `${added} rows added, ${changed} changed, ${removed} removed`,
  },
  remove: {
    summary: 'remove a dataset; the files that it was made of stay',
    options: { yes: 'Remove without asking.' },
    usedBy: (what: string) => `It is used by ${what}.`,
    question: (name: string, rows: number) => `Remove ${name} with ${rows} rows?`,
    unconfirmed: (name: string) => `Nothing was removed. Answer y, or give --yes to remove ${name}.`,
    done: (name: string) => `Removed ${name}; its files stay.`,
  },
} as const

export const backupText = {
  summary: 'write everything you made into one file',
  description: [
    'The file holds settings, connections without their keys, workspaces and notes, boards, queries, studies, sets, lists, instruments, checks with their inbox, the ledger and more. Downloaded files and API keys are not included. The file appears only once it is complete.',
    'With --json: {"file","bytes","items":{kind: count}}.',
  ],
  args: { FILE: 'The file to write, such as perpscope.backup.' },
  options: { withData: 'Also pack the rows of your own datasets; without it, only how they are made.' },
  done: (size: string, file: string) => `Wrote ${size} to ${file}`,
} as const

export const restoreText = {
  summary: 'restore a data folder from a backup',
  description: [
    'The folder is built and checked next to the current one and then replaces it, so that a failure changes nothing. A folder that already holds your work is replaced only with --replace, and the old one is kept next to it. Close Perpscope first.',
    'A backup made by a newer Perpscope is refused. API keys are not part of a backup: enter them again if the keychain does not have them.',
    'With --json: {"file","bytes","items":{kind: count}}.',
  ],
  args: { FILE: 'The backup.' },
  options: { replace: 'Replace a data folder that already holds your work; the old one is kept next to it.' },
  done: (folder: string) => `Restored ${folder}`,
  kept: (folder: string) => `The previous data folder is kept in ${folder}.`,
  keys: 'Downloaded files and API keys are not part of a backup.',
  inUse: (folder: string) =>
    `${folder} already holds your work. It is replaced only with --replace; the old folder is then kept next to the new one.`,
} as const

export const setText = {
  summary: 'save, under a name, which files to download',
  description: [
    'A set selects files to download, from a given day (or for the last N days) up to today. “perpscope fetch --set NAME” downloads what is new since the last time. The window shows the same sets.',
  ],
  args: { NAME: 'Name of the set, not case-sensitive.' },
  list: { summary: 'list the sets of a connection' },
  save: {
    summary: 'save a set, replacing one with the same name',
    args: { NAME: 'Name, at most 100 characters.' },
    options: { last: selectionTexts.lastDays },
  },
  remove: { summary: 'remove a set; its files stay' },
} as const

export const sqlCommandText = {
  summary: 'run a SELECT over everything in the cache',
  description: [
    'Tables by schema: metrics: one per dataset (a row per instrument, interval, clock and time); raw: one per dataset (a row per event); portfolio: weights, returns, factors, prices, universe, overlays, regimes, live_weights, live_factors, live_overlays, live_regimes; cache: files, coverage, symbols, columns; lab: studies, trials. A query names schema and table, as in lab.trials. List the tables with: perpscope sql "SHOW ALL TABLES"; their columns with: perpscope sql "DESCRIBE metrics.ohlcv". Units and descriptions are in cache.columns.',
    'known_at is the earliest moment at which a row may be used; ASOF JOIN … ON … AND o.known_at <= c.known_at takes the last row of o that was known at that of c. Tables of your own, own.NAME, have it too. Times are UTC. Conditions on exchange, symbol, interval, clock and time choose the files that are read, so put them into the WHERE clause for each table.',
    "Functions in addition to those of DuckDB: instrument(exchange, 'BTC-USDT') (the venue’s symbol with that base and quote; NULL and a warning if it has none or several), bucket(time, INTERVAL '7 hours'), rank_ic(x, y), annualised(x, days).",
    'Only one SELECT runs (also WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW, PIVOT … IN); nothing can be written, and nothing outside the cache can be read except for files given with --attach. A text is at most 100 kB long. A terminal shows the first 100 rows; files and pipes get all of them.',
    'With --json, the result is an array of objects; with --explain it is {"files","bytes","missing","plan"}. Exit status 1: the query failed; 2: the query was refused, or the usage was wrong; 3: files were left out.',
  ],
  interrupted: 'nothing was written.',
  args: { QUERY: 'The query, or - to read it from stdin.' },
  options: {
    file: 'Read the query from a file.',
    param: 'Value of $NAME in the query, as text; may be given several times.',
    attach: 'CSV or Parquet file of yours to read as the table own.NAME; may be given several times.',
    format: 'Output format (default: by the file name of --out, else table).',
    out: 'File to write; it appears when it is complete.',
    limit: 'Maximum number of rows to print.',
    explain: 'Print the files that would be read, what is missing, and the plan; run nothing.',
    memory: 'Memory limit of the engine, such as 2GB (default: a quarter of this machine’s, at most 4 GB).',
    threads: 'Number of threads (default: one per processor).',
    timeout: 'Seconds after which the query is stopped.',
    provenance:
      'brief (the default): files that outnumber the rows of the result stand in a list in the data folder, which the provenance names; full: all of them.',
  },
  twoQueries: 'Give either a query or --file, not both.',
  noQuery: 'QUERY is missing: a SELECT in quotes, --file FILE, or - for stdin.',
  parametersMissing: (names: readonly string[]) =>
    `The query needs ${names.map((name) => `--param ${name}=…`).join(' ')}.`,
  badParameter: (typed: string) => `--param must be NAME=VALUE, not “${typed.slice(0, 60)}”.`,
  badAttachment: (typed: string) =>
    `--attach must be NAME=FILE, not “${typed.slice(0, 60)}”; NAME has letters, digits and _, and is no file ending such as csv.`,
  attachedTwice: (name: string) => `--attach names own.${name} twice.`,
  jsonClash: (format: string) => `--json and --format ${format} cannot be combined.`,
  binaryNeedsOut: (format: string) => `--format ${format} needs --out PATH, or a pipe.`,
  reads: (files: string, size: string) => `Reading ${files} (${size}).`,
  appTableRows: (rows: string) => `Preparing ${rows} of the app’s own tables.`,
  missing: ({ dataset, exchange, symbol, periods, of }: MissingSqlData) =>
    `Not cached: ${periods} of ${plainPlural(of, 'file')} of ${dataset}, ${exchange}, ${symbol}. Download them with:`,
  leftOut: (path: string, message: string) => `Left out ${path}: ${message}`,
  unitWarning: (column: string, warning: string) => `Column ${column}: ${warning}.`,
  warning: (warning: string) => `Warning: ${warning}`,
  cut: (rows: number) => `First ${plainPlural(rows, 'row')}; for more, use --limit N or --out FILE.`,
}

export const studyText = {
  summary: 'run studies and tests of portfolios on cached data or a panel',
  description: [
    'A study is a JSON document. Its source names the exchanges, the symbols and the clock (exchange or true) to read from the cache; its formulas name columns as dataset.column, such as ohlcv.close. Files that are not cached are listed with the commands that download them. --panel replaces the source: a CSV or Parquet file with the columns time and symbol, numeric columns and optionally member.',
    'With --json, run prints the whole result. Exit status 2: the study is wrong; 1: the panel cannot be used; stderr names the field, column or row.',
    'A study of kind portfolio turns a signal into weights, positions and profit and loss with funding, fees, spread and slippage. With parameters, {n} in the signal stands for each number in turn; interrupted grids continue where they stopped.',
    'Every run is in the ledger before its result is printed; see: perpscope ledger --help',
    'Headline figures use non-overlapping samples: on pure noise, tests of the rank IC at the 5 % level were significant in 5.6 to 6.3 % of cases; with all samples, in 6 % at horizon 1, 9 % at 4 and 13 % at 24.',
  ],
  run: {
    summary: 'run a study and keep its result',
    interrupted: 'what the ledger recorded stays; run the same command again to start over, or to continue a grid.',
    args: { STUDY: 'JSON file of the study.' },
    options: {
      panel: 'CSV or Parquet file whose rows replace the study’s source.',
      against: 'Panel on the other clock: runs the same signal study on both and shows the difference.',
      out: 'Folder for study.json, result.json and one CSV per table; for a tested portfolio, also its days and weights as Parquet.',
      'open-holdout':
        'Open the holdout (the sealed days) of a tested portfolio for good. This is recorded, and every later result shows it.',
      bars: 'Print every bar of a tested portfolio, with the units of the columns.',
      part: 'Run part K of N of a grid, for job arrays; combine the parts with: perpscope ledger merge',
    },
    badPart: '--part must be K/N, such as 3/8, with K from 1 to N.',
    portfolioOnly: (option: string) => `${option} is for studies of kind portfolio.`,
    partDone: (done: string, part: number, parts: number) =>
      `${done} of part ${part}/${parts} recorded. Run the study without --part once all parts are in one ledger.`,
  },
  register: {
    summary: 'write down what is expected of a study before its first run',
    options: {
      expect: 'What is expected: up, down, none or a text.',
      kill: 'When it is refuted, such as "sharpe < 0 after 60d"; the figure is sharpe, totalReturn, maxDrawdown or (of a signal study) ic.',
      note: 'Text that is recorded with it.',
      'on-panel': 'The study will be run on a panel.',
    },
    done: (sequence: number) => `Entry ${sequence}: registered.`,
    late: 'This study had been run before, so the registration is late and does not count as one.',
  },
  overfitting: {
    summary: 'compute how much of a Sharpe ratio may be luck',
    args: {
      FILE: 'JSON file with the returns of several trials, or with the Sharpe ratio and other figures of a strategy that was tested elsewhere.',
    },
  },
  new: {
    summary: 'print a study to start from, with every field and what it means; it runs on the connection as it is',
    args: { KIND: 'Kind of the study.' },
    options: {
      exchange: 'Venues whose cached rows the study reads, separated by commas; by default the connection’s first.',
    },
    noVenue:
      'No venue is known, so the study names none. Choose one with --exchange, or read the catalog: perpscope coverage --refresh',
  },
  schema: { summary: 'list the fields of a kind; with --json, print the JSON Schema of its documents' },
  explain: {
    summary: 'say what a study does, in sentences',
    args: { FILE: 'JSON file of the study, or the id of a run.' },
  },
  list: { summary: 'list the studies that were run', none: 'No studies yet. Run one with: perpscope study run' },
  show: {
    summary: 'show a study and its last result',
    args: { ID: 'Id, as printed by “perpscope study list”.' },
    changed: 'Files of this study have been downloaded or changed since it ran; run it again for a current result.',
  },
  open: {
    summary: 'print a line of a screen as a study or test of its own, on the later days',
    args: { ID: 'Id of the screen, as printed by “perpscope study list”.' },
    options: {
      line: 'Line to open, counted from the best; by default the best.',
      as: 'series for the returns by signal, test for a tested portfolio (the default).',
    },
    noScreen: (id: string) => `${id} is not a screen. Find its id with: perpscope study list`,
    noLine: (lines: number) => `--line must be from 1 to ${lines}, the number of lines that were kept.`,
    noLines: 'This screen has no line, so there is none to open.',
  },
  compare: {
    summary: 'compare two studies by their documents and figures, or a tested portfolio with a served one or a price',
    args: {
      ID: 'File or id of a study. With an option, the id of a tested portfolio or blend.',
      OTHER: 'File or id of the study to compare with.',
    },
    options: {
      test: 'Id of another tested portfolio.',
      blend: 'Id of another blend.',
      portfolio: 'Identifier of a portfolio that the service publishes.',
      ticker: 'Ticker whose daily price change is the benchmark.',
    },
    chooseOne: 'Name what to compare with: another study, or one of --test, --blend, --portfolio and --ticker.',
    equal: 'The documents do not differ.',
    noResult: (word: string) =>
      `${word} has not been run, so its figures are not shown. Run it with: perpscope study run`,
    otherRun: (id: string, kind: string) => `${id} is not a ${kind}; name it with the option of its kind.`,
    noTest: (id: string) => `${id} is neither a tested portfolio nor a blend. Find its id with: perpscope study list`,
    noDays: (a: string, b: string) => `${a} and ${b} have no days in common.`,
    days: (days: number, first: string, last: string) =>
      `Net returns on ${plainPlural(days, 'common day')}, ${first} to ${last}`,
    against: (name: string) => `AGAINST ${name}`,
    trials: (name: string, trials: number) =>
      `${name} was ${agree(trials, 'the only trial', `one of ${trials} trials`)} of its family when it ran.`,
  },
  panel: {
    summary: 'write the rows, members and formula values as a study uses them',
    interrupted: 'nothing was written.',
    options: { out: 'File to write; its name ends in .csv or .parquet.' },
    badOut: '--out must be a file whose name ends in .csv or .parquet.',
    written: (rows: number, path: string) => `${plainPlural(rows, 'row')} written to ${path}`,
  },
  missingFiles: (files: number) => `${plainPlural(files, 'file')} of this study can be downloaded:`,
} as const

export const ledgerText = {
  summary: 'list, check and merge the record of every study and test',
  description: [
    'Every run is recorded before its result is shown. Entries are only ever added: to ledger.sqlite and to ledger.jsonl, a plain copy with one line per entry that can be kept under version control. Each entry contains the hash of the previous one.',
    'The trials of a family count against each of its results: the deflated Sharpe ratio tells whether a result is better than what the best of that many trials reaches by luck.',
    'With --json, list prints {"entries": […]}, oldest first.',
  ],
  list: {
    summary: 'list the entries, oldest first',
    options: { family: 'Only this family, by the first digits of its hash.' },
    none: 'The ledger is empty. Run a study with: perpscope study run',
    trial: 'trial',
    repeats: (sequence: number) => `repeats ${sequence}`,
    lines: (cells: number) => plainPlural(cells, 'line'),
    late: 'late: it had been run before',
    expects: (expect: string) => `expects ${expect}`,
    kill: (criterion: string) => `killed by ${criterion}`,
  },
  show: {
    assumedFunding: 'assumed 8 h (0.2.0)',
    summary: 'show an entry with its returns',
    args: { SEQUENCE: 'Number of the entry, or the first digits of its hash.' },
    none: (typed: string) => `The ledger has no entry ${typed}. List its entries with: perpscope ledger list`,
    ambiguous: (typed: string) => `Several entries have a hash that begins with ${typed}. Add more digits.`,
  },
  score: {
    summary: 'score recorded runs on days that came later',
    interrupted: 'days that were scored stay; run the same command again to go on.',
    options: { sequence: 'Only this entry.' },
    progress: 'runs scored',
    none: (sequence: number) =>
      `The ledger has no tested portfolio, blend or signal study with the number ${sequence}, so there is no score of it.`,
    never: 'not scored',
    registered: (expected: string, kill: string | null) =>
      `Registered before its run: expects ${expected}${kill === null ? '' : `; killed by ${kill}`}.`,
    empty: 'No tested portfolio or signal study is recorded.',
    needs: (days: number) =>
      `Even a true Sharpe ratio of the expected size needs about ${plainPlural(days, 'day')} (${(days / 365).toFixed(1)} years) to be supported.`,
  },
  calibration: { summary: 'compare what recorded tests promised with what came on later days' },
  verify: {
    summary: 'check the chain of entries and its copy',
    intact: (entries: number) => `${plainPlural(entries, 'entry', 'entries')}; no problems found`,
    broken: (sequence: number, problem: string) => `The ledger is broken at entry ${sequence}: ${problem}.`,
  },
  reset: {
    summary: 'restart the trial count; earlier entries stay, and every later result shows the reset',
    options: { reason: 'Reason that is recorded.' },
    empty: '--reason must not be empty.',
    done: (sequence: number) => `Entry ${sequence}: trials are counted from here on.`,
  },
  merge: {
    summary: 'add the entries of another machine’s ledger; its trials then count too',
    args: { FILE: 'The ledger.jsonl of the other machine.' },
    done: (added: number, entries: number) =>
      `${plainPlural(added, 'entry', 'entries')} added, ${entries - added} already known`,
  },
} as const

export const symbolsText = {
  summary: 'list the symbols of a venue, one per line',
  description: [
    'Offline, or if the cached list is less than a day old, answers from the cache; --refresh asks the service. With --json, prints one document {"exchange", "symbols": […]}. Symbols added or removed since the last time are reported on stderr.',
  ],
  run: {
    summary: 'list the symbols',
    options: { exchange: 'Venue, as “connection venues” lists it.', refresh: refreshText },
  },
} as const

export const verifyText = {
  summary: 'check that every cached file is intact, and repair the cache',
  description: [
    'Compares the size and checksum of every file of every connection (or of --connection) with the index, and adds intact files that the index lacks. Exit status 0: no problems found; 3: something is broken and was not repaired.',
    '--repair removes missing files from the index, moves damaged files to the quarantine folder and removes partial files of old transfers. Files that Perpscope did not write are named and never touched. Missing files are not downloaded again automatically.',
    'A file that was damaged before it was downloaded still matches the checksum in the index. --deep finds such files: it reads every value and checks it against the checksums and statistics inside the file.',
    'With --json, prints one document {"files", "sizeBytes", "broken", "repaired", "takenIn", "harmless", "problems": [{"kind", "path", "words", "remedy"}], "more"}.',
  ],
  run: {
    summary: 'check the cache',
    interrupted: 'repairs made so far stay; run the same command again to start over.',
    options: {
      repair: 'Repair what is broken.',
      deep: deepText,
    },
  },
} as const

export const whereText = {
  summary: 'print the folder of the cache, the index and the settings',
  description: ['Prints the path alone, for scripts. The folder may not exist yet. With --json, prints {"dataDir"}.'],
  run: { summary: 'print the folder' },
} as const
