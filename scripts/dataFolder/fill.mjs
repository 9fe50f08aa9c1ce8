/** Fills a data folder through the command line and the core of one version, as a user would in a few days of work. */
import { readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workspaces } from './workspaces.mjs'

const exchange = 'venuea-futures'
const symbol = 'perpetual-BTC-USDT:USDT'
export const series = { exchange, symbol, interval: '1h', timestamp: 'exchange' }
export const instrumentOptions = ['--exchange', exchange, '--symbol', symbol]
export const hourlyOptions = [...instrumentOptions, '--interval', '1h', '--timestamp', 'exchange']
const dayOptions = (start, end) => ['--start', start, '--end', end]
const requestedDayOptions = dayOptions('2026-08-25', '2026-09-10')

/** Requests to the portfolio service whose answers are stored in the folder. */
export const portfolioRequests = (known) => [
  ['weights', '--portfolio', 'momentum_ls.20', '--as-of', 'latest'],
  ['history', '--portfolio', 'momentum_ls.20', ...requestedDayOptions],
  ['factors', '--id', 'momentum', '--tickers', 'BTC,ETH', ...requestedDayOptions],
  ['factors-live', '--id', 'momentum', '--tickers', 'BTC,ETH'],
  ['tickers', '--id', 'momentum', '--universe-size', '20'],
  ['universe', '--size', '20', ...requestedDayOptions],
  ['returns', '--portfolio', 'momentum_ls.20', ...requestedDayOptions],
  ['overlay', '--portfolio', 'momentum_ls.20', '--overlay', known.overlays[0], ...requestedDayOptions],
  ['overlay-live', '--portfolio', 'momentum_ls.20', '--overlay', known.overlays[0]],
  ['regime', '--overlay', known.regimes[0], ...requestedDayOptions],
  ['regime-live', '--overlay', known.regimes[0]],
  ['prices', '--ticker', 'BTC,ETH', ...requestedDayOptions],
]

/** @param {import('./oldVersion.mjs').OldVersion} old */
export async function fillFolder(old) {
  const { run, sandbox, setFaults, setClock } = old
  const services = ['--metrics-url', sandbox.url, '--portfolio-url', sandbox.url, '--catalog', sandbox.catalog]
  await run('connection', 'add', 'desk', ...services, '--tier', '2')
  await run('connection', 'add', 'archive', '--metrics-url', sandbox.url)
  await run('connection', 'use', 'desk')
  await run('catalog')
  await run('symbols', '--exchange', exchange)
  await run('coverage')
  await run('set', 'save', 'morning', '--dataset', 'vtwap,ohlcv', ...hourlyOptions, '--last', '30')
  await run(
    'set',
    'save',
    'Funding since September',
    '--raw',
    '--dataset',
    'funding_rate',
    ...instrumentOptions,
    '--start',
    '2026-09-01',
  )
  await run('fetch', '--dataset', 'vtwap,ohlcv', ...hourlyOptions, ...dayOptions('2026-09-01', '2026-09-03'))
  await run(
    'fetch',
    '--dataset',
    'vtwap',
    ...hourlyOptions,
    ...dayOptions('2026-07-01', '2026-07-31'),
    '--connection',
    'archive',
  )
  await run(
    'fetch',
    '--raw',
    '--dataset',
    'funding_rate',
    ...instrumentOptions,
    ...dayOptions('2026-09-03', '2026-09-03'),
  )
  await setFaults({ republished: { revision: 2 } })
  await run('fetch', '--dataset', 'vtwap', ...hourlyOptions, ...dayOptions('2026-09-02', '2026-09-02'), '--refresh')
  await setFaults({ tierCap: 0 })
  await old.runAllowing(1, 'fetch', '--dataset', 'flow', ...hourlyOptions, ...dayOptions('2026-09-01', '2026-09-01'))
  await setFaults({ rules: [{ on: 'storage', status: 404 }] })
  await old.runAllowing(1, 'fetch', '--dataset', 'vtwap', ...hourlyOptions, ...dayOptions('2026-09-05', '2026-09-06'))
  await setFaults({})
  await run(
    'import',
    ...['trades', 'funding_rate', 'open_interest'].map((dataset) => join(old.rawEvents, `dataset=${dataset}`)),
  )
  for (const request of portfolioRequests(sandbox)) await run('portfolio', ...request)
  await setClock('2026-09-16T09:30:00Z')
  for (const request of portfolioRequests(sandbox)) await run('portfolio', ...request, '--refresh')
  damageFile(old.dataDir)
  await run('verify', '--repair')
  const { connectionId } = await old.withCore((client) => useWindow(client, old))
  await setFaults({ rules: [{ status: 503, retryAfter: 3000 }] })
  await old.withCore((client, core) => leaveWaiting(client, core, connectionId))
  await old.withCore((client) => leaveQueued(client, connectionId))
}

