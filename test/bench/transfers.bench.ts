import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp, type App } from '../../electron/core/app.ts'
import { systemClock } from '../../electron/core/ports.ts'
import { addDays } from '../../shared/time.ts'
import { fakePorts } from '../fakes/fakePorts.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'

const FILES = 2000
const WARM_UP = 120
const AT_ONCE = 16
const FIRST_DAY = '2026-08-01'

const hasCurl = () => {
  try {
    execFileSync('curl', ['--version'])
    return true
  } catch {
    return false
  }
}

/** Starts the file service as a separate process, so that it does not share our processor time. */
async function startServer(latencyMs: number): Promise<{ url: string; process: ChildProcess }> {
  const days = FILES / datasets.length / SYMBOLS_AT_ONCE
  const settings = [FIRST_DAY, String(days), String(latencyMs)]
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fileServer.ts'), ...settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (output: Buffer) => resolve(String(output))),
  )
  return { url: `http://127.0.0.1:${port.trim()}`, process: child }
}

const foldersMade: string[] = []
/**
 * Creates a folder that is removed after all measurements, because a disk is slow to reuse the space of files that were
 * just removed.
 */
const newTransferFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  foldersMade.push(folder)
  return folder
}

const datasets = ['flow', 'trade_size', 'range', 'returns', 'vtwap', 'ohlcv', 'basis', 'funding', 'l1_price', 'impact']
const SYMBOLS_AT_ONCE = 4

/**
 * Starts the app with a running queue, after a few files have warmed up its threads, whose code is loaded from sources
 * here.
 */
async function openFetching(url: string) {
  const ports = { ...fakePorts(), log: { write: () => {} }, clock: systemClock }
  const app: App = createApp(ports, { version: '0', dataDir: newTransferFolder(), environmentKey: 'bench-key' })
  const client = app.clientFor({ kind: 'command line', pickFiles: null, save: async () => null })
  const fields = { name: 'Bench', metricsUrl: url, portfolioUrl: '', catalogLocation: '', tier: 3 }
  const { id: connectionId } = await client.call('connections.add', fields)
  let symbols = 0
  let onFinished: (failed: number) => void = () => {}
  client.on('downloads.finished', ({ failed }) => onFinished(failed))
  app.runDownloads({ concurrency: AT_ONCE })

  /** Downloads files of symbols that no earlier round has downloaded. */
  async function fetch(files: number): Promise<void> {
    const finished = new Promise<void>((resolve, reject) => {
      onFinished = (failed) => (failed > 0 ? reject(new Error(`${failed} of ${files} failed`)) : resolve())
    })
    const days = files / datasets.length / SYMBOLS_AT_ONCE
    await client.call('downloads.enqueue', {
      request: {
        connectionId,
        datasets,
        exchanges: ['venuea-futures'],
        intervals: ['15s'],
        symbols: Array.from({ length: SYMBOLS_AT_ONCE }, () => `perpetual-S${symbols++}-USDT:USDT`),
        startDay: FIRST_DAY,
        endDay: addDays(FIRST_DAY, days - 1),
      },
    })
    await finished
  }

  let fetched = WARM_UP
  await fetch(WARM_UP)
  return {
    async filesPerSecond() {
      const spentMs = await millisecondsOf(() => fetch(FILES))
      fetched += FILES
      const { counts } = await client.call('downloads.progress', {})
      if (counts.done !== fetched) throw new Error(`${counts.done} of ${fetched} files came`)
      return perSecond(spentMs)
    },
    close: () => app.close(),
  }
}

const perSecond = (spentMs: number) => FILES / (spentMs / 1000)

/** Peer that downloads the same files and returns files per second. */
interface Peer {
  filesPerSecond(): Promise<number>
  close?(): Promise<void>
}

/** Returns the curl peer, or null if the machine has no curl. */
function curl(url: string): Peer | null {
  if (!hasCurl()) return null
  return {
    async filesPerSecond() {
      const folder = newTransferFolder()
      const list = Array.from(
        { length: FILES },
        (_, i) => `url = "${url}/file/${i}"\noutput = "${folder}/${i}.parquet"\n`,
      )
      writeFileSync(join(folder, 'list'), list.join(''))
      const args = ['-s', '--parallel', '--parallel-max', String(AT_ONCE), '-K', join(folder, 'list')]
      return perSecond(await millisecondsOf(() => once(spawn('curl', args, { stdio: 'ignore' }), 'close')))
    },
  }
}

/** Starts the bare loop as a separate process, because the app and the service each have one too. */
function bareLoop(url: string): Peer {
  const program = join(import.meta.dirname, 'bareLoop.ts')
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(AT_ONCE) }
  const child = fork(program, [url, String(FILES), String(AT_ONCE)], { env })
  const ended = once(child, 'exit')
  const failed = ended.then(([code]) => Promise.reject(new Error(`the bare loop ended with ${code}`)))
  failed.catch(() => {})
  return {
    async filesPerSecond() {
      child.send(newTransferFolder())
      const [spentMs] = await Promise.race([once(child, 'message'), failed])
      return perSecond(Number(spentMs))
    },
    async close() {
      child.kill()
      await ended
    },
  }
}

async function transferTask(latencyMs: number, peerAt: (url: string) => Peer | null): Promise<BenchTask> {
  const server = await startServer(latencyMs)
  const peer = peerAt(server.url)
  const fetching = await openFetching(server.url)
  return {
    ours: fetching.filesPerSecond,
    ...(peer && { peer: peer.filesPerSecond }),
    close: async () => {
      await fetching.close()
      await peer?.close?.()
      server.process.kill()
      for (const folder of foldersMade.splice(0)) rmSync(folder, { recursive: true })
    },
  }
}

const line = { unit: 'files/s', rule: 'atLeast' } as const
const besideCurl = { ...line, peerName: 'curl --parallel, neither synced nor indexed' } as const
/** Settings of the lines that show which share of the machine's write speed the app reaches. */
const besideBare = { ...line, peerName: 'a bare loop of undici, fdatasync and a row' } as const
const ofFiles = 'downloads: 2,000 × 300 KB'

export const benchLines: BenchLine[] = [
  // Without latency only the bare loop is a fair measure, so this line has no budget.
  { ...besideCurl, name: ofFiles, budget: null, prepare: () => transferTask(0, curl) },
  { ...besideCurl, name: `${ofFiles}, 25 ms latency`, budget: 1, prepare: () => transferTask(25, curl) },
  { ...besideBare, name: `${ofFiles}, against a bare loop`, budget: 0.95, prepare: () => transferTask(0, bareLoop) },
  {
    ...besideBare,
    name: `${ofFiles}, 25 ms latency, against a bare loop`,
    budget: null,
    prepare: () => transferTask(25, bareLoop),
  },
]
