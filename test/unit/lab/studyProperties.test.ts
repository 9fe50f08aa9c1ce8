import { crossSectionFunctions } from '#shared/formula/crossSectionFunctions.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { buildPanel, type LongRows } from '#shared/lab/panel.ts'
import { evaluateOnPanel } from '#shared/lab/panelFormula.ts'
import { describe, expect, it } from 'vitest'
import { studyDifferences } from '../../conformance/compareStudies.ts'
import { HOUR_MS, horizonsOf, randomOf, rowsOf, runOnRows as run, START_MS } from '../../fakes/panelWorld.ts'

/** Returns the rows at these places, in this order. */
function pickRows(rows: LongRows, places: readonly number[]): LongRows {
  const pick = (values: Float64Array) => Float64Array.from(places, (at) => values[at])
  return {
    ...rows,
    times: pick(rows.times),
    symbols: Int32Array.from(places, (at) => rows.symbols[at]),
    columns: new Map([...rows.columns].map(([name, values]) => [name, pick(values)])),
    member: rows.member && Uint8Array.from(places, (at) => rows.member?.[at] ?? 0),
  }
}

const world = rowsOf({ seed: 7, symbols: 12, times: 150, gaps: 0.05 })
const everyRow = world.times.map((_, at) => at)
const range = { intervalMs: HOUR_MS, startMs: -Infinity, endMs: Infinity }

/**
 * Formulas with every function once and with nested functions; their windows fit the panel. `resample` has separate
 * formulas; `inquote` and functions of funding periods and own events are left out, because a panel lacks units, periods and
 * events; own data has truncation tests of its own.
 */
const formulas = [
  ...formulaFunctions
    .filter(
      ({ name, readsFunding }) =>
        !['resample', 'inquote', 'events', 'since'].includes(name) && !readsFunding && !name.startsWith('cs_'),
    )
    .map(({ example }) => example.replace(/\b(240|24|20)\b/, '5')),
  ...crossSectionFunctions.map(({ example }) => example),
  "resample(a, '4h', 'mean') - b",
  'sma(cs_rank(a), 4)',
  'cs_neutral(cumsum(a), ema(b, 3))',
  "cs_zscore(resample(a, '1d', 'last'))",
]

describe('truncation', () => {
  const panel = buildPanel(world, range)
  it.each(formulas.filter((formula) => !/\b[c-z]\b(?!\()/.test(formula)))(
    'changes no earlier value of %s',
    (formula) => {
      const whole = evaluateOnPanel(panel, 'signal', formula)
      for (const kept of [40, 97, 120]) {
        const places = [...everyRow].filter((at) => world.times[at] < START_MS + kept * HOUR_MS)
        const cut = buildPanel(pickRows(world, places), range)
        const values = evaluateOnPanel(cut, 'signal', formula)
        expect(cut.symbols).toEqual(panel.symbols)
        expect([...values]).toEqual([...whole.subarray(0, values.length)])
      }
    },
  )

  it('changes no coefficient whose exit lies before it, and no event whose entry does', () => {
    const places = [...everyRow].filter((at) => world.times[at] < START_MS + 100 * HOUR_MS)
    const whole = horizonsOf(run(world))
    horizonsOf(run(pickRows(world, places))).forEach(({ series }, at) => {
      expect(whole[at].series.rank.slice(0, series.rank.length)).toEqual(series.rank)
      expect(whole[at].series.pearson.slice(0, series.pearson.length)).toEqual(series.pearson)
    })
    const events = (rows: LongRows) => {
      const result = run(rows, { kind: 'events', when: 'a > 1' })
      return 'events' in result ? result.events.times : []
    }
    const early = events(pickRows(world, places))
    expect(early.length).toBeGreaterThan(10)
    expect(events(world).slice(0, early.length)).toEqual(early)
  })
})

describe('the result of a study', () => {
  it('does not depend on the order of rows or symbols', () => {
    const random = randomOf(3)
    const places = [...everyRow]
      .map((at) => ({ at, key: random() }))
      .sort((x, y) => x.key - y.key)
      .map(({ at }) => at)
    expect(run(pickRows(world, places))).toEqual(run(world))
    const count = world.names.length
    const renamed = {
      ...world,
      names: [...world.names].reverse(),
      symbols: world.symbols.map((symbol) => count - 1 - symbol),
    }
    expect(run(renamed)).toEqual(run(world))
  })

  it('keeps every bit where prices are scaled by a power of two, and nearly so by any factor', () => {
    const scaled = (factor: number) => {
      const columns = new Map(world.columns)
      columns.set(
        'close',
        (columns.get('close') ?? new Float64Array()).map((price) => price * factor),
      )
      return horizonsOf(run({ ...world, columns }))
    }
    const base = horizonsOf(run(world))
    expect(scaled(2 ** -7)).toEqual(base)
    for (const factor of [1.7, 1e-6, 123_456.789])
      expect(studyDifferences(base, scaled(factor)), `× ${factor}`).toEqual([])
  })

  it('keeps the rank IC and the groups where the signal is replaced by its rank', () => {
    const base = horizonsOf(run(world))
    horizonsOf(run(world, { signal: 'cs_rank(a)' })).forEach(({ rankIc, quantiles, turnover }, at) => {
      expect(rankIc).toEqual(base[at].rankIc)
      expect({ quantiles, turnover }).toEqual({ quantiles: base[at].quantiles, turnover: base[at].turnover })
    })
  })

  it('counts every cell once', () => {
    for (const { attrition, times } of horizonsOf(run(world, { horizons: [1, 30, 149, 400] }))) {
      const { cells, ...reasons } = attrition
      expect(Object.values(reasons).reduce((sum, one) => sum + one, 0)).toBe(cells)
      expect(times.used + times.thin + times.empty).toBe(times.all)
    }
  })

  it('has a planted IC within its interval', () => {
    const planted = rowsOf({ seed: 11, symbols: 40, times: 800, planted: 0.1 })
    const [{ pearsonIc }] = horizonsOf(run(planted, { horizons: [1] }))
    expect(pearsonIc.nonOverlapping.low).toBeLessThan(0.1)
    expect(pearsonIc.nonOverlapping.high).toBeGreaterThan(0.1)
    expect(pearsonIc.nonOverlapping.low).toBeGreaterThan(0.08)
  })
})
