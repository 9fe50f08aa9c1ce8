import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readyStudiesOn } from '#shared/lab/readyStudies.ts'
import { exampleQueriesOn } from '#shared/sql/exampleQueries.ts'
import { allCommands } from '../../electron/cli/registry.ts'
import { parseVenues } from '../../electron/sandbox/market/venues.ts'
import { cliSession, type CliSession } from '../fakes/cliSession.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { venueTokensBelow, venueTokensIn } from '../fakes/venueTokens.ts'

const named =
  'alpha-futures,short=alpha,sizes=base;beta-perps,short=beta,sizes=contracts;gamma-perps,short=gamma,sizes=base,times=modelled'
const venue = 'alpha-futures'
const symbols = ['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT', 'perpetual-AVAX-USDT:USDT']
const days = ['--start', '2026-09-01', '--end', '2026-09-03']
const pair = ['--exchange', venue, '--symbol', symbols[0]]
const hourly = ['--interval', '1h', '--timestamp', 'exchange']
const series = ['--dataset', 'ohlcv', ...pair, ...hourly, ...days]
const raw = ['--raw', '--dataset', 'trades', ...pair, '--start', '2026-09-01', '--end', '2026-09-01']
/** Datasets that the ready-made studies read. */
const studied =
  'ohlcv,funding,flow,run_structure,open_interest,basis,trade_size,l1_liquidity,l1_imbalance,l2_imbalance,returns,impact,slippage'
/** Datasets that they compare by both clocks. */
const comparedByClock = 'ohlcv,flow,l1_liquidity'

/** Commands that run until they are stopped, or change the system around them; only their help is read. */
const onlyHelp = ['serve', 'sandbox', 'mcp', 'schedule remove', 'schedule run', 'queue cancel', 'queue retry']

interface Calls {
  /** Runs a command, and keeps what it printed for the search. */
  run: (...words: string[]) => Promise<{ status: number | null; stdout: string; stderr: string }>
  /** Runs a command that must succeed; the test fails at its end, with all that did not. */
  done: (...words: string[]) => Promise<string>
  /** Commands that should have succeeded, with their message. */
  failed: string[]
  /** Verbs and actions that ran. */
  ran: Set<string>
  /** Where a printed text named a venue as the documents do. */
  found: string[]
}

function callsOf({ runHere }: CliSession, actions: ReadonlySet<string>): Calls {
  const ran = new Set<string>()
  const [found, failed]: string[][] = [[], []]
  const run: Calls['run'] = async (...words) => {
    const ended = await runHere(words)
    const name = [words.slice(0, 2).join(' '), words[0]].find((each) => actions.has(each))
    if (name !== undefined) ran.add(name)
    for (const stream of ['stdout', 'stderr'] as const)
      found.push(...venueTokensIn(`${stream} of ${words.join(' ')}`, ended[stream]).slice(0, 2))
    return ended
  }
  const done: Calls['done'] = async (...words) => {
    const { status, stdout, stderr } = await run(...words)
    if (status !== 0) failed.push(`${words.join(' ')}: ${stderr}`)
    return stdout
  }
  return { run, done, ran, found, failed }
}

async function connect({ done, run }: Calls, { sandbox }: CliSession): Promise<void> {
  await done('connection', 'edit', 'desk', '--catalog', sandbox.catalogUrl, '--portfolio-url', sandbox.url)
  await done('connection', 'add', 'other', '--metrics-url', sandbox.url, '--venue', 'delta-perps,sizes=contracts')
  await run('connection', 'add-engine', 'other', '--clickhouse', 'http://127.0.0.1:9', '--user', 'someone')
  await run('connection', 'remove-engine', 'other')
  await run('key', 'set', 'other')
  await run('key', 'status', 'other')
  await run('key', 'remove', 'other')
  await done('connection', 'test')
  await done('coverage', '--refresh', '--dataset', 'trades', '--symbol', symbols[0])
  await done('connection', 'venues')
  await done('connection', 'list')
  await done('connection', 'use', 'desk')
  await done('connection', 'remove', 'other')
  await done('catalog')
  await done('catalog', '--raw')
  await done('symbols', '--exchange', venue)
  await done('symbols', '--exchange', 'gamma-perps')
  const misspelt = await run('symbols', '--exchange', 'alpha')
  expect([misspelt.status, misspelt.stderr]).toEqual([1, expect.stringContaining('Did you mean alpha-futures?')])
}

