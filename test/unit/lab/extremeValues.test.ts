import { crossSectionFunction } from '#shared/formula/crossSectionFunctions.ts'
import type { LongRows } from '#shared/lab/panel.ts'
import { TargetWeights } from '#shared/lab/portfolio/targetWeights.ts'
import { estimateOf, neweyWestOf } from '#shared/lab/samples.ts'
import { describe, expect, it } from 'vitest'
import { horizonsOf, rowsOf, runOnRows as run } from '../../fakes/panelWorld.ts'

/** Powers of two, by which values can be multiplied without rounding and whose squares overflow or vanish. */
const scales = [2 ** 1000, 2 ** 600, 2 ** -600, 2 ** -1000]

const world = rowsOf({ seed: 3, symbols: 6, times: 60, gaps: 0.05 })

const scaledRows = (scale: number): LongRows => ({
  ...world,
  columns: new Map(
    [...world.columns].map(([name, values]) => [name, name === 'a' ? values.map((value) => value * scale) : values]),
  ),
})

describe.each(scales)('values times %d', (scale) => {
  it('have the same correlations with returns', () => {
    const coefficients = (rows: LongRows) =>
      horizonsOf(run(rows)).map(({ series, pearsonIc }) => ({ series, pearsonIc }))
    expect(coefficients(scaledRows(scale))).toEqual(coefficients(world))
  })

  it.each(['cs_zscore(a)', 'cs_neutral(a, b)', 'cs_neutral(b, a)'])(
    'have the same rank coefficients as %s',
    (signal) => {
      const ranks = (rows: LongRows) =>
        horizonsOf(run(rows, { kind: 'signal', signal })).map(({ series }) => series.rank)
      expect(ranks(scaledRows(scale))).toEqual(ranks(world))
    },
  )

  it('have the same correlations and effective numbers at every lag', () => {
    const fields = { kind: 'leadlag', value: 'a', maxLag: 3 }
    const pairs = (rows: LongRows) => (run(rows, fields) as { pairs?: unknown }).pairs
    expect(pairs(scaledRows(scale))).toEqual(pairs(world))
    expect(JSON.stringify(pairs(world))).toContain('effectiveN')
  })

  it('have the same weights by z-score', () => {
    const signal = Float64Array.of(0.3, -1.25, 2.5, 0.75, NaN, -0.5)
    const rules = { rule: 'zscore', longOnly: false, clip: 1.2, quantiles: 5, leverage: 1, cap: null } as const
    const weights = (values: Float64Array) => new TargetWeights(rules, 1, 6).decide(values, null, 0)?.targets
    const found = weights(signal.map((value) => value * scale))
    expect([...(found ?? [])]).toEqual(
      Array.from(weights(signal) ?? [], (weight) => expect.closeTo(weight, 12) as number),
    )
    expect(Math.max(...(found ?? []))).toBeGreaterThan(0.2)
  })

  it.each([
    ['plain', estimateOf],
    ['Newey–West', (values: Float64Array) => neweyWestOf(values, 2)],
  ])('have a %s estimate with the same test', (_, estimate) => {
    const values = Float64Array.of(0.3, -1.25, 2.5, 0.75, 1.5, -0.5)
    const { mean, sd, se, t, p, low, high } = estimate(values)
    const found = estimate(values.map((value) => value * scale))
    expect(found).toMatchObject({
      t: expect.closeTo(t ?? NaN, 12) as number,
      p: expect.closeTo(p ?? NaN, 12) as number,
    })
    for (const [key, value] of Object.entries({ mean, sd, se, low, high })) {
      expect((found[key as 'mean'] ?? NaN) / scale, key).toBeCloseTo(value ?? NaN, 12)
    }
  })
})

it('a deviation beyond all numbers is missing, and so is the test', () => {
  const values = Float64Array.of(1.7e308, -1.7e308, 1.7e308)
  expect(estimateOf(values)).toMatchObject({ n: 3, sd: null, se: null, t: null, p: null })
})

it('a z-score of the largest numbers is that of their shares', () => {
  const result = new Float64Array(3)
  const section = { count: 3, x: Float64Array.of(1.7e308, 1.7e308, 0), y: new Float64Array(3), parameter: NaN, result }
  crossSectionFunction('cs_zscore')?.apply({ ...section, orderOfX: () => Int32Array.of(2, 0, 1) })
  expect([...result]).toEqual([1, 1, -2].map((value) => expect.closeTo(value / Math.sqrt(3), 12) as number))
})

it('centred values that do not vary are 0, so that no cell is tested on rounding errors', () => {
  const found = run(world, { kind: 'seasonality', value: 'cs_rank(b)', by: 'hour', center: true })
  expect(found).toMatchObject({ tests: { count: 0, significant: 0 } })
  expect(found.kind === 'seasonality' && found.cells.every(({ mean, sd }) => mean === 0 && (sd ?? 0) === 0)).toBe(true)
})

it('changes against the market of events of all members are 0 at each time, so that none is tested on rounding errors', () => {
  const rows = rowsOf({ seed: 3, symbols: 7, times: 40 })
  const fields = { kind: 'events', when: 'close > 0', edge: false, adjust: 'market', before: 2, after: 2 }
  const found = run(rows, fields)
  const points = 'path' in found ? found.path : []
  expect(points).toHaveLength(5)
  for (const { n, byTime } of points) {
    expect(n).toBeGreaterThan(200)
    expect(byTime).toMatchObject({ mean: 0, sd: 0, t: null, p: null })
  }
})

it.each(['cs_zscore', 'cs_neutral'])('%s of an infinite value has no result, and ends', (name) => {
  const section = {
    count: 4,
    x: Float64Array.of(1, Infinity, 3, 4),
    y: Float64Array.of(1, 2, 3, 5),
    parameter: NaN,
    result: new Float64Array(4),
    orderOfX: () => Int32Array.of(0, 1, 2, 3),
  }
  crossSectionFunction(name)!.apply(section)
  expect([...section.result].every(Number.isFinite)).toBe(false)
})
