import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { createApp } from '#core/app.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { fakeService, sendJson } from '../../fakes/fakeService.ts'
import { byDay, openPortfolioWorld } from './portfolioWorld.ts'

const NOW_MS = Date.parse('2026-09-15T12:00:00Z')
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Opens a service whose next answer the test sets, and a core that uses it. */
async function open(key: string | null = null) {
  const answer = { status: 200, body: {} as unknown }
  const service = await fakeService((_request: IncomingMessage, response: ServerResponse) =>
    sendJson(response, answer.body, answer.status),
  )
  return { answer, service, ...(await openPortfolioWorld(service.url, NOW_MS, key)) }
}

const cells = (frame: Frame, name: string) => {
  const column = columnOf(frame, name)
  return column && Array.from({ length: frame.rows }, (_, row) => cellOf(column, row))
}

const returns = { endpoint: 'returns', portfolio: 'p.20' } as const
const weights = { endpoint: 'history', portfolio: 'p.20' } as const
const live = { endpoint: 'weights', portfolio: 'p.20', asOf: 'latest' } as const
const tickers = { endpoint: 'tickers', id: 'momentum', universeSize: '20' } as const
const week = ['2026-09-10', '2026-09-11', '2026-09-12', '2026-09-13', '2026-09-14']

describe('what the service changes afterwards', () => {
  test('of a history replaces what was here, which stays as a revision', async () => {
    const { client, answer, ports } = await open()
    answer.body = {
      data: [
        [0.1, 0.2],
        [0.3, null],
      ],
      index: ['2026-09-13', '2026-09-14'],
      columns: ['A', 'B'],
    }
    await client.call('portfolio.history', { request: weights })
    ports.clock.advance(DAY_MS)
    answer.body = {
      data: [
        [0.1, 0.25, 0],
        [null, 0.4, 0.6],
      ],
      index: ['2026-09-13', '2026-09-15'],
      columns: ['A', 'B', 'C'],
    }
    const changed: unknown[] = []
    client.on('portfolio.changed', (event) => changed.push(event))
    const { rows } = await client.call('portfolio.history', { request: weights })
    expect(byDay(rows)).toEqual({
      '2026-09-13': { A: 0.1, B: 0.25, C: 0 },
      '2026-09-14': { A: 0.3, B: null, C: null },
      '2026-09-15': { A: null, B: 0.4, C: 0.6 },
    })
    expect(changed).toHaveLength(1)
    const revisions = await client.call('portfolio.revisions', { request: weights, limit: 10 })
    expect(cells(revisions, 'column')).toEqual(['B', 'C'])
    expect(cells(revisions, 'before')).toEqual([0.2, null])
    expect(cells(revisions, 'after')).toEqual([0.25, 0])
    expect(cells(revisions, 'day')).toEqual([Date.parse('2026-09-13'), Date.parse('2026-09-13')])
    expect(cells(revisions, 'fetched')).toEqual([NOW_MS, NOW_MS])
    expect(cells(revisions, 'replaced')).toEqual([NOW_MS + DAY_MS, NOW_MS + DAY_MS])
  })

  test('several times is a chain of revisions; the same again is none', async () => {
    const { client, answer, ports } = await open()
    for (const value of [1, 2, 2, 3]) {
      answer.body = { data: [value], index: ['2026-09-14'] }
      await client.call('portfolio.history', { request: returns, refresh: true })
      ports.clock.advance(1000)
    }
    const revisions = await client.call('portfolio.revisions', { request: returns, limit: 10 })
    expect([cells(revisions, 'before'), cells(revisions, 'after')]).toEqual([
      [2, 1],
      [3, 2],
    ])
  })

  test('of a live answer made at the same time stays as a revision; others stand beside each other', async () => {
    const { client, answer, ports } = await open()
    const snapshot = (value: number, createdAt: string) => ({
      data: [value],
      columns: ['A'],
      index: '2026-09-15',
      createdAt,
    })
    answer.body = snapshot(1, '2026-09-15T12:05:00Z')
    await client.call('portfolio.live', { request: live })
    answer.body = snapshot(2, '2026-09-15T12:05:00Z')
    await client.call('portfolio.live', { request: live, refresh: true })
    ports.clock.advance(HOUR_MS)
    answer.body = snapshot(3, '2026-09-15T13:05:00Z')
    expect(cells((await client.call('portfolio.live', { request: live })).rows, 'value')).toEqual([3])
    const seen = await client.call('portfolio.snapshots', { request: live, limit: 10 })
    expect(seen.map(({ createdAt }) => new Date(createdAt ?? 0).getUTCHours())).toEqual([13, 12])
    const { rows } = await client.call('portfolio.snapshot', { request: live, createdAt: seen[1].createdAt ?? 0 })
    expect(cells(rows, 'value')).toEqual([2])
    const revisions = await client.call('portfolio.revisions', { request: live, limit: 10 })
    expect([cells(revisions, 'before'), cells(revisions, 'after'), cells(revisions, 'created')]).toEqual([
      [1],
      [2],
      [seen[1].createdAt],
    ])
  })

  test('of a list of tickers is who joined and who left', async () => {
    const { client, answer, ports } = await open()
    answer.body = { tickers: ['BTC', 'ETH'] }
    await client.call('portfolio.tickers', { request: tickers })
    ports.clock.advance(DAY_MS)
    answer.body = { tickers: ['BTC', '0G'] }
    expect((await client.call('portfolio.tickers', { request: tickers })).tickers).toEqual(['BTC', '0G'])
    const revisions = await client.call('portfolio.revisions', { request: tickers, limit: 10 })
    expect([cells(revisions, 'column'), cells(revisions, 'before'), cells(revisions, 'after')]).toEqual([
      ['ETH', '0G'],
      [1, null],
      [null, 1],
    ])
  })
})

