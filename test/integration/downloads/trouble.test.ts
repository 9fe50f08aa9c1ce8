import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { BTC, downloadWorld, hourly } from '../../fakes/downloadWorld.ts'
import { fakeService, sendJson } from '../../fakes/fakeService.ts'

const brief = (downloads: readonly { period: string; state: string; outcome: string | null }[]) =>
  downloads.map(({ period, state, outcome }) => `${period} ${state} ${outcome}`).sort()
const oneDay = { startDay: '2026-09-02', endDay: '2026-09-02' }

describe('links', () => {
  test('that expired are listed again for just that period', async () => {
    const { fetch, sandbox } = await downloadWorld()
    sandbox.setFaults({ rules: [{ on: 'storage', expired: true, times: 1 }] })
    expect(brief(await fetch(oneDay))).toEqual(['2026-09-02 done downloaded'])
    expect(sandbox.stats()).toMatchObject({ apiRequests: 2, storageRequests: 2 })
  })

  test('that are refused again fail, naming the period, and lock nothing', async () => {
    const { fetch, sandbox, client } = await downloadWorld()
    sandbox.setFaults({ rules: [{ on: 'storage', expired: true }] })
    const [failed] = await fetch(oneDay)
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'rejected' } })
    expect(failed.error?.detail).toContain('2026-09-02')
    expect(sandbox.stats().storageRequests).toBe(2)
    expect(await client.call('downloads.preview', { request: { ...hourly, ...oneDay } })).toMatchObject({
      toFetch: 1,
      locked: [],
    })
  })

  test('are listed a few at a time, and never carry the key', async () => {
    const { fetch, sandbox } = await downloadWorld()
    await fetch({ startDay: '2026-08-01', endDay: '2026-09-10' })
    expect(sandbox.stats().apiRequests).toBeLessThanOrEqual(4)
    expect(sandbox.stats()).toMatchObject({ storageRequests: 41, storageRequestsWithKey: 0 })
  })

  test('to another storage are followed', async () => {
    const { fetch, sandbox } = await downloadWorld()
    sandbox.setFaults({ rules: [{ on: 'storage', redirect: true }] })
    expect(brief(await fetch(oneDay))).toEqual(['2026-09-02 done downloaded'])
    expect(sandbox.stats().storageRequestsWithKey).toBe(0)
  })

  test('to a server that nobody reaches delay their own files, and none behind them', async () => {
    const { client, connectionId, enqueue, list, sandbox } = await downloadWorld()
    const service = await fakeService((request, response) => {
      const isBad = request.url!.includes('ETH')
      void fetch(sandbox.url + request.url!, { headers: { 'x-api-key': String(request.headers['x-api-key']) } })
        .then((answer) => answer.json() as Promise<{ files: object[] }>)
        .then(({ files }) =>
          sendJson(response, {
            files: isBad ? files.map((file) => ({ ...file, url: 'http://127.0.0.1:1/x' })) : files,
          }),
        )
    })
    await client.call('connections.edit', { id: connectionId, metricsUrl: service.url })
    await client.call('keys.set', { connectionId, service: 'metrics', key: sandbox.keys['3'] })
    await enqueue({ symbols: [BTC.replace('BTC', 'ETH')], startDay: '2026-09-01', endDay: '2026-09-05' })
    await enqueue({ startDay: '2026-09-01', endDay: '2026-09-03' })
    const done = async () => (await list()).filter(({ state }) => state === 'done')
    await expect.poll(done, { timeout: 20_000 }).toHaveLength(3)
    expect((await list()).filter(({ state }) => state === 'failed')).toEqual([])
  })

  test.each(['that the proxy does not reach', 'that answer in no HTTP'])(
    'to addresses %s hold up no file behind them, however many there are',
    async (what) => {
      const { client, connectionId, enqueue, list, sandbox } = await downloadWorld()
      const junk = createServer((socket) => socket.on('error', () => {}).end('\u0000\r\n\r\n')).listen(0, '127.0.0.1')
      onTestFinished(() => void junk.close())
      await once(junk, 'listening')
      const { port } = junk.address() as AddressInfo
      const url = what === 'that answer in no HTTP' ? `http://127.0.0.1:${port}/x` : 'https://storage.invalid/x'
      const service = await fakeService((request, response) => {
        const isBad = request.url!.includes('ETH')
        void fetch(sandbox.url + request.url!, { headers: { 'x-api-key': String(request.headers['x-api-key']) } })
          .then((answer) => answer.json() as Promise<{ files: object[] }>)
          .then(({ files }) => sendJson(response, { files: isBad ? files.map((file) => ({ ...file, url })) : files }))
      })
      const proxy = await fakeService((_request, response) => response.end())
      proxy.server.on('connect', (_request, socket) => void socket.end('HTTP/1.1 502 No\r\n\r\n'))
      await client.call('settings.change', { proxy: proxy.url, proxyExcept: '127.0.0.1' })
      await client.call('connections.edit', { id: connectionId, metricsUrl: service.url })
      await client.call('keys.set', { connectionId, service: 'metrics', key: sandbox.keys['3'] })
      await enqueue({ symbols: [BTC.replace('BTC', 'ETH')], startDay: '2026-08-01', endDay: '2026-09-10' })
      await enqueue({ startDay: '2026-09-01', endDay: '2026-09-03' })
      const done = async () => (await list()).filter(({ state }) => state === 'done')
      await expect.poll(done, { timeout: 20_000 }).toHaveLength(3)
    },
  )
})

