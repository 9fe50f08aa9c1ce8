import { copyFileSync, cpSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Faults } from '../../../electron/sandbox/faults/faults.ts'
import type { ScenarioWorld } from './scenarioWorld.ts'

const venue = 'venuea-futures'
const symbol = 'perpetual-BTC-USDT:USDT'
const instrument = ['--exchange', venue, '--symbol', symbol]
const hourly = [...instrument, '--interval', '1h', '--timestamp', 'exchange']
const dayOptions = (start: string, end: string) => ['--start', start, '--end', end]

export const rawEvents = join(import.meta.dirname, '..', '..', 'conformance', 'data', 'raw', 'v1')

/** Runs the commands on connections, keys, service information and download sets. */
async function connectionScenarios({ run, url, catalogUrl }: ScenarioWorld): Promise<void> {
  const services = ['--metrics-url', url, '--portfolio-url', url, '--catalog', catalogUrl]
  await run('connection add', ['connection', 'add', 'desk', ...services, '--tier', '3', '--json'])
  await run('connection add (name taken)', ['connection', 'add', 'desk', ...services])
  await run('connection add (no address)', ['connection', 'add', 'bare'])
  await run('connection add', [
    'connection',
    'add',
    'half',
    '--metrics-url',
    url,
    '--portfolio-url',
    'http://127.0.0.1:9',
    '--json',
  ])
  await run('connection use', ['connection', 'use', 'desk', '--json'])
  await run('connection list', ['connection', 'list', '--json'])
  await run('connection test', ['connection', 'test', '--json'])
  await run('connection test (some answer)', ['connection', 'test', 'half', '--json'])
  await run('connection test (key refused)', ['connection', 'test', '--json'], { key: 'no-such-key' })
  await run('connection test (offline)', ['connection', 'test', '--offline'])
  await run('connection remove', ['connection', 'remove', 'half', '--json'])
  await run('key status', ['key', 'status', 'desk', '--json'])
  await run('key status', ['key', 'status', 'desk', '--service', 'portfolio', '--json'], { key: '' })
  await run('catalog', ['catalog', '--json'])
  await run('catalog (offline)', ['catalog', '--offline', '--json'])
  await run('symbols', ['symbols', '--exchange', venue, '--json'])
  await run('symbols (unknown venue)', ['symbols', '--exchange', 'nowhere'])
  await run('coverage', ['coverage', '--dataset', 'trades', '--exchange', venue, '--json'])
  const saved = ['--dataset', 'vtwap', ...hourly, '--last', '30']
  await run('set save', ['set', 'save', 'morning', ...saved, '--json'])
  await run('set save', [
    'set',
    'save',
    'since',
    '--raw',
    '--dataset',
    'funding_rate',
    ...instrument,
    '--start',
    '2026-09-01',
    '--json',
  ])
  await run('set list', ['set', 'list', '--json'])
}

