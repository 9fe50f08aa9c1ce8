import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HistoryRequest, LiveRequest } from '#shared/catalog/portfolioRequest.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { startTestSandbox, testNowMs, type TestSandbox } from '../../fakes/testSandbox.ts'
import { byDay, openPortfolioWorld } from './portfolioWorld.ts'

const DAY_MS = 86_400_000

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.close())

const open = () => openPortfolioWorld(sandbox.url, testNowMs, sandbox.keys['3'])

interface ServedAnswer {
  data: (number | null)[][] | (number | null)[] | number | null
  index: string[] | string
  columns?: string[]
  createdAt?: string
}

const historyRequests: [HistoryRequest, string][] = [
  [{ endpoint: 'history', portfolio: 'momentum_ls.20' }, '/portfolio/historical-weights?portfolio=momentum_ls.20'],
  [{ endpoint: 'factors', id: 'momentum', tickers: ['ETH', 'BTC'] }, '/portfolio/factors?id=momentum&tickers=ETH,BTC'],
  [{ endpoint: 'universe', size: '20' }, '/portfolio/universe?size=20'],
  [
    { endpoint: 'returns', portfolio: 'multi_core.30', smoothing: '5', exchange: 'venuea' },
    '/portfolio/returns?portfolio=multi_core.30&smoothing=5&exchange=venuea',
  ],
  [
    { endpoint: 'overlay', portfolio: 'momentum_ls', overlay: 'vol_target' },
    '/portfolio/risk-overlay?portfolio=momentum_ls&overlay=vol_target',
  ],
  [{ endpoint: 'regime', overlay: 'market_trend' }, '/risk-regime?overlay=market_trend'],
  [{ endpoint: 'prices', ticker: ['BTC'] }, '/price?ticker=BTC'],
  [{ endpoint: 'prices', ticker: [' ETH ', 'BTC', 'HYPE', 'ETH'] }, '/price?ticker=ETH,BTC,HYPE'],
]

test.each(historyRequests)('%o says what the service says, also offline', async (request, path) => {
  const served = (await sandbox.api(`${path}&start_date=2026-08-01&end_date=2026-09-10`)).json<ServedAnswer>()
  const { client } = await open()
  const input = { request, start: '2026-08-01', end: '2026-09-10' }
  const { rows, freshness } = await client.call('portfolio.history', input)
  expect(freshness).toMatchObject({
    asked: true,
    fetchedAt: testNowMs,
    source: sandbox.url,
    problems: [],
    trouble: null,
  })
  const values = byDay(rows)
  const names = served.columns ?? [rows.columns[1].name]
  expect(Object.keys(values)).toEqual(served.index)
  expect(rows.columns.slice(1).map(({ name }) => name)).toEqual(
    'tickers' in request || 'ticker' in request ? names : [...names].sort(),
  )
  const data = served.data as (number | null | (number | null)[])[]
  ;(served.index as string[]).forEach((day, row) => {
    const cells = Array.isArray(data[row]) ? data[row] : [data[row]]
    expect(values[day]).toEqual(Object.fromEntries(names.map((name, place) => [name, cells[place]])))
  })
  await client.call('settings.change', { offline: true })
  const again = await client.call('portfolio.history', input)
  expect(again.rows).toEqual(rows)
  expect(again.freshness).toMatchObject({ asked: false, fetchedAt: testNowMs })
})

const liveRequests: [LiveRequest, string][] = [
  [
    { endpoint: 'weights', portfolio: 'momentum_ls.20' },
    '/portfolio/live-weights?portfolio=momentum_ls.20&as_of=close',
  ],
  [
    { endpoint: 'weights', portfolio: 'momentum_ls.20', asOf: 'latest' },
    '/portfolio/live-weights?portfolio=momentum_ls.20&as_of=latest',
  ],
  [
    { endpoint: 'factors-live', id: 'momentum', tickers: ['BTC', 'ETH'], asOf: 'latest' },
    '/portfolio/factors-live?id=momentum&tickers=BTC,ETH&as_of=latest',
  ],
  [
    { endpoint: 'overlay-live', portfolio: 'momentum_ls', overlay: 'vol_target' },
    '/portfolio/risk-overlay-live?portfolio=momentum_ls&overlay=vol_target&as_of=close',
  ],
  [{ endpoint: 'regime-live', overlay: 'market_trend' }, '/risk-regime-live?overlay=market_trend'],
]

