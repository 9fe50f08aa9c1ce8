import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Faults } from '../../../electron/sandbox/faults/faults.ts'
import { readParquet, timesMs } from '../../fakes/readParquet.ts'
import { get, startTestSandbox, testNowMs, type TestSandbox } from '../../fakes/testSandbox.ts'

const asked = { bucket: 'ohlcv', symbol: 'perpetual-AVAX-USDT:USDT', start: '2026-09-01' }

let running: TestSandbox
beforeAll(async () => {
  running = await startTestSandbox()
})
afterAll(() => running.close())

/** Returns the sandbox that these tests share, with these faults from now on and with the clock set back. */
function withFaults(faults: Faults): TestSandbox {
  running.setFaults(faults)
  running.setNow(testNowMs)
  return running
}

interface ReceivedResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: number
  /** End of the body: complete as announced, or cut off. */
  end: 'whole' | 'cut'
}

/** Reads the response until its body ends or at least `enough` bytes have arrived. */
function receive(url: string, enough = Infinity): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const call = request(url, (response) => {
      let bytes = 0
      const done = (end: ReceivedResponse['end']) => {
        call.destroy()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, end })
      }
      response.on('data', (chunk: Uint8Array) => {
        bytes += chunk.length
        if (bytes >= enough) done('cut')
      })
      response.on('end', () => done('whole'))
      response.on('error', () => done('cut'))
    })
    call.on('error', reject)
    call.end()
  })
}

const linkOf = async (sandbox: TestSandbox) => (await sandbox.files(asked))[0].url

describe('on the wire', () => {
  test('latency holds an answer back', async () => {
    const sandbox = withFaults({ rules: [{ on: 'api', path: '/metadata', latencyMs: 150 }] })
    const startMs = performance.now()
    await sandbox.api('/metadata/catalog')
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(149)
  })

  test('bandwidth stretches a body', async () => {
    const sandbox = withFaults({ rules: [{ on: 'storage', bytesPerSecond: 8000 }] })
    const url = await linkOf(sandbox)
    const startMs = performance.now()
    const { bytes } = await get(url)
    expect(performance.now() - startMs).toBeGreaterThanOrEqual((bytes.length / 8000) * 900)
  })

  test.each([
    [{ status: 429, retryAfter: 7 }, '7'],
    [{ status: 503, retryAfter: 60, retryAfterDate: true }, expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} .* GMT$/)],
    [{ status: 500 }, null],
  ])('%j is answered twice, then the service is well', async (rule, retryAfter) => {
    const sandbox = withFaults({ rules: [{ ...rule, on: 'api', times: 2 }] })
    for (let i = 0; i < 2; i++) {
      const answer = await sandbox.api('/metadata/catalog')
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([rule.status, retryAfter])
    }
    expect((await sandbox.api('/metadata/catalog')).status).toBe(200)
  })

  test('a share of the requests fails', async () => {
    const sandbox = withFaults({ rules: [{ on: 'api', chance: 0.5, status: 502 }] })
    const statuses: number[] = []
    for (let i = 0; i < 10; i++) statuses.push((await sandbox.api('/metadata/catalog')).status)
    expect(statuses.filter((status) => status === 502)).toHaveLength(5)
  })

  test('a link that has expired in the queue is refused once, and the next one works', async () => {
    const sandbox = withFaults({ rules: [{ on: 'storage', expired: true, times: 1 }] })
    const refused = await get(await linkOf(sandbox))
    expect([refused.status, refused.headers.get('content-type')]).toEqual([403, 'application/xml'])
    expect((await get(await linkOf(sandbox))).status).toBe(200)
  })

  test('links may live shorter', async () => {
    const sandbox = withFaults({ linkLifetimeSeconds: 2 })
    const url = await linkOf(sandbox)
    sandbox.setNow(sandbox.now() + 2000)
    expect((await get(url)).status).toBe(403)
  })

  test('a body is cut, and resumes from there', async () => {
    const sandbox = withFaults({ rules: [{ on: 'storage', cutAfterBytes: 500, times: 1 }] })
    const cut = await receive(await linkOf(sandbox))
    expect(cut).toMatchObject({ status: 200, bytes: 500, end: 'cut' })
    const size = Number(cut.headers['content-length'])
    const rest = await get(await linkOf(sandbox), { range: 'bytes=500-', 'if-range': String(cut.headers.etag) })
    expect([rest.status, rest.bytes.length]).toEqual([206, size - 500])
  })

  test('a body is corrupt though its length and etag are right', async () => {
    const sandbox = withFaults({ rules: [{ on: 'storage', corrupt: true, times: 1 }] })
    const bad = await get(await linkOf(sandbox))
    const good = await get(await linkOf(sandbox))
    expect(bad.bytes).toHaveLength(good.bytes.length)
    expect(bad.headers.get('etag')).toBe(good.headers.get('etag'))
    expect(Buffer.compare(bad.bytes, good.bytes)).not.toBe(0)
  })

  test('a length that is wrong: too short a body, or one that ends too early', async () => {
    const sandbox = withFaults({ rules: [{ on: 'storage', lengthOffset: -10, times: 1 }] })
    const short = await receive(await linkOf(sandbox))
    const whole = await receive(await linkOf(sandbox))
    expect(short).toMatchObject({ end: 'whole', bytes: whole.bytes - 10 })
    sandbox.setFaults({ rules: [{ on: 'storage', lengthOffset: 10 }] })
    expect(await receive(await linkOf(sandbox))).toMatchObject({ end: 'cut', bytes: whole.bytes })
  })

  test('a web page comes instead of JSON, and instead of a file', async () => {
    const sandbox = withFaults({ rules: [{ html: true, skip: 1, times: 2 }] })
    const url = await linkOf(sandbox)
    for (const answer of [await sandbox.api('/metadata/catalog'), await get(url)]) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(answer.text).toContain('<!doctype html>')
    }
  })

  test('a transfer stalls: the connection stays open and no byte comes', async () => {
    const sandbox = withFaults({ rules: [{ on: 'storage', stallAfterBytes: 300, times: 1 }] })
    const stalled = await receive(await linkOf(sandbox), 300)
    expect(stalled).toMatchObject({ status: 200, bytes: 300, end: 'cut' })
    expect((await get(await linkOf(sandbox))).status).toBe(200)
  })

  test('a connection is dropped without an answer', async () => {
    const sandbox = withFaults({ rules: [{ drop: true, times: 1 }] })
    await expect(sandbox.api('/metadata/catalog')).rejects.toThrow()
    expect((await sandbox.api('/metadata/catalog')).status).toBe(200)
  })

  test('a file comes without an etag', async () => {
    const sandbox = withFaults({ rules: [{ on: 'storage', noEtag: true }] })
    expect((await get(await linkOf(sandbox))).headers.get('etag')).toBeNull()
  })

  test('the storage redirects, and the redirected link works', async () => {
    const sandbox = withFaults({ rules: [{ on: 'storage', redirect: true }] })
    const moved = await get(await linkOf(sandbox))
    expect(moved.status).toBe(307)
    expect((await get(moved.headers.get('location') ?? '')).status).toBe(200)
  })
})