/** Runs downloads, failing downloads, and the commands on the queue. */
async function downloadScenarios({ run, setFaults }: ScenarioWorld): Promise<void> {
  const fetch = (dataset: string, start: string, end: string) => [
    'fetch',
    '--dataset',
    dataset,
    ...hourly,
    ...dayOptions(start, end),
    '--json',
  ]
  await run('fetch (dry run)', [...fetch('vtwap', '2026-09-01', '2026-09-03'), '--dry-run'])
  await run('fetch', fetch('vtwap,ohlcv', '2026-08-30', '2026-09-03'))
  await run('fetch (cached)', fetch('vtwap', '2026-09-01', '2026-09-03'))
  await run('fetch (missing, offline)', [...fetch('vtwap', '2026-09-03', '2026-09-04'), '--offline'])
  await run('fetch (partly locked)', fetch('vtwap,flow', '2026-09-05', '2026-09-05'), { key: 'sandbox-tier-0' })
  await run('fetch (refused)', fetch('vtwap', '2026-09-06', '2026-09-06'), { key: 'no-such-key' })
  await run('queue list (key refused)', ['queue', 'list', '--json'], { key: 'no-such-key' })
  setFaults({ republished: { revision: 2 } })
  await run('fetch (published again)', [...fetch('vtwap', '2026-09-02', '2026-09-02'), '--refresh'])
  setFaults({})
  await run('fetch (raw)', [
    'fetch',
    '--raw',
    '--dataset',
    'funding_rate',
    ...instrument,
    ...dayOptions('2026-09-01', '2026-09-02'),
    '--json',
  ])
  await run('fetch (unknown dataset)', fetch('vtwapp', '2026-09-01', '2026-09-01'))
  await run('fetch (no symbol)', ['fetch', '--dataset', 'vtwap'])
  const broken: Faults = { rules: [{ on: 'storage', status: 404 }] }
  setFaults(broken)
  await run('fetch (failed)', fetch('vtwap', '2026-09-07', '2026-09-08'))
  const { stdout } = await run('queue list', ['queue', 'list', '--all', '--json'])
  setFaults({})
  const { downloads } = JSON.parse(stdout) as { downloads: { id: number; state: string }[] }
  const [first, second] = downloads.filter(({ state }) => state === 'failed').map(({ id }) => String(id))
  await run('queue retry', ['queue', 'retry', first, '--json'])
  await run('queue retry', ['queue', 'retry', second, '--json'])
  await run('queue pause', ['queue', 'pause', '--json'])
  await run('queue resume', ['queue', 'resume', '--json'])
  await run('queue cancel', ['queue', 'cancel', second, '--json'])
  await run('queue cancel (no such file)', ['queue', 'cancel', '999999'])
  await run('queue cancel (no number)', ['queue', 'cancel', 'x'])
  setFaults({ rules: [{ on: 'storage', bytesPerSecond: 50 }] })
  const stop = new AbortController()
  setTimeout(() => stop.abort('SIGINT'), 1500)
  await run('fetch (interrupted)', fetch('ohlcv', '2026-09-09', '2026-09-12'), { signal: stop.signal })
  setFaults({})
}

/** Lists, reads, exports and verifies the cache. */
async function cacheScenarios({ run, folder }: ScenarioWorld): Promise<void> {
  const at = (...path: string[]) => join(folder, ...path)
  const wanted = ['--dataset', 'vtwap', ...hourly]
  const range = dayOptions('2026-09-01', '2026-09-02')
  await run('ls', ['ls', '--json'])
  await run('ls (unknown connection)', ['ls', '--connection', 'nobody'])
  await run('read', ['read', ...wanted, ...range, '--json'])
  const read = await run('read (csv)', ['read', ...wanted, ...range, '--format', 'csv'])
  writeFileSync(at('read.csv'), read.stdout)
  await run('read (nothing here)', ['read', ...wanted, ...dayOptions('2020-01-01', '2020-01-02')])
  await run('read (two formats)', ['read', ...wanted, ...range, '--format', 'csv', '--json'])
  await run('export (csv)', ['export', ...wanted, ...range, '--format', 'csv', '--out', at('one.csv'), '--json'])
  const two = ['--dataset', 'vtwap,ohlcv', ...hourly, '--columns', 'vwap,close']
  await run('export (csv of two series)', [
    'export',
    '--dataset',
    'vtwap,ohlcv',
    ...hourly,
    ...range,
    '--format',
    'csv',
    '--out',
    at('two.csv'),
    '--json',
  ])
  await run('export (absent columns)', [
    'export',
    ...two,
    '--columns',
    'nothing',
    ...range,
    '--format',
    'csv',
    '--out',
    at('none.csv'),
  ])
  await run('export (parquet)', [
    'export',
    ...wanted,
    ...range,
    '--format',
    'parquet',
    '--out',
    at('one.parquet'),
    '--json',
  ])
  await run('export (parquet of two series)', [
    'export',
    '--dataset',
    'vtwap,ohlcv',
    ...hourly,
    ...range,
    '--format',
    'parquet',
    '--out',
    at('two.parquet'),
    '--json',
  ])
  await run('export (hive)', ['export', '--dataset', 'vtwap,ohlcv', '--format', 'hive', '--out', at('hive'), '--json'])
  cpSync(rawEvents, at('raw'), { recursive: true })
  writeFileSync(at('raw', 'broken.parquet'), 'not parquet at all')
  await run('import', ['import', at('raw'), '--json'])
  await run('import (cached)', ['import', at('raw', 'dataset=trades'), '--json'])
  await run('import (nothing good)', ['import', at('raw', 'broken.parquet'), at('nowhere'), '--json'])
  await run('export (raw csv)', [
    'export',
    '--dataset',
    'trades',
    ...instrument,
    '--timestamp',
    'exchange',
    ...range,
    '--format',
    'csv',
    '--out',
    at('raw.csv'),
    '--json',
  ])
  await run('export (raw hive)', [
    'export',
    '--raw',
    '--dataset',
    'trades',
    '--format',
    'hive',
    '--out',
    at('rawhive'),
    '--json',
  ])
  const made = ['compute', '--dataset', 'ohlcv', ...hourly, ...range]
  await run('compute', [...made, '--out', at('computed.parquet'), '--json'])
  await run('compute (of a folder)', [...made, '--raw', rawEvents, '--out', at('computed2.parquet'), '--json'])
  await run('compute (bad interval)', [
    'compute',
    '--dataset',
    'ohlcv',
    ...instrument,
    '--interval',
    '7m',
    '--timestamp',
    'true',
    ...range,
    '--out',
    at('x.parquet'),
  ])
  await run('verify', ['verify', '--deep', '--json'])
  await run('compute (days missing)', [
    'compute',
    '--dataset',
    'ohlcv',
    ...hourly,
    ...dayOptions('2026-08-30', '2026-09-01'),
    '--out',
    at('computed3.parquet'),
    '--json',
  ])
}

