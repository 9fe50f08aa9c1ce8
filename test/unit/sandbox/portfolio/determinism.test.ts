import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createService, type Matrix, type Parameters, type Series } from './service.ts'

const questions: [path: string, parameters: Parameters][] = [
  ['/portfolio/historical-weights', { portfolio: 'momentum_ls.40' }],
  ['/portfolio/live-weights', { portfolio: 'multi_core.20', as_of: 'latest' }],
  ['/portfolio/returns', { portfolio: 'carry_lo.full', smoothing: '0' }],
  ['/portfolio/factors', { id: 'oi_divergence', tickers: 'BTC,0G' }],
  ['/portfolio/factors-live', { id: 'skewness', tickers: 'BTC,0G', as_of: 'latest' }],
  ['/portfolio/universe', { size: '30', exchange: 'venuec' }],
  ['/portfolio/risk-overlay', { portfolio: 'trend_ls', overlay: 'drawdown_control' }],
  ['/risk-regime', { overlay: 'market_risk' }],
  ['/risk-regime-live', { overlay: 'market_trend' }],
  ['/price', { ticker: 'ETH,A' }],
]

test('answers do not depend on what was asked before, or when', () => {
  const nows = ['2024-02-29T23:04:00Z', '2026-11-21T09:34:00Z', '2026-05-29T00:00:00Z']
  const asked = fc.array(fc.record({ question: fc.constantFrom(...questions), now: fc.constantFrom(...nows) }), {
    minLength: 2,
    maxLength: 4,
  })
  fc.assert(
    fc.property(asked, (list) => {
      const [forwards, backwards] = [createService(4), createService(4)]
      const first = list.map(({ question, now }) => forwards.answer(...question, now))
      const second = list.toReversed().map(({ question, now }) => backwards.answer(...question, now))
      expect(JSON.stringify(second.toReversed())).toBe(JSON.stringify(first))
    }),
    { numRuns: 3 },
  )
})

test('another seed gives other answers', () => {
  const [one, two] = [createService(1), createService(2)]
  const range = { start_date: '2025-01-01', end_date: '2025-01-10' }
  expect(one.ask('/price', { ticker: 'BTC', ...range })).not.toEqual(two.ask('/price', { ticker: 'BTC', ...range }))
  expect(one.ask('/portfolio/returns', { portfolio: 'trend_ls.40', ...range })).not.toEqual(
    two.ask('/portfolio/returns', { portfolio: 'trend_ls.40', ...range }),
  )
})

const early = '2023-05-05T12:00:00Z'
const late = '2026-11-21T09:34:00Z'

test('a day’s values stay as they are when the clock moves on', () => {
  const { ask } = createService()
  const series: [path: string, parameters: Parameters][] = [
    ['/portfolio/returns', { portfolio: 'momentum_ls.40' }],
    ['/portfolio/risk-overlay', { portfolio: 'momentum_ls', overlay: 'trend_guard' }],
    ['/risk-regime', { overlay: 'market_volatility' }],
    ['/price', { ticker: 'BTC' }],
  ]
  for (const [path, parameters] of series) {
    const before = ask<Series>(path, parameters, early)
    const after = ask<Series>(path, parameters, late)
    expect(before.index.at(-1)).toBe('2023-05-04')
    expect(after.index.slice(0, before.index.length)).toEqual(before.index)
    expect(after.data.slice(0, before.data.length)).toEqual(before.data)
  }
})

test('a day’s rows stay as they are when the clock moves on; new columns only join', () => {
  const { ask } = createService()
  const matrices: [path: string, parameters: Parameters][] = [
    ['/portfolio/historical-weights', { portfolio: 'multi_core.30' }],
    ['/portfolio/universe', { size: '30' }],
    ['/portfolio/factors', { id: 'trend', tickers: 'BTC,0G' }],
  ]
  for (const [path, parameters] of matrices) {
    const before = ask<Matrix>(path, parameters, early)
    const after = ask<Matrix>(path, parameters, late)
    const places = before.columns.map((ticker) => after.columns.indexOf(ticker))
    const rows = after.data.slice(0, before.data.length).map((row) => places.map((place) => row[place]))
    expect(after.index.slice(0, before.index.length)).toEqual(before.index)
    expect(JSON.stringify(rows)).toBe(JSON.stringify(before.data))
  }
})
