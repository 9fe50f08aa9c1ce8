import { describe, expect, test } from 'vitest'
import { createService, type ErrorBody, type Matrix } from './service.ts'

const { ask, answer } = createService()
const tickersOf = (parameters: Record<string, string>) =>
  ask<{ tickers: string[] }>('/portfolio/tickers', parameters).tickers

describe.each(['20', '30', '40'])('the universe of %s', (size) => {
  const universe = ask<Matrix>('/portfolio/universe', { size })
  const membersOn = (k: number) => universe.columns.filter((_, c) => universe.data[k][c] === 1)

  test('a cell is 1 or null', () => {
    expect(new Set(universe.data.flat())).toEqual(new Set([1, null]))
  })

  test('is full once enough assets are listed, and never larger', () => {
    const counts = universe.data.map((_, k) => membersOn(k).length)
    expect(Math.max(...counts)).toBe(Number(size))
    expect(counts.at(-1)).toBe(Number(size))
  })

  test('changes on the first of a month, apart from tickers that stop trading', () => {
    const joined = universe.index.filter((_, k) => {
      const before = new Set(k === 0 ? [] : membersOn(k - 1))
      return membersOn(k).some((ticker) => !before.has(ticker))
    })
    expect(joined.length).toBeGreaterThan(20)
    expect(joined.filter((day) => !day.endsWith('-01'))).toEqual([])
  })

  test('its last row is the list of tickers', () => {
    expect(tickersOf({ id: 'momentum', universe_size: size })).toEqual(membersOn(universe.index.length - 1))
    expect(universe.index.at(-1)).toBe('2026-11-20')
  })

  test('has every column used and is filtered by date', () => {
    universe.columns.forEach((_, c) => expect(universe.data.some((row) => row[c] === 1)).toBe(true))
    const some = ask<Matrix>('/portfolio/universe', { size, start_date: '2025-01-31', end_date: '2025-02-01' })
    expect(some.index).toEqual(['2025-01-31', '2025-02-01'])
    expect(some.columns).toEqual(universe.columns)
  })
})

test('a larger universe contains the smaller ones; full contains all', () => {
  const [small, large, full] = ['20', '40', 'full'].map((size) => tickersOf({ id: 'carry', universe_size: size }))
  expect(large).toEqual(expect.arrayContaining(small))
  expect(full).toEqual(expect.arrayContaining(large))
  expect(full.length).toBeGreaterThan(80)
})

test('a venue has a universe of its own', () => {
  expect(tickersOf({ id: 'carry', universe_size: 'full', exchange: 'venueb' })).not.toEqual(
    tickersOf({ id: 'carry', universe_size: 'full' }),
  )
})

test('a multi-factor portfolio has no full universe', () => {
  expect(tickersOf({ id: 'multi_core', universe_size: '40' })).toHaveLength(40)
  const { status, body } = answer('/portfolio/tickers', { id: 'multi_core', universe_size: 'full' })
  expect(status).toBe(400)
  expect((body as ErrorBody).error).toBe('multi-factor portfolios cannot use full')
})

test('a universe may be asked for in full', () => {
  const width = (size: string) => ask<Matrix>('/portfolio/universe', { size }).columns.length
  expect(width('full')).toBeGreaterThan(width('40'))
})
