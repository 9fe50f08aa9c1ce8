import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '#core/app.ts'
import { run } from '../../../electron/cli/run.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'

const password = 'canary-password-91c2'
const server = { url: 'https://clickhouse.example:8443', user: 'quant', cluster: '', plainHttp: false }

function openApp() {
  const ports = fakePorts()
  const app = createApp(ports, { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  return { client: app.clientFor(fakeHost()), secrets: ports.vault.secrets }
}

describe('the ClickHouse server of a connection', () => {
  it('keeps its password in the keychain, tells no character of it, and loses it with another origin', async () => {
    const { client, secrets } = openApp()
    await client.call('connections.setEngine', { id: 'sandbox', server })
    const status = await client.call('keys.set', { connectionId: 'sandbox', service: 'engine', key: password })
    expect(status).toEqual({ set: true, ending: null, kept: 'keychain' })
    expect([...secrets]).toEqual([['sandbox/engine', password]])
    const found = await client.call('connections.engine', { id: 'sandbox' })
    expect(found).toEqual({ ...server, password: status })

    const sameOrigin = { ...server, user: 'other', cluster: 'main' }
    expect(await client.call('connections.setEngine', { id: 'sandbox', server: sameOrigin })).toMatchObject({
      cluster: 'main',
      password: { set: true },
    })
    const moved = { ...server, url: 'https://elsewhere.example' }
    expect(await client.call('connections.setEngine', { id: 'sandbox', server: moved })).toMatchObject({
      password: { set: false },
    })
    expect(secrets.size).toBe(0)
  })

  it('goes with its connection, password included', async () => {
    const { client, secrets } = openApp()
    const fields = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation: '/catalog.json', tier: null }
    const { id } = await client.call('connections.add', fields)
    await client.call('connections.setEngine', { id, server })
    await client.call('keys.set', { connectionId: id, service: 'engine', key: password })
    await client.call('connections.remove', { id })
    expect(secrets.size).toBe(0)
    await expect(client.call('connections.engine', { id })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('can be taken away alone, password included', async () => {
    const { client, secrets } = openApp()
    await client.call('connections.setEngine', { id: 'sandbox', server })
    await client.call('keys.set', { connectionId: 'sandbox', service: 'engine', key: password })
    await client.call('connections.removeEngine', { id: 'sandbox' })
    expect(await client.call('connections.engine', { id: 'sandbox' })).toBeNull()
    expect(secrets.size).toBe(0)
  })

  it('accepts plain http to another machine only after a confirmation', async () => {
    const { client } = openApp()
    const plain = { ...server, url: 'http://10.0.0.7:8123' }
    await expect(client.call('connections.setEngine', { id: 'sandbox', server: plain })).rejects.toThrow(/plain http/)
    const confirmed = { ...plain, plainHttp: true }
    expect(await client.call('connections.setEngine', { id: 'sandbox', server: confirmed })).toMatchObject(confirmed)
  })
})

describe('perpscope connection add-engine', () => {
  async function perpscope(dataDir: string, args: string[], env: Record<string, string> = {}) {
    let stdout = ''
    let stderr = ''
    const status = await run([...args, '--data-dir', dataDir], {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      env,
      signal: new AbortController().signal,
    })
    return { status, stdout, stderr }
  }

  it('adds a server, takes its password from the environment, and writes it nowhere', async () => {
    const dataDir = dataFolder()
    const add = ['connection', 'add-engine', 'Sandbox', '--clickhouse', server.url, '--user', 'quant']
    const env = { PERPSCOPE_ENGINE_PASSWORD: password }
    expect(await perpscope(dataDir, add)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('perpscope key set Sandbox --service engine') as string,
    })
    const json = JSON.parse((await perpscope(dataDir, [...add, '--json'], env)).stdout)
    expect(json).toEqual({
      connection: 'Sandbox',
      ...server,
      password: { set: true, ending: null, kept: 'environment' },
    })
    const status = await perpscope(dataDir, ['key', 'status', 'Sandbox', '--service', 'engine'], env)
    expect(status.stdout).toBe('Key of Sandbox (engine): set (from PERPSCOPE_ENGINE_PASSWORD).\n')
    for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(dataDir, name)
      if (statSync(path).isFile()) expect(readFileSync(path).includes(password), name).toBe(false)
    }
  })

  it('is listed with its connection, and its cluster reads the files of a printed script', async () => {
    const dataDir = dataFolder()
    const add = ['connection', 'add-engine', 'Sandbox', '--clickhouse', server.url]
    expect((await perpscope(dataDir, ['connection', 'list'])).stdout).not.toContain('ENGINE')
    expect(await perpscope(dataDir, [...add, '--cluster', 'main'])).toMatchObject({ status: 0 })
    const list = await perpscope(dataDir, ['connection', 'list'])
    expect(list.stdout.split('\n')[0]).toContain('ENGINE')
    expect(list.stdout).toContain(server.url)
    const [sandbox] = JSON.parse((await perpscope(dataDir, ['connection', 'list', '--json'])).stdout) as unknown[]
    expect(sandbox).toMatchObject({ engine: { url: server.url, user: 'default', cluster: 'main', plainHttp: false } })

    const selection = ['--dataset', 'vtwap', '--exchange', 'venuea-futures', '--symbol', 'perpetual-BTC-USDT:USDT']
    const range = ['--interval', '1h', '--timestamp', 'exchange', '--start', '2026-09-01', '--end', '2026-09-02']
    const print = async (engine: string) =>
      (
        await perpscope(dataDir, [
          ...['compute', ...selection, ...range, '--raw', 's3://bucket/raw', '--engine', engine, '--print-sql'],
        ])
      ).stdout
    expect(await print('clickhouse')).toContain("s3Cluster('main', 's3://bucket/raw/dataset=trades/")
    expect(await print('spark')).not.toContain('main')
  })

  it('takes the server away again with its password, and says where there is none', async () => {
    const dataDir = dataFolder()
    await perpscope(dataDir, ['connection', 'add-engine', 'Sandbox', '--clickhouse', server.url])
    const remove = ['connection', 'remove-engine', 'Sandbox']
    expect((await perpscope(dataDir, [...remove, '--json'])).stdout).toBe(
      `${JSON.stringify({ connection: 'Sandbox', removed: server.url })}\n`,
    )
    expect(await perpscope(dataDir, remove)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The connection “Sandbox” has no ClickHouse server.') as string,
    })
  })

  it.each([
    [['--clickhouse', 'http://10.0.0.7:8123'], '--plain-http'],
    [['--clickhouse', 'ftp://engine.example'], '--clickhouse: must be an https or http address'],
    [['--clickhouse', 'https://quant:word@engine.example'], 'without query or user name'],
    [['--clickhouse', server.url, '--cluster', "a'b"], '--cluster: must be a name'],
    [[], '--clickhouse URL is missing'],
  ])('refuses %j with a sentence', async (options, sentence) => {
    const { status, stderr } = await perpscope(dataFolder(), ['connection', 'add-engine', 'Sandbox', ...options])
    expect(status).toBe(2)
    expect(stderr).toContain(sentence)
  })
})
