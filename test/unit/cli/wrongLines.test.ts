import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../electron/cli/run.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'

/** Lines of wrong use, each with its exit status and the sentence that answers it. Words with blanks are in quotes. */
const wrongLines: readonly [line: string, status: number, sentence: string][] = [
  [
    'study new',
    2,
    'KIND is missing: Kind of the study. One of: signal, events, leadlag, seasonality, series, screen, schedule, costs, clocks, spells, portfolio, blend.',
  ],
  ['completion', 2, 'SHELL is missing: The shell. One of: bash, zsh, fish.'],
  ['fech', 2, 'Unknown command “fech”. Did you mean “fetch”?'],
  ['help fech', 2, 'Unknown command “fech”. Did you mean “fetch”?'],
  ['--jsn', 2, 'Unknown option “--jsn”. Did you mean “--json”?'],
  ['catalog --refreshh', 2, 'Unknown option “--refreshh”. Did you mean “--refresh”?'],
  ['catalog extra', 2, 'Unexpected argument “extra”.'],
  ['fetch', 2, '--dataset, --exchange, --symbol, --interval, --timestamp, --start and --end are missing.'],
  ['fetch --dataset', 2, '--dataset needs a value: --dataset D[,D].'],
  ['fetch --dataset ,', 2, '--dataset must not be empty.'],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchnge --start 2026-09-01 --end 2026-09-02',
    2,
    'Unknown value for --timestamp “exchnge”. Did you mean “exchange”?',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start 2026-13-01 --end 2026-09-02',
    2,
    '--start must be a day such as 2026-09-01, today or -60d, not “2026-13-01”.',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start 2026-09-03 --end 2026-09-02',
    2,
    '--end must not be before --start.',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --days 0',
    2,
    '--days must be a whole number from 1 to 50000, not “0”.',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --days 3 --start today',
    2,
    'Give either --days or --start and --end.',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1hr --timestamp exchange --days 3',
    2,
    'Unknown interval “1hr”. Did you mean “1h”?',
  ],
  [
    'fetch --dataset ohlcv --list x --symbol BTC --interval 1h --timestamp exchange --days 3',
    2,
    'Give either --list or --symbol.',
  ],
  [
    'fetch --dataset ohlcv --list x --top 5 --interval 1h --timestamp exchange --days 3',
    2,
    '--top does not go with --list.',
  ],
  ['fetch --by turnover', 2, '--by goes with --top.'],
  ['fetch --top 0', 2, '--top must be a whole number from 1 to 10000, not “0”.'],
  ['fetch --top 5 --by volume', 2, 'Unknown value for --by “volume”. One of: turnover.'],
  [
    'fetch --raw --dataset trades --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --days 1',
    2,
    'Raw events have no interval and carry both clocks; leave out --interval and --timestamp.',
  ],
  ['fetch --set x --dataset ohlcv', 2, '--set already selects what to download; leave out the other options.'],
  ['fetch --concurrency many', 2, '--concurrency must be a whole number from 1 to 32, not “many”.'],
  ['fetch --dry-run=yes', 2, '--dry-run takes no value.'],
  ['read --dataset ohlcv', 2, '--exchange V, --symbol S[,S], --timestamp T, --start T and --end T are missing.'],
  [
    'read --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --timestamp exchange --start 2026-09-01 --end 2026-09-02',
    2,
    '--interval is missing: ohlcv is a metric dataset, which needs one.',
  ],
  [
    'read --dataset trades --interval 1h --exchange v --symbol perpetual-BTC-USDT:USDT --timestamp exchange --start 2026-09-01 --end 2026-09-02',
    2,
    'trades is a raw dataset and has no interval; leave out --interval.',
  ],
  [
    'read --dataset ohlcv --interval 1h --exchange v --symbol perpetual-BTC-USDT:USDT --timestamp exchange --start soon --end 2026-09-02',
    2,
    '--start must be a day or an instant, such as 2026-09-01 or 2026-09-01T12:30:00Z, not “soon”.',
  ],
  [
    'read --dataset ohlcv --interval 1h --exchange v --symbol perpetual-BTC-USDT:USDT --timestamp exchange --start 2026-09-02 --end 2026-09-02T00:00Z',
    2,
    '--end must be after --start.',
  ],
  [
    'read --dataset ohlcv --interval 1h --exchange v --symbol perpetual-BTC-USDT:USDT --timestamp exchange --start 2026-09-02 --end 2026-09-03 --format xml',
    2,
    'Unknown value for --format “xml”. One of: table, csv, json.',
  ],
  [
    'read --dataset ohlcv --interval 1h --exchange v --symbol perpetual-BTC-USDT:USDT --timestamp exchange --start 2026-09-02 --end 2026-09-03 --json --format csv',
    2,
    '--json and --format csv cannot be combined.',
  ],
  ['ls --start 1st', 2, '--start must be a day such as 2026-09-01, today or -60d, not “1st”.'],
  ['ls --symbol *nothing*', 2, '--symbol: no known symbol matches “*nothing*”.'],
  [
    'export --dataset ohlcv --format csv',
    2,
    '--exchange V[,V], --symbol S[,S], --timestamp T and --out PATH are missing.',
  ],
  [
    'export --dataset ohlcv --format xlsx --out x.xlsx',
    2,
    'Unknown value for --format “xlsx”. One of: csv, parquet, hive.',
  ],
  [
    'export --dataset ohlcv --format csv --out x.parquet --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange',
    2,
    'The name “x.parquet” stands for parquet, but --format is csv. Change one of them.',
  ],
  [
    'export --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --timestamp exchange --format csv --out x.csv --start 2026-09-01',
    2,
    '--start and --end go together; leave out both to write everything in the cache.',
  ],
  ['export --dataset ohlcv --format csv --out s3://b/p', 2, 'An s3:// address needs --format hive.'],
  [
    'cache remove',
    2,
    'Choose the files to remove with --dataset, --exchange, --symbol, --list, --interval, --timestamp, --period, --start, --end, --origin, --raw or --connection.',
  ],
  ['cache delete', 2, 'Unknown action of cache “delete”.'],
  ['cache', 2, 'cache needs one of: remove.'],
  ['prune', 2, '--max-size SIZE is missing.'],
  ['prune --max-size lots', 2, '--max-size must be a size such as 500MB, 20GB or 1.5TiB, not “lots”.'],
  ['sql', 2, 'QUERY is missing: a SELECT in quotes, --file FILE, or - for stdin.'],
  ['sql SELECT --file q.sql', 2, 'Give either a query or --file, not both.'],
  ['sql "SELECT 1" --param x', 2, '--param must be NAME=VALUE, not “x”.'],
  [
    'sql "SELECT 1" --attach x',
    2,
    '--attach must be NAME=FILE, not “x”; NAME has letters, digits and _, and is no file ending such as csv.',
  ],
  ['sql "SELECT 1" --format arow', 2, 'Unknown value for --format “arow”. Did you mean “arrow”?'],
  ['tables a b', 2, 'Unexpected argument “b”.'],
  ['describe', 2, 'TABLE is missing: The table, such as metrics.flow.'],
  ['describe metrics.nothing', 2, 'Unknown table “metrics.nothing”. Did you mean “metrics.funding”?'],
  ['connection add x', 2, 'Give at least one of --metrics-url, --portfolio-url, --catalog and --store.'],
  [
    'connection add x --metrics-url ftp://x',
    2,
    'The connection was not added: --metrics-url: must be an https address (http only for 127.0.0.1 or localhost), without query or user name.',
  ],
  [
    'connection edit Sandbox',
    2,
    'Choose what to change with --name, --metrics-url, --portfolio-url, --catalog, --tier, --private-storage, --store, --store-endpoint, --venue, --no-venue, --default-exchange or --default-timestamp.',
  ],
  [
    'connection edit Sandbox --default-timestamp both',
    2,
    'Unknown value for --default-timestamp “both”. One of: exchange, true, none.',
  ],
  ['connection use', 2, 'NAME is missing: Name of the connection.'],
  [
    'connection use nothing',
    1,
    'There is no connection “nothing”. List all connections with “perpscope connection list”.',
  ],
  ['key set', 2, 'NAME is missing: Name of the connection.'],
  [
    'key set Sandbox --service nothing',
    2,
    'Unknown value for --service “nothing”. One of: metrics, portfolio, engine, store.',
  ],
  ['check save hot', 2, 'Give either --formula or --sql.'],
  ['check save hot --sql "SELECT 1" --formula "ohlcv.close > 1"', 2, 'Give either --formula or --sql.'],
  [
    'check save hot --formula "ohlcv.close > 1"',
    2,
    'A formula needs --exchange, --symbol (or --list), --interval and --timestamp.',
  ],
  [
    'check save hot --sql "SELECT 1" --run "a | b"',
    2,
    '--run: the command does not run in a shell, so “|” has no effect. To run several programs, name a script.',
  ],
  ['check save hot --sql "SELECT 1" --run true --post https://x.example', 2, 'Give either --run or --post.'],
  [
    'check save hot --sql "SELECT 1" --post https://x.example/hook',
    2,
    'Checks may not post to x.example yet. Allow it with “perpscope check allow x.example” or in Settings → Network.',
  ],
  [
    'check allow https://x.example/',
    2,
    'HOST must be the name of a host, such as alerts.example.com or 127.0.0.1:8080, not “https://x.example/”.',
  ],
  ['check allow --remove', 2, 'Name the HOST that is no longer allowed.'],
  ['inbox read x', 2, 'ID must be the number of an entry, not “x”.'],
  ['schedule install --at 25:00 --print', 2, '--at must be a time of day such as 02:30, not “25:00”.'],
  ['schedule install --at 02:30 --every 1d --print', 2, 'Give either --at or --every.'],
  ['schedule install --every 5h --print', 2, 'Unknown value for --every “5h”. Did you mean “1h”?'],
  ['study run', 2, 'STUDY is missing: JSON file of the study.'],
  ['study run - --panel -', 2, 'Standard input can be read only once: give “-” for one file only.'],
  ['study new sigmal', 2, 'Unknown KIND “sigmal”. Did you mean “signal”?'],
  ['portfolio weights', 2, '--portfolio PORTFOLIO is missing.'],
  ['portfolio returns --portfolio x --start 2026-09-01 --end today --as-of never', 2, 'Unknown option “--as-of”.'],
  ['portfolio tearsheet', 2, '--portfolio PORTFOLIO is missing.'],
  ['plan', 2, '--weights WEIGHTS and --capital AMOUNT are missing.'],
  [
    'compute --dataset ohlcv',
    2,
    '--exchange V, --symbol S, --interval I, --timestamp T, --start DATE and --end DATE are missing.',
  ],
  [
    'compute --dataset l2_imbalance --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --days 1 --out x.parquet',
    1,
    'The action is not possible here. l2_imbalance needs order-book snapshots, which raw events do not have.',
  ],
  [
    'reconcile --engines local --dataset ohlcv --list x --interval 1h --timestamp exchange --days 1',
    2,
    '--engines must name two engines or more, such as local,clickhouse.',
  ],
  ['import', 2, 'PATH is missing: Parquet files, or folders that contain some.'],
  ['import --metrics d x.parquet', 2, 'With --metrics, name no PATH and no --computed.'],
  ['lists import', 2, 'FILE is missing: The CSV.'],
  ['data add', 2, 'NAME is missing: Name of the dataset: small letters, digits and _, at most 31, such as unlocks.'],
  ['data add flows', 2, 'FILE is missing: CSV or Parquet file, or a folder of them.'],
  ['serve --port 70000', 2, '--port must be a whole number from 0 to 65535, not “70000”.'],
  ['completion ksh', 2, 'Unknown SHELL “ksh”. Did you mean “zsh”?'],
  ['queue cancel x', 2, 'ID must be a number, not “x”.'],
  ['replay', 2, 'FILE is missing: The report, an HTML file.'],
  ['ledger reset', 2, '--reason TEXT is missing.'],
  [
    'quality --kind wrong',
    2,
    'Unknown value for --kind “wrong”. One of: missing, stale, spike, duplicate, order, impossible, overlap, computed, venue, republished.',
  ],
  ['symbols', 2, '--exchange VENUE is missing.'],
  [
    'coverage --symbol perpetual-BTC-USDT:USDT,perpetual-ETH-USDT:USDT',
    2,
    '--symbol takes one symbol here, not 2; --list takes several.',
  ],
  ['coverage --list x --symbol BTC', 2, 'Give either --list or --symbol.'],
]

