import { documentedVenue } from '../../../../electron/sandbox/market/venues.ts'
import { describe, expect, test } from 'vitest'
import { instrumentsOf } from '../../../../electron/sandbox/market/instruments.ts'
import { identifiers } from '../../../../electron/sandbox/portfolio/identifiers.ts'
import { createService, type Matrix, type Parameters, type Series, type Snapshot } from './service.ts'

const { ask } = createService()
const weightsPath = '/portfolio/historical-weights'

const samples: Parameters[] = [
  { portfolio: 'momentum_ls.40' },
  { portfolio: 'carry_lo.full' },
  { portfolio: 'volatility_ls.20', smoothing: '0' },
  { portfolio: 'multi_core.30', smoothing: '30' },
  { portfolio: 'flow_size_ls.30', exchange: 'venueb' },
  { portfolio: 'mean_reversion_ls.40', exchange: 'venuec', smoothing: '5' },
  { portfolio: 'multi_defensive.20', exchange: 'unconstrained' },
]
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const weightsOf = (row: (number | null)[]) => row.map((weight) => weight ?? 0)

describe.each(samples)('$portfolio, smoothing $smoothing, exchange $exchange', (parameters) => {
  const history = ask<Matrix>(weightsPath, parameters)

  test('the close snapshot is the last row of the history', () => {
    const close = ask<Snapshot>('/portfolio/live-weights', { ...parameters, as_of: 'close' })
    expect(close.columns).toEqual(history.columns)
    expect(close.data).toEqual(history.data.at(-1))
    expect(close.index).toBe(history.index.at(-1))
    expect(close.index).toBe('2026-11-20')
    expect(close.createdAt).toBe('2026-11-21T00:00:00.000Z')
  })

  test('returns are yesterday’s weights times price changes, less 5 bps of turnover', () => {
    const returns = ask<Series>('/portfolio/returns', parameters)
    const prices = ask<Matrix>('/price', {
      ticker: [...history.columns, 'BTC'].join(','),
      start_date: history.index[0],
    })
    expect(returns.index).toEqual(history.index.slice(1))
    expect(returns.columns).toHaveLength(1)
    const columns = history.columns.map((ticker) => prices.columns.indexOf(ticker))
    const errors = returns.data.map((value, k) => {
      const [before, after] = [weightsOf(history.data[k]), weightsOf(history.data[k + 1])]
      const moves = columns.map((c) => {
        const [from, to] = [prices.data[k][c], prices.data[k + 1][c]]
        return from === null || to === null ? 0 : to / from - 1
      })
      const gain = sum(before.map((weight, c) => weight * moves[c]))
      const turnover = sum(before.map((weight, c) => Math.abs(after[c] - weight)))
      return Math.abs(value - (gain - 0.0005 * turnover))
    })
    expect(Math.max(...errors)).toBeLessThan(1e-9)
  })

  test('every column was held at some time, and every row has a cell for each', () => {
    expect(new Set(history.data.map((row) => row.length))).toEqual(new Set([history.columns.length]))
    history.columns.forEach((_, c) => expect(history.data.some((row) => (row[c] ?? 0) !== 0)).toBe(true))
  })
})

test('without smoothing, long-short weights cancel out and absolute weights sum to 1', () => {
  const { data } = ask<Matrix>(weightsPath, { portfolio: 'momentum_ls.40', smoothing: '0' })
  expect(Math.max(...data.map((row) => Math.abs(sum(weightsOf(row)))))).toBeLessThan(1e-4)
  expect(Math.max(...data.map((row) => Math.abs(sum(weightsOf(row).map(Math.abs)) - 1)))).toBeLessThan(1e-4)
})

test('long-only weights are never negative and sum to 1', () => {
  const { data } = ask<Matrix>(weightsPath, { portfolio: 'trend_lo.30', smoothing: '0' })
  expect(Math.min(...data.map((row) => Math.min(...weightsOf(row))))).toBeGreaterThanOrEqual(0)
  expect(Math.max(...data.map((row) => Math.abs(sum(weightsOf(row)) - 1)))).toBeLessThan(1e-4)
})

