import { readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { RecordBatchReader } from 'apache-arrow'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#core/app.ts'
import { openStore } from '#core/store/store.ts'
import { createLocalApiAnswers } from '../../electron/localApi/answers.ts'
import { type LocalApiOptions, type LocalApiServer, startLocalApi } from '../../electron/localApi/server.ts'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock, type FakeClock } from '../fakes/fakeClock.ts'
import { fakePorts } from '../fakes/fakePorts.ts'
import { addCachedFile, hourlyColumns } from '../fakes/parquetCache.ts'

const KEY = 'canary-key-0123456789abcdef'
const SYMBOL = 'perpetual-BTC-USDT:USDT'

interface OpenedApi {
  localApi: LocalApiServer
  token: string
  faults: string[]
  ask(path: string, options?: AskOptions): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
}

interface AskOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
  json: Record<string, never>
}

/** Opens the local API on a cache with hourly rows of two days, or of more. */
async function openTestApi(limits: LocalApiOptions['limits'] = {}, clock?: FakeClock, days = 2): Promise<OpenedApi> {
  const dataDir = dataFolder()
  const ports = fakePorts()
  const store = openStore({ dataDir, clock: ports.clock, log: ports.log })
  for (const period of Array.from({ length: days }, (_, at) => `2026-08-${String(at + 1).padStart(2, '0')}`))
    addCachedFile(store, dataDir, flowSeries({ interval: '1h' }), period, hourlyColumns(period))
  store.close()
  const app = createApp(ports, { version: '0.0.0', dataDir, environmentKey: KEY })
  const faults: string[] = []
  const localApi = await startLocalApi({
    answers: createLocalApiAnswers(app, '0.0.0', 'sandbox'),
    version: '0.0.0',
    dataDir,
    port: 0,
    limits,
    nowMs: clock?.nowMs,
    onFault: (message, thrown) => faults.push(`${message}: ${String(thrown)}`),
  })
  onTestFinished(async () => {
    await localApi.close()
    await app.close()
  })
  const token = readFileSync(localApi.tokenFile, 'utf8').trim()
  const ask: OpenedApi['ask'] = (path, options) => send(localApi.port, path, options)
  const authorized = { Authorization: `Bearer ${token}` }
  return {
    localApi,
    token,
    faults,
    ask,
    get: (path, headers = {}) => ask(path, { headers: { ...authorized, ...headers } }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { ...authorized, 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
  }
}

/** Sends the path unchanged, because URL classes would normalize an attack away. */
function send(port: number, path: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (incoming) => {
      const pieces: Buffer[] = []
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      incoming.on('end', () => {
        const bytes = Buffer.concat(pieces)
        const isJson = String(incoming.headers['content-type']).startsWith('application/json') && bytes.length > 0
        const json = (isJson ? JSON.parse(bytes.toString()) : {}) as Answer['json']
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes, json })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const range = 'start=2026-08-01&end=2026-08-02'
const series = `/v1/series?dataset=flow&exchange=venuea-futures&symbol=${encodeURIComponent(SYMBOL)}&interval=1h&${range}`
const formula = {
  formula: 'flow.value * 2',
  exchange: 'venuea-futures',
  symbol: SYMBOL,
  interval: '1h',
  start: '2026-08-01',
  end: '2026-08-02',
}
const sql = { sql: "SELECT time, value FROM metrics.flow WHERE interval = '1h' ORDER BY time" }

test('answers rows, formulas and SQL with units and the hash of every file', async () => {
  const { get, post, faults } = await openTestApi()
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as string
  for (const answer of [await get(series), await post('/v1/formula', formula), await post('/v1/sql', sql)]) {
    expect(answer.status, answer.bytes.toString()).toBe(200)
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(answer.json).toMatchObject({
      columns: [{ name: 'time' }, { name: 'value' }],
      provenance: { files: [{ sha256: hash }, { sha256: hash }] },
    })
    expect(answer.json.rows).toHaveLength(48)
  }
  expect((await get(series)).json.rows[1]).toEqual({ time: '2026-08-01T01:00:00.000000Z', value: 1 })
  expect((await post('/v1/formula', formula)).json.rows[1]).toEqual({ time: '2026-08-01T01:00:00.000000Z', value: 2 })
  const cut = await get(`${series}&limit=24`)
  expect(cut.json).toMatchObject({ provenance: { rows: 24, next: '2026-08-02T00:00:00.000Z' } })
  expect(faults).toEqual([])
})

test('refers to files that outnumber the rows, and lists them where all are asked for', async () => {
  const { get, post } = await openTestApi({}, undefined, 30)
  const one = { sql: "SELECT count(*) AS n FROM metrics.flow WHERE interval = '1h'" }
  const provenance = async (answer: Promise<Answer>) => (await answer).json.provenance as Record<string, unknown>
  const fileList = { files: 30, path: expect.stringMatching(/^provenance\/[0-9a-f]{64}\.json$/) as string }
  const brief = await provenance(post('/v1/sql', one))
  expect([brief.files, brief.fileList]).toMatchObject([undefined, fileList])
  const full = await provenance(post('/v1/sql?provenance=full', one))
  expect([(full.files as unknown[]).length, full.fileList]).toEqual([30, undefined])
  for (const wrong of ['all', 'full&provenance=brief'])
    expect((await post(`/v1/sql?provenance=${wrong}`, one)).status).toBe(400)
  expect((await get('/v1/coverage?provenance=full')).status).toBe(400)
})

test('an Arrow stream has the rows of the JSON, and its schema the provenance', async () => {
  const { get, post } = await openTestApi()
  const headers = { Accept: 'application/vnd.apache.arrow.stream' }
  for (const answer of [await get(series, headers), await post('/v1/sql', sql, headers)]) {
    expect(answer.headers['content-type']).toBe('application/vnd.apache.arrow.stream')
    const [batch] = [...RecordBatchReader.from(answer.bytes)]
    expect([batch.numRows, batch.getChild('value')?.get(1)]).toEqual([48, 1])
    const provenance = JSON.parse(batch.schema.metadata.get('perpscope.provenance') ?? '') as { files: unknown[] }
    expect(provenance.files).toHaveLength(2)
  }
})

interface Described {
  operationId: string
  responses: Record<
    string,
    { content: Record<string, { schema: { $ref?: string; type?: string; anyOf?: unknown[] } }> }
  >
  parameters?: { required: boolean; example?: unknown }[]
  requestBody?: { content: Record<string, unknown> }
}

test('the description names every path, and every path is there', async () => {
  const { get } = await openTestApi()
  const { json, status } = await get('/v1/openapi.json')
  expect(status).toBe(200)
  expect(json).toMatchObject({ openapi: '3.1.0', info: { version: '0.0.0' } })
  const paths = json.paths as Record<string, Record<string, unknown>>
  expect(Object.keys(paths).sort()).toEqual([
    '/v1/attribution',
    '/v1/calibration',
    '/v1/correlations',
    '/v1/coverage',
    '/v1/data',
    '/v1/data/{name}',
    '/v1/dictionary',
    '/v1/formula',
    '/v1/order-rules',
    '/v1/plan',
    '/v1/registrations',
    '/v1/scores',
    '/v1/series',
    '/v1/sql',
    '/v1/studies',
    '/v1/studies/{id}',
    '/v1/trades.arrow',
  ])
  expect(json.servers).toEqual([
    { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string, description: expect.anything() as string },
  ])
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as Described[]
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  const { schemas } = json.components as { schemas: Record<string, unknown> }
  const references = JSON.stringify(json).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
  expect([...references].filter(([, name]) => !(name in schemas))).toEqual([])
  for (const { parameters = [], requestBody, responses, operationId } of operations) {
    const { schema } = Object.values(responses[200].content)[0]
    expect([operationId, Object.keys(schema)]).not.toEqual([operationId, ['type']])
    for (const { required, example } of parameters) if (required) expect(example).toBeDefined()
    if (requestBody) expect(requestBody.content['application/json']).toMatchObject({ schema: {}, example: {} })
  }
  const posts = Object.entries(paths).filter(([, methods]) => 'post' in methods)
  expect(posts.map(([path]) => path).sort()).toEqual([
    '/v1/attribution',
    '/v1/correlations',
    '/v1/formula',
    '/v1/plan',
    '/v1/registrations',
    '/v1/sql',
    '/v1/studies',
  ])
  expect((await get('/v1/coverage')).json).toMatchObject({ series: [{ dataset: 'flow', interval: '1h', files: 2 }] })
})

test('the token has 256 bits, is new at each start, and lies in a file of its owner alone, which goes with it', async () => {
  const [first, second] = [await openTestApi(), await openTestApi()]
  expect(Buffer.from(first.token, 'base64url')).toHaveLength(32)
  expect(first.token).not.toBe(second.token)
  if (process.platform !== 'win32') expect(statSync(first.localApi.tokenFile).mode & 0o777).toBe(0o600)
  await first.localApi.close()
  expect(statSync(first.localApi.tokenFile, { throwIfNoEntry: false })).toBeUndefined()
})

test.each([
  ['no token', {}, 401],
  ['an empty token', { Authorization: 'Bearer ' }, 401],
  ['a wrong token', { Authorization: `Bearer ${'x'.repeat(43)}` }, 401],
  ['the token as a password', { Authorization: 'Basic TOKEN' }, 401],
  ['the token as a cookie', { Cookie: 'token=TOKEN' }, 401],
  ['a foreign host, as of DNS rebinding', { Authorization: 'Bearer TOKEN', Host: 'evil.example' }, 403],
  ['a name that begins as our own', { Authorization: 'Bearer TOKEN', Host: '127.0.0.1.evil.example:80' }, 403],
  ['a foreign origin', { Authorization: 'Bearer TOKEN', Origin: 'http://evil.example' }, 403],
  ['another port of this machine as origin', { Authorization: 'Bearer TOKEN', Origin: 'http://127.0.0.1:1' }, 403],
  ['the origin of a file', { Authorization: 'Bearer TOKEN', Origin: 'null' }, 403],
])('%s is refused', async (_what, headers, status) => {
  const { ask, token } = await openTestApi()
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('TOKEN', token)]))
  for (const path of ['/v1/openapi.json', '/v1/coverage', '/nothing']) {
    const answer = await ask(path, { headers: own })
    expect(answer.status).toBe(status)
    expect(answer.bytes.toString()).not.toContain(token)
  }
  expect((await ask(`/v1/coverage?token=${token}`)).status).toBe(401)
})

test.each([
  '/',
  '/v1',
  '/v1/',
  '/v1/sql/',
  '/v1//coverage',
  '/v1/../v1/coverage',
  '/v1/studies/..',
  '/v1/studies/..%2f..%2fkeys',
  '/v1/studies/%00',
  '/v2/coverage',
  '/socket',
  '/index.html',
])('%s is no path', async (path) => {
  const { get, faults } = await openTestApi()
  expect((await get(path)).status).toBe(404)
  expect(faults).toEqual([])
})

test('other methods are refused, each path with the ones that it has', async () => {
  const { ask, token } = await openTestApi()
  const headers = { Authorization: `Bearer ${token}` }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE'])
    expect((await ask('/v1/coverage', { method, headers })).status, method).toBe(405)
  const answer = await ask('/v1/sql', { headers })
  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
})

test.each([
  [`${series}&limit=1e9`],
  [`${series}&limit=-1`],
  [`${series}&limit=2&limit=3`],
  [`${series}&unknown=1`],
  [`${series}&__proto__=1`],
  [series.replace('2026-08-01', '1e400')],
  [series.replace('end=2026-08-02', 'end=2020-01-01')],
  ['/v1/series'],
  ['/v1/coverage?kind=keys'],
])('the query %s is refused', async (path) => {
  const { get, faults } = await openTestApi()
  const answer = await get(path)
  expect([answer.status, answer.json.error]).toMatchObject([400, { code: 'bad-input' }])
  expect(faults).toEqual([])
})

test('a list may be separated by commas, or given item by item as generated clients do', async () => {
  const { get } = await openTestApi()
  const said = async (columns: string) => (await get(`${series}&${columns}`)).json.error as { message: string }
  const { message } = await said('columns=one,two')
  expect(message).toBe('The files have no column one, two.')
  expect(await said('columns=one&columns=two')).toMatchObject({ message })
})

test('says which date is none', async () => {
  const { post } = await openTestApi()
  const { json } = await post('/v1/formula', { ...formula, start: 'soon' })
  expect(json.error).toMatchObject({
    message: expect.stringMatching(/^start: is neither a day, such as 2026-08-01, nor an instant/) as string,
  })
})

test('a range of bytes is no way around a whole answer', async () => {
  const { get } = await openTestApi()
  const answer = await get(series, { Range: 'bytes=0-1' })
  expect(answer.status).toBe(200)
  expect(answer.json.rows).toHaveLength(48)
})

test.each([
  ['not JSON', '{', 400],
  ['a list', [], 400],
  ['no SELECT', { sql: 'DROP TABLE metrics.flow' }, 400],
  ['two statements', { sql: 'SELECT 1; SELECT 2' }, 400],
  ['a file', { sql: "SELECT * FROM read_text('/etc/passwd')" }, 400],
  ['another file', { sql: "SELECT * FROM '/etc/passwd'" }, 400],
  ['a setting', { sql: "SELECT getenv('HOME')" }, 400],
  ['nested lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 400],
])('a body that is %s is refused', async (_what, body, status) => {
  const { post, faults } = await openTestApi()
  const answer = await post('/v1/sql', body)
  expect([answer.status, answer.bytes.toString().includes('root:')]).toEqual([status, false])
  expect(faults).toEqual([])
})

test('a body above 1 MB is refused, however long it says it is', async () => {
  const { post, get } = await openTestApi()
  const large = Buffer.alloc(1_000_001, ' ')
  expect((await post('/v1/sql', large)).status).toBe(413)
  expect((await post('/v1/sql', large, { 'Transfer-Encoding': 'chunked' })).status).toBe(413)
  expect((await post('/v1/sql', sql, { 'Content-Type': 'text/plain' })).status).toBe(415)
  expect((await get('/v1/coverage')).status).toBe(200)
})

test('more than 50 requests a second are told to wait, and one without a token counts for nothing', async () => {
  const clock = fakeClock()
  const { get, ask } = await openTestApi({}, clock)
  for (let at = 0; at < 120; at++) expect((await ask('/v1/coverage')).status).toBe(401)
  for (const _second of [1, 2]) {
    const answers = await Promise.all(Array.from({ length: 120 }, () => get('/nothing')))
    const refused = answers.filter(({ status }) => status === 429)
    expect([refused.length, answers.filter(({ status }) => status === 404).length]).toEqual([70, 50])
    expect(refused[0].headers['retry-after']).toBe('1')
    clock.advance(1000)
  }
})

test('200 requests at once are all answered, and of more than may wait the rest is told when to come again', async () => {
  const clock = fakeClock()
  const { localApi, get, faults } = await openTestApi({}, clock)
  let arrivedCount = 0
  localApi.server.on('request', () => (arrivedCount += 1))
  /** Sends requests at once; the time stands still until all have arrived and those of one second are answered. */
  const ask = async (count: number) => {
    const answers: Answer[] = []
    arrivedCount = 0
    const asked = Promise.all(Array.from({ length: count }, () => get(series).then((answer) => answers.push(answer))))
    const served = () => answers.filter(({ status }) => status === 200).length
    await expect.poll(() => [arrivedCount, served()]).toEqual([count, 50])
    const passing = setInterval(() => clock.advance(1000), 1)
    await asked.finally(() => clearInterval(passing))
    return answers
  }
  const answers = await ask(200)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(answers.every(({ json }) => (json.rows as unknown[]).length === 48)).toBe(true)
  clock.advance(1000)
  const many = await ask(400)
  const refused = many.filter(({ status }) => status !== 200)
  // 256 wait, and 8 to 50 are on their way or answered when the last one arrives.
  expect(refused.length).toBeGreaterThanOrEqual(400 - 256 - 50)
  expect(refused.length).toBeLessThanOrEqual(400 - 256 - 8)
  for (const { status, headers } of refused) expect([status, headers['retry-after']]).toEqual([503, '5'])
  expect(faults).toEqual([])
})

test('silent connections keep nobody out', async () => {
  const { localApi, get } = await openTestApi({ connections: 8 })
  const sockets = Array.from({ length: 40 }, () => connect(localApi.port, '127.0.0.1').on('error', () => {}))
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
  await Promise.all(sockets.map((socket) => new Promise((done) => socket.once('connect', done).once('close', done))))
  expect((await get('/v1/coverage')).status).toBe(200)
})

/**
 * Sends the head of a query and the first byte of its body; resolves with everything that is received until the
 * connection is closed.
 */
function sendStalledBody({ localApi, token }: OpenedApi, meanwhile?: (socket: Socket) => void): Promise<string> {
  const socket = connect(localApi.port, '127.0.0.1', () => {
    socket.write(`POST /v1/sql HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`)
    socket.write('Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{')
    meanwhile?.(socket)
  })
  let text = ''
  socket.setEncoding('latin1').on('data', (data: string) => (text += data))
  onTestFinished(() => void socket.destroy())
  return new Promise((resolve) => socket.on('error', () => {}).once('close', () => resolve(text)))
}

test('a body that stalls, or arrives a byte at a time, is refused once its time is over', async () => {
  const opened = await openTestApi({ headerMs: 1000, requestMs: 1000, idleMs: 600_000 })
  const trickle = (socket: Socket) => {
    const writing = setInterval(() => socket.write(' '), 50)
    socket.once('close', () => clearInterval(writing))
  }
  const ended = await Promise.all([sendStalledBody(opened), sendStalledBody(opened, trickle)])
  expect(ended).toEqual([expect.stringMatching(/^HTTP\/1\.1 408/), expect.stringMatching(/^HTTP\/1\.1 408/)])
  expect((await opened.get('/v1/coverage')).status).toBe(200)
  expect(opened.faults).toEqual([])
})

test('bodies that stall keep no other request out', async () => {
  // No connection may end by its time limit in this test.
  const opened = await openTestApi({ requestMs: 0, headerMs: 600_000, idleMs: 600_000 })
  let arrivedCount = 0
  opened.localApi.server.on('request', () => (arrivedCount += 1))
  for (let at = 0; at < 20; at++) void sendStalledBody(opened)
  await expect.poll(() => arrivedCount).toBe(20)
  expect((await opened.post('/v1/sql', sql)).status).toBe(200)
})

test('neither the key nor the token is in any answer', async () => {
  const { get, post, ask, token } = await openTestApi()
  const answers = [
    await get('/v1/openapi.json'),
    await get('/v1/dictionary'),
    await get('/v1/coverage'),
    await get('/v1/studies'),
    await get('/v1/studies/none'),
    await get(series),
    await post('/v1/sql', { sql: 'SELECT * FROM cache.files' }),
    await post('/v1/sql', { sql: 'SELECT * FROM duckdb_settings()' }),
    await post('/v1/sql', { sql: "SELECT current_setting('temp_directory')" }),
    await post('/v1/studies', { nothing: KEY.slice(0, 3) }),
    await ask('/v1/coverage', { headers: { Authorization: `Bearer ${token}x` } }),
  ]
  for (const { bytes } of answers) {
    expect(bytes.includes(KEY)).toBe(false)
    expect(bytes.includes(token)).toBe(false)
  }
})