describe('a live answer', () => {
  test('is asked for again in the next hour; one of the close on the next day', async () => {
    const { client, answer, service, ports } = await open()
    answer.body = { data: [1], columns: ['A'], index: '2026-09-15', createdAt: '2026-09-15T11:05:00Z' }
    const close = { endpoint: 'weights', portfolio: 'p.20' } as const
    const askBoth = async () => {
      await client.call('portfolio.live', { request: live })
      await client.call('portfolio.live', { request: close })
      return service.requests.length
    }
    expect(await askBoth()).toBe(2)
    expect(await askBoth()).toBe(2)
    ports.clock.advance(5 * 60_000)
    expect(await askBoth()).toBe(3)
    ports.clock.advance(DAY_MS)
    expect(await askBoth()).toBe(5)
  })
})

describe('a live answer without the time at which it was generated', () => {
  test('is kept under the time at which it was first fetched, and one that repeats the last one is that one', async () => {
    const { client, answer, ports } = await open()
    const values: unknown[] = []
    for (const value of [1, 1, 2]) {
      answer.body = { data: [value], columns: ['A'], index: '2026-09-15' }
      const { rows, createdAt } = await client.call('portfolio.live', { request: live, refresh: true })
      values.push([createdAt, cells(rows, 'value')])
      ports.clock.advance(HOUR_MS)
    }
    expect(values).toEqual([
      [null, [1]],
      [null, [1]],
      [null, [2]],
    ])
    const seen = await client.call('portfolio.snapshots', { request: live, limit: 10 })
    expect(seen).toEqual(
      [2, 0].map((hours) => ({
        day: Date.parse('2026-09-15'),
        createdAt: null,
        fetchedAt: NOW_MS + hours * HOUR_MS,
      })),
    )
    const first = await client.call('portfolio.snapshot', { request: live, createdAt: NOW_MS })
    expect([first.createdAt, cells(first.rows, 'value')]).toEqual([null, [1]])
    expect((await client.call('portfolio.revisions', { request: live, limit: 10 })).rows).toBe(0)
  })

  test('of a single value is one', async () => {
    const { client, answer } = await open()
    answer.body = { data: 0.5, index: '2026-09-15', createdAt: null }
    const request = { endpoint: 'regime-live', overlay: 'calm' } as const
    expect((await client.call('portfolio.live', { request })).createdAt).toBe(null)
  })
})

