import type { GuideSection } from '../guideSection.ts'

/** One line per command; the command's `--help` has the rest. */
export const commandDescriptions: Readonly<Record<string, string>> = {
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
  verify: 'check every file; `--repair` repairs what can be repaired',
  prune: 'free up space, removing the least recently used files first',
  cache: 'remove cached, imported or computed files: `perpscope cache remove --dataset D …`',
  read: 'rows of a series as a table, CSV or JSON',
  import:
    'import raw-event Parquet files into the cache, or with `--computed` metric files that another engine computed',
  export: 'write series or whole datasets as CSV, Parquet or a Hive folder',
  compute: 'compute metric files from raw events, at any interval that divides a day',
  reconcile: 'compare engines column by column on a sample of symbol-days; exit status 1 if one differs',
  portfolio:
    'the answers of the portfolio service, which are stored; `snapshots` lists the live answers fetched so far',
  instruments:
    'contract sizes, funding periods, listings and other facts by date, from a file; see [Instruments](/guide/instruments)',
  funding:
    'how often funding is paid, with where that is known from (`funding list`); typed where nothing else says it: `perpscope funding set --exchange V --every 8h`',
  documents: 'workspaces, sets, lists, queries, studies and boards as text files in a folder, such as a Git repository',
  lists: 'named lists of symbols for studies, from a CSV file',
  data: 'datasets of your own files: add, list, show, refresh and remove',
  quality: 'look for faults in cached files: gaps, stale values, spikes, impossible values and more',
  watch: 'last value, change, funding, open interest, volume, coverage and quality of symbols, from the cache',
  plan: 'work out the trades from target weights and positions; nothing is ever sent',
  study:
    'test a formula over many symbols: rank IC, quantile returns, decay and turnover; portfolios with costs; `study register` writes down what is expected before',
  ledger:
    'the record of every study and test: list, score on later days, compare promised with kept, check, merge, reset; see [Tested portfolios](/guide/portfolio-tests)',
  backup: 'everything you made in one file, without downloaded files and keys',
  restore: 'restore a data folder from a backup; the old one is kept next to it',
  sql: 'a SELECT over everything in the cache; see [SQL over the cache](/guide/sql)',
  report:
    'a workspace, tear sheet, study, tested portfolio, SQL result or calibration as one HTML file with its sources, which opens without a network; `--format ipynb` writes a notebook that computes the same',
  board:
    'boards for a job, such as slippage or crowding, made for a symbol of your own: `board new --from crowding --set symbol=…`',
  replay: 'compute a report again from the cache and compare every number; exit status 3 if some differ',
  check:
    'checks on the cached data, as a formula or SQL: save, list, run; exit status 4 if one hits; `--run CMD` and `--post URL` make a check an alarm',
  inbox: 'findings of checks: list, mark as read, snooze',
  schedule:
    'refresh download sets and run checks while the app is closed, every hour, or `--every 1d`, or `--at 02:30`: install, remove, status, run',
  tables: 'the tables that SQL sees, with what is in them',
  describe: 'the columns of such a table: `perpscope describe metrics.flow`',
  'self-check': 'whether program, SQL engine, data folder, index and keychain work',
  mcp: 'let an assistant read the cache and run SQL and studies, over the Model Context Protocol',
  python: 'the Python module that reads the cache: `pip install "$(perpscope python wheel)"`',
  schema: 'the JSON Schema, with its version, of what a command prints with `--json`: `perpscope schema study list`',
  where: 'the data folder',
  completion: 'completion for bash, zsh and fish',
}

export const commandLine: GuideSection = {
  id: 'command-line',
  title: 'Command line',
  keywords: 'terminal script cron json exit status perpscope',
  blocks: [
    'The command `perpscope` is the same app without a window: same data, same connections, same queue. In a checkout, `npm install -g .` puts it on the path (Node 20 or newer; the first call builds it), and `npm run -s cli --` runs it without; paths are meant from your folder in both. An installed app includes it (on Linux the Debian package puts it on the path; elsewhere it is in the app’s folder `resources/bin`). `perpscope self-check` says whether everything works.',
    {
      terms: Object.entries(commandDescriptions).map(([verb, message]) => [`\`perpscope ${verb}\``, message] as const),
    },
    { heading: 'Choosing symbols and days' },
    {
      list: [
        '`--symbol BTC-USDT,ETH-USDT` takes short names; one with several meanings is refused with all of them. `all` and `perpetual-*` choose many, `--top 50` of them those with the highest turnover in the cache.',
        '`--start -60d`, `today`, `yesterday`, `this month` and `last month` are days in UTC; `--days 60` is the last 60 whole ones.',
        '`perpscope connection edit NAME --default-exchange VENUE --default-timestamp exchange` sets what `--exchange` and `--timestamp` are where you leave them out.',
        '`-` is standard input wherever a file is read.',
      ],
    },
    { heading: 'In scripts' },
    {
      list: [
        'Results go to stdout, everything else to stderr. `--json` prints one document, or one object per line where results stream.',
        'The exit status is 0 for success, 1 for failure, 2 for wrong usage, 3 when some files failed or findings are open, 4 when a check hit, and 130 when interrupted. What was finished is kept.',
        '`--offline` sends no request. `--connection NAME` uses a connection other than the active one.',
        '`perpscope COMMAND --help` fits a screen; `--help --all` explains every option and all of `--json`.',
        'Removing more than 100 files asks on a terminal, and needs `--yes` without one.',
        'A data folder that can only be read, such as a shared one, answers `read`, `sql`, `ls`, `export`, `study run --no-record` and the lists, also while another program writes to it.',
      ],
    },
    { heading: 'A nightly download' },
    {
      language: 'crontab',
      code: 'PATH=/usr/local/bin:/usr/bin:/bin\nPERPSCOPE_API_KEY_FILE=/home/me/.perpscope-key\n15 1 * * *  perpscope --quiet fetch --dataset flow,ohlcv --exchange VENUE --symbol BTC-USDT --interval 1m --timestamp exchange --days 30',
    },
    'Cron knows neither your path nor your keychain, so the first two lines name the folders of `perpscope` and `node` (as `which perpscope node` prints them) and a file of mode 0600 with the key. Files that are already cached are not fetched again; only new days are fetched.',
  ],
}
