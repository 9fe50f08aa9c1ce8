import { describe, expect, test } from 'vitest'
import { createService, type LivePoint, type Matrix, type Parameters, type Snapshot } from './service.ts'

const { ask } = createService()

const weights = { portfolio: 'multi_core.20' }
const factors = { id: 'momentum', tickers: 'BTC,ETH,SOL' }
const overlay = { portfolio: 'momentum_ls', overlay: 'vol_target' }

const liveEndpoints: [path: string, parameters: Parameters][] = [
  ['/portfolio/live-weights', weights],
  ['/portfolio/factors-live', factors],
  ['/portfolio/risk-overlay-live', overlay],
]

describe.each(liveEndpoints)('%s', (path, parameters) => {
  const latest = (now: string) => ask<Snapshot | LivePoint>(path, { ...parameters, as_of: 'latest' }, now)

  test('latest is refreshed at five past the hour and stands until the next', () => {
    const before = latest('2026-11-21T14:04:59.999Z')
    const after = latest('2026-11-21T14:05:00.000Z')
    expect(before.createdAt).toBe('2026-11-21T13:05:00.000Z')
    expect(after.createdAt).toBe('2026-11-21T14:05:00.000Z')
    expect(latest('2026-11-21T03:30:00Z').data).not.toEqual(after.data)
    expect(latest('2026-11-21T15:04:00Z')).toEqual(after)
  })

  test('just after midnight, latest is still of yesterday and close already is', () => {
    const now = '2026-11-21T00:01:00Z'
    expect(latest(now)).toMatchObject({ index: '2026-11-20', createdAt: '2026-11-20T23:05:00.000Z' })
    expect(ask(path, { ...parameters, as_of: 'close' }, now)).toMatchObject({
      index: '2026-11-20',
      createdAt: '2026-11-21T00:00:00.000Z',
    })
  })

  test('latest leads from one close to the next', () => {
    expect(latest('2026-11-21T00:05:00Z').index).toBe('2026-11-21')
    expect(latest('2026-11-21T23:59:00Z').index).toBe('2026-11-21')
  })

  test('the default of as_of is latest until 2026-05-29 and close from then on', () => {
    for (const now of ['2026-03-01T10:30:00Z', '2026-05-28T23:59:59Z']) {
      expect(ask(path, parameters, now)).toEqual(ask(path, { ...parameters, as_of: 'latest' }, now))
    }
    for (const now of ['2026-05-29T00:00:00Z', '2026-11-21T10:30:00Z']) {
      expect(ask(path, parameters, now)).toEqual(ask(path, { ...parameters, as_of: 'close' }, now))
    }
  })

  test('close is one value all day', () => {
    const close = (now: string) => ask(path, { ...parameters, as_of: 'close' }, now)
    expect(close('2026-11-21T00:00:00Z')).toEqual(close('2026-11-21T23:59:59Z'))
  })
})

test('latest weights are smoothed over the days before, and held among the same universe', () => {
  const now = '2026-11-21T18:20:00Z'
  const latest = ask<Snapshot>('/portfolio/live-weights', { ...weights, smoothing: '20', as_of: 'latest' }, now)
  const close = ask<Snapshot>('/portfolio/live-weights', { ...weights, smoothing: '20', as_of: 'close' }, now)
  const differences = latest.columns.map((ticker, c) =>
    Math.abs((latest.data[c] ?? 0) - (close.data[close.columns.indexOf(ticker)] ?? 0)),
  )
  expect(Math.max(...differences)).toBeGreaterThan(0)
  expect(Math.max(...differences)).toBeLessThan(0.02)
})

test('a live factor ends the day near that day’s close', () => {
  const latest = ask<Snapshot>(
    '/portfolio/factors-live',
    { ...factors, smoothing: '0', as_of: 'latest' },
    '2026-11-21T23:30:00Z',
  )
  const next = ask<Matrix>('/portfolio/factors', { ...factors, smoothing: '0' }, '2026-11-22T00:30:00Z')
  expect(next.index.at(-1)).toBe('2026-11-21')
  latest.data.forEach((value, c) => expect(value).toBeCloseTo(next.data.at(-1)?.[c] ?? NaN, 1))
})
