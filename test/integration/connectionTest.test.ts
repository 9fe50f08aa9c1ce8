import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ConnectionFields, ServiceTestResult } from '#shared/contract/areas/connections.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { createApp } from '#core/app.ts'
import type { AppConfig } from '#core/storage.ts'
import { enginePassword, engineUser, fakeClickHouse } from '../fakes/fakeClickHouse.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { fakeS3, s3Key } from '../fakes/fakeS3.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const KEY = 'CANARY-key-0123456789'
const catalog = {
  schema_version: 1,
  datasets: [{ id: 'trades' }, { id: 'quotes' }],
  coverage: { generated_at: '2026-09-01T00:00:00.000Z' },
}

interface TestedFields extends Partial<ConnectionFields> {
  cluster?: string
  password?: string
  /** Number of servers that the engine lists for the cluster. */
  servers?: string
}

function openApp(config: Partial<AppConfig> = {}) {
  const ports = fakePorts()
  const app = createApp(ports, { version: '1.0.0', dataDir: dataFolder(), ...config })
  onTestFinished(() => app.close())
  const host = fakeHost()
  return { app, ports, host, client: app.clientFor(host) }
}

/** Answers every request as the documentation of the services says. */
function goodService(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
  if (pathname === '/catalog.json') return sendJson(response, catalog)
  if (request.headers['x-api-key'] !== KEY) return sendJson(response, { detail: 'who are you?' }, 401)
  if (pathname === '/base/api/v1/metadata/catalog')
    return sendJson(response, { metrics: [{ id: 'flow' }, { id: 'new' }] })
  if (pathname === '/base/api/v1/metadata/symbols')
    return sendJson(response, { exchange: searchParams.get('exchange'), symbols: ['perpetual-A-B:B'] })
  if (pathname === '/base/api/v1/portfolio/universe' && searchParams.get('size') === '20')
    return sendJson(response, '{"data":[[1,NaN]],"index":["2026-08-31"],"columns":["BTC","0G"]}')
  sendJson(response, { error: `no ${pathname}` }, 404)
}

async function testConnection(
  fields: Partial<ConnectionFields>,
  key: string | null = KEY,
  config: Partial<AppConfig> = {},
) {
  const opened = openApp(config)
  const { client } = opened
  const { id } = await client.call('connections.add', {
    name: 'Desk',
    metricsUrl: '',
    portfolioUrl: '',
    catalogLocation: '',
    tier: null,
    ...fields,
  })
  if (key) await client.call('keys.set', { connectionId: id, service: 'metrics', key })
  const results = await client.call('connections.test', { id })
  return {
    ...opened,
    id,
    results,
    of: (service: ServiceTestResult['service']) => results.find((each) => each.service === service),
  }
}

test('a connection that works says what is there', async () => {
  const service = await fakeService(goodService)
  const base = `${service.url}/base/`
  const { results, client } = await testConnection({
    metricsUrl: base,
    portfolioUrl: base,
    catalogLocation: `${service.url}/catalog.json`,
  })
  expect(results).toEqual([
    { service: 'metrics', outcome: 'ok', message: '2 datasets; 1 symbol on venuea-futures.' },
    { service: 'portfolio', outcome: 'ok', message: 'The universe of 20 has 2 tickers, up to 2026-08-31.' },
    { service: 'catalog', outcome: 'ok', message: '2 datasets, coverage as of 2026-09-01 00:00 UTC.' },
  ])
  expect(service.requests.find(({ url }) => url === '/catalog.json')?.headers['x-api-key']).toBeUndefined()
  const log = await client.call('requests.list', { limit: 10 })
  expect(log.rows).toBe(4)
  const address = columnOf(log, 'address')
  expect(Array.from({ length: 4 }, (_, row) => address && cellOf(address, row))).toContain(
    `${base}api/v1/portfolio/universe?size=20&start_date=2026-08-25&end_date=2026-09-01`,
  )
})

