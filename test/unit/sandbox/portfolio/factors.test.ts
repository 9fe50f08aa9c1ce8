import { describe, expect, test } from 'vitest'
import { marketDay } from '../../../../electron/sandbox/market/days.ts'
import { identifiers } from '../../../../electron/sandbox/portfolio/identifiers.ts'
import { createService, type Matrix, type Snapshot } from './service.ts'

const { ask, answer, market } = createService()
const tickers = ['BTC', 'ETH', '0G', '1MBABYDOGE', 'A']
const list = tickers.join(',')

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Definitions of the factors, independently written over arrays with one value per day. */
const definitions: Record<string, (days: string[], ticker: string) => number> = {
  momentum: (days, ticker) => close(ticker, days.at(-1)) / close(ticker, days.at(-31)) - 1,
  momentum_long: (days, ticker) => close(ticker, days.at(-8)) / close(ticker, days.at(-91)) - 1,
  mean_reversion: (days, ticker) => 1 - close(ticker, days.at(-1)) / close(ticker, days.at(-6)),
  trend: (days, ticker) => close(ticker, days.at(-1)) / mean(days.slice(-60).map((day) => close(ticker, day))) - 1,
  carry: (days, ticker) => mean(days.slice(-7).map((day) => market.path(ticker)?.fundingLevel(marketDay(day)) ?? NaN)),
  volatility: (days, ticker) => {
    const logs = days.slice(-31).map((day) => Math.log(close(ticker, day)))
    const returns = logs.slice(1).map((value, i) => value - logs[i])
    const squares = returns.map((value) => (value - mean(returns)) ** 2)
    return Math.sqrt((mean(squares) * 30 * 365) / 29)
  },
  flow_size: (days, ticker) => {
    const week = days.slice(-7).map(marketDay)
    const notionals = week.map((day) => market.dayNotional(ticker, day))
    return mean(week.map((day, i) => market.dayFlow(ticker, day) * notionals[i])) / mean(notionals)
  },
  volume_trend: (days, ticker) => {
    const notionals = days.slice(-30).map((day) => market.dayNotional(ticker, marketDay(day)))
    return mean(notionals.slice(-7)) / mean(notionals) - 1
  },
  oi_divergence: (days, ticker) => {
    const [from, to] = [days.at(-15) ?? '', days.at(-1) ?? '']
    const growth = market.openInterest(ticker, marketDay(to)) / market.openInterest(ticker, marketDay(from))
    return growth - close(ticker, to) / close(ticker, from)
  },
}

function close(ticker: string, day = ''): number {
  return market.dayClose(ticker, marketDay(day))
}

describe.each(Object.keys(definitions))('%s', (id) => {
  const { data, index } = ask<Matrix>('/portfolio/factors', { id, tickers: list, smoothing: '0' })

  test('is what its definition says, from the market the prices come from', () => {
    for (const k of [300, 1500, index.length - 1]) {
      tickers.forEach((ticker, c) => {
        const value = definitions[id](index.slice(0, k + 1), ticker)
        if (Number.isNaN(value)) expect(data[k][c]).toBeNull()
        else expect(data[k][c]).toBeCloseTo(value, 8)
      })
    }
  })
})

describe.each(identifiers.factors)('factor %s', (id) => {
  test('covers every day since 2020, one column per ticker in the order asked', () => {
    const matrix = ask<Matrix>('/portfolio/factors', { id, tickers: 'ETH, 0G ,BTC' })
    expect(matrix.columns).toEqual(['ETH', '0G', 'BTC'])
    expect(matrix.index[0]).toBe('2020-01-01')
    expect(matrix.index.at(-1)).toBe('2026-11-20')
    expect(matrix.data[100].map((cell) => cell === null)).toEqual([false, true, false])
  })

  test('some are known with the suffix of a universe too', () => {
    const plain = { id, tickers: list }
    const { status, body } = answer('/portfolio/factors', { ...plain, id: `${id}.40` })
    expect(status).toBe(['momentum', 'carry'].includes(id) ? 200 : 404)
    if (status === 200) expect(body).toEqual(ask('/portfolio/factors', plain))
  })

  test.each(['0', '5', '30'])('smoothing %s: the close snapshot is the last row', (smoothing) => {
    const matrix = ask<Matrix>('/portfolio/factors', { id, tickers: list, smoothing })
    const close = ask<Snapshot>('/portfolio/factors-live', { id, tickers: list, smoothing, as_of: 'close' })
    expect(close).toEqual({
      data: matrix.data.at(-1),
      index: matrix.index.at(-1),
      columns: tickers,
      createdAt: '2026-11-21T00:00:00.000Z',
    })
  })

  test('smoothing is a mean over days', () => {
    const plain = ask<Matrix>('/portfolio/factors', { id, tickers: 'BTC', smoothing: '0' })
    const smooth = ask<Matrix>('/portfolio/factors', { id, tickers: 'BTC', smoothing: '20' })
    const expected = mean(plain.data.slice(-20).map(([value]) => value ?? NaN))
    expect(smooth.data.at(-1)?.[0]).toBeCloseTo(expected, 8)
  })
})
