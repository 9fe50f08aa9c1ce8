/**
 * The commands of the command line, in the order of its help, each with its line in the guide; the command's `--help` has
 * the rest. `electron/cli/commands` has a file for each.
 */
export const commandLines = {
  serve: 'serve the app to a browser on this machine, or over SSH to another one',
  sandbox: 'run the three services on a synthetic market, with faults on demand, for experiments and tests',
  connection: 'list, add, edit, use, remove and test connections',
  key: 'store a key in the keychain, remove it, or see whether one is set',
  catalog:
    'the datasets of the metrics service and their columns; `--tiers` adds the tier each one needs, `--raw` lists those of raw events',
  symbols: 'the symbols of a venue',
  coverage: 'which raw events exist, and which days are missing',
  fetch:
    'plan and download metric files; `--dry-run` only plans, `--estimate` counts, `--verbose` also lists cached files, `--try-locked` also requests files that your tier does not seem to include or that may not exist',
  set: 'saved downloads: `perpscope fetch --set NAME` fetches the new files',
  queue: 'list the download queue; pause, resume, cancel or retry',
  ls: 'list the cached files',
  quality: 'look for faults in cached files: gaps, stale values, spikes, impossible values and more',
  watch: 'last value, change, funding, open interest, volume, coverage and quality of symbols, from the cache',
  verify: 'check every file; `--repair` repairs what can be repaired',
  prune: 'free up space, removing the least recently used files first',
  cache: 'remove cached, imported or computed files: `perpscope cache remove --dataset D …`',
  read: 'rows of a series as a table, CSV or JSON',
  export: 'write series or whole datasets as CSV, Parquet or a Hive folder',
  portfolio:
    'the answers of the portfolio service, which are stored; `snapshots` lists the live answers fetched so far',
  plan: 'work out the trades from target weights and positions; nothing is ever sent',
  import:
    'import raw-event Parquet files into the cache, or with `--computed` metric files that another engine computed',
  instruments:
    'contract sizes, funding periods, listings and other facts by date, from a file; see [Instruments](/guide/instruments)',
  funding:
    'how often funding is paid, with where that is known from (`funding list`); typed where nothing else says it: `perpscope funding set --exchange V --every 8h`',
  lists: 'named lists of symbols for studies, from a CSV file',
  data: 'datasets of your own files: add, list, show, refresh and remove',
  documents: 'workspaces, sets, lists, queries, studies and boards as text files in a folder, such as a Git repository',
  compute: 'compute metric files from raw events, at any interval that divides a day',
  reconcile: 'compare engines column by column on a sample of symbol-days; exit status 1 if one differs',
  sql: 'a SELECT over everything in the cache; see [SQL over the cache](/guide/sql)',
  tables: 'the tables that SQL sees, with what is in them',
  describe: 'the columns of such a table: `perpscope describe metrics.flow`',
  study:
    'test a formula over many symbols: rank IC, quantile returns, decay and turnover; portfolios with costs; `study register` writes down what is expected before',
  ledger:
    'the record of every study and test: list, score on later days, compare promised with kept, check, merge, reset; see [Tested portfolios](/guide/portfolio-tests)',
  board:
    'boards for a job, such as slippage or crowding, made for a symbol of your own: `board new --from crowding --set symbol=…`',
  report:
    'a workspace, tear sheet, study, tested portfolio, SQL result or calibration as one HTML file with its sources, which opens without a network; `--format ipynb` writes a notebook that computes the same',
  replay: 'compute a report again from the cache and compare every number; exit status 3 if some differ',
  check:
    'checks on the cached data, as a formula or SQL: save, list, run; exit status 4 if one hits; `--run CMD` and `--post URL` make a check an alarm',
  inbox: 'findings of checks: list, mark as read, snooze',
  schedule:
    'refresh download sets and run checks while the app is closed, every hour, or `--every 1d`, or `--at 02:30`: install, remove, status, run',
  mcp: 'let an assistant read the cache and run SQL and studies, over the Model Context Protocol',
  python: 'the Python module that reads the cache: `pip install "$(perpscope python wheel)"`',
  schema: 'the JSON Schema, with its version, of what a command prints with `--json`: `perpscope schema study list`',
  backup: 'everything you made in one file, without downloaded files and keys',
  restore: 'restore a data folder from a backup; the old one is kept next to it',
  where: 'the data folder',
  'self-check': 'whether program, SQL engine, data folder, index and keychain work',
  completion: 'completion for bash, zsh and fish',
} as const satisfies Readonly<Record<string, string>>