describe('in what the services say', () => {
  test.each([
    ['error', { error: expect.any(String), code: 'tier_required' }],
    ['message', { message: expect.any(String) }],
    ['detail', { detail: expect.any(String) }],
    ['description', { description: expect.any(String) }],
    ['detailList', { detail: [{ loc: ['query', expect.any(String)], msg: expect.any(String) }] }],
    ['nested', { error: { code: 'tier_required', message: expect.any(String) } }],
  ] as const)('errors have the shape %s', async (errorBody, expected) => {
    const sandbox = withFaults({ errorBody })
    const answer = await sandbox.data({ ...asked, bucket: 'l2_liquidity', tier: '0' })
    expect(answer.status).toBe(403)
    expect(answer.json()).toMatchObject(expected)
  })

  test('errors come as a web page, or with nothing', async () => {
    const sandbox = withFaults({ errorBody: 'html' })
    expect((await get(`${sandbox.url}/api/v1/price`)).text).toContain('<html>')
    sandbox.setFaults({ errorBody: 'empty' })
    expect(await get(`${sandbox.url}/api/v1/price`)).toMatchObject({ status: 401, text: '' })
  })

  test('keys are refused, or count for less than they are', async () => {
    const sandbox = withFaults({ rejectKeys: true })
    expect((await sandbox.api('/metadata/catalog')).status).toBe(401)
    sandbox.setFaults({ tierCap: 0 })
    expect((await sandbox.data({ ...asked, bucket: 'flow' })).status).toBe(403)
    sandbox.setFaults({})
    expect((await sandbox.data({ ...asked, bucket: 'flow' })).status).toBe(200)
  })

  test('a final file is published again with other content; the others stay', async () => {
    const sandbox = withFaults({})
    const etag = async (bucket: string) =>
      (await get((await sandbox.files({ ...asked, bucket }))[0].url)).headers.get('etag')
    const [candles, funding] = [await etag('ohlcv'), await etag('funding')]
    sandbox.setFaults({ republished: { path: '/ohlcv', revision: 1 } })
    const changed = await etag('ohlcv')
    expect(changed).not.toBe(candles)
    expect(await etag('funding')).toBe(funding)
    sandbox.setFaults({ republished: { path: '/ohlcv', revision: 2 } })
    expect([candles, changed]).not.toContain(await etag('ohlcv'))
  })

  test('a month has a file of its own beside those of its days', async () => {
    const sandbox = withFaults({ bothPartitions: true })
    const files = await sandbox.files({ ...asked, start: '2026-08-30', end: '2026-08-31' })
    expect(files.map(({ month, day }) => [month, day])).toEqual([
      [8, undefined],
      [8, 30],
      [8, 31],
    ])
    expect((await get(files[0].url)).status).toBe(200)
  })

  test('a dataset and an interval appear that no document knows, and they work', async () => {
    const sandbox = withFaults({ unknownDataset: true })
    const { metrics } = (await sandbox.api('/metadata/catalog')).json<{ metrics: { id: string; category: string }[] }>()
    expect(metrics.at(-1)).toMatchObject({ id: 'trade_pulse', category: 'Experimental' })
    expect((await readParquet(await sandbox.file({ ...asked, bucket: 'trade_pulse', interval: '2h' }))).rows).toBe(12)
  })

  test('the clock is set while it runs', async () => {
    const sandbox = withFaults({})
    sandbox.setNow(Date.parse('2026-09-01T06:00:00Z'))
    expect(timesMs(await readParquet(await sandbox.file(asked)))).toHaveLength(6)
  })
})

