import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createClickHouse } from '#core/clients/clickhouse.ts'
import { createHttpClient } from '#core/clients/http.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { systemClock } from '#core/ports.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { proveProgram } from './peer.ts'

const password = 'canary-password-91c2'
/** Queries that the user `limited` may make an hour. */
const FEW = 2

const configOf = (folder: string, [http, tcp]: number[]) => `<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host><http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
  <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><users_config>users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>1000000</mark_cache_size>
</yandex>`
const userOf = (name: string, profile: string, quota: string) =>
  `<${name}><password>${password}</password><networks><ip>::/0</ip></networks><profile>${profile}</profile><quota>${quota}</quota></${name}>`
const users = `<?xml version="1.0"?>
<yandex>
  <profiles><default/><reader><readonly>1</readonly></reader></profiles>
  <users>${userOf('quant', 'default', 'default')}${userOf('limited', 'default', 'few')}${userOf('reader', 'reader', 'default')}</users>
  <quotas>
    <default><interval><duration>3600</duration><queries>0</queries></interval></default>
    <few><interval><duration>3600</duration><queries>${FEW}</queries></interval></few>
  </quotas>
</yandex>`

async function freePorts(): Promise<number[]> {
  const sockets = [createSocket(), createSocket()]
  const ports: number[] = []
  for (const socket of sockets) {
    await new Promise<void>((ready) => socket.listen(0, '127.0.0.1', ready))
    ports.push((socket.address() as AddressInfo).port)
  }
  for (const socket of sockets) socket.close()
  return ports
}

/** Starts the server; returns its address once it answers. */
async function startServer(program: string): Promise<string> {
  const folder = temporaryFolder()
  for (const name of ['data', 'tmp']) mkdirSync(join(folder, name))
  const ports = await freePorts()
  writeFileSync(join(folder, 'config.xml'), configOf(folder, ports))
  writeFileSync(join(folder, 'users.xml'), users)
  const server = spawn(program, [`--config-file=${join(folder, 'config.xml')}`], { stdio: 'ignore' })
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await once(server, 'exit')
  })
  const url = `http://127.0.0.1:${ports[0]}`
  await expect
    .poll(
      () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true)
  return url
}

/** Stands before a server that is older than some settings of a computation, and leaves these out. */
async function withoutNewSettings(url: string): Promise<string> {
  const proxy = createServer((request, response) => {
    const address = new URL(request.url!, url)
    for (const name of [...address.searchParams.keys()])
      if (!['query_id', 'wait_end_of_query', 'join_use_nulls'].includes(name)) address.searchParams.delete(name)
    const { host: _, ...headers } = request.headers
    const passed = forward(address, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

function clientOf(url: string, user = 'quant', given = password) {
  const http = createHttpClient({
    clock: systemClock,
    redactor: createRedactor(),
    record: () => {},
    isOffline: () => false,
    route: () => ({ proxy: null, caFiles: [] }),
  })
  return createClickHouse(http, { url, user, password: given, cluster: '', plainHttp: false })
}

const never = new AbortController().signal

proveProgram(
  'clickhouse-server',
  'speaks with a real server: login, quota, refusals, and the end of a query',
  async (program) => {
    const real = await startServer(program)
    const url = await withoutNewSettings(real)
    const engine = clientOf(url)
    const [[version, one]] = await engine.rows('SELECT version(), 1', never)
    expect([version, one]).toEqual([expect.stringMatching(/^\d+\.\d+/), '1'])
    expect(await engine.rows("SELECT 'a\\tb\\n\\\\', NULL", never)).toEqual([['a\tb\n\\', expect.anything()]])

    await expect(clientOf(url, 'quant', 'another-word').rows('SELECT 1', never)).rejects.toMatchObject({
      code: 'unauthorized',
      detail: expect.stringContaining('the user name or the password is wrong'),
    })
    await expect(clientOf(url, 'nobody').rows('SELECT 1', never)).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(engine.rows('SELECT * FROM raw.trades', never)).rejects.toThrow('no such table or database')
    await expect(engine.rows('SELECT price', never)).rejects.toThrow('a column is missing')
    await expect(engine.rows("SELECT 'a' + 1", never)).rejects.toThrow('a column has another type')
    await expect(clientOf(url, 'reader').rows('SELECT 1', never)).rejects.toThrow('the user may not change settings')
    await expect(
      engine.bytes('SELECT throwIf(number = 20000000) FROM numbers(30000000) FORMAT RowBinary', never, 1e9),
    ).rejects.toThrow('an event cannot be computed with')

    const limited = clientOf(url, 'limited')
    const askMuch = async () => {
      for (let i = 0; i <= FEW + 1; i++) await limited.rows('SELECT 1', never)
    }
    await expect(askMuch()).rejects.toMatchObject({
      code: 'rate-limited',
      detail: expect.stringContaining('the quota of the user is used up'),
    })

    const controller = new AbortController()
    const sleeping = engine.bytes(
      'SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1',
      controller.signal,
    )
    const ended = expect(sleeping).rejects.toMatchObject({ code: 'cancelled' })
    const running = async () =>
      Number(
        (
          await engine.rows(
            "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64(number)%' AND query NOT LIKE '%processes%'",
            never,
          )
        )[0][0],
      )
    await expect.poll(running, { timeout: 60_000 }).toBe(1)
    controller.abort()
    await ended
    await expect.poll(running, { timeout: 60_000 }).toBe(0)

    // A server that is older than a setting says so, instead of computing other values.
    if (Number(version.split('.')[0]) < 23)
      await expect(clientOf(real).rows('SELECT 1', never)).rejects.toThrow('this version lacks a setting')
  },
)