test('a universe of all tickers is asked for, whatever the service answers', async () => {
  const { client, answer, service } = await open()
  answer.body = { data: [[1, null]], index: ['2026-09-14'], columns: ['A', 'B'] }
  const { rows } = await client.call('portfolio.history', { request: { endpoint: 'universe', size: 'full' } })
  expect(byDay(rows)).toEqual({ '2026-09-14': { A: 1, B: null } })
  expect(service.requests[0].url).toContain('size=full')
})

describe('an overlay of a service that wants its portfolio without the universe size', () => {
  const overlay = { endpoint: 'overlay', portfolio: 'something.40', overlay: 'guard' } as const
  const point = { endpoint: 'overlay-live', portfolio: 'something.40', overlay: 'guard' } as const

  /** Opens a core with a service that knows only these portfolios, until the test changes them. */
  async function openWithPortfolios(...known: string[]) {
    const asked: (string | null)[] = []
    const service = await fakeService((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
      const portfolio = searchParams.get('portfolio')
      asked.push(portfolio)
      if (!known.includes(portfolio ?? '')) return sendJson(response, { error: `no ${portfolio}` }, 404)
      sendJson(
        response,
        pathname.endsWith('-live') ? { data: 1, index: '2026-09-15' } : { data: [1], index: ['2026-09-14'] },
      )
    })
    return { asked, known, service, ...(await openPortfolioWorld(service.url, NOW_MS)) }
  }

  test('is asked for once more without it, which is remembered, also by the next start', async () => {
    const { asked, app, client, dataDir, connectionId } = await openWithPortfolios('something')
    const { rows } = await client.call('portfolio.history', { request: overlay })
    expect(byDay(rows)).toEqual({ '2026-09-14': { value: 1 } })
    expect(asked.splice(0)).toEqual(['something.40', 'something'])
    await client.call('portfolio.live', { request: point })
    expect(asked.splice(0)).toEqual(['something'])
    await app.close()
    const next = createApp(fakePorts(), { version: '0', dataDir })
    onTestFinished(() => next.close())
    await next.clientFor(fakeHost()).call('portfolio.live', { connectionId, request: point, refresh: true })
    expect(asked).toEqual(['something'])
  })

  test('is asked for with it again once the service wants that', async () => {
    const { asked, known, client } = await openWithPortfolios('something')
    await client.call('portfolio.live', { request: point })
    known.splice(0, 1, 'something.40')
    asked.length = 0
    for (const refresh of [true, true]) await client.call('portfolio.live', { request: point, refresh })
    expect(asked).toEqual(['something', 'something.40', 'something.40'])
  })

  test('that does not exist either way fails with the answer to what was asked', async () => {
    const { asked, client } = await openWithPortfolios()
    await expect(client.call('portfolio.live', { request: point })).rejects.toMatchObject({
      code: 'not-found',
      service: { message: 'no something.40' },
    })
    expect(asked).toEqual(['something.40', 'something'])
  })
})

test('a factor’s id may carry a universe size', async () => {
  const { client, answer, service } = await open()
  answer.body = { data: [[0.5]], index: ['2026-09-14'], columns: ['A'] }
  const request = { endpoint: 'factors', id: 'momentum.40', tickers: ['A'] } as const
  expect(byDay((await client.call('portfolio.history', { request })).rows)).toEqual({ '2026-09-14': { A: 0.5 } })
  expect(service.requests[0].url).toContain('id=momentum.40')
})

