import { describe, expect, test } from 'vitest'
import { identifiers } from '../../../../electron/sandbox/portfolio/identifiers.ts'
import { createService, type Series } from './service.ts'

const portfolios = identifiers.portfolios.filter((id) => id.endsWith('.40'))

/** Checks that the figures are plausible, with wide bounds, so that they hold for any seed. */
describe.each([1, 7])('the portfolios of seed %i', (seed) => {
  const { ask } = createService(seed)
  const figures = portfolios.map((portfolio) => {
    const { data } = ask<Series>('/portfolio/returns', { portfolio })
    const mean = data.reduce((sum, value) => sum + value, 0) / data.length
    const deviation = Math.sqrt(data.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (data.length - 1))
    return { portfolio, sharpe: (mean / deviation) * Math.sqrt(365), volatility: deviation * Math.sqrt(365) }
  })

  test.each(figures)('$portfolio earns neither too much nor too little', ({ sharpe }) => {
    expect(sharpe).toBeGreaterThan(-1.6)
    expect(sharpe).toBeLessThan(3)
  })

  test.each(figures)('$portfolio swings as its kind does', ({ portfolio, volatility }) => {
    const isLongOnly = portfolio.includes('_lo.') || portfolio.startsWith('multi_defensive')
    expect(volatility).toBeGreaterThan(isLongOnly ? 0.35 : 0.04)
    expect(volatility).toBeLessThan(isLongOnly ? 0.9 : 0.2)
  })

  test('some factors pay and some do not', () => {
    const sharpes = figures.map(({ sharpe }) => sharpe)
    expect(Math.max(...sharpes)).toBeGreaterThan(0.5)
    expect(Math.min(...sharpes)).toBeLessThan(0.3)
  })
})