async function fillCache({ done, run }: Calls): Promise<void> {
  for (const symbol of symbols) {
    const series = ['--exchange', venue, '--symbol', symbol, '--interval', '1h', ...days]
    await done('fetch', '--dataset', studied, ...series, '--timestamp', 'exchange')
    await done('fetch', '--dataset', comparedByClock, ...series, '--timestamp', 'true')
  }
  const second = ['--exchange', 'beta-perps', '--symbol', symbols[0]]
  await done('fetch', '--dataset', 'ohlcv,funding', ...second, ...hourly, ...days)
  await done('fetch', ...raw)
  await done('set', 'save', 'candles', ...series.slice(0, -4), '--last', '3')
  await done('set', 'list')
  await done('set', 'remove', 'candles')
  await done('queue', 'list', '--all')
  await done('queue', 'pause')
  await done('queue', 'resume')
  await done('ls', '--dataset', 'ohlcv')
  await done('quality', '--dataset', 'ohlcv')
  await done('quality', '--definitions')
  await run('watch')
  await done('verify')
  await done('prune', '--max-size', '100GB', '--dry-run')
  await done('cache', 'remove', ...series, '--dry-run')
}

async function readAndCompute({ done, run }: Calls, folder: string): Promise<void> {
  const at = (name: string) => join(folder, name)
  await done('read', ...series)
  await done('export', ...series, '--format', 'csv', '--out', at('candles.csv'))
  await done('export', ...series, '--format', 'parquet', '--out', at('candles.parquet'))
  writeFileSync(at('instruments.csv'), `exchange,symbol,contract_size,quote\nbeta-perps,${symbols[0]},0.01,USDT\n`)
  await done('instruments', 'import', at('instruments.csv'))
  await done('instruments', 'list')
  await done('instruments', 'rule', 'kBONK', '--ticker', 'BONK', '--multiplier', '1000')
  await done('instruments', 'rules')
  writeFileSync(at('lists.csv'), `list,exchange,symbol\nmajors,${venue},${symbols[0]}\n`)
  await done('lists', 'import', at('lists.csv'))
  await done('lists', 'list')
  await run('watch', '--list', 'majors')
  await done('lists', 'remove', 'majors')
  writeFileSync(at('flows.csv'), `time,exchange,symbol,v\n2026-09-01,${venue},BTC,1\n2026-09-02,${venue},BTC,2\n`)
  await done('data', 'add', 'flows', at('flows.csv'))
  await done('data', 'list')
  await done('data', 'show', 'flows')
  await done('data', 'refresh', 'flows')
  await done('read', '--dataset', 'own_flows', ...days)
  await done('data', 'remove', 'flows', '--yes')
  const documents = temporaryFolder()
  await done('documents', 'use', documents)
  await done('documents', 'list')
  await run('documents', 'resolve', 'nothing', '--keep', 'mine')
  await done('documents', 'stop')
  const metric = ['--dataset', 'vtwap', ...pair, ...hourly, ...raw.slice(-4)]
  await done('compute', ...metric, '--out', at('vtwap.parquet'))
  await run('reconcile', ...metric, '--engines', 'local,duckdb')
  await run('import', at('candles.parquet'), '--exchange', venue)
}