/** Damages and removes files, and runs the commands that report and repair them. */
async function damageScenarios({ run, folder, dataDir }: ScenarioWorld): Promise<void> {
  const files = readdirSync(join(dataDir, 'files'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.parquet') && path.includes('vtwap'))
    .sort()
    .map((path) => join(dataDir, 'files', path))
  const fileOf = (day: string) => String(files.find((path) => path.endsWith(`${day}.parquet`)))
  copyFileSync(fileOf('2026-09-01'), fileOf('2026-09-01').replace('2026-09-01', '2026-09-20'))
  truncateSync(fileOf('2026-09-01'), 100)
  rmSync(fileOf('2026-09-03'))
  const series = ['--dataset', 'vtwap', ...hourly, ...dayOptions('2026-09-01', '2026-09-03')]
  await run('read (broken file)', ['read', ...series, '--json'])
  await run('export (broken file)', [
    'export',
    ...series,
    '--format',
    'csv',
    '--out',
    join(folder, 'rest.csv'),
    '--json',
  ])
  await run('verify (broken)', ['verify', '--json'])
  await run('verify (repaired)', ['verify', '--repair', '--json'])
}

const portfolioCommands: Record<string, string[]> = {
  weights: ['--portfolio', 'momentum_ls.20', '--as-of', 'latest'],
  history: ['--portfolio', 'momentum_ls.20'],
  factors: ['--id', 'momentum', '--tickers', 'BTC,ETH'],
  'factors-live': ['--id', 'momentum', '--tickers', 'BTC,ETH'],
  tickers: ['--id', 'momentum', '--universe-size', '20'],
  universe: ['--size', '20'],
  returns: ['--portfolio', 'momentum_ls.20'],
  prices: ['--ticker', 'BTC,ETH'],
}

/** Runs every endpoint of the portfolio service, and the tear sheet. */
async function portfolioScenarios({ run, setFaults }: ScenarioWorld, known: SandboxIds): Promise<void> {
  const overlays: Record<string, string[]> = {
    overlay: ['--portfolio', 'momentum_ls.20', '--overlay', known.overlays[0]],
    'overlay-live': ['--portfolio', 'momentum_ls.20', '--overlay', known.overlays[0]],
    regime: ['--overlay', known.regimes[0]],
    'regime-live': ['--overlay', known.regimes[0]],
  }
  const daily = new Set(['history', 'factors', 'universe', 'returns', 'overlay', 'regime', 'prices'])
  for (const [name, args] of Object.entries({ ...portfolioCommands, ...overlays })) {
    // The answer says where the data end only if the request has no end day.
    const range = daily.has(name) ? ['--start', '2026-08-01'] : []
    await run(`portfolio ${name}`, ['portfolio', name, ...args, ...range, '--json'])
  }
  await run('portfolio prices (one ticker)', [
    'portfolio',
    'prices',
    '--ticker',
    'BTC',
    ...dayOptions('2026-08-01', '2026-08-10'),
    '--json',
  ])
  await run('portfolio returns (offline)', [
    'portfolio',
    'returns',
    '--portfolio',
    'momentum_ls.20',
    ...dayOptions('2026-08-01', '2026-08-10'),
    '--offline',
    '--json',
  ])
  setFaults({ rules: [{ on: 'api', status: 503 }] })
  await run('portfolio weights (service in trouble)', ['portfolio', 'weights', ...portfolioCommands.weights, '--json'])
  setFaults({})
  await run('portfolio returns (not here, offline)', [
    'portfolio',
    'returns',
    '--portfolio',
    'nobody.20',
    '--offline',
    '--json',
  ])
  const sheet = [
    'portfolio',
    'tearsheet',
    '--portfolio',
    'momentum_ls.20',
    '--benchmark',
    'BTC',
    ...dayOptions('2025-01-01', '2026-08-10'),
  ]
  await run('portfolio tearsheet', [...sheet, '--json'])
  await run('portfolio tearsheet (short)', [
    'portfolio',
    'tearsheet',
    '--portfolio',
    'momentum_ls.20',
    ...dayOptions('2026-08-01', '2026-08-02'),
    '--json',
  ])
  // Rolling figures look back beyond the range, so only the beginning of the history leaves them empty.
  await run('portfolio tearsheet (beginning)', [
    'portfolio',
    'tearsheet',
    '--portfolio',
    'momentum_ls.20',
    ...dayOptions('2020-02-01', '2020-12-31'),
    '--json',
  ])
}

interface SandboxIds {
  overlays: string[]
  regimes: string[]
}

/** Runs the programs that do not end by themselves, general commands and options, and invalid commands. */
async function programScenarios({ run, runUntilReady }: ScenarioWorld): Promise<SandboxIds> {
  const { stdout } = await runUntilReady('sandbox', ['sandbox', '--json'])
  await runUntilReady('serve', ['serve', '--json'])
  await run('where', ['where', '--json'])
  await run('version', ['--version', '--json'])
  for (const shell of ['bash', 'zsh', 'fish']) await run('completion', ['completion', shell, '--json'])
  await run('help', ['--help'])
  await run('(no command)', [])
  await run('(unknown command)', ['nothing'])
  await run('(unknown option)', ['ls', '--nothing'])
  return JSON.parse(stdout) as SandboxIds
}

/** Runs every command at least once, with its possible outcomes. */
export async function runScenarios(world: ScenarioWorld): Promise<void> {
  await connectionScenarios(world)
  const known = await programScenarios(world)
  await portfolioScenarios(world, known)
  await downloadScenarios(world)
  await cacheScenarios(world)
  await damageScenarios(world)
}

/** Runs the commands that remove data, after the data have been checked. */
export async function endScenarios({ run }: ScenarioWorld): Promise<void> {
  await run('prune (dry run)', ['prune', '--max-size', '1KB', '--dry-run', '--json'])
  await run('prune', ['prune', '--max-size', '100KB', '--json'])
  await run('prune (bad size)', ['prune', '--max-size', 'much'])
  await run('set remove', ['set', 'remove', 'morning', '--json'])
  await run('key remove', ['key', 'remove', 'desk', '--json'])
  await run('connection remove', ['connection', 'remove', 'desk', '--json'])
}