/** Truncates a file, so that it ends up in quarantine. */
function damageFile(dataDir) {
  const files = join(dataDir, 'files')
  const names = readdirSync(files, { recursive: true, encoding: 'utf8' })
  truncateSync(
    join(
      files,
      names.find((name) => name.includes('ohlcv') && name.endsWith('2026-09-03.parquet')),
    ),
    100,
  )
}

/** Makes what users make in the window: settings, workspaces, pins, computed files and the window's position. */
async function useWindow(client, { dataDir }) {
  const connections = await client.call('connections.list', {})
  const { id: connectionId } = connections.find(({ name }) => name === 'desk')
  await client.call('settings.change', {
    ...{ theme: 'dark', density: 'comfortable', zoom: 1.25, timeZone: 'local', downloadConcurrency: 3 },
    ...{ downloadHostConcurrency: 2, downloadRateCapMb: 50, notifyWhenDone: false, cacheLimitGb: 20 },
    ...{
      updateFeed: 'https://updates.example.com',
      sampleData: 'removed',
      stepsDone: ['coverage', 'download'],
      stepsHidden: true,
    },
  })
  for (const { name, document } of workspaces) await client.call('workspaces.create', { name, document })
  await client.call('cache.pin', {
    connectionId,
    datasets: ['vtwap'],
    startDay: dayNumber('2026-09-01'),
    endDay: dayNumber('2026-09-01'),
    pinned: true,
  })
  const computation = {
    connectionId,
    ...series,
    datasets: ['ohlcv', 'funding'],
    startDay: dayNumber('2026-09-01'),
    endDay: dayNumber('2026-09-02'),
  }
  await client.call('raw.compute', computation)
  const range = { startMs: Date.parse('2026-09-01'), endMs: Date.parse('2026-09-03') }
  await client.call('series.overview', {
    connectionId,
    ...series,
    dataset: 'vtwap',
    ...range,
    columns: ['vwap'],
    points: 100,
  })
  writeFileSync(
    join(dataDir, 'window.json'),
    JSON.stringify({ x: 40, y: 30, width: 1500, height: 950, maximized: false }),
  )
  return { connectionId }
}

const dayNumber = (day) => Date.parse(day) / 86_400_000

const manualDownload = (connectionId, dataset, startDay, endDay) => {
  const { exchange: venue, symbol: name, interval, timestamp } = series
  const names = { exchanges: [venue], symbols: [name], intervals: [interval], timestamps: [timestamp] }
  return { request: { connectionId, datasets: [dataset], ...names, startDay, endDay }, label: `${dataset} by hand` }
}

const idsOf = async (client, states) => {
  const { downloads } = await client.call('downloads.list', { filter: { states }, offset: 0, limit: 100 })
  return downloads.map(({ id }) => id)
}

/** Starts a download from a service that fails, and leaves it waiting for its next attempt. */
async function leaveWaiting(client, core, connectionId) {
  await client.call('downloads.enqueue', manualDownload(connectionId, 'l1_price', '2026-09-07', '2026-09-07'))
  core.runDownloads()
  const endMs = performance.now() + 30_000
  while ((await idsOf(client, ['waiting'])).length === 0) {
    if (performance.now() > endMs) throw new Error('No download is waiting.')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Adds downloads and lets no process run them, so that queued, paused and cancelled ones remain in the queue. */
async function leaveQueued(client, connectionId) {
  await client.call('downloads.enqueue', {
    ...manualDownload(connectionId, 'basis', '2026-09-07', '2026-09-10'),
    priority: 5,
  })
  const [paused, cancelled] = await idsOf(client, ['queued'])
  await client.call('downloads.pause', { which: { ids: [paused] } })
  await client.call('downloads.cancel', { which: { ids: [cancelled] } })
}