async function askPortfolios({ done, run }: Calls, folder: string): Promise<void> {
  const portfolio = ['--portfolio', 'momentum_ls.20', '--exchange', 'alpha']
  const range = ['--start', '2026-08-01', '--end', '2026-08-20']
  await done('portfolio', 'weights', ...portfolio)
  await done('portfolio', 'history', ...portfolio, ...range)
  await done('portfolio', 'returns', ...portfolio, ...range)
  await done('portfolio', 'tearsheet', ...portfolio, ...range)
  const plan = ['--weights', 'live:momentum_ls.20', '--capital', '10000', '--band', '0.01']
  await done('plan', ...plan)
  await done('report', 'plan', ...plan, '--out', join(folder, 'plan.html'))
  await done('report', 'calibration', '--out', join(folder, 'calibration.html'))
  await done('portfolio', 'correlations', 'portfolio:momentum_ls.20', 'price:BTC', '--min-days', '10')
  await done('portfolio', 'attribution', 'portfolio:momentum_ls.20', '--on', 'price:BTC')
  await done('portfolio', 'own', 'list')
  const refused = await run('portfolio', 'weights', '--portfolio', 'momentum_ls.20', '--exchange', 'nowhere')
  expect(refused.status).toBe(1)
  await run('portfolio', 'factors', '--id', 'momentum', '--tickers', 'BTC', ...range)
  await run('portfolio', 'factors-live', '--id', 'momentum', '--tickers', 'BTC')
  await run('portfolio', 'tickers', '--id', 'momentum', '--universe-size', '20', '--exchange', 'beta')
  await run('portfolio', 'universe', '--size', '20', '--exchange', 'gamma', ...range)
  await run('portfolio', 'overlay', '--portfolio', 'momentum_ls.20', '--overlay', 'vol_target', ...range)
  await run('portfolio', 'overlay-live', '--portfolio', 'momentum_ls.20', '--overlay', 'vol_target')
  await run('portfolio', 'regime', '--overlay', 'vol_target', ...range)
  await run('portfolio', 'regime-live', '--overlay', 'vol_target')
  await run('portfolio', 'prices', '--ticker', 'BTC', ...range)
  await run('portfolio', 'snapshots', '--kind', 'weights', ...portfolio)
  await done('report', 'tearsheet', ...portfolio, ...range, '--out', join(folder, 'tearsheet.html'))
}

async function askSql({ done, run }: Calls, folder: string): Promise<void> {
  for (const { sql, parameters } of exampleQueriesOn([venue, 'beta-perps'])) {
    const given = Object.entries(parameters).flatMap(([name, value]) => ['--param', `${name}=${String(value)}`])
    await done('sql', sql, ...given)
  }
  await run('sql', 'SELECT * FROM metrics.olhcv')
  const rows = 'SELECT exchange, symbol, close FROM metrics.ohlcv LIMIT 5'
  await done('sql', rows, '--explain')
  await done('tables')
  await done('describe', 'metrics.ohlcv')
  await done('report', 'sql', rows, '--out', join(folder, 'sql.html'))
}