let dataDir = ''
beforeAll(() => void (dataDir = dataFolder(afterAll)))

async function answerOf(line: string) {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain)
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({
    write: (text: string | Uint8Array) => (written[name] += String(text)),
  })
  const status = await run([...words, '--data-dir', dataDir, '--offline'], {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
    signal: new AbortController().signal,
  })
  return { status, ...written }
}

test.each(wrongLines)('%s', async (line, status, sentence) => {
  const answer = await answerOf(line)
  expect([answer.status, answer.stdout]).toEqual([status, ''])
  const [first, ...others] = answer.stderr.trim().split('\n')
  expect(first.replace(/ See “perpscope[^”]*”\.$/, '')).toBe(sentence)
  // Wrong usage names the help that says how it is right; what is missing is shown in an example.
  if (status === 2) expect(first).toMatch(/ See “perpscope( [a-z-]+){0,2} --help”\.$/)
  if (/--exchange\b.* (is|are) missing\.$/.test(sentence))
    expect(others[0]).toMatch(/^Venues of “Sandbox”: venuea-futures, /)
  if (/ (is|are) missing\.$/.test(sentence)) expect(others.at(-1)).toMatch(/^For example: perpscope /)
})

test('at least sixty lines of wrong use are answered', () => {
  expect(new Set(wrongLines.map(([line]) => line)).size).toBeGreaterThanOrEqual(60)
})