describe('transfers', () => {
  test.each([
    ['cut off', { cutAfterBytes: 700, times: 1 }],
    ['cut off again and again', { cutAfterBytes: 300, times: 2 }],
    ['cut off more often than a transfer that brings nothing would be tried', { cutAfterBytes: 120, times: 7 }],
    ['busy', { status: 503, retryAfter: 0, times: 2 }],
    ['slowed down', { status: 429, retryAfter: 0, times: 2 }],
    ['too short', { lengthOffset: -200, times: 1 }],
    ['too long', { lengthOffset: 200, times: 1 }],
    ['a web page', { html: true, times: 1 }],
  ])('%s at first come whole in the end', async (_, fault) => {
    const { fetch, sandbox, client } = await downloadWorld()
    sandbox.setFaults({ rules: [{ on: 'storage', ...fault }] })
    expect(brief(await fetch(oneDay))).toEqual(['2026-09-02 done downloaded'])
    const plan = await client.call('downloads.preview', { request: { ...hourly, ...oneDay } })
    expect(plan.files.cached).toBe(1)
  })

  test('that are never whole end as a failure that says so, and leave no file', async () => {
    const { fetch, sandbox, client } = await downloadWorld()
    sandbox.setFaults({ rules: [{ on: 'storage', html: true }] })
    const [failed] = await fetch(oneDay)
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'bad-answer' } })
    expect(failed.error?.detail).toBe(
      `The downloaded file for ${failed.period} cannot be used: this is not a Parquet file.`,
    )
    const plan = await client.call('downloads.preview', { request: { ...hourly, ...oneDay } })
    expect(plan.files).toMatchObject({ cached: 0, missing: 1 })
  })

  test('that stall are dropped and go on where they were', async () => {
    const timeouts = { connectMs: 5000, headersMs: 5000, idleMs: 700 }
    const { fetch, sandbox } = await downloadWorld({ timeouts })
    sandbox.setFaults({ rules: [{ on: 'storage', stallAfterBytes: 500, times: 1 }] })
    expect(brief(await fetch(oneDay))).toEqual(['2026-09-02 done downloaded'])
  })
})