describe('what does not work is reported, in our words and the service’s', () => {
  test('a wrong key, and none at all', async () => {
    const service = await fakeService(goodService)
    const metricsUrl = `${service.url}/base`
    const wrong = await testConnection({ metricsUrl }, 'some-other-key-123')
    expect(wrong.of('metrics')).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('“who are you?”'),
    })
    const none = await testConnection({ metricsUrl }, null)
    expect(none.of('metrics')).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('no API key is set'),
    })
  })

  test('a key from the environment that no key can be, and one with a line end', async () => {
    const service = await fakeService(goodService)
    const metricsUrl = `${service.url}/base`
    const invalid = await testConnection({ metricsUrl }, null, { environmentKey: `${KEY}\nsecond line` })
    expect(invalid.of('metrics')).toMatchObject({
      outcome: 'trouble',
      message: expect.stringContaining('The key of this connection is not valid. The API key has a line break'),
    })
    expect(service.requests.filter(({ url }) => url !== '/base/api/v1/metadata/raw')).toEqual([])
    const padded = await testConnection({ metricsUrl }, null, { environmentKey: `${KEY}\r\n` })
    expect(padded.of('metrics')).toMatchObject({ outcome: 'ok' })
  })

  test('nobody there', async () => {
    const service = await fakeService(() => {})
    await new Promise((closed) => service.server.close(closed))
    const { of } = await testConnection({ metricsUrl: service.url, catalogLocation: 'http://127.0.0.1:1/catalog.json' })
    expect(of('metrics')).toMatchObject({ outcome: 'unreachable', message: expect.stringContaining('refused') })
    expect(of('catalog')).toMatchObject({ outcome: 'unreachable', message: expect.stringContaining('refused') })
    expect(of('portfolio')).toEqual({ service: 'portfolio', outcome: 'not-set', message: 'No address is set.' })
  })

  test.each([
    ['something else entirely', '<html><title>Welcome</title></html>', 200],
    ['another shape', '{"metrics":[{"name":"no id"}]}', 200],
    ['trouble', '{"message":"down for repairs"}', 503],
  ])('%s', async (_name, body, status) => {
    const service = await fakeService((_request, response) => sendJson(response, body, status))
    const { of } = await testConnection({ metricsUrl: service.url })
    expect(of('metrics')?.outcome).toBe('trouble')
  })

  test('a service that repeats the key does not get it onto the screen', async () => {
    const service = await fakeService((request, response) =>
      sendJson(response, { error: `bad key: ${String(request.headers['x-api-key'])}` }, 403),
    )
    const { results, ports } = await testConnection({ metricsUrl: service.url })
    expect(JSON.stringify(results)).not.toContain('CANARY')
    expect(results[0].message).toContain('[hidden]')
    expect(ports.log.lines.join()).not.toContain('CANARY')
  })
})

describe('a catalog', () => {
  test('may be a file', async () => {
    const path = join(temporaryFolder(), 'catalog.json')
    writeFileSync(path, JSON.stringify(catalog))
    for (const catalogLocation of [path, `file://${path}`]) {
      expect((await testConnection({ catalogLocation })).of('catalog')).toMatchObject({ outcome: 'ok' })
    }
  })

  test.each([
    ['{"schema_version":1}', /datasets/],
    ['', /it is empty/],
  ])('with the content %s is trouble', async (content, message) => {
    const path = join(temporaryFolder(), 'catalog.json')
    writeFileSync(path, content)
    expect((await testConnection({ catalogLocation: path })).of('catalog')).toMatchObject({
      outcome: 'trouble',
      message: expect.stringMatching(message),
    })
  })

  test('of another version is used as far as it goes, and said to be one', async () => {
    const path = join(temporaryFolder(), 'catalog.json')
    writeFileSync(path, JSON.stringify({ ...catalog, schema_version: 2 }))
    expect((await testConnection({ catalogLocation: path })).of('catalog')).toMatchObject({
      outcome: 'ok',
      message: expect.stringMatching(/^2 datasets.*Its schema_version is not 1: only known fields are used\./),
    })
  })

  test('that is not there, or a folder', async () => {
    for (const catalogLocation of ['/nonexistent/catalog.json', temporaryFolder()]) {
      expect((await testConnection({ catalogLocation })).of('catalog')?.outcome).toBe('trouble')
    }
  })
})

