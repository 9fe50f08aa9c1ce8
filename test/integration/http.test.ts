import { gzipSync } from 'node:zlib'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHttpClient, type HttpClient, type HttpDeps, type RequestTrace } from '#core/clients/http.ts'
import { createMetricsService } from '#core/clients/metricsService.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'
import { insideAddresses } from '../fakes/insideAddresses.ts'

const KEY = 'CANARY-key-0123456789'

interface TracedClient extends HttpClient {
  traces: RequestTrace[]
}

function openClient(deps: Partial<HttpDeps> = {}): TracedClient {
  const traces: RequestTrace[] = []
  const redactor = createRedactor()
  redactor.hide(KEY)
  const client = createHttpClient({
    clock: fakeClock(),
    redactor,
    record: (trace) => traces.push(trace),
    isOffline: () => false,
    route: () => ({ proxy: null, caFiles: [] }),
    ...deps,
  })
  onTestFinished(() => client.close())
  return { ...client, traces }
}

const signal = new AbortController().signal
const keyFor = (...origins: string[]) => ({ key: { value: KEY, origins } })
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => '',
    (thrown: unknown) => JSON.stringify([toAppError(thrown).toShape(), (thrown as Error).message]),
  )

describe('the key', () => {
  test('goes to the connection’s own origin and nowhere else', async () => {
    const service = await fakeService((_request, response) => sendJson(response, {}))
    const client = openClient()
    await client.json({ url: `${service.url}/own`, signal, ...keyFor(service.url) })
    await client.json({ url: `${service.url}/foreign`, signal, ...keyFor('https://other.example') })
    await client.json({ url: `${service.url}/presigned?X-Amz-Signature=abc`, signal })
    expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual([KEY, undefined, undefined])
  })

  test.each(['two\nlines', 'ключ', 'schlüssel'])(
    'that no header may have (%j) is refused before a request',
    async (value) => {
      const service = await fakeService((_request, response) => sendJson(response, {}))
      const client = openClient()
      const key = { value, origins: [service.url] }
      await expect(client.json({ url: `${service.url}/own`, signal, key })).rejects.toMatchObject({
        code: 'invalid-key',
      })
      expect([service.requests, client.traces, client.unreachable()]).toEqual([[], [], []])
    },
  )

  test('follows a redirect within its origin, never to another one, even another of the connection’s own', async () => {
    const other = await fakeService((_request, response) => sendJson(response, { at: 'other' }))
    const service = await fakeService((request, response) => {
      if (request.url === '/start') return response.writeHead(302, { location: '/same' }).end()
      if (request.url === '/same') return response.writeHead(307, { location: `${other.url}/there` }).end()
      sendJson(response, {})
    })
    const client = openClient()
    const { value } = await client.json({ url: `${service.url}/start`, signal, ...keyFor(service.url, other.url) })
    expect(value).toEqual({ at: 'other' })
    expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual([KEY, KEY])
    expect(other.requests[0].headers['x-api-key']).toBeUndefined()
    expect(JSON.stringify(other.requests[0].rawHeaders)).not.toContain('CANARY')
  })

  test('is taken out of the words of a service that repeats it', async () => {
    const service = await fakeService((_request, response) =>
      sendJson(response, { error: `key ${KEY} has expired` }, 401, { 'x-request-id': 'r-17' }),
    )
    const client = openClient()
    const refused = client.json({ url: service.url, signal, ...keyFor(service.url) })
    await expect(refused).rejects.toMatchObject({
      code: 'unauthorized',
      service: { message: 'key [hidden] has expired', status: 401, requestId: 'r-17' },
    })
    expect(JSON.stringify(client.traces)).not.toContain('CANARY')
  })
})

