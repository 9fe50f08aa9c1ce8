import { flushPromises } from '@vue/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { dailyMatrixOf } from '#shared/portfolio/dailySeries.ts'
import { matrixTable, rowsOfDays, matchingTickers } from '../../renderer/cards/dailyData.ts'
import PricesView from '../../renderer/views/portfolios/prices/PricesView.vue'
import WeightsView from '../../renderer/views/portfolios/weights/WeightsView.vue'
import { mountWithHost } from './mountWithHost.ts'

const DAY = 86_400_000
const NOON = Date.UTC(2026, 5, 2, 12, 30)
const freshness = (fetchedAt: number): PortfolioFreshness => ({
  fetchedAt,
  source: 'https://portfolio.example.com',
  asked: true,
  dataEndsAt: null,
  problems: [],
  trouble: null,
})
const prices: Frame = { rows: 1, columns: [timeColumn('time', [Date.UTC(2026, 5, 1)]), numberColumn('BTC', [100])] }
const weights: Frame = { rows: 1, columns: [textColumn('ticker', ['BTC']), numberColumn('value', [1])] }

afterEach(() => void vi.useRealTimers())

describe('what another window fetched', () => {
  it('is read anew where it is the answer that is shown, and nowhere else', async () => {
    const { host, router } = await mountWithHost(PricesView, {}, (fake) => {
      fake.answer('portfolio.usedIds', () => [])
      fake.answer('portfolio.revisions', () => ({ rows: 0, columns: [] }))
      fake.answer('portfolio.history', () => ({ rows: prices, freshness: freshness(Date.now()) }))
    })
    await router.push('/portfolios/prices?tickers=ETH, BTC')
    await flushPromises()
    const times = () => host.calls.filter(([name]) => name === 'portfolio.history').length
    expect(times()).toBe(1)
    const connectionId = 'sandbox'
    host.emit('portfolio.changed', { connectionId, endpoint: 'prices', query: 'ticker=BTC' })
    host.emit('portfolio.changed', { connectionId: 'another', endpoint: 'prices', query: 'ticker=BTC%2CETH' })
    await flushPromises()
    expect(times()).toBe(1)
    host.emit('portfolio.changed', { connectionId, endpoint: 'prices', query: 'ticker=BTC%2CETH' })
    await flushPromises()
    expect(times()).toBe(2)
  })
})

describe('live weights', () => {
  it('are asked for again when the hour has a new snapshot, and again some minutes later where it is late', async () => {
    vi.useFakeTimers({ now: NOON, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const { host, router } = await mountWithHost(WeightsView, {}, (fake) => {
      fake.answer('portfolio.usedIds', () => [])
      fake.answer('portfolio.snapshots', () => [])
      fake.answer('portfolio.revisions', () => ({ rows: 0, columns: [] }))
      fake.answer('portfolio.history', () => ({ rows: prices, freshness: freshness(Date.now()) }))
      fake.answer('portfolio.live', () => ({
        day: Date.UTC(2026, 5, 2),
        createdAt: NOON - 25 * 60_000,
        rows: weights,
        freshness: freshness(Date.now()),
      }))
    })
    await router.push('/portfolios/weights?portfolio=a.20')
    await flushPromises()
    const latest = () =>
      host.calls.filter(([name, input]) => name === 'portfolio.live' && JSON.stringify(input).includes('latest')).length
    expect(latest()).toBe(1)
    await vi.advanceTimersByTimeAsync(34 * 60_000)
    expect(latest()).toBe(1)
    await vi.advanceTimersByTimeAsync(2 * 60_000)
    expect(latest()).toBe(2)
  })
})

describe('a table of days and tickers', () => {
  const days = Array.from({ length: 40 }, (_, at) => Date.UTC(2026, 4, 20) + at * DAY)
  const { matrix } = dailyMatrixOf({
    rows: 40,
    columns: [
      timeColumn('time', days),
      ...['BTC', 'ETH', 'BTCDOM'].map((name, column) =>
        numberColumn(
          name,
          days.map((_, at) => at * 10 + column),
        ),
      ),
    ],
  })

  it('is narrowed by parts of tickers and beginnings of days, the newest first', () => {
    const tickers = matchingTickers(matrix.tickers, ' btc ,')
    expect(tickers).toEqual(['BTC', 'BTCDOM'])
    const table = matrixTable(matrix, tickers, rowsOfDays(matrix.days, '2026-05-3, 2026-06-02'))
    expect(table.columns.map(({ name }) => name)).toEqual(['time', 'BTC', 'BTCDOM'])
    expect([...table.columns[0].values]).toEqual(
      ['2026-06-02', '2026-05-31', '2026-05-30'].map((day) => Date.parse(day)),
    )
    expect([...table.columns[2].values]).toEqual([132, 112, 102])
    expect(matrixTable(matrix, [], rowsOfDays(matrix.days, 'nonsense'))).toMatchObject({ rows: 0 })
  })
})
