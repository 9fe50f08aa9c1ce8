import { describe, expect, it } from 'vitest'
import { attribute } from '#shared/portfolio/book/attribution.ts'
import type { NamedSeries } from '#shared/portfolio/book/dailyTable.ts'
import {
  correlationSteps,
  type CorrelationOptions,
  linkageOrder,
  pearson,
} from '#shared/portfolio/book/seriesCorrelations.ts'
import { runSteps } from '#shared/portfolio/dailySeries.ts'

const FIRST = 20_000
const wave = (days: number, step: number, size = 0.01) =>
  Array.from({ length: days }, (_, at) => size * Math.sin(at * step + step))
const series = (name: string, values: readonly (number | null)[]): NamedSeries => ({
  name,
  series: {
    days: Int32Array.from(values, (_, at) => FIRST + at),
    values: Float64Array.from(values, (value) => value ?? 0),
    valid: Uint8Array.from(values, (value) => Number(value !== null)),
  },
})
const options: CorrelationOptions = { start: null, end: null, minDays: 5, isCommon: false, order: 'given' }

describe('correlations', () => {
  const a = wave(40, 0.7)
  const b = wave(40, 1.3).map((value, at) => value + 0.5 * a[at])
  const holes = b.map((value, at) => (at % 3 === 0 ? null : value))

  it('of a pair with holes are those of its common days', () => {
    const { r, n } = runSteps(correlationSteps([series('a', a), series('holes', holes)], options))
    const rows = [...a.keys()].filter((at) => holes[at] !== null)
    const pick = (values: readonly number[]) => Float64Array.from(rows, (at) => values[at])
    expect(r[0][1]).toBeCloseTo(pearson(pick(a), pick(b)) ?? NaN, 12)
    expect(n).toEqual([
      [40, rows.length],
      [rows.length, rows.length],
    ])
  })

  it('are missing where one does not vary or the days are few, and do not depend on the size of the numbers', () => {
    const flat = series('flat', a.fill.call(new Array(40), 0.001) as number[])
    const short = series('short', [...a.slice(0, 4), ...new Array<null>(36).fill(null)])
    const huge = series(
      'huge',
      b.map((value) => value * 1e200),
    )
    const { r } = runSteps(correlationSteps([series('a', a), flat, short, series('b', b), huge], options))
    expect([r[0][1], r[0][2], r[1][1]]).toEqual([null, null, 1])
    expect(r[0][4]).toBeCloseTo(r[0][3] ?? NaN, 12)
  })

  it('put similar series beside each other', () => {
    expect(
      linkageOrder([
        [1, 0.1, 0.9, null],
        [0.1, 1, 0.2, 0.8],
        [0.9, 0.2, 1, 0],
        [null, 0.8, 0, 1],
      ]),
    ).toEqual([0, 2, 1, 3])
  })
})

describe('an attribution', () => {
  const x = wave(60, 0.9)
  const z = wave(60, 1.7)
  const range = { start: null, end: null, lags: null, rolling: null }

  it('has contributions that add up to the mean return of a year', () => {
    const y = x.map((value, at) => 0.0004 + 1.5 * value - 0.3 * z[at] + 0.002 * Math.cos(at * at))
    const { alpha, terms } = attribute(series('y', y), [series('x', x), series('z', z)], range)
    const mean = y.reduce((sum, value) => sum + value, 0) / y.length
    const sum = terms.reduce((total, { contribution }) => total + contribution, alpha.annual)
    expect(Math.abs(sum - mean * 365)).toBeLessThan(1e-12)
  })

  it('of an exact combination leaves nothing, and no doubt', () => {
    const y = x.map((value, at) => 2 * value + z[at])
    const found = attribute(series('y', y), [series('x', x), series('z', z)], { ...range, rolling: 20 })
    expect(found.terms.map(({ beta }) => Number(beta.toFixed(9)))).toEqual([2, 1])
    expect(found.terms.map(({ se, t, p }) => [se, t, p])).toEqual([
      [0, null, null],
      [0, null, null],
    ])
    expect(found.residual.every((value) => value === 0)).toBe(true)
    expect(found.rolling?.terms[0].beta.slice(18, 21).map((beta) => beta && Number(beta.toFixed(6)))).toEqual([
      null,
      2,
      2,
    ])
  })

  it('names the column that depends on others, and too few days', () => {
    const twice = series(
      'twice',
      x.map((value) => value * 2),
    )
    expect(() => attribute(series('y', z), [series('x', x), twice], range)).toThrow('twice depends on')
    expect(() => attribute(series('y', z.slice(0, 3)), [series('x', x)], range)).toThrow('3 common days; 4 are needed')
  })
})