describe('a service that repeats the key', () => {
  /** Pieces of the key that must not appear in any text. */
  const pieces = Array.from({ length: KEY.length - 7 }, (_, at) => KEY.slice(at, at + 8))
  const expectNoPiece = (text: string) => expect(pieces.filter((piece) => text.includes(piece))).toEqual([])

  test.each(['x-request-id', 'x-amz-request-id', 'cf-ray'])('in the header %s is not quoted', async (header) => {
    const service = await fakeService((_request, response) => sendJson(response, {}, 500, { [header]: `r-${KEY}` }))
    const failure = await failureOf(openClient().json({ url: service.url, signal, ...keyFor(service.url) }))
    expect(failure).toContain('r-[hidden]')
    expectNoPiece(failure)
  })

  test.each([
    ['where its message is shortened', `{"error":"${'x'.repeat(390)}${KEY}"}`],
    ['where its page is cut', `${' '.repeat(65_536 - 10)}${KEY}`],
    ['where its page is cut in markup', `<p>${' '.repeat(7990)}${KEY}`],
    ['in escapes', `{"error":"${[...KEY].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('')}"}`],
    ['in entities', `<title>${[...KEY].map((each) => `&#${each.charCodeAt(0)};`).join('')}</title>`],
    ['in Base64', Buffer.from(`user:${KEY}`).toString('base64')],
  ])('%s loses all of it', async (_where, body) => {
    const service = await fakeService((_request, response) => response.writeHead(500).end(body))
    const failure = await failureOf(openClient().json({ url: service.url, signal, ...keyFor(service.url) }))
    expectNoPiece(failure)
    expect(failure).not.toContain(Buffer.from(`user:${KEY}`).toString('base64').slice(9, 20))
  })

  test('at the beginning of what is not JSON loses all of it', async () => {
    const service = await fakeService((_request, response) => response.end(`${'x'.repeat(50)}${KEY}`))
    expectNoPiece(await failureOf(openClient().json({ url: service.url, signal })))
  })

  test('in its answer loses it there, and the rest is used', async () => {
    const service = await fakeService((_request, response) =>
      sendJson(response, { debug: { key: KEY, [KEY]: 1 }, symbols: ['BTC', `X-${KEY.toLowerCase()}`], rows: [1, 2] }),
    )
    const client = openClient()
    const { value } = await client.json({ url: service.url, signal, packNumbers: true })
    expect(value).toMatchObject({ debug: { key: '[hidden]' }, symbols: ['BTC', 'X-[hidden]'] })
    expect((value as { rows: unknown }).rows).toEqual(Float64Array.of(1, 2))
    const symbols = createMetricsService((_path, _query, within) => client.json({ url: service.url, signal: within }))
    expect(await symbols.symbols('x', signal)).toEqual(['BTC'])
  })

  test('in the query of a redirect to another server gets no request there, with the key or without', async () => {
    const other = await fakeService((_request, response) => sendJson(response, {}))
    const service = await fakeService((_request, response) =>
      response.writeHead(302, { location: `${other.url}/file?part=1&api_key=${KEY}` }).end(),
    )
    const client = openClient()
    const failure = await failureOf(client.json({ url: service.url, signal, ...keyFor(service.url) }))
    expect(failure).toContain('contains the API key')
    expectNoPiece(failure)
    expect(other.requests).toEqual([])
    expectNoPiece(JSON.stringify(client.traces))
  })

  test('in a link or a redirect gets no request there', async () => {
    const service = await fakeService((request, response) =>
      request.url === '/start' ? response.writeHead(302, { location: `/${KEY}` }).end() : response.end('{}'),
    )
    const client = openClient()
    for (const path of ['/start', `/${encodeURIComponent(KEY.toLowerCase())}`, '/[hidden]']) {
      const failure = await failureOf(client.json({ url: service.url + path, signal }))
      expect(failure).toContain('contains the API key')
      expectNoPiece(failure)
    }
    expect(service.requests.map(({ url }) => url)).toEqual(['/start'])
    expectNoPiece(JSON.stringify(client.traces))
  })
})

describe('addresses', () => {
  test.each([
    'http://metrics.example/',
    'ftp://metrics.example/',
    'file:///etc/hosts',
    'https://user:word@metrics.example/',
    'no address',
  ])('%s is refused before anything is sent', async (url) => {
    const client = openClient()
    await expect(client.json({ url, signal })).rejects.toMatchObject({ code: 'bad-input' })
    expect(client.traces).toEqual([])
  })

  test.each(['http://metrics.example/', 'file:///etc/hosts', 'https://user:word@metrics.example/', 'http://['])(
    'a redirect to %s is not followed',
    async (location) => {
      const service = await fakeService((_request, response) => response.writeHead(302, { location }).end())
      await expect(openClient().json({ url: service.url, signal })).rejects.toMatchObject({ code: 'bad-answer' })
      expect(service.requests).toHaveLength(1)
    },
  )

  test('a redirect without end ends', async () => {
    const service = await fakeService((_request, response) => response.writeHead(302, { location: '/again' }).end())
    await expect(openClient().json({ url: service.url, signal })).rejects.toMatchObject({
      detail: expect.stringContaining('redirects endlessly'),
    })
    expect(service.requests).toHaveLength(6)
  })
})

describe('an address that a service names', () => {
  test.each(['127.0.0.1', '[::1]', 'localhost', '10.0.0.1', '169.254.169.254', 'nas.local', '[::ffff:10.0.0.1]'])(
    'at %s is not opened for a public service',
    async (host) => {
      const service = await fakeService((_request, response) => response.end('{}'))
      const port = new URL(service.url).port
      const protocol = ['127.0.0.1', '[::1]', 'localhost'].includes(host) ? 'http' : 'https'
      const opened = openClient().open({
        url: `${protocol}://${host}:${port}/`,
        signal,
        namedBy: 'https://metrics.example.com',
      })
      await expect(opened).rejects.toMatchObject({
        code: 'bad-answer',
        detail: expect.stringContaining('inside this network') as string,
      })
      expect(service.requests).toEqual([])
    },
  )

  test.each(['no proxy', 'a proxy'])('is opened in none of its spellings, with %s', async (through) => {
    let connections = 0
    const trap = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void trap.close())
    const { port } = trap.address() as AddressInfo
    const address = `http://127.0.0.1:${port}`
    const proxy = through === 'a proxy' ? { http: address, https: address, except: '' } : null
    const client = openClient({ route: () => ({ proxy, caFiles: [] }) })
    expect(insideAddresses.length).toBeGreaterThan(75)
    const opened: string[] = []
    for (const host of insideAddresses)
      for (const protocol of ['http', 'https']) {
        const url = `${protocol}://${host}:${port}/x`
        const outcome = await client.open({ url, signal, namedBy: 'https://metrics.example.com' }).catch(toAppError)
        const code = 'code' in outcome ? outcome.code : 'answered'
        if (code !== 'bad-answer' && code !== 'bad-input') opened.push(`${url} ${code}`)
      }
    expect(opened).toEqual([])
    expect(connections).toBe(0)
  })

  test('inside this network is opened where the person allowed it for that service, and for no other', async () => {
    const service = await fakeService((_request, response) => response.end('{}'))
    const client = openClient({ mayStorePrivately: (origin) => origin === 'https://metrics.example.com' })
    const { status } = await client.open({ url: service.url, signal, namedBy: 'https://metrics.example.com' })
    expect(status).toBe(200)
    const other = client.open({ url: service.url, signal, namedBy: 'https://other.example.com' })
    await expect(other).rejects.toMatchObject({ code: 'bad-answer' })
  })

  test('on this machine is opened for a service on this machine', async () => {
    const service = await fakeService((_request, response) => response.end('{}'))
    const { status } = await openClient().open({ url: service.url, signal, namedBy: 'http://127.0.0.1:1' })
    expect(status).toBe(200)
  })

  test.each(['/relative.parquet', 'ftp://files.example/x', 'http://', 'http://files.example/x'])(
    'that cannot be requested (%s) is a fault of the service that named it, not of the input',
    async (url) => {
      await expect(openClient().open({ url, signal, namedBy: 'https://metrics.example.com' })).rejects.toMatchObject({
        code: 'bad-answer',
      })
      await expect(openClient().open({ url, signal })).rejects.toMatchObject({ code: 'bad-input' })
    },
  )
})

