import { describe, expect, it } from 'vitest'
import { dayNumberOf } from '#shared/time/periods.ts'
import { figures, figureValues, conventionsLine, returnsView } from '#shared/portfolio/figures.ts'

const returns = [0.01, -0.02, 0.015, 0, -0.005, 0.03, -0.01, 0.004, -0.012, 0.02]
const first = dayNumberOf('2026-01-01')
const series = {
  days: Int32Array.from(returns, (_, at) => first + at),
  values: Float64Array.from(returns),
  valid: null,
}
const view = returnsView(series)
const values = figureValues(view)

describe('the golden vector', () => {
  it.each([
    ['days', 10],
    ['totalReturn', 0.03133515306338719],
    ['cagr', 2.0838515508352478],
    ['volatility', 0.2992163839839731],
    ['sharpe', 3.9035295609432974],
    ['sortino', 7.4745207464184436],
    ['maxDrawdown', -0.02],
    ['calmar', 104.19257754176229],
    ['varHistorical', -0.0164],
    ['varParametric', -0.022561206254670434],
    ['cvar', -0.02],
    ['skewness', 0.2554376940115984],
    ['kurtosis', -0.7294896374971795],
    ['ulcer', 0.010651229335414793],
    ['winRate', 0.5555555555555556],
    ['omega', 1.6808510638297873],
    ['tailRatio', 1.554878048780487],
  ])('%s', (id, expected) => {
    const value = values[id] ?? NaN
    expect(Math.abs(value / expected - 1)).toBeLessThan(1e-12)
  })

  it('has its Sharpe with a risk-free rate of 5 %', () => {
    const sharpe = figureValues(returnsView(series, { riskFree: 0.05 })).sharpe ?? NaN
    expect(Math.abs(sharpe / 3.7404588607471485 - 1)).toBeLessThan(1e-12)
  })

  it('has its drawdowns', () => {
    const expected = [0, -0.02, -0.0053, -0.0053, -0.0102735, 0, -0.01, -0.00604, -0.01796752, 0]
    view.drawdowns.forEach((value, at) => expect(value).toBeCloseTo(expected[at], 12))
    expect([...view.drawdowns].filter((value) => value === 0)).toHaveLength(3)
  })

  it('has its drawdown episodes', () => {
    expect(
      view.episodes.map(({ startDay, troughDay, endDay, recoveryDay, lengthDays }) => [
        startDay - first,
        troughDay - first,
        endDay - first,
        recoveryDay === null ? null : recoveryDay - first,
        lengthDays,
      ]),
    ).toEqual([
      [1, 1, 4, 5, 4],
      [6, 8, 8, 9, 3],
    ])
  })
})

it('says beside every figure how it is made, and under the table by which conventions', () => {
  for (const { name, formula } of figures) expect(`${name}: ${formula}`).toMatch(/\S: \S.{5,}/)
  expect(new Set(figures.map(({ id }) => id)).size).toBe(figures.length)
  expect(conventionsLine(0)).toBe('365 days a year, sample standard deviation, risk-free 0 %')
  expect(conventionsLine(0.05)).toBe('365 days a year, sample standard deviation, risk-free 5 %')
})