test.each([5, 10, 15, 20, 30])('smoothing %i is the mean of that many days', (days) => {
  const plain = ask<Matrix>(weightsPath, { portfolio: 'carry_ls.20', smoothing: '0' })
  const smooth = ask<Matrix>(weightsPath, { portfolio: 'carry_ls.20', smoothing: String(days) })
  expect(smooth.index).toEqual(plain.index)
  for (const k of [days + 400, 1200, smooth.data.length - 1]) {
    const window = plain.data.slice(k + 1 - days, k + 1)
    smooth.columns.forEach((ticker, c) => {
      const mean = sum(window.map((row) => row[plain.columns.indexOf(ticker)] ?? 0)) / days
      if ((smooth.data[k][c] ?? 0) !== 0) expect(smooth.data[k][c]).toBeCloseTo(mean, 5)
    })
  }
})

test('an omitted smoothing is the portfolio’s own, an omitted exchange none', () => {
  const plain = ask<Matrix>(weightsPath, { portfolio: 'momentum_ls.20' })
  expect(ask<Matrix>(weightsPath, { portfolio: 'momentum_ls.20', smoothing: '10', exchange: 'unconstrained' })).toEqual(
    plain,
  )
})

test('weights rank the universe by the factor', () => {
  const portfolio = ask<Matrix>(weightsPath, { portfolio: 'momentum_ls.30', smoothing: '0' })
  const { tickers } = ask<{ tickers: string[] }>('/portfolio/tickers', { id: 'momentum', universe_size: '30' })
  const factor = ask<Snapshot>('/portfolio/factors-live', {
    id: 'momentum',
    tickers: tickers.join(','),
    smoothing: '0',
    as_of: 'close',
  })
  const weightOf = new Map(portfolio.columns.map((ticker, c) => [ticker, portfolio.data.at(-1)?.[c] ?? 0]))
  const byFactor = tickers.toSorted(
    (a, b) => (factor.data[tickers.indexOf(a)] ?? 0) - (factor.data[tickers.indexOf(b)] ?? 0),
  )
  const byWeight = tickers.toSorted((a, b) => (weightOf.get(a) ?? 0) - (weightOf.get(b) ?? 0))
  expect(byWeight).toEqual(byFactor)
  expect(sum([...weightOf.values()].map((weight) => (weight === 0 ? 0 : 1)))).toBe(30)
})

test.each([
  ['venuea', 'venuea-futures'],
  ['venueb', 'venueb-perps'],
  ['venuec', 'venuec-perps'],
] as const)('%s holds only what trades there', (exchange, venue) => {
  const onVenue = new Set(instrumentsOf(1, documentedVenue(venue)).map(({ base }) => base))
  for (const ticker of ask<Matrix>(weightsPath, { portfolio: 'trend_ls.40', exchange }).columns) {
    expect(onVenue).toContain(ticker)
  }
})

test('a cell is null before the ticker’s listing and a number from then on', () => {
  const { data, columns, index } = ask<Matrix>(weightsPath, { portfolio: 'trend_ls.full' })
  const prices = ask<Matrix>('/price', { ticker: columns.join(','), start_date: index[0] })
  columns.forEach((_, c) => {
    const listed = prices.data.findIndex((row) => row[c] !== null)
    expect(data.findIndex((row) => row[c] !== null)).toBe(listed)
    expect(data.slice(listed).every((row) => row[c] !== null)).toBe(true)
  })
})

test('dates filter inclusively', () => {
  const all = ask<Matrix>(weightsPath, { portfolio: 'multi_core.20' })
  const some = ask<Matrix>(weightsPath, {
    portfolio: 'multi_core.20',
    start_date: '2022-02-27',
    end_date: '2022-03-02',
  })
  const from = all.index.indexOf('2022-02-27')
  expect(some.index).toEqual(['2022-02-27', '2022-02-28', '2022-03-01', '2022-03-02'])
  expect(some.data).toEqual(all.data.slice(from, from + 4))
  expect(some.columns).toEqual(all.columns)
})

test('a range without days is empty, not an error', () => {
  const range = { start_date: '2024-05-02', end_date: '2024-05-01' }
  expect(ask<Matrix>(weightsPath, { portfolio: 'multi_core.20', ...range })).toMatchObject({ data: [], index: [] })
  expect(ask<Series>('/portfolio/returns', { portfolio: 'multi_core.20', ...range })).toMatchObject({
    data: [],
    index: [],
  })
})

test('every listed template has weights now', () => {
  const portfolios = identifiers.portfolios.filter((id) => id.endsWith('.20'))
  const snapshots = portfolios.map((portfolio) =>
    ask<Snapshot>('/portfolio/live-weights', { portfolio, as_of: 'close' }),
  )
  for (const { data } of snapshots) {
    expect(data.some((weight) => weight !== 0)).toBe(true)
    expect(data).not.toContain(null)
  }
})