describe('JSON that would fill the memory', () => {
  test.each([
    ['empty lists', '[],'],
    ['lists within lists', '['],
    ['objects', '{"a":'],
    ['numbers', '1,'],
    ['texts', '"",'],
  ])('%s: is cut off while it arrives', async (_what, piece) => {
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.concat([Buffer.from('['), Buffer.alloc(100_000_000, piece)]), { level: 1 }))
    })
    const client = openClient()
    await expect(client.json({ url: service.url, signal })).rejects.toMatchObject({ code: 'too-large' })
    expect(client.traces[0].bytes).toBeLessThan(50_000_000)
  })
})

describe('bodies', () => {
  test('compressed JSON with NaN in it is read', async () => {
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync('{"data":[1,NaN,-Infinity,"NaN \\" Infinity"]}'))
    })
    const { value } = await openClient().json({ url: service.url, signal })
    expect(value).toEqual({ data: [1, null, null, 'NaN " Infinity'] })
  })

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'with the encoding “%s”, which nobody knows, are read as they are',
    async (encoding) => {
      const service = await fakeService((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding })
        response.end('{"data":[1]}')
      })
      const { value } = await openClient().json({ url: service.url, signal })
      expect(value).toEqual({ data: [1] })
    },
  )

  test('more than allowed is cut off, counted after decompression', async () => {
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(50_000_000)))
    })
    const client = openClient()
    await expect(client.json({ url: service.url, signal, maxBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'too-large',
    })
    expect(client.traces[0].bytes).toBeLessThan(3_000_000)
  })

  test.each([
    ['', 'it is empty'],
    ['<html><body>Welcome</body></html>', 'it begins with'],
    ['{"data": [1, 2', 'it begins with'],
  ])('what is not JSON is told: %s', async (body, message) => {
    const service = await fakeService((_request, response) => response.end(body))
    await expect(openClient().json({ url: service.url, signal })).rejects.toMatchObject({
      code: 'bad-answer',
      detail: expect.stringContaining(message),
    })
  })

  test('garbage in place of compressed bytes is no answer to trust', async () => {
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end('not compressed at all')
    })
    await expect(openClient().json({ url: service.url, signal })).rejects.toMatchObject({ code: 'bad-answer' })
  })

  test('a reader that has enough ends the transfer', async () => {
    const ended = Promise.withResolvers<void>()
    const service = await fakeService((_request, response) => {
      response.on('close', ended.resolve)
      const more = () => response.write(Buffer.alloc(65_536)) && setImmediate(more)
      response.on('drain', more)
      more()
    })
    const client = openClient()
    const { body } = await client.open({ url: service.url, signal })
    for await (const chunk of body) if (chunk.length > 0) break
    await ended.promise
    expect(client.traces).toMatchObject([{ status: 200, error: null }])
  })
})

