import type { GuideSection } from '../guideSection.ts'

/** Every command with what it is for; `--help` of each tells everything. */
export const commandDescriptions: Readonly<Record<string, string>> = {
  serve: 'the app in a browser on this machine; over SSH also from another one',
  sandbox: 'the three services on an invented market, with faults on demand, for trying and testing',
  connection: 'list, add, edit, use, remove and test connections',
  key: 'keep a key in the keychain, remove it, see whether one is set',
  catalog:
    'the datasets of the metrics service and their columns; `--tiers` with the tier each needs, `--raw` those of raw events',
  symbols: 'the symbols of a venue',
  coverage: 'which raw events exist, from when to when, and what is missing',
  fetch:
    'plan and download metric files; `--dry-run` only plans, `--try-locked` asks for what your tier seems not to include',
  set: 'what to fetch, kept under a name: `perpscope fetch --set NAME` brings what is new',
  queue: 'what the download queue holds; pause, resume, cancel, retry',
  ls: 'the cached files',
  verify: 'check every file; `--repair` repairs what can be repaired',
  prune: 'free up space, removing the least recently used files first',
  cache: 'remove cached, imported or computed files: `perpscope cache remove --dataset D …`',
  read: 'rows of a series as a table, CSV or JSON',
  import: 'take raw-event Parquet files into the cache',
  export: 'series or whole datasets as CSV, Parquet or a Hive folder, wherever you want them',
  compute: 'metric files from raw events, at any interval that divides a day',
  portfolio: 'the answers of the portfolio service, kept for later; `snapshots` lists every live answer that was seen',
  instruments: 'contract sizes and other facts about instruments, from a CSV file',
  study: 'test a formula over many symbols: rank IC, quantile returns, decay and turnover',
  where: 'the data folder',
  completion: 'completion for bash, zsh and fish',
}

export const commandLine: GuideSection = {
  id: 'command-line',
  title: 'Command line',
  keywords: 'terminal script cron json exit status perpscope',
  blocks: [
    'The command `perpscope` is the same app without a window: same data, same connections, same queue. In a checkout it is `npm run -s cli --`; an installed app brings it along (on Linux the Debian package puts it on the path; elsewhere it lies in the app’s folder `resources/bin`).',
    {
      terms: Object.entries(commandDescriptions).map(([verb, message]) => [`\`perpscope ${verb}\``, message] as const),
    },
    { heading: 'In scripts' },
    {
      list: [
        'Results go to stdout, everything else to stderr. `--json` prints one document, or one object a line where it streams.',
        'The status is 0 when all was done, 1 when it failed, 2 for wrong usage, 3 when some files failed, 130 when interrupted. What was finished stays.',
        '`--offline` asks no service. `--connection NAME` uses another connection than the active one.',
        '`perpscope COMMAND --help` has everything about a command, with examples.',
      ],
    },
    { heading: 'A nightly fill' },
    {
      language: 'crontab',
      code: '15 1 * * *  perpscope --quiet fetch --dataset flow,ohlcv --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-08-01 --end $(date -u +\\%F)',
    },
    'What is here already is not fetched again; only new days come.',
  ],
}
