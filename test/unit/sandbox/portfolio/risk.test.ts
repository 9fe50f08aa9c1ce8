import { describe, expect, test } from 'vitest'
import { identifiers } from '../../../../electron/sandbox/portfolio/identifiers.ts'
import { createService, type LivePoint, type Matrix, type Series } from './service.ts'

const { ask, answer } = createService()

describe.each(identifiers.overlays)('overlay %s', (overlay) => {
  const series = ask<Series>('/portfolio/risk-overlay', { portfolio: 'momentum_ls', overlay })

  test('says how much to hold, every day up to the last close', () => {
    expect(series.index.at(-1)).toBe('2026-11-20')
    expect(series.index).toHaveLength(series.data.length)
    expect(Math.min(...series.data)).toBeGreaterThan(0)
    expect(Math.max(...series.data)).toBeLessThanOrEqual(1.5)
    expect(new Set(series.data).size).toBeGreaterThan(1)
  })

  test('as of close is the last value of the series', () => {
    const point = ask<LivePoint>('/portfolio/risk-overlay-live', { portfolio: 'momentum_ls', overlay, as_of: 'close' })
    expect(point).toEqual({
      data: series.data.at(-1),
      index: series.index.at(-1),
      createdAt: '2026-11-21T00:00:00.000Z',
    })
  })

  test('a portfolio may be named with its universe too, except for the overlay of drawdowns', () => {
    const named = answer('/portfolio/risk-overlay', { portfolio: 'momentum_ls.40', overlay })
    expect(named.status).toBe(overlay === 'drawdown_control' ? 404 : 200)
    if (named.status === 404) return
    expect(named.body).toEqual(series)
    expect(ask('/portfolio/risk-overlay', { portfolio: 'momentum_ls.20', overlay })).not.toEqual(series)
  })

  test('dates filter inclusively', () => {
    const range = { start_date: '2023-12-31', end_date: '2024-01-01' }
    const some = ask<Series>('/portfolio/risk-overlay', { portfolio: 'momentum_ls', overlay, ...range })
    const from = series.index.indexOf('2023-12-31')
    expect(some).toEqual({ index: ['2023-12-31', '2024-01-01'], data: series.data.slice(from, from + 2) })
  })
})

test('vol_target divides its target by the volatility of the portfolio’s last 30 returns', () => {
  const returns = ask<Series>('/portfolio/returns', { portfolio: 'momentum_ls.40' })
  const overlay = ask<Series>('/portfolio/risk-overlay', { portfolio: 'momentum_ls', overlay: 'vol_target' })
  const last = returns.data.slice(-30)
  const mean = last.reduce((sum, value) => sum + value, 0) / 30
  const volatility = Math.sqrt((last.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 29) * 365)
  expect(overlay.data.at(-1)).toBeCloseTo(Math.min(1.5, 0.1 / volatility), 3)
})

describe.each(identifiers.regimes)('regime %s', (overlay) => {
  const series = ask<Series>('/risk-regime', { overlay })
  const starts = series.data.flatMap((value, k) => (k > 0 && value !== series.data[k - 1] ? [k] : []))

  test('has few levels, each for weeks', () => {
    const stays = starts.slice(1).map((start, i) => start - starts[i])
    const middle = stays.toSorted((a, b) => a - b)[Math.floor(stays.length / 2)]
    expect(new Set(series.data).size).toBe(3)
    expect(Math.min(...stays)).toBeGreaterThanOrEqual(7)
    expect(middle).toBeGreaterThanOrEqual(12)
    expect(series.index.at(-1)).toBe('2026-11-20')
  })

  test('is updated hourly, at five past; one does not say so', () => {
    const at = (now: string) => ask<LivePoint>('/risk-regime-live', { overlay }, now)
    expect(at('2026-11-21T07:10:00Z')).toEqual({
      index: '2026-11-21',
      data: expect.any(Number),
      ...(overlay !== 'market_risk' && { createdAt: '2026-11-21T07:05:00.000Z' }),
    })
    expect(at('2026-11-21T08:04:00Z')).toEqual(at('2026-11-21T07:10:00Z'))
    expect([...new Set(series.data)]).toContain(at('2026-11-21T07:10:00Z').data)
  })

  test('takes no as_of', () => {
    expect(ask('/risk-regime-live', { overlay, as_of: 'close' })).toEqual(ask('/risk-regime-live', { overlay }))
  })
})

test('the volatility regime follows the market: stressed days are wilder than calm ones', () => {
  const { data, index } = ask<Series>('/risk-regime', { overlay: 'market_volatility' })
  const prices = ask<Matrix>('/price', { ticker: 'BTC,ETH', start_date: index[0] })
  const squares = data.map((level, k) => {
    const [from, to] = [prices.data[Math.max(0, k - 1)][0] ?? 1, prices.data[k][0] ?? 1]
    return { level, square: Math.log(to / from) ** 2 }
  })
  const spread = (level: number) => {
    const chosen = squares.filter((day) => day.level === level)
    return Math.sqrt(chosen.reduce((sum, { square }) => sum + square, 0) / chosen.length)
  }
  expect(spread(1)).toBeGreaterThan(spread(0))
  expect(spread(2)).toBeGreaterThan(spread(1))
})