describe('trouble', () => {
  const timeouts = { connectMs: 1000, headersMs: 1000, idleMs: 1000 }

  test.each([
    [400, 'rejected'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [422, 'rejected'],
    [429, 'rate-limited'],
    [500, 'service'],
    [503, 'service'],
    [304, 'bad-answer'],
  ])('status %i is %s', async (status, code) => {
    const service = await fakeService((_request, response) => response.writeHead(status, { 'retry-after': '7' }).end())
    await expect(openClient().json({ url: service.url, signal })).rejects.toMatchObject({
      code,
      service: { message: null, status, requestId: null },
      retryAfterMs: 7000,
    })
  })

  test('nobody there', async () => {
    const service = await fakeService(() => {})
    await new Promise((closed) => service.server.close(closed))
    const client = openClient()
    await expect(client.json({ url: service.url, signal })).rejects.toMatchObject({
      code: 'network',
      detail: expect.stringContaining('connection refused'),
    })
    expect(client.traces).toMatchObject([{ status: null, error: expect.stringContaining('refused') }])
  })

  test('no answer in time', async () => {
    const service = await fakeService(() => {})
    await expect(openClient({ timeouts }).json({ url: service.url, signal })).rejects.toMatchObject({ code: 'timeout' })
  })

  test('an answer that stops coming', async () => {
    const service = await fakeService((_request, response) => void response.write('{"data":'))
    await expect(openClient({ timeouts }).json({ url: service.url, signal })).rejects.toMatchObject({
      code: 'timeout',
      detail: expect.stringContaining('the response stalled'),
    })
  })

  test('an answer that breaks off', async () => {
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"data":', () => response.destroy())
    })
    await expect(openClient().json({ url: service.url, signal })).rejects.toMatchObject({ code: 'network' })
  })

  test('cancelling ends a transfer at once', async () => {
    const controller = new AbortController()
    const ended = Promise.withResolvers<void>()
    const service = await fakeService((_request, response) => {
      response.on('close', ended.resolve)
      response.write('{"data":', () => controller.abort())
    })
    const client = openClient()
    await expect(client.json({ url: service.url, signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    })
    await ended.promise
  })

  test('offline sends nothing', async () => {
    const service = await fakeService((_request, response) => sendJson(response, {}))
    const client = openClient({ isOffline: () => true })
    await expect(client.json({ url: service.url, signal })).rejects.toMatchObject({ code: 'offline' })
    expect(service.requests).toEqual([])
  })
})

