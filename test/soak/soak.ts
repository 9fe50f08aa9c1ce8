import { createApp, type App } from '#core/app.ts'
import { systemClock } from '#core/ports.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Connection } from '#shared/contract/areas/connections.ts'
import { fakePorts } from '../fakes/fakePorts.ts'
import { compareFolder } from './compareFolder.ts'
import { measureProcess, type ProcessSize } from './processSize.ts'

export interface SoakPlan {
  /** Address of a running sandbox and its storage. */
  url: string
  key: string
  dataDir: string
  files: number
  opens: number
  switches: number
  rounds: number
  /**
   * Number of rounds after which growth counts, because caches, pools and compiled code have reached their size by
   * then.
   */
  warmUpRounds: number
}

export interface SoakReport {
  files: number
  opens: number
  switches: number
  /** Number of rows in all opened series. */
  rows: number
  retries: number
  seconds: number
  /** Resources in use after each round, when idle. */
  sizes: ProcessSize[]
  /** Files that differ between folder and index or that only one of them has. */
  differences: string[]
}

const DATASETS = ['vtwap', 'returns', 'range', 'updownticks', 'ohlcv', 'trade_size', 'run_structure']
const START_DAY = '2026-08-01'
const DAYS = 92
const START_MS = Date.parse(START_DAY)
const DAY_MS = 86_400_000
const dayAt = (index: number) => new Date(START_MS + index * DAY_MS).toISOString().slice(0, 10)

interface Bench {
  client: Client
  connections: Connection[]
  symbols: string[]
}

/** Simulates hours of use: each round downloads files under faults while it opens series and switches connections. */
export async function soak(plan: SoakPlan, say: (line: string) => void): Promise<SoakReport> {
  const startedMs = performance.now()
  const app = openApp(plan)
  const client = app.clientFor({ kind: 'command line', pickFiles: null, save: async () => null })
  const connections = await addConnections(client, plan)
  const bench = { client, connections, symbols: await symbolsOf(client, connections[0].id) }
  app.runDownloads({ concurrency: 12 })

  const sizes: ProcessSize[] = []
  let rows = 0
  for (let round = 0; round < plan.rounds; round++) {
    const downloading = download(bench, fileRangeOf(plan.files, plan.rounds, round))
    const [, read] = await Promise.all([
      downloading,
      openSeries(bench, plan.opens / plan.rounds, round),
      switchConnections(bench, plan.switches / plan.rounds),
    ])
    rows += read
    sizes.push(await measureProcess())
    say(`round ${round + 1} of ${plan.rounds}: ${sizes.at(-1)?.message}`)
  }
  const retries = await countRetries(client)
  const differences = await compareFolder(client, plan.dataDir)
  await app.close()
  const { files, opens, switches } = plan
  return { files, opens, switches, rows, retries, seconds: (performance.now() - startedMs) / 1000, sizes, differences }
}

function openApp({ dataDir, key }: SoakPlan): App {
  const ports = { ...fakePorts(), log: { write: () => {} }, clock: systemClock }
  return createApp(ports, { version: '0', dataDir, environmentKey: key })
}

async function addConnections(client: Client, { url }: SoakPlan): Promise<Connection[]> {
  const fields = { metricsUrl: url, portfolioUrl: url, catalogLocation: '', tier: 3 }
  const added = []
  for (const name of ['One', 'Two', 'Three']) added.push(await client.call('connections.add', { ...fields, name }))
  return added
}

async function symbolsOf(client: Client, connectionId: string): Promise<string[]> {
  const found = await client.call('discovery.symbols', { connectionId, exchange: 'venuea-futures', refresh: true })
  return found.symbols
}

/** Returns the half-open range of file numbers of a round. */
function fileRangeOf(files: number, rounds: number, round: number): { from: number; to: number } {
  return { from: Math.floor((files * round) / rounds), to: Math.floor((files * (round + 1)) / rounds) }
}

/** Downloads the files of a range; each file number stands for a day of one dataset of one symbol. */
async function download(
  { client, connections, symbols }: Bench,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const batches = new Map<number, number>()
  for (let at = from; at < to;) {
    const series = Math.floor(at / DAYS)
    const first = at % DAYS
    const days = Math.min(DAYS - first, to - at)
    const { batchId, files } = await client.call('downloads.enqueue', {
      request: {
        connectionId: connections[0].id,
        datasets: [DATASETS[series % DATASETS.length]],
        exchanges: ['venuea-futures'],
        symbols: [symbols[Math.floor(series / DATASETS.length) % symbols.length]],
        intervals: ['1h'],
        startDay: dayAt(first),
        endDay: dayAt(first + days - 1),
      },
    })
    if (files !== days) throw new Error(`${files} files instead of ${days}`)
    batches.set(batchId, files)
    at += days
  }
  await waitForDownloads(client, to)
}

/** Waits until all files have arrived, and retries downloads that failed under the faults, as a user would. */
async function waitForDownloads(client: Client, wanted: number): Promise<void> {
  for (;;) {
    const { counts } = await client.call('downloads.progress', {})
    if (counts.done >= wanted) return
    if (counts.failed > 0) await client.call('downloads.retry', { which: { filter: { states: ['failed'] } } })
    await new Promise((resume) => setTimeout(resume, 100))
  }
}

/**
 * Opens series as the workbench does for a chart: a range of all columns, of both cached and missing series. Returns
 * the number of rows.
 */
async function openSeries({ client, connections, symbols }: Bench, opens: number, round: number): Promise<number> {
  let rows = 0
  for (let at = 0; at < opens; at++) {
    const startMs = START_MS + ((at * 7 + round) % 60) * DAY_MS
    const { rows: frame } = await client.call('series.read', {
      connectionId: connections[0].id,
      dataset: DATASETS[at % DATASETS.length],
      exchange: 'venuea-futures',
      symbol: symbols[at % Math.min(symbols.length, 3)],
      interval: '1h',
      timestamp: 'exchange',
      startMs,
      endMs: startMs + 30 * DAY_MS,
    })
    rows += frame.rows
  }
  return rows
}

async function switchConnections({ client, connections }: Bench, switches: number): Promise<void> {
  for (let at = 0; at < switches; at++) {
    const { id } = connections[at % connections.length]
    await client.call('connections.use', { id })
    // The sandbox injects faults, so an error is a valid answer.
    await client.call('discovery.catalog', { connectionId: id, refresh: at % 10 === 0 }).catch(ignoreRetryable)
    await client.call('connections.list', {})
    await client.call('requests.list', { limit: 100 })
  }
}

async function countRetries(client: Client): Promise<number> {
  let retries = 0
  for (let offset = 0; ; offset += 1000) {
    const { downloads } = await client.call('downloads.list', { offset, limit: 1000 })
    for (const { attempts } of downloads) retries += Math.max(0, attempts - 1)
    if (downloads.length < 1000) return retries
  }
}

function ignoreRetryable(thrown: unknown): null {
  if (thrown instanceof AppError && thrown.retryable) return null
  throw thrown
}