describe('when the service is unavailable', () => {
  test('what is known answers, and says as of when and why', async () => {
    const { client, answer, ports } = await open()
    answer.body = { data: [1, 2, 3, 4, 5], index: week }
    await client.call('portfolio.history', { request: returns, start: '2026-09-10' })
    ports.clock.advance(DAY_MS)
    answer.status = 503
    answer.body = { message: 'maintenance' }
    const { rows, freshness } = await client.call('portfolio.history', { request: returns, start: '2026-09-01' })
    expect(Object.keys(byDay(rows))).toEqual(week)
    expect(freshness).toMatchObject({
      fetchedAt: NOW_MS,
      asked: false,
      dataEndsAt: Date.parse('2026-09-14'),
      problems: ['days after 2026-09-14 are missing', 'days before 2026-09-10 are missing'],
      trouble: { code: 'service', service: { message: 'maintenance' } },
    })
    await expect(client.call('portfolio.history', { request: returns, refresh: true })).rejects.toMatchObject({
      code: 'service',
    })
    await expect(client.call('portfolio.history', { request: weights })).rejects.toMatchObject({ code: 'service' })
  })

  test('what nobody asked for yet is not here', async () => {
    const { client } = await open()
    await client.call('settings.change', { offline: true })
    for (const call of [
      client.call('portfolio.history', { request: returns }),
      client.call('portfolio.live', { request: live }),
      client.call('portfolio.tickers', { request: tickers }),
      client.call('portfolio.snapshot', { request: live, createdAt: 1 }),
    ])
      await expect(call).rejects.toMatchObject({ code: 'not-here' })
  })

  test.each([
    [401, 'no-key', null, { error: 'Missing API key' }],
    [401, 'unauthorized', 'a-key-of-before', { error: 'Invalid API key' }],
    [403, 'forbidden', null, { detail: 'subscription needed' }],
    [400, 'rejected', null, { detail: [{ loc: ['query', 'smoothing'], msg: 'not supported' }] }],
    [404, 'not-found', null, { description: 'Unknown portfolio' }],
  ])('a refusal with %i (%s) is told in its own words, and nothing is remembered', async (status, code, key, body) => {
    const { client, answer } = await open(key)
    Object.assign(answer, { status, body })
    const message = status === 400 ? 'query.smoothing: not supported' : Object.values(body)[0]
    await expect(client.call('portfolio.history', { request: returns })).rejects.toMatchObject({
      code,
      service: { status, message },
    })
    expect(await client.call('portfolio.usedIds', { kind: 'portfolio', limit: 5 })).toEqual([])
  })

  test('an answer that contradicts itself is refused, and what is known stays', async () => {
    const { client, answer } = await open()
    answer.body = { data: [1, 2, 3, 4, 5], index: week }
    await client.call('portfolio.history', { request: returns })
    answer.body = { data: [9, 9], index: week }
    await expect(client.call('portfolio.history', { request: returns, refresh: true })).rejects.toMatchObject({
      code: 'bad-answer',
    })
    const { rows } = await client.call('portfolio.history', { request: returns })
    expect(Object.values(byDay(rows)).map((row) => row.returns)).toEqual([1, 2, 3, 4, 5])
  })
})

test('what is known answers without its service, and nothing is started for it', async () => {
  const { client, answer, ports, connectionId } = await open()
  answer.body = { data: [1], index: ['2026-09-14'] }
  await client.call('portfolio.history', { request: returns })
  await client.call('connections.edit', { id: connectionId, portfolioUrl: '' })
  ports.clock.advance(DAY_MS)
  const { rows, freshness } = await client.call('portfolio.history', { request: returns })
  expect(rows.rows).toBe(1)
  expect(freshness.trouble).toMatchObject({ code: 'not-found', detail: 'This connection has no portfolio service.' })
  await expect(client.call('portfolio.history', { request: weights })).rejects.toMatchObject({ code: 'not-found' })
})

test('a range that has not begun is refused without asking', async () => {
  const { client, service } = await open()
  const call = client.call('portfolio.history', { request: returns, start: '2026-09-15' })
  await expect(call).rejects.toMatchObject({ code: 'bad-input', detail: expect.stringContaining('complete days') })
  expect(service.requests).toHaveLength(0)
})

test('an older beginning makes the end no fresher', async () => {
  const { client, answer, service, ports } = await open()
  ports.clock.advance(Date.parse('2026-09-16T00:05:00Z') - ports.clock.nowMs())
  answer.body = { data: [1], index: ['2026-09-14'] }
  await client.call('portfolio.history', { request: returns, start: '2026-09-01' })
  ports.clock.advance(HOUR_MS)
  answer.body = { data: [2], index: ['2026-08-14'] }
  await client.call('portfolio.history', { request: returns, start: '2026-08-01', end: '2026-09-05' })
  answer.body = { data: [3], index: ['2026-09-15'] }
  const { rows } = await client.call('portfolio.history', { request: returns, start: '2026-08-01' })
  expect(Object.keys(byDay(rows))).toContain('2026-09-15')
  expect(service.requests[1].url).toContain('end_date=2026-08-31')
})