/** Runs every ready-made study on three symbols and days, which the cache has. */
async function runStudies({ done, run }: Calls, folder: string): Promise<void> {
  const { studies, test: tested } = readyStudiesOn({ venue, nowMs: Date.UTC(2026, 8, 15) })
  const files = [...studies, tested].map(({ id, document }) => {
    const source = { ...(document.source as object), symbols }
    const path = join(folder, `${id}.json`)
    writeFileSync(path, JSON.stringify({ ...document, source, interval: '1h', start: '2026-09-01', end: '2026-09-03' }))
    return path
  })
  await done('study', 'new', 'signal')
  await done('study', 'schema', 'signal')
  const template = await done('study', 'new', 'signal', '--exchange', venue, '--json')
  expect(JSON.parse(template)).toMatchObject({ kind: 'signal', source: { exchanges: [venue] } })
  for (const path of files) {
    await done('study', 'run', path)
  }
  const listed = JSON.parse(await done('study', 'list', '--json')) as { id: string; kind: string }[]
  for (const { id } of listed) await done('study', 'show', id)
  const portfolio = listed.find(({ kind }) => kind === 'portfolio')!.id
  const screen = listed.find(({ kind }) => kind === 'screen')!.id
  await run('study', 'open', screen, '--as', 'series')
  await run('study', 'compare', portfolio, '--test', portfolio)
  await done('study', 'compare', files[0], files[1])
  await done('study', 'explain', files[0])
  await run('study', 'panel', files[0], '--out', join(folder, 'panel.parquet'))
  await done('study', 'register', files[0], '--expect', 'up')
  await run('study', 'overfitting', files[0])
  await done('report', 'study', files[0], '--out', join(folder, 'study.html'))
  await done('replay', join(folder, 'study.html'))
  await done('ledger', 'list')
  await done('ledger', 'show', '1')
  await done('ledger', 'score')
  await done('ledger', 'calibration')
  await done('ledger', 'verify')
}

async function watchAndKeep({ done, run }: Calls, { dataDir }: CliSession, folder: string): Promise<void> {
  await done('check', 'save', 'funding', '--formula', 'funding.funding_rate > 0', ...pair, ...hourly)
  await run('check', 'run')
  await done('check', 'list')
  await done('check', 'allow')
  await done('funding', 'list')
  await done('funding', 'set', '--exchange', 'alpha-futures', '--every', '8h')
  await done('inbox', 'list')
  await run('inbox', 'read', '1')
  await run('inbox', 'snooze', '1', '--until', '2027-01-01')
  await done('check', 'remove', 'funding')
  await done('schedule', 'install', '--print')
  await done('schedule', 'status')
  await run('report', 'workbench', '--out', join(folder, 'workbench.html'))
  await done('board', 'list')
  await done('board', 'new', '--from', 'slippage', '--set', `venue=${venue},symbol=${symbols[0]},days=3`)
  await run('report', 'board', 'nothing', '--out', join(folder, 'board.html'))
  await run('python', 'path')
  await done('python', 'wheel', '--out', folder)
  await done('schema', 'study', 'list')
  await done('where')
  await run('self-check')
  for (const shell of ['bash', 'zsh', 'fish']) await done('completion', shell)
  await run('ledger', 'merge', join(dataDir, 'ledger.jsonl'))
  await done('backup', join(folder, 'all.backup'))
  await run('ledger', 'reset', '--reason', 'a new start')
  await run('restore', join(folder, 'all.backup'), '--replace')
}

test('no command names a venue of the documents at a service whose venues have other names', async () => {
  const commands = await allCommands()
  const actions = commands.flatMap(({ verb, actions }) => actions.map(({ name }) => `${verb} ${name}`.trim()))
  const session = await cliSession({ venues: parseVenues(named) })
  const folder = temporaryFolder()
  const calls = callsOf(session, new Set(actions))
  await calls.done('--help')
  for (const { verb } of commands) await calls.done(verb, '--help')
  for (const action of actions) await calls.done(...action.split(' '), '--help')
  calls.ran.clear()
  await connect(calls, session)
  await fillCache(calls)
  await readAndCompute(calls, folder)
  await askPortfolios(calls, folder)
  await askSql(calls, folder)
  await runStudies(calls, folder)
  await watchAndKeep(calls, session, folder)
  expect(calls.failed).toEqual([])
  expect(actions.filter((action) => !calls.ran.has(action) && !onlyHelp.includes(action))).toEqual([])
  expect([...calls.found, ...venueTokensBelow(session.dataDir), ...venueTokensBelow(folder)]).toEqual([])
  expect(readdirSync(folder).filter((name) => name.endsWith('.html')).length).toBeGreaterThanOrEqual(3)
  expect(readFileSync(join(folder, 'study.html'), 'utf8')).toContain(venue)
}, 600_000)
