import { onTestFinished } from 'vitest'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import type { Download, DownloadProgress } from '#shared/contract/areas/downloads.ts'
import { createApp, type App } from '#core/app.ts'
import type { AppConfig } from '#core/storage.ts'
import type { Clock, StartProcess } from '#core/ports.ts'
import { fakeHost, fakePorts, type FakePorts } from './fakePorts.ts'
import { dataFolder } from './dataFolder.ts'
import { startCachedSandbox, testNowMs, type TestSandbox } from './testSandbox.ts'
import type { SandboxOptions } from '../../electron/sandbox/server.ts'

/** Creates a clock that runs on from the sandbox's fixed time, so that back-off and links expire as in production. */
export function runningClock(startMs = testNowMs): Clock & { advance(ms: number): void } {
  let offsetMs = startMs - Date.now()
  return {
    nowMs: () => Date.now() + offsetMs,
    advance(ms) {
      offsetMs += ms
    },
  }
}

export interface DownloadWorld {
  app: App
  client: Client
  ports: FakePorts
  clock: ReturnType<typeof runningClock>
  sandbox: TestSandbox
  dataDir: string
  connectionId: string
  /** Enqueues a request and waits until all of its downloads have ended. */
  fetch(request?: Partial<Request>): Promise<Download[]>
  enqueue(request?: Partial<Request>): Promise<number>
  /** Waits until the condition holds for the progress. */
  until(condition: (progress: DownloadProgress) => boolean): Promise<DownloadProgress>
  list(): Promise<Download[]>
}

type Request = CallInput<'downloads.enqueue'>['request']

export const BTC = 'perpetual-BTC-USDT:USDT'

/** Request for small files, with one row per hour. */
export const hourly = {
  datasets: ['vtwap'],
  exchanges: ['venuea-futures'],
  symbols: [BTC],
  intervals: ['1h'],
  timestamps: ['exchange'],
  startDay: '2026-09-01',
  endDay: '2026-09-04',
}

export interface DownloadWorldOptions extends Partial<AppConfig> {
  sandbox?: SandboxOptions
  key?: string
  standsBy?: boolean
  startProcess?: StartProcess
}

/** Creates an app that is connected to its own sandbox and runs its queue. */
export async function downloadWorld({
  sandbox: sandboxOptions,
  key,
  standsBy,
  startProcess,
  ...config
}: DownloadWorldOptions = {}): Promise<DownloadWorld> {
  const sandbox = await startCachedSandbox(sandboxOptions)
  const clock = runningClock()
  const ports = { ...fakePorts(), clock: { ...fakePorts().clock, ...clock }, ...(startProcess && { startProcess }) }
  const dataDir = config.dataDir ?? dataFolder()
  const app = createApp(ports, { version: '0', watchEveryMs: 50, ...config, dataDir })
  onTestFinished(async () => {
    await app.close()
    await sandbox.close()
  })
  const client = app.clientFor(fakeHost())
  const { id: connectionId } = await client.call('connections.add', {
    name: 'Desk',
    metricsUrl: sandbox.url,
    portfolioUrl: '',
    catalogLocation: '',
    tier: null,
  })
  await client.call('connections.use', { id: connectionId })
  await client.call('keys.set', { connectionId, service: 'metrics', key: key ?? sandbox.keys['3'] })
  if (!standsBy) app.runDownloads()
  const enqueue = async (request: Partial<Request> = {}) =>
    (await client.call('downloads.enqueue', { request: { ...hourly, ...request } })).batchId
  const until = (condition: (progress: DownloadProgress) => boolean) =>
    new Promise<DownloadProgress>((resolve, reject) => {
      const poll = () =>
        client.call('downloads.progress', {}).then((progress) => {
          if (!condition(progress)) return
          clearInterval(timer)
          resolve(progress)
        }, reject)
      const timer = setInterval(() => void poll(), 25)
      onTestFinished(() => clearInterval(timer))
    })
  return {
    app,
    client,
    ports,
    clock,
    sandbox,
    dataDir,
    connectionId,
    enqueue,
    until,
    async fetch(request) {
      const batchId = await enqueue(request)
      for (;;) {
        const { downloads, files } = await client.call('downloads.results', { batchId, after: null, limit: 5000 })
        if (downloads.length === files) return downloads
        await new Promise((resume) => setTimeout(resume, 20))
      }
    },
    list: async () => (await client.call('downloads.list', { offset: 0, limit: 1000 })).downloads,
  }
}
