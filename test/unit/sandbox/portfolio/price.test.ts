import { expect, test } from 'vitest'
import { assetsOf } from '../../../../electron/sandbox/market/assets.ts'
import { marketDay } from '../../../../electron/sandbox/market/days.ts'
import { panelTickers } from '../../../../electron/sandbox/portfolio/panel.ts'
import { createService, type Matrix, type Series } from './service.ts'

const { ask, answer, market } = createService()

test('one ticker: a series of the market’s closes, nulls and their dates dropped', () => {
  const series = ask<Series>('/price', { ticker: '0G' })
  expect(series).not.toHaveProperty('columns')
  expect(series.index[0] > '2025-01-01').toBe(true)
  expect(series.index.at(-1)).toBe('2026-11-20')
  expect(series.data).toEqual(series.index.map((day) => market.dayClose('0G', marketDay(day))))
})

test('several tickers: a matrix on one range of dates, nulls kept', () => {
  const matrix = ask<Matrix>('/price', { ticker: 'BTC,0G' })
  expect(matrix.columns).toEqual(['BTC', '0G'])
  expect(matrix.index[0]).toBe('2020-01-01')
  expect(matrix.data[0]).toEqual([expect.any(Number), null])
  expect(matrix.data.every(([btc]) => btc !== null)).toBe(true)
  const series = ask<Series>('/price', { ticker: '0G' })
  expect(matrix.data.map(([, value]) => value).filter((value) => value !== null)).toEqual(series.data)
})

test('a delisted ticker has nulls after its last day', () => {
  const gone = assetsOf(1).find(({ base, lastDay }) => lastDay !== null && panelTickers(1).includes(base))
  if (!gone) throw new Error('no delisted ticker')
  const { data } = ask<Matrix>('/price', { ticker: `BTC,${gone.base}` })
  expect(data.at(-1)?.[1]).toBeNull()
  expect(ask<Series>('/price', { ticker: gone.base }).data.length).toBeGreaterThan(100)
})

test('whitespace around commas is trimmed', () => {
  const spaced = ask<Matrix>('/price', { ticker: ' BTC ,  ETH,0G ' })
  expect(spaced).toEqual(ask<Matrix>('/price', { ticker: 'BTC,ETH,0G' }))
})

test('dates filter inclusively, also beyond the ends', () => {
  const range = { start_date: '2026-11-19', end_date: '2030-01-01' }
  expect(ask<Series>('/price', { ticker: 'BTC', ...range }).index).toEqual(['2026-11-19', '2026-11-20'])
  expect(ask<Series>('/price', { ticker: 'BTC', end_date: '2020-01-01' }).index).toEqual(['2020-01-01'])
})

test('about 150 tickers have prices, among them short ones, ones with digits and ones in other scripts', () => {
  const tickers = panelTickers(1)
  expect(tickers).toEqual(expect.arrayContaining(['BTC', 'A', '0G', '1MBABYDOGE', '龙']))
  expect(tickers.length).toBeGreaterThan(140)
  expect(ask<Matrix>('/price', { ticker: tickers.join(',') }).columns).toEqual(tickers)
})

test('an unknown ticker is refused by name', () => {
  expect(answer('/price', { ticker: 'BTC,NOPE' })).toEqual({
    status: 404,
    body: { error: 'Unknown ticker: NOPE', code: 'unknown_ticker', details: { tickers: ['NOPE'] } },
  })
})

test('a key without a subscription gets a history that ends earlier', () => {
  const late = ask<Series>('/price', { ticker: 'BTC' }, undefined, { historyDelayDays: 30 })
  expect(late.index.at(-1)).toBe('2026-10-21')
})