describe('the request log', () => {
  test('has time, status, size and duration, and no signature', async () => {
    const service = await fakeService((_request, response) => sendJson(response, '{"a":1}'))
    const client = openClient()
    await client.json({ url: `${service.url}/data/flow?symbol=A&interval=1h`, signal })
    await client.json({ url: `${service.url}/file.parquet?X-Amz-Signature=CANARY-signature`, signal })
    expect(client.traces).toMatchObject([
      { address: `${service.url}/data/flow?symbol=A&interval=1h`, method: 'GET', status: 200, bytes: 7, error: null },
      { address: `${service.url}/file.parquet?…`, status: 200 },
    ])
    expect(JSON.stringify(client.traces)).not.toContain('CANARY')
  })
})

describe('a response that trickles', () => {
  /** Starts a service that sends one piece each time it is told to, and opens its response on a clock of the test. */
  async function trickle(silenceMs?: number) {
    const sent = Promise.withResolvers<(piece: string) => void>()
    const service = await fakeService((_request, response) => {
      response.writeHead(200).flushHeaders()
      sent.resolve((piece) => void response.write(piece))
    })
    const clock = fakeClock()
    const client = openClient({ clock })
    const answer = await client.open({ url: service.url, signal, ...(silenceMs !== undefined && { silenceMs }) })
    const pieces = answer.body[Symbol.asyncIterator]()
    const send = await sent.promise
    return {
      client,
      /** Waits so long for a piece, and then so long with the piece before the next one is asked for. */
      async receive(piece: string, waitedMs: number, usedMs = 0) {
        const next = pieces.next()
        clock.advance(waitedMs)
        send(piece)
        await next
        clock.advance(usedMs)
      },
    }
  }

  test('is given up after half a minute, so that it holds no place for good', async () => {
    const { receive, client } = await trickle()
    await receive('a', 10_000)
    await receive('a', 10_000)
    await expect(receive('a', 10_000)).rejects.toMatchObject({
      code: 'timeout',
      detail: expect.stringContaining('only 3 bytes arrived in 30 seconds') as string,
    })
    expect(client.traces).toMatchObject([{ bytes: 3, error: expect.stringContaining('only 3 bytes') as string }])
  })

  test('is not given up while it is faster than that, or its reader is slow, or the clock jumps, or the service computes', async () => {
    const fast = await trickle()
    for (let piece = 0; piece < 12; piece++) await fast.receive('a'.repeat(2000), 10_000)
    const slowlyRead = await trickle()
    for (let piece = 0; piece < 12; piece++) await slowlyRead.receive('a', 0, 60_000)
    const acrossJumps = await trickle()
    for (let piece = 0; piece < 12; piece++) await acrossJumps.receive('a', 3_600_000)
    expect(acrossJumps.client.traces).toEqual([])
    const computing = await trickle(300_000)
    for (let piece = 0; piece < 12; piece++) await computing.receive('a', 10_000)
    expect(slowlyRead.client.traces).toEqual([])
  })
})