describe('the ClickHouse server and the shared store of a connection', () => {
  async function testWithEngine({ cluster = '', password = enginePassword, servers = '2', ...fields }: TestedFields) {
    const engine = await fakeClickHouse([], { time: new Float64Array(), columns: new Map() })
    engine.instead = ({ sql }, response) => {
      if (!sql.includes('system.clusters')) return false
      response.end(`26.9.2.1\t${servers}\n`)
      return true
    }
    const { client, id } = await testConnection(fields)
    const server = { url: engine.url, user: engineUser, cluster, plainHttp: false }
    await client.call('connections.setEngine', { id, server })
    await client.call('keys.set', { connectionId: id, service: 'engine', key: password })
    const results = await client.call('connections.test', { id })
    return { client, results: results.slice(3), of: (name: string) => results.find(({ service }) => service === name) }
  }

  test('have a line each, which says what is there', async () => {
    const store = temporaryFolder()
    for (const dataset of ['flow', 'vtwap']) mkdirSync(join(store, `dataset=${dataset}`))
    expect((await testWithEngine({ store, cluster: 'desk' })).results).toEqual([
      { service: 'engine', outcome: 'ok', message: 'ClickHouse 26.9.2.1; 2 servers in the cluster desk.' },
      { service: 'store', outcome: 'ok', message: 'It can be read and has 2 datasets.' },
    ])
  })

  test('say what is wrong: password, cluster, an empty folder and one of something else', async () => {
    const store = temporaryFolder()
    const wrong = await testWithEngine({ store, password: 'another-word' })
    expect(wrong.of('engine')).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('the user name or the password is wrong'),
    })
    expect(wrong.of('store')).toMatchObject({ outcome: 'ok', message: 'It can be read and has no files yet.' })
    mkdirSync(join(store, 'photos'))
    const other = await testWithEngine({ store, cluster: 'desk', servers: '0' })
    expect(other.of('engine')).toMatchObject({
      outcome: 'trouble',
      message: 'ClickHouse 26.9.2.1 responds, but has no cluster “desk”.',
    })
    expect(other.of('store')?.message).toBe('It can be read, but has no folder named “dataset=…”.')
  })

  test('say that a folder is gone, and a server', async () => {
    const store = temporaryFolder()
    const { client } = openApp()
    const fields = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null, store }
    const { id } = await client.call('connections.add', fields)
    const server = { url: 'http://127.0.0.1:1', user: 'quant', cluster: '', plainHttp: false }
    await client.call('connections.setEngine', { id, server })
    rmSync(store, { recursive: true })
    const results = await client.call('connections.test', { id })
    expect(results.slice(3)).toEqual([
      { service: 'engine', outcome: 'unreachable', message: expect.stringContaining('refused') },
      { service: 'store', outcome: 'trouble', message: `The store ${store} does not exist.` },
    ])
  })

  test('say that the environment gives a password and a store key that cannot be sent', async () => {
    const { client } = openApp({ environmentPassword: 'two\nlines', environmentStoreKey: 'id:пароль' })
    const addresses = { metricsUrl: '', portfolioUrl: '', catalogLocation: '', storeEndpoint: 'http://127.0.0.1:1' }
    const fields = { ...addresses, name: 'Desk', tier: null, store: 's3://research' }
    const { id } = await client.call('connections.add', fields)
    const server = { url: 'http://127.0.0.1:1', user: 'quant', cluster: '', plainHttp: false }
    await client.call('connections.setEngine', { id, server })
    const messages = (await client.call('connections.test', { id })).slice(3).map(({ message }) => message)
    const rest = 'has a line break or another character that is not printable ASCII, so nothing was sent.'
    expect(messages).toEqual([
      `The key of this connection is not valid. The password of the ClickHouse server ${rest}`,
      `The key of this connection is not valid. The key of the shared store ${rest}`,
    ])
  })

  test('say what a bucket has, and that its key is wrong', async () => {
    const s3 = await fakeS3()
    s3.put('team/dataset=flow/exchange=a/x.parquet', Buffer.from('x'))
    const bucket = { store: 's3://research/team', storeEndpoint: s3.url }
    const { client, id } = await testConnection(bucket)
    await client.call('keys.set', { connectionId: id, service: 'store', key: `${s3Key.id}:${s3Key.secret}` })
    const ask = async () => (await client.call('connections.test', { id })).at(-1)
    expect(await ask()).toEqual({ service: 'store', outcome: 'ok', message: 'It can be read and has 1 dataset.' })
    await client.call('keys.set', { connectionId: id, service: 'store', key: 'nobody:secret' })
    expect(await ask()).toMatchObject({ service: 'store', outcome: 'refused' })
  })
})