test('what was odd in an answer is also reported when the answer comes from the cache', async () => {
  const { client, answer } = await open()
  answer.body = { data: [1, 2, 3], index: ['2026-09-14', '2026-09-13', '2026-09-14'] }
  const first = await client.call('portfolio.history', { request: returns })
  const second = await client.call('portfolio.history', { request: returns })
  expect(first.freshness.problems).toHaveLength(2)
  expect(second.freshness.problems).toEqual(first.freshness.problems)
  expect(byDay(second.rows)).toEqual({ '2026-09-13': { returns: 2 }, '2026-09-14': { returns: 3 } })
})

test('identifiers that were used, not those of a list, are offered again, the last used first, for their connection', async () => {
  const { client, answer, ports } = await open()
  answer.body = { data: [1], index: ['2026-09-14'] }
  for (const portfolio of ['first.20', 'second.20', 'first.20']) {
    await client.call('portfolio.history', { request: { endpoint: 'returns', portfolio } })
    ports.clock.advance(2 * 60_000)
  }
  await client.call('portfolio.history', { request: { endpoint: 'regime', overlay: 'trend' } })
  for (const portfolio of ['second.20', 'unused.20'])
    await client.call('portfolio.history', { request: { endpoint: 'returns', portfolio }, isPreview: true })
  const used = async (kind: 'portfolio' | 'overlay' | 'regime', connectionId = '') =>
    (await client.call('portfolio.usedIds', { kind, connectionId, limit: 5 })).map(({ id }) => id)
  expect(await used('portfolio')).toEqual(['first.20', 'second.20'])
  expect([await used('regime'), await used('overlay'), await used('portfolio', 'sandbox')]).toEqual([['trend'], [], []])
})

test('400 tickers over 6 years arrive whole, and are read back from the cache', async () => {
  const { client, answer } = await open()
  const names = Array.from({ length: 400 }, (_, column) => `T${String(column).padStart(3, '0')}`)
  const firstMs = Date.parse('2020-09-14')
  const index = Array.from({ length: 2192 }, (_, row) => new Date(firstMs + row * DAY_MS).toISOString().slice(0, 10))
  const valueOf = (row: number, column: number) => ((row + column) % 3 === 0 ? null : row + column / 1000)
  const data = index.map((_, row) => names.map((_name, column) => valueOf(row, column)))
  answer.body = JSON.stringify({ data, index, columns: names }).replace('null', 'NaN')
  const { rows } = await client.call('portfolio.history', { request: weights })
  expect([rows.rows, rows.columns.length]).toEqual([2192, 401])
  for (const [row, column] of [
    [0, 0],
    [0, 1],
    [1000, 333],
    [2191, 399],
    [2190, 399],
  ])
    expect(cellOf(rows.columns[column + 1], row)).toBe(valueOf(row, column))
  await client.call('settings.change', { offline: true })
  const again = await client.call('portfolio.history', { request: weights })
  expect(
    again.rows.columns.every(({ values, valid }, at) => {
      const before = rows.columns[at]
      return (
        Buffer.compare(bytesOf(values), bytesOf(before.values)) === 0 && (valid === null) === (before.valid === null)
      )
    }),
  ).toBe(true)
})

const bytesOf = (array: ArrayBufferView) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

test('a large answer that is no JSON says so', async () => {
  const { client, answer } = await open()
  answer.body = `<html>${'x'.repeat(2_000_000)}`
  await expect(client.call('portfolio.history', { request: weights })).rejects.toMatchObject({
    code: 'bad-answer',
    detail: expect.stringContaining('not JSON, it begins with “<html>'),
  })
})

test('what another process fetched is reported to the windows of this one', async () => {
  const { client, answer, dataDir, connectionId } = await open()
  const here = createApp(fakePorts(), { version: '0', dataDir, watchEveryMs: 10 })
  onTestFinished(() => here.close())
  const told = new Promise((resolve) => here.clientFor(fakeHost()).on('portfolio.changed', resolve))
  answer.body = { data: [0.01], index: [week[0]], columns: ['returns'] }
  await client.call('portfolio.history', { request: returns })
  expect(await told).toEqual({ connectionId, endpoint: 'returns', query: 'portfolio=p.20&exchange=unconstrained' })
})