describe('in the files', () => {
  test.each(['int64', 'ms', 'us', 'ns', 'naiveMs', 'naiveUs', 'naiveNs'] as const)(
    'time is kept as %s',
    async (time) => {
      const sandbox = withFaults({ files: { time } })
      const table = await readParquet(await sandbox.file(asked))
      const logical = table.metadata.schema.find(({ name }) => name === 'time')?.logical_type
      if (time === 'int64') expect(logical).toBeUndefined()
      else expect(logical).toMatchObject({ type: 'TIMESTAMP', isAdjustedToUTC: !time.startsWith('naive') })
      expect(timesMs(table)[1]).toBe(Date.parse('2026-09-01T01:00:00Z'))
    },
  )

  test('rows occur twice, and the last of each pair is right', async () => {
    const tidy = await readParquet(await withFaults({}).file({ ...asked, interval: '15m' }))
    const sandbox = withFaults({ files: { duplicates: true } })
    const table = await readParquet(await sandbox.file({ ...asked, interval: '15m' }))
    expect(table.rows).toBeGreaterThan(tidy.rows)
    const last = new Map(timesMs(table).map((time, at) => [time, table.numbers('close')[at]]))
    expect([...last.values()]).toEqual(tidy.numbers('close'))
  })

  test('rows are out of order', async () => {
    const sandbox = withFaults({ files: { unsorted: true } })
    const times = timesMs(await readParquet(await sandbox.file(asked)))
    expect(times).not.toEqual([...times].sort((a, b) => a - b))
    expect(times).toHaveLength(24)
  })

  test('undefined ratios are NaN and Infinity, and a column nobody named stands at the end', async () => {
    const sandbox = withFaults({ files: { nonFinite: true, extraColumn: true } })
    const quiet = { bucket: 'flow', interval: '15s', symbol: 'perpetual-AVAX-USDT:USDT', start: '2026-09-01' }
    const table = await readParquet(await sandbox.file(quiet))
    const ratios = new Set(table.columns.taker_buy_sell_ratio.filter((value) => !Number.isFinite(value)))
    expect(ratios).toEqual(new Set([Number.NaN, Infinity, -Infinity]))
    expect(Object.keys(table.columns).at(-1)).toBe('writer_sequence')
  })
})

describe('the switchboard', () => {
  const put = (sandbox: TestSandbox, path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${sandbox.url}/sandbox/${path}`, { method: 'PUT', body: JSON.stringify(body), headers })

  test('sets faults and clock over HTTP and counts what was asked', async () => {
    const sandbox = withFaults({})
    expect((await put(sandbox, 'faults', { rules: [{ status: 500, times: 1 }] })).status).toBe(200)
    expect((await sandbox.api('/metadata/catalog')).status).toBe(500)
    expect((await put(sandbox, 'clock', { now: '2026-08-01T00:00:00Z' })).status).toBe(200)
    const status = (await get(`${sandbox.url}/sandbox/status`)).json()
    expect(status).toMatchObject({ now: '2026-08-01T00:00:00.000Z', stats: { storageRequestsWithKey: 0 } })
    await put(sandbox, 'clock', { now: null })
    expect(Math.abs(sandbox.now() - Date.now())).toBeLessThan(60_000)
  })

  test('refuses nonsense with words, and web pages altogether', async () => {
    const sandbox = withFaults({})
    const refused = await put(sandbox, 'faults', { latency: 1 })
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      400,
      expect.stringContaining('faults has no field latency'),
    ])
    expect((await put(sandbox, 'clock', { now: 'noon' })).status).toBe(400)
    expect((await put(sandbox, 'faults', {}, { origin: 'https://example.com' })).status).toBe(403)
  })
})