test('a test can be cancelled while a service keeps it waiting', async () => {
  const controller = new AbortController()
  const service = await fakeService(() => controller.abort())
  const { client } = openApp()
  const { id } = await client.call('connections.add', {
    name: 'Slow',
    metricsUrl: service.url,
    portfolioUrl: '',
    catalogLocation: '',
    tier: null,
  })
  await expect(client.call('connections.test', { id }, { signal: controller.signal })).rejects.toMatchObject({
    code: 'cancelled',
  })
})

test('offline, a test says so instead of blaming the service', async () => {
  const { client } = openApp()
  const { id } = await client.call('connections.add', {
    name: 'Desk',
    metricsUrl: 'https://m.example',
    portfolioUrl: '',
    catalogLocation: '',
    tier: null,
  })
  await client.call('settings.change', { offline: true })
  await expect(client.call('connections.test', { id })).rejects.toMatchObject({ code: 'offline' })
})

describe('keys and addresses', () => {
  test('naming a new origin takes the keys away; a new path or name does not', async () => {
    const { client, id } = await testConnection({ metricsUrl: 'http://127.0.0.1:1/a' })
    expect(
      (await client.call('connections.edit', { id, name: 'D', metricsUrl: 'http://127.0.0.1:1/b' })).keys.metrics.set,
    ).toBe(true)
    expect((await client.call('connections.edit', { id, portfolioUrl: 'http://127.0.0.1:1/p' })).keys.metrics.set).toBe(
      true,
    )
    const moved = await client.call('connections.edit', { id, portfolioUrl: 'https://elsewhere.example' })
    expect(moved.keys.metrics).toEqual({ set: false, ending: null, kept: null })
  })

  test('keys go with their connection, and belong to one that exists', async () => {
    const { client, id, ports } = await testConnection({})
    expect(ports.vault.secrets.size).toBe(1)
    await client.call('connections.remove', { id })
    expect(ports.vault.secrets.size).toBe(0)
    await expect(client.call('keys.set', { connectionId: id, service: 'metrics', key: 'k' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  test('the sandbox starts when its connection is first used, once, with its key, and ends with the app', async () => {
    const service = await fakeService(goodService)
    const { app, client, ports } = openApp()
    const seen: string[] = []
    ports.onStartSandbox = async () => {
      seen.push('started')
      return {
        url: `${service.url}/base`,
        catalogUrl: `${service.url}/catalog.json`,
        keys: { '0': 'low', '3': KEY },
        close: async () => void seen.push('ended'),
      }
    }
    const sandbox = async () => (await client.call('connections.list', {}))[0]
    expect(await sandbox()).toMatchObject({ metricsUrl: '', keys: { metrics: { set: false } } })
    const tests = await Promise.all([1, 2].map(() => client.call('connections.test', { id: 'sandbox' })))
    for (const results of tests) expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok'])
    expect(await sandbox()).toMatchObject({
      builtIn: true,
      metricsUrl: `${service.url}/base`,
      keys: { metrics: { set: true, kept: 'run' } },
    })
    expect(seen).toEqual(['started'])
    await app.close()
    expect(seen).toEqual(['started', 'ended'])
  })

  test('a sandbox that does not start says so, and is tried again', async () => {
    const { client, ports } = openApp()
    await expect(client.call('connections.test', { id: 'sandbox' })).rejects.toMatchObject({ code: 'unsupported' })
    const service = await fakeService(goodService)
    ports.onStartSandbox = async () => ({
      url: `${service.url}/base`,
      catalogUrl: '',
      keys: { '3': KEY },
      close: async () => {},
    })
    expect((await client.call('connections.test', { id: 'sandbox' }))[0].outcome).toBe('ok')
  })
})

test('the exported request log is a CSV that no spreadsheet runs', async () => {
  const { client, host } = await testConnection({ metricsUrl: 'http://127.0.0.1:1' })
  expect(await client.call('requests.export', {})).toEqual({ name: 'requests.csv', path: null })
  const [head, ...rows] = host.saved[0].text.split('\n')
  expect(head).toBe('time,method,address,status,bytes,duration_ms,error')
  expect(rows).toContainEqual(
    expect.stringMatching(
      /^2026-09-01T12:00:00\.000Z,GET,http:\/\/127\.0\.0\.1:1\/api\/v1\/metadata\/raw,,0,\d+,"?The service could not be reached/,
    ),
  )
})
