import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { startTestSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'

const program = join(import.meta.dirname, '..', '..', '..', 'electron', 'cli', 'index.ts')

let sandbox: TestSandbox
let dataDir: string
beforeAll(async () => {
  sandbox = await startTestSandbox()
  dataDir = mkdtempSync(join(tmpdir(), 'perpscope-portfolio-'))
  await perpscope('connection', 'add', 'desk', '--portfolio-url', sandbox.url)
  await perpscope('connection', 'use', 'desk')
})
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true, force: true })
})

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

function perpscope(...args: string[]): Promise<Ended> {
  const env = {
    PATH: process.env.PATH,
    HOME: dataDir,
    PERPSCOPE_DATA_DIR: dataDir,
    PERPSCOPE_API_KEY: sandbox.keys['3'],
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = { status: null, stdout: '', stderr: '' } as Ended
  child.stdout.on('data', (chunk: Buffer) => (ended.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (ended.stderr += chunk.toString()))
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...ended, status })))
}

test('a history has the shape of the service with --json, and comes from here with --offline', async () => {
  const prices = ['portfolio', 'prices', '--ticker', 'BTC, HYPE', '--start', '2026-09-01', '--end', '2026-09-03']
  const served = (await sandbox.api('/price?ticker=BTC,HYPE&start_date=2026-09-01&end_date=2026-09-03')).json()
  const online = await perpscope(...prices, '--json')
  expect(online.status).toBe(0)
  const { learned, ...document } = JSON.parse(online.stdout) as { learned: object }
  expect(document).toEqual(served)
  expect(learned).toMatchObject({ asked: true, source: sandbox.url })
  const offline = await perpscope('--offline', ...prices)
  expect(offline).toMatchObject({ status: 0, stderr: expect.stringContaining('the data end on 2026-09-03') })
  expect(offline.stdout.split('\n')).toHaveLength(5)
  expect(offline.stdout).toMatch(/^DATE +BTC +HYPE\n2026-09-01 /)
  const elsewhere = await perpscope('--offline', 'portfolio', 'prices', '--ticker', 'ETH')
  expect(elsewhere).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('not in the cache') })
})

test('live answers and lists have the shape of the service with --json', async () => {
  const documents = async (...args: string[]) => {
    const { learned, ...document } = JSON.parse((await perpscope('portfolio', ...args, '--json')).stdout) as object & {
      learned: unknown
    }
    expect(learned).toBeDefined()
    return document
  }
  const served = async (path: string) => (await sandbox.api(path)).json()
  expect(await documents('weights', '--portfolio', 'momentum_ls.20', '--as-of', 'latest')).toEqual(
    await served('/portfolio/live-weights?portfolio=momentum_ls.20&as_of=latest'),
  )
  expect(await documents('regime-live', '--overlay', 'market_trend')).toEqual(
    await served('/risk-regime-live?overlay=market_trend'),
  )
  expect(await documents('tickers', '--id', 'momentum', '--universe-size', '20')).toEqual(
    await served('/portfolio/tickers?id=momentum&universe_size=20'),
  )
})

test('what cannot be meant is refused before anyone is asked; what the service refuses is told in its words', async () => {
  const before = sandbox.stats().apiRequests
  for (const args of [
    ['returns', '--portfolio', 'momentum_ls.20', '--smoothing', '7'],
    ['returns'],
    ['universe', '--size', '50'],
    ['tickers', '--id', 'momentum', '--universe-size', 'all'],
    ['returns', '--portfolio', 'p', '--start', '2026-02-30'],
    ['returns', '--portfolio', 'p', '--start', '2026-02-02', '--end', '2026-02-01'],
  ])
    expect(await perpscope('portfolio', ...args), args.join(' ')).toMatchObject({ status: 2, stdout: '' })
  expect(sandbox.stats().apiRequests).toBe(before)
  expect(await perpscope('portfolio', 'returns', '--portfolio', 'nobody.20')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Unknown portfolio: nobody.20'),
  })
})
