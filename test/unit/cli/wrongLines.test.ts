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
  ['cache delete', 2, 'Unknown action of cache “delete”. One of: remove.'],
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
  [
    'check save hot --sql "DROP TABLE x"',
    2,
    'DROP is refused. Queries only read: write one SELECT (or WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW).',
  ],
  [
    'check save hot --sql "SELECT 1; -- a\n COPY x TO y"',
    2,
    'COPY is refused. Queries only read: write one SELECT (or WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW).',
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
  [
    'schedule install --every 5h --print',
    2,
    'Unknown value for --every “5h”. One of: 1h, 2h, 3h, 4h, 6h, 8h, 12h, 1d.',
  ],
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
  ['fetch --dataset trades --exchange v', 2, 'trades is a raw dataset: add --raw.'],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 60m --timestamp exchange --days 1',
    2,
    'Unknown interval “60m”. Did you mean “1h”?',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 7m --timestamp exchange --days 1',
    2,
    'Unknown interval “7m”. One of: 15s, 30s, 1m, 5m, 15m, 30m, 1h, 4h, 1d.',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start "last week" --end today',
    2,
    '--start must be a day such as 2026-09-01, today or -60d, not “last week”.',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start yesterday --end tomorrow',
    2,
    '--end must be a day such as 2026-09-01, today or -60d, not “tomorrow”.',
  ],
  [
    'fetch --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --days -3',
    2,
    '--days must be a whole number from 1 to 50000, not “-3”.',
  ],
  ['fetch --datasets ohlcv', 2, 'Unknown option “--datasets”. Did you mean “--dataset”?'],
  ['fetch -d ohlcv', 2, 'Unknown option “-d”.'],
  ['fetch --set nothing', 1, 'This connection has no download set “nothing”. List all sets with “perpscope set list”.'],
  ['--connection sandbax ls', 1, 'There is no connection “sandbax”. Did you mean “Sandbox”?'],
  ['ls --state broken', 2, 'Unknown option “--state”. Did you mean “--start”?'],
  ['ls -q extra', 2, 'Unexpected argument “extra”.'],
  ['ls --josn', 2, 'Unknown option “--josn”. Did you mean “--json”?'],
  ['-x', 2, 'Unknown option “-x”.'],
  [
    'read --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start 2026-11-25 --end 2026-11-26 --columns close --format jsn',
    2,
    'Unknown value for --format “jsn”. Did you mean “json”?',
  ],
  ['sql "SELECT * FROM metrics.ohclv"', 1, 'Catalog Error: There is no table ohclv. Did you mean metrics.ohlcv?'],
  ['sql "SELECT * FROM raw.trdes"', 1, 'Catalog Error: There is no table trdes. Did you mean raw.trades?'],
  ['sql "SELECT 1; SELECT 2"', 2, 'There are several statements. Only one SELECT runs at a time.'],
  [
    'sql "DELETE FROM metrics.ohlcv"',
    2,
    'DELETE is refused. Queries only read: write one SELECT (or WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW).',
  ],
  ['sql "SELECT $x"', 2, 'The query needs --param x=….'],
  ['sql "SELECT 1" --format csv --json', 2, '--json and --format csv cannot be combined.'],
  ['describe metrics', 2, 'Unknown table “metrics”. Did you mean “metrics.flow”?'],
  ['describe ohlv', 2, 'Unknown table “ohlv”. Did you mean “ohlcv”?'],
  ['describe metrics.ohclv', 2, 'Unknown table “metrics.ohclv”. Did you mean “metrics.ohlcv”?'],
  ['schema fech', 2, 'No command “fech” prints JSON. Did you mean “fetch”?'],
  ['schema fetch extra', 2, 'No command “fetch extra” prints JSON.'],
  ['help connection ad', 2, 'Unknown action of connection “ad”. Did you mean “add”?'],
  [
    'connection remove nothing',
    1,
    'There is no connection “nothing”. List all connections with “perpscope connection list”.',
  ],
  ['connection edit Sandbox --tier 9', 2, 'Unknown value for --tier “9”. One of: 0, 1, 2, 3, unknown.'],
  [
    'connection add x --metrics-url 127.0.0.1:4871',
    2,
    'The connection was not added: --metrics-url: must be an https address (http only for 127.0.0.1 or localhost), without query or user name.',
  ],
  [
    'connection add x --metrics-url http://127.0.0.1:4871 --venue wren,sizes=coins',
    2,
    '--venue wren,sizes=coins: sizes must be base or contracts, not “coins”. Write ID[,short=S][,sizes=base|contracts][,times=measured|modelled].',
  ],
  [
    'connection add x --metrics-url http://127.0.0.1:4871 --venue wren,short',
    2,
    '--venue wren,short: “short” is not understood. Write ID[,short=S][,sizes=base|contracts][,times=measured|modelled].',
  ],
  ['key status Sandbox --service portfolo', 2, 'Unknown value for --service “portfolo”. Did you mean “portfolio”?'],
  ['key remove', 2, 'NAME is missing: Name of the connection.'],
  ['portfolio weigths --portfolio x', 2, 'Unknown action of portfolio “weigths”. Did you mean “weights”?'],
  [
    'portfolio history --portfolio x --smoothing 999',
    2,
    'Unknown value for --smoothing “999”. One of: 0, 5, 10, 15, 20, 30.',
  ],
  ['portfolio factors --id momentum --start 2026-11-01 --end 2026-11-02', 2, '--tickers TICKERS[,…] is missing.'],
  ['portfolio regime --id x', 2, 'Unknown option “--id”.'],
  ['study schema signl', 2, 'Unknown KIND “signl”. Did you mean “signal”?'],
  ['ledger show nothing', 1, 'The ledger has no entry nothing. List its entries with: perpscope ledger list'],
  [
    'ledger score --sequence 99',
    1,
    'The ledger has no tested portfolio, blend or signal study with the number 99, so there is no score of it.',
  ],
  ['board new', 2, '--from NAME is missing.'],
  ['board new --from crowdin', 1, 'There is no playbook or board “crowdin”. Did you mean “Crowding”?'],
  ['report bord x --out x.html', 2, 'Unknown action of report “bord”. Did you mean “board”?'],
  ['report study x', 2, '--out FILE is missing.'],
  ['check save "" --sql "SELECT 1"', 2, 'A check needs a name of at most 100 characters.'],
  [
    'check save a --sql "SELECT 1" --post ftp://x',
    2,
    'Alarms are posted to https addresses only, or over http to this machine.',
  ],
  [
    'check save a --formula "ohlcv.close > 1" --symbol perpetual-BTC-USDT:USDT',
    2,
    'A formula needs --exchange, --symbol (or --list), --interval and --timestamp.',
  ],
  [
    'check save a --formula "ohlcv.close > 1" --symbol BTC,ETH --exchange v --interval 1h --timestamp exchange',
    2,
    '--symbol takes one symbol here, or all of the venue; several are watched as a list: import one with “perpscope lists import FILE” and name it with --list.',
  ],
  [
    'check save a --formula "ohlcv.close > 1" --symbol perpetual-* --exchange v --interval 1h --timestamp exchange',
    2,
    '--symbol takes one symbol here, or all of the venue; several are watched as a list: import one with “perpscope lists import FILE” and name it with --list.',
  ],
  ['check run nothing', 1, 'There is no check “nothing”.'],
  ['check remove nothing', 1, 'There is no check “nothing”.'],
  ['inbox snooze 1', 2, '--until T is missing.'],
  [
    'inbox snooze 1 --until tomorow',
    2,
    '--until must be a day or an instant, such as 2026-09-01 or 2026-09-01T12:30:00Z, not “tomorow”.',
  ],
  ['inbox read 9999', 1, 'The inbox has no entry 9999.'],
  ['schedule run nothing', 2, 'Unexpected argument “nothing”.'],
  ['schedule install --at 02:30 --every 1h --print', 2, 'Give either --at or --every.'],
  ['lists remove nothing', 1, 'There is no list “nothing”.'],
  ['funding set --exchange v', 2, '--every PERIOD is missing.'],
  ['data show nothing', 1, 'There is no dataset nothing of your own; data list names those that there are.'],
  ['data add x --from y.csv', 2, 'Unknown option “--from”.'],
  ['documents lst', 2, 'Unknown action of documents “lst”. Did you mean “list”?'],
  ['set nothing', 2, 'Unknown action of set “nothing”. One of: list, save, remove.'],
  ['set save x', 2, '--dataset, --exchange, --symbol, --interval and --timestamp are missing.'],
  ['queue stop', 2, 'Unknown action of queue “stop”. One of: list, pause, resume, cancel, retry.'],
  ['queue retry nothing', 2, 'ID must be a number, not “nothing”.'],
  ['queue cancel', 2, 'ID is missing: Number of the file, as shown by “perpscope queue list”.'],
  ['verify --repar', 2, 'Unknown option “--repar”. Did you mean “--repair”?'],
  ['verify extra', 2, 'Unexpected argument “extra”.'],
  ['backup', 2, 'FILE is missing: The file to write, such as perpscope.backup.'],
  ['prune --max-size -1', 2, '--max-size must be a size such as 500MB, 20GB or 1.5TiB, not “-1”.'],
  ['prune --max-size 5XB', 2, '--max-size must be a size such as 500MB, 20GB or 1.5TiB, not “5XB”.'],
  ['compute --dataset ohclv', 2, 'Unknown value for --dataset “ohclv”. Did you mean “ohlcv”?'],
  [
    'compute --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 7m --timestamp exchange --start -3d --end -3d --out x.parquet',
    2,
    '--interval must be a number of s, m, h or d that divides a day, such as 15s or 2h, not “7m”.',
  ],
  [
    'compute --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start -3d --end -3d --out x.csv',
    2,
    '--out: what is written is Parquet, so “x.csv” must end in .parquet.',
  ],
  [
    'compute --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start -3d --end -3d --out x.parquet --engine dukdb',
    2,
    'Unknown value for --engine “dukdb”. Did you mean “duckdb”?',
  ],
  [
    'reconcile --engines local,dukdb --dataset ohlcv --exchange v --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --days 1',
    2,
    'Unknown value for --engines “dukdb”. Did you mean “duckdb”?',
  ],
  ['watch --columns clse', 2, '--columns must be NAME=FORMULA, not “clse”.'],
  ['watch --list nothing', 1, 'There is no list “nothing”. See all lists with “perpscope lists list”.'],
  ['plan --weights live:x --capital many', 2, '--capital must be a number above 0, not “many”.'],
  ['python pth', 2, 'Unknown action of python “pth”. Did you mean “path”?'],
  ['completion bsh', 2, 'Unknown SHELL “bsh”. Did you mean “bash”?'],
  ['serve --prt 1', 2, 'Unknown option “--prt”. Did you mean “--port”?'],
  ['serve --port abc', 2, '--port must be a whole number from 0 to 65535, not “abc”.'],
  ['sandbox --now yesterday', 2, '--now must be a time such as 2026-09-15T12:00:00Z, not “yesterday”.'],
  ['sandbox --seed x', 2, '--seed must be a whole number from 0 to 2147483647, not “x”.'],
  ['sandbox --venues ";;"', 2, '--venues: it names no venue.'],
  ['sandbox --faults notjson', 2, '--faults must be JSON, such as {"rules":[{"on":"storage","cutAfterBytes":1000}]}.'],
  ['mcp --alow-downloads', 2, 'Unknown option “--alow-downloads”. Did you mean “--allow-downloads”?'],
  ['self-check extra', 2, 'Unexpected argument “extra”.'],
  ['catalog --tires', 2, 'Unknown option “--tires”. Did you mean “--tiers”?'],
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

test('at least 150 lines of wrong use are answered', () => {
  expect(new Set(wrongLines.map(([line]) => line)).size).toBeGreaterThanOrEqual(150)
})