describe('a proxy', () => {
  async function fakeProxy() {
    const connects: { target: string; headers: Record<string, unknown> }[] = []
    const service = await fakeService((_request, response) => response.end())
    service.server.on('connect', (request, socket) => {
      connects.push({ target: request.url ?? '', headers: request.headers })
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    return { connects, address: service.url.replace('http://', ''), service }
  }

  test('carries https, knows its own user, and never sees the key', async () => {
    const { connects, address } = await fakeProxy()
    const client = openClient({
      route: () => ({ proxy: { http: '', https: `http://me:CANARY-word@${address}`, except: '' }, caFiles: [] }),
    })
    const failed = client.json({ url: 'https://metrics.example/x', signal, ...keyFor('https://metrics.example') })
    await expect(failed).rejects.toMatchObject({
      code: 'network',
      detail: expect.stringContaining('proxy answered 502'),
    })
    expect(connects.map(({ target }) => target)).toEqual(['metrics.example:443'])
    expect(connects[0].headers['proxy-authorization']).toBe(`Basic ${btoa('me:CANARY-word')}`)
    expect(JSON.stringify(connects)).not.toContain(KEY)
    expect(JSON.stringify(client.traces)).not.toContain('CANARY')
  })

  test('is not used for this machine', async () => {
    const { connects, address, service } = await fakeProxy()
    const local = await fakeService((_request, response) => sendJson(response, { here: true }))
    const client = openClient({ route: () => ({ proxy: { http: address, https: address, except: '' }, caFiles: [] }) })
    expect((await client.json({ url: local.url, signal })).value).toEqual({ here: true })
    expect(connects).toEqual([])
    expect(service.requests).toEqual([])
  })

  test('is not used for hosts that are excepted', async () => {
    const { connects, address } = await fakeProxy()
    const client = openClient({
      route: () => ({ proxy: { http: address, https: address, except: '.invalid' }, caFiles: [] }),
    })
    await expect(client.json({ url: 'https://metrics.invalid/', signal })).rejects.toMatchObject({ code: 'network' })
    expect(connects).toEqual([])
  })

  test.each([
    ['https://metrics.example/', 'https'],
    ['http://store.example/', 'http'],
  ] as const)('that refuses the connection is named for %s, and not the service', async (url, scheme) => {
    const closed = await fakeService((_request, response) => response.end())
    await new Promise((resolve) => closed.server.close(resolve))
    const address = closed.url.replace('http://', '')
    const proxy = { http: '', https: '', except: '', [scheme]: `http://me:CANARY-word@${address}` }
    const client = openClient({ route: () => ({ proxy, caFiles: [] }) })
    const failure = await failureOf(client.json({ url, signal, plainHttp: true }))
    expect(failure).toContain(`the proxy http://…@${address} could not be reached: connection refused`)
    expect(failure).not.toContain('CANARY')
  })

  test('that wants a login is told as such for plain http too', async () => {
    const refusing = await fakeService((_request, response) => response.writeHead(407).end())
    const proxy = { http: refusing.url, https: '', except: '' }
    const client = openClient({ route: () => ({ proxy, caFiles: [] }) })
    const failure = await failureOf(client.json({ url: 'http://store.example/', signal, plainHttp: true }))
    expect(failure).toContain('the proxy requires a user name and password')
  })

  test('with a broken address is reported, and no request bypasses it', async () => {
    const client = openClient({
      route: () => ({ proxy: { http: '', https: 'socks5://127.0.0.1:1', except: '' }, caFiles: [] }),
    })
    await expect(client.json({ url: 'https://metrics.example/', signal })).rejects.toMatchObject({
      code: 'network',
      detail: expect.stringContaining('HTTPS_PROXY'),
    })
  })
})

test('an answer that is not HTTP is no answer to trust', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.write('SSH-2.0-OpenSSH_9.2\r\n')))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await expect(openClient().json({ url: `http://127.0.0.1:${port}`, signal })).rejects.toMatchObject({
    code: 'bad-answer',
  })
})