test.each(liveRequests)('%o says what the service says, also offline', async (request, path) => {
  const served = (await sandbox.api(path)).json<ServedAnswer>()
  const { client, requestedPaths } = await open()
  const live = await client.call('portfolio.live', { request })
  expect(live).toMatchObject({ day: Date.parse(String(served.index)), createdAt: Date.parse(served.createdAt ?? '') })
  const value = columnOf(live.rows, 'value')!
  const values = Array.from({ length: live.rows.rows }, (_, row) => cellOf(value, row))
  expect(values).toEqual(served.columns ? served.data : [served.data])
  const tickers = columnOf(live.rows, 'ticker')
  expect(tickers?.kind === 'text' ? tickers.dictionary : undefined).toEqual(served.columns)
  if (request.endpoint !== 'regime-live') expect((await requestedPaths())[0]).toMatch(/as_of=(close|latest)/)
  await client.call('settings.change', { offline: true })
  expect((await client.call('portfolio.live', { request })).rows).toEqual(live.rows)
  const [seen] = await client.call('portfolio.snapshots', { request, limit: 10 })
  expect(seen).toEqual({ day: live.day, createdAt: live.createdAt, fetchedAt: testNowMs })
  const { freshness, ...snapshot } = live
  expect(freshness.asked).toBe(true)
  expect(await client.call('portfolio.snapshot', { request, createdAt: live.createdAt ?? 0 })).toEqual(snapshot)
})

test('live factors are in the order of the request', async () => {
  const { client } = await open()
  const request = { endpoint: 'factors-live', id: 'momentum', tickers: ['ETH', 'BTC', 'ADA'] } as const
  const { rows } = await client.call('portfolio.live', { request })
  const sorted = await client.call('portfolio.live', { request: { ...request, tickers: ['ADA', 'BTC', 'ETH'] } })
  const rowsOf = (frame: typeof rows) =>
    [0, 1, 2].map((row) => [cellOf(columnOf(frame, 'ticker')!, row), cellOf(columnOf(frame, 'value')!, row)])
  expect(rowsOf(rows)).toEqual(rowsOf(sorted.rows).toReversed())
  expect(cellOf(columnOf(rows, 'ticker')!, 0)).toBe('ETH')
})

test('tickers of a factor are listed, also offline; “full” is refused for a multi-factor portfolio in the service’s words', async () => {
  const { client } = await open()
  const request = { endpoint: 'tickers', id: 'momentum', universeSize: '20' } as const
  const { tickers } = await client.call('portfolio.tickers', { request })
  expect(tickers).toHaveLength(20)
  await expect(
    client.call('portfolio.tickers', { request: { ...request, id: 'multi_core', universeSize: 'full' } }),
  ).rejects.toMatchObject({
    code: 'rejected',
    service: { status: 400, message: expect.stringContaining('multi-factor portfolios cannot use full') },
  })
  await client.call('settings.change', { offline: true })
  expect((await client.call('portfolio.tickers', { request })).tickers).toEqual(tickers)
  await expect(client.call('portfolio.tickers', { request: { ...request, universeSize: '30' } })).rejects.toMatchObject(
    { code: 'not-here' },
  )
})

describe('a history', () => {
  const request = { endpoint: 'returns', portfolio: 'momentum_ls.20' } as const

  test('is asked once a day, and then only its end; a longer one only its beginning', async () => {
    const { client, requestedPaths, ports } = await open()
    const query = '/portfolio/returns?portfolio=momentum_ls.20&exchange=unconstrained'
    await client.call('portfolio.history', { request, start: '2026-08-01' })
    await client.call('portfolio.history', { request, start: '2026-08-15', end: '2026-08-20' })
    ports.clock.advance(DAY_MS / 2)
    expect(await requestedPaths()).toEqual([`${query}&start_date=2026-08-01`])
    sandbox.setNow(ports.clock.nowMs())
    const { rows, freshness } = await client.call('portfolio.history', { request, start: '2026-08-01' })
    expect(Object.keys(byDay(rows))).toHaveLength(46)
    expect(freshness).toMatchObject({ asked: true, dataEndsAt: Date.parse('2026-09-15') })
    await client.call('portfolio.history', { request, start: '2026-07-20', end: '2026-08-20' })
    sandbox.setNow(testNowMs)
    expect(await requestedPaths()).toEqual([
      `${query}&start_date=2026-08-01`,
      `${query}&start_date=2026-09-09`,
      `${query}&start_date=2026-07-20&end_date=2026-07-31`,
    ])
  })

  test('that ends 30 days ago says so, and is longer when the service has more', async () => {
    sandbox.setFaults({ historyEndsDaysAgo: 30 })
    const { client, ports, requestedPaths } = await open()
    const { freshness } = await client.call('portfolio.history', { request, start: '2026-07-01' })
    expect(freshness.dataEndsAt).toBe(Date.parse('2026-08-15'))
    sandbox.setFaults({})
    ports.clock.advance(DAY_MS)
    const later = await client.call('portfolio.history', { request, start: '2026-07-01' })
    expect(later.freshness.dataEndsAt).toBe(Date.parse('2026-09-14'))
    expect((await requestedPaths()).at(-1)).toContain('start_date=2026-08-10')
  })

  test('a value that is NaN is missing', async () => {
    sandbox.setFaults({ jsonNaN: true })
    const { client } = await open()
    const prices = { endpoint: 'prices', ticker: ['BTC', 'HYPE'] } as const
    const { rows } = await client.call('portfolio.history', { request: prices, start: '2020-01-01', end: '2020-01-05' })
    sandbox.setFaults({})
    expect(Object.values(byDay(rows)).map(({ HYPE }) => HYPE)).toEqual([null, null, null, null, null])
  })
})
