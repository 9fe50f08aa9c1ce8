import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { request as forward } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identifiers } from '../../electron/sandbox/portfolio/identifiers.ts'
import { compileCacheEnv } from '../fakes/compileCacheEnv.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { BTC } from '../fakes/downloadWorld.ts'
import { startCachedSandbox } from '../fakes/testSandbox.ts'
import { openWebWindow } from '../fakes/webWindow.ts'
import { program } from '../fakes/commandLine.ts'

const CANARY = 'CANARY-9f31c2-key-of-a-whole-session'
const SIGNATURE = 'X-Link-Signature='

/**
 * Starts the most indiscreet service possible in front of a sandbox: it repeats the key in a header of every answer and
 * in the text of every error.
 */
async function indiscreetService() {
  const sandbox = await startCachedSandbox()
  onTestFinished(() => sandbox.close())
  const service = await fakeService((request, response) => {
    const key = request.headers['x-api-key']
    if (key === undefined) return sendJson(response, 'no key', 401)
    if (key !== CANARY) return sendJson(response, `this key is not known: ${key}`, 403)
    if (request.url?.includes('/risk-regime')) return sendJson(response, `not for ${key}`, 422)
    const onward = forward(sandbox.url + request.url, { headers: { 'x-api-key': sandbox.keys['3'] } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, { ...answer.headers, 'x-your-key': key })
      answer.pipe(response)
    })
    onward.end()
  })
  return { sandbox, service }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

test('after a whole session of real programs the key is in no file, no output, no message to a window', async () => {
  const { sandbox, service } = await indiscreetService()
  const home = temporaryFolder()
  const dataDir = join(home, 'data')
  const exports = join(home, 'exports')
  mkdirSync(exports)
  const output: string[] = []

  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: exports,
      env: {
        ...compileCacheEnv,
        PATH: process.env.PATH,
        HOME: home,
        PERPSCOPE_DATA_DIR: dataDir,
        PERPSCOPE_API_KEY: CANARY,
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
      },
    })
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()))
    return child
  }
  const run = async (expected: number[], ...args: string[]) => {
    const [status] = (await once(start(...args), 'close')) as [number]
    expect(expected, `${args.join(' ')}: ${output.slice(-3).join('')}`).toContain(status)
  }
  const urls = ['--metrics-url', service.url, '--portfolio-url', service.url, '--catalog', sandbox.catalogUrl]
  const series = ['--exchange', 'venuea-futures', '--symbol', BTC, '--interval', '1h', '--timestamp', 'exchange']
  const days = ['--start', '2026-09-01', '--end', '2026-09-03']

  await run([0], 'connection', 'add', 'Desk', ...urls)
  await run([0], 'connection', 'use', 'Desk')
  await run([0], 'fetch', '--dataset', 'vtwap', ...series, ...days, '--json')
  sandbox.setFaults({ rules: [{ on: 'storage', expired: true }] })
  await run([1, 3], 'fetch', '--dataset', 'returns', ...series, ...days, '--json')
  await run([0], 'portfolio', 'universe', '--size', '20', '--json')
  await run([1], 'portfolio', 'regime', '--overlay', identifiers.overlays[0], '--json')
  await run([0], 'read', '--dataset', 'vtwap', '--columns', 'vwap', ...series, ...days, '--format', 'csv')

  const served = start('serve', '--json')
  const [line] = (await once(served.stdout, 'data')) as [Buffer]
  const { port, token } = JSON.parse(line.toString()) as { port: number; token: string }
  const { client, socket } = await openWebWindow({ port, token })
  socket.on('message', (data: Buffer) => output.push(data.toString('latin1')))
  await client.call('app.diagnostics', {})
  await client.call('requests.list', { limit: 1000 })
  await client.call('connections.list', {})
  const desk = (await client.call('connections.list', {})).find(({ name }) => name === 'Desk')
  const connectionId = desk?.id ?? ''
  await client.call('connections.test', { id: connectionId })
  await client.call('discovery.catalog', { connectionId, refresh: true })
  await client.call('discovery.symbols', { connectionId, exchange: 'venuea-futures', refresh: true })
  await client.call('cache.verify', { connectionId })
  await client.call('downloads.list', { offset: 0, limit: 100 })
  await client.call('app.check', {})
  socket.close()
  served.kill('SIGTERM')
  await once(served, 'close')

  // The key must have been used; otherwise the search below would prove nothing.
  expect(service.requests.filter(({ headers }) => headers['x-api-key'] === CANARY).length).toBeGreaterThan(5)
  expect(sandbox.stats().storageRequestsWithKey).toBe(0)
  writeFileSync(join(exports, 'everything-said.txt'), output.join(''))
  for (const secret of [CANARY, SIGNATURE]) {
    expect(
      filesBelow(home).filter((path) => readFileSync(path).includes(secret)),
      secret,
    ).toEqual([])
  }
  expect(output.join('')).toContain('"state":"failed"')

  // Everything below the data folder belongs to this account alone, whatever the umask allows.
  if (process.platform !== 'win32') {
    const everything = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    expect(everything.filter((name) => lstatSync(join(dataDir, name)).mode & 0o077)).toEqual([])
  }
}, 180_000)