describe('answers of the service', () => {
  test('“nothing there” is an answer, kept and not asked again', async () => {
    const { fetch, sandbox, client } = await downloadWorld()
    const unknownSymbol = { symbols: ['perpetual-NOBODY-USDT:USDT'], ...oneDay }
    expect(brief(await fetch(unknownSymbol))).toEqual(['2026-09-02 done absent'])
    const asked = sandbox.stats().apiRequests
    const plan = await client.call('downloads.preview', { request: { ...hourly, ...unknownSymbol } })
    expect(plan).toMatchObject({ files: { absent: 1 }, toFetch: 0 })
    expect(sandbox.stats().apiRequests).toBe(asked)
    // A file that is absent by exchange time may exist by arrival time.
    const other = { request: { ...hourly, ...unknownSymbol, timestamps: ['true'] } }
    expect(await client.call('downloads.preview', other)).toMatchObject({
      files: { absent: 0, missing: 1 },
      toFetch: 1,
    })
  })

  test('a refused dataset fails in the service’s words; the rest of it is not asked for', async () => {
    const { fetch, sandbox, client } = await downloadWorld({ key: 'sandbox-tier-0' })
    const request = { datasets: ['flow', 'vtwap'], startDay: '2026-08-01', endDay: '2026-09-09' }
    const downloads = await fetch(request)
    const failed = downloads.filter(({ state }) => state === 'failed')
    expect(failed).toHaveLength(40)
    for (const { dataset, error } of failed) {
      expect(dataset).toBe('flow')
      expect(error).toMatchObject({ code: 'forbidden', service: { status: 403 } })
      expect(error?.service?.message).toContain('Tier 1')
    }
    expect(downloads.filter(({ state }) => state === 'done')).toHaveLength(40)
    expect(sandbox.stats().apiRequests).toBeLessThan(20)
    const plan = await client.call('downloads.preview', { request: { ...hourly, ...request } })
    expect(plan).toMatchObject({ files: { locked: 40, cached: 40 }, toFetch: 0 })
    expect(plan.locked[0]).toMatchObject({ dataset: 'flow', neededTier: 1 })
    const anyway = { ...hourly, ...request, tryLocked: true }
    expect((await client.call('downloads.preview', { request: anyway })).toFetch).toBe(40)
  })

  test('a refused key stops the connection once and asks for it; a new one lets all go on', async () => {
    const world = await downloadWorld({ key: 'not-a-key-at-all' })
    const { client, sandbox, connectionId, enqueue, until } = world
    const held: unknown[] = []
    client.on('downloads.held', (payload) => held.push(payload))
    await enqueue({ startDay: '2026-08-01', endDay: '2026-09-09' })
    const { counts, holds } = await until((progress) => progress.holds.length > 0 && progress.counts.running === 0)
    expect(holds).toMatchObject([{ connectionId, code: 'unauthorized', until: null }])
    expect(counts).toMatchObject({ failed: 0, queued: 40 })
    expect(sandbox.stats().apiRequests).toBeLessThanOrEqual(6)
    await client.call('keys.set', { connectionId, service: 'metrics', key: sandbox.keys['3'] })
    await until((progress) => progress.counts.done === 40)
    expect(held).toHaveLength(1)
  })

  test('the late refusal of a key that was replaced meanwhile holds nothing', async () => {
    const { client, sandbox, connectionId, enqueue, until } = await downloadWorld({ key: 'not-a-key-at-all' })
    const held: unknown[] = []
    client.on('downloads.held', (payload) => held.push(payload))
    sandbox.setFaults({ rules: [{ on: 'api', latencyMs: 1500 }] })
    const { apiRequests } = sandbox.stats()
    await enqueue({ startDay: '2026-08-01', endDay: '2026-08-03' })
    await vi.waitUntil(() => sandbox.stats().apiRequests > apiRequests, { timeout: 30_000 })
    await client.call('keys.set', { connectionId, service: 'metrics', key: sandbox.keys['3'] })
    sandbox.setFaults({})
    await until((progress) => progress.counts.done === 3)
    expect(held).toEqual([])
  })

  test('months are accepted as days, and days as a month, where the service has them so', async () => {
    const { fetch, sandbox, client } = await downloadWorld()
    sandbox.setFaults({ bothPartitions: true })
    const downloads = await fetch({ intervals: ['1d'], startDay: '2026-08-30', endDay: '2026-09-02' })
    expect(downloads.map(({ state }) => state)).toEqual(downloads.map(() => 'done'))
    const plan = await client.call('downloads.preview', {
      request: { ...hourly, intervals: ['1d'], startDay: '2026-08-30', endDay: '2026-09-02' },
    })
    expect(plan.files.cached).toBe(4)
  })
})

describe('published again', () => {
  test('is noticed by a refresh: an equal file is unchanged, a different one replaces it and is reported', async () => {
    const { fetch, sandbox } = await downloadWorld()
    await fetch(oneDay)
    expect(brief(await fetch({ ...oneDay, refresh: true }))).toEqual(['2026-09-02 done unchanged'])
    sandbox.setFaults({ republished: { revision: 7 } })
    expect(brief(await fetch({ ...oneDay, refresh: true }))).toEqual(['2026-09-02 done changed upstream'])
  })

  test('leaves the bytes of a pinned file where a replay finds them', async () => {
    const { fetch, sandbox, client, connectionId, dataDir } = await downloadWorld()
    const recordPaths = () => readdirSync(join(dataDir, 'record'), { recursive: true }).map(String)
    await fetch(oneDay)
    sandbox.setFaults({ republished: { revision: 7 } })
    await fetch({ ...oneDay, refresh: true })
    expect(existsSync(join(dataDir, 'record'))).toBe(false)
    await client.call('cache.pin', { connectionId, pinned: true })
    sandbox.setFaults({ republished: { revision: 8 } })
    await fetch({ ...oneDay, refresh: true })
    expect(recordPaths()).toHaveLength(2)
  })

  test('in the middle of a transfer starts it over: versions are never mixed', async () => {
    const { enqueue, sandbox, until, list, client } = await downloadWorld()
    sandbox.setFaults({ rules: [{ on: 'storage', bytesPerSecond: 400 }] })
    await enqueue(oneDay)
    await until(({ running }) => running.some(({ doneBytes }) => doneBytes > 100))
    await client.call('downloads.pause', { which: { filter: {} } })
    await until(({ counts, running }) => counts.paused === 1 && running.length === 0)
    sandbox.setFaults({ republished: { revision: 3 } })
    await client.call('downloads.resume', { which: { filter: {} } })
    await until(({ counts }) => counts.done === 1)
    expect(brief(await list())).toEqual(['2026-09-02 done downloaded'])
  })
})
