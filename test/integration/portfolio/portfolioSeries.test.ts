import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { fakeHost } from '../../fakes/fakePorts.ts'
import { fakeService, sendJson } from '../../fakes/fakeService.ts'
import { openPortfolioWorld } from './portfolioWorld.ts'

const NOW_MS = Date.parse('2026-09-15T12:00:00Z')
const DAY_MS = 86_400_000

const answers: Record<string, unknown> = {
  '/portfolio/returns': { data: [0.1, null, -0.5], index: ['2026-08-31', '2026-09-13', '2026-09-14'], columns: ['r'] },
  '/portfolio/historical-weights': {
    data: [
      [0.6, -0.4],
      [0.5, null],
    ],
    index: ['2026-09-13', '2026-09-14'],
    columns: ['BTC', 'ETH'],
  },
}

/**
 * Opens a service with two histories and a factor whose values depend on the requested tickers, and a core that uses
 * it.
 */
async function open() {
  const service = await fakeService((request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
    const tickers = searchParams.get('tickers')?.split(',') ?? []
    const factors = { data: [tickers.map((_, at) => at + 1)], index: ['2026-09-14'], columns: tickers }
    sendJson(response, answers[pathname.replace('/api/v1', '')] ?? factors)
  })
  const world = await openPortfolioWorld(service.url, NOW_MS)
  const { client } = world
  const refresh = (dataset: 'portfolio_returns' | 'portfolio_weights' | 'portfolio_factors', columns: string[]) =>
    client.call('portfolio.refreshSeries', { series: [{ dataset, symbol: symbols[dataset], columns }] })
  const named = (dataset: keyof typeof symbols) => ({
    ...{ connectionId: '~computed', dataset, exchange: 'portfolio', symbol: symbols[dataset] },
    ...{ interval: '1d', timestamp: 'exchange' as const },
  })
  const read = async (dataset: keyof typeof symbols, columns: string[]) => {
    const { rows } = await client.call('series.read', {
      ...{ ...named(dataset), columns, startMs: 0, endMs: NOW_MS + 2 * DAY_MS, limitRows: 100 },
    })
    return columns.map((name) => cells(rows, name))
  }
  return { ...world, refresh, read, named, service }
}

const symbols = {
  portfolio_returns: 'p.20',
  portfolio_weights: 'p.20~10~venuea',
  portfolio_factors: 'momentum',
}

const cells = (frame: Frame, name: string) => {
  const column = columnOf(frame, name)
  return column && Array.from({ length: frame.rows }, (_, row) => cellOf(column, row))
}

test('returns become an equity that skips a missing day, weights and factors a column for each ticker', async () => {
  const { refresh, read, requestedPaths } = await open()
  expect(await refresh('portfolio_returns', ['equity'])).toEqual({ refreshed: ['p.20'], problems: [] })
  expect(await read('portfolio_returns', ['equity', 'return'])).toEqual([
    [1.1, null, 0.55],
    [0.1, null, -0.5],
  ])
  await refresh('portfolio_weights', ['BTC'])
  expect(await read('portfolio_weights', ['BTC', 'ETH'])).toEqual([
    [0.6, 0.5],
    [-0.4, null],
  ])
  expect((await requestedPaths()).at(-1)).toBe(
    '/portfolio/historical-weights?portfolio=p.20&smoothing=10&exchange=venuea',
  )
  await refresh('portfolio_factors', ['BTC'])
  // Another ticker is requested separately and stored beside the first.
  await refresh('portfolio_factors', ['ETH'])
  expect((await requestedPaths()).at(-1)).toBe('/portfolio/factors?id=momentum&tickers=ETH')
  expect(await read('portfolio_factors', ['BTC', 'ETH'])).toEqual([[1], [1]])
})

test('a stored history is listed, follows the service, and stays offline', async () => {
  const { client, refresh, read, ports, service, connectionId } = await open()
  expect(await client.call('portfolio.listSeries', {})).toEqual([])
  const changes: unknown[] = []
  client.on('cache.changed', () => changes.push(1))
  await refresh('portfolio_returns', ['equity'])
  expect(changes).toHaveLength(1)
  expect(await client.call('portfolio.listSeries', { connectionId })).toEqual([
    { dataset: 'portfolio_returns', symbol: 'p.20', columns: ['r'] },
  ])
  expect(await refresh('portfolio_returns', ['equity'])).toEqual({ refreshed: [], problems: [] })
  expect(changes).toHaveLength(1)

  const before = answers['/portfolio/returns']
  answers['/portfolio/returns'] = { data: [0.2], index: ['2026-09-15'], columns: ['r'] }
  ports.clock.advance(DAY_MS)
  expect(await refresh('portfolio_returns', ['equity'])).toEqual({ refreshed: ['p.20'], problems: [] })
  answers['/portfolio/returns'] = before
  expect(await read('portfolio_returns', ['return'])).toEqual([[0.1, null, -0.5, 0.2]])

  service.server.closeAllConnections()
  service.server.close()
  ports.clock.advance(DAY_MS)
  expect(await refresh('portfolio_returns', ['equity'])).toEqual({ refreshed: [], problems: [] })
  const other = await client.call('portfolio.refreshSeries', {
    series: [{ dataset: 'portfolio_returns', symbol: 'other', columns: ['equity'] }],
  })
  expect(other.problems).toMatchObject([{ symbol: 'other' }])
})

test('formulas take the unit of a return, and an export says which request its rows come from', async () => {
  const { app, refresh, named } = await open()
  const saved: string[] = []
  const client = app.clientFor({
    ...fakeHost(),
    async save({ name, companion }) {
      if (companion) for await (const chunk of companion.open()) saved.push(String(chunk))
      return { name, path: null }
    },
  })
  await refresh('portfolio_returns', ['equity'])
  const range = { startMs: null, endMs: null }
  const { range: days } = await client.call('series.overview', {
    ...{ ...named('portfolio_returns'), columns: ['equity'], ...range },
  })
  expect(days).toEqual({ startMs: Date.parse('2026-08-31'), endMs: Date.parse('2026-09-15') })
  const inputs = { a: { ...named('portfolio_returns'), column: 'return' } }
  expect(await client.call('series.evaluate', { formula: 'a * 2', inputs, ...range })).toMatchObject({
    problem: null,
    unit: 'return',
  })
  const series = [{ ...named('portfolio_returns'), columns: ['return'] }]
  await client.call('series.export', { format: 'csv', series, ...range })
  expect(JSON.parse(saved.join(''))).toMatchObject({
    series: [
      {
        origin: 'history of the portfolio service',
        requests: [{ endpoint: 'returns', query: 'portfolio=p.20&exchange=unconstrained' }],
      },
    ],
  })
})
