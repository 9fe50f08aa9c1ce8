import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runPanelStudy } from '#core/lab/panelStudy.ts'
import { parseDocument, parseStudy } from '#shared/lab/parseStudy.ts'
import type { LongRows } from '#shared/lab/panel.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { templateFiller } from '#shared/lab/kinds/screen/templates.ts'
import { comparable, formulasBehind, positionFormula, seriesOf, testOf } from '#shared/lab/kinds/screen/openCell.ts'
import { verdict } from '#shared/lab/kinds/screen/verdict.ts'
import { studyDifferences } from '../../conformance/compareStudies.ts'
import { randomOf, runOnRows } from '../../fakes/panelWorld.ts'
import { noiseRows } from '../../fakes/screenWorld.ts'

type Screen = ResultOf<'screen'>
type Cell = Screen['cells'][number]

const data = join(import.meta.dirname, '../../fixtures/along-time/screen')
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(data, name), 'utf8'))

function screen(rows: LongRows, fields: object = {}): Screen {
  const result = runOnRows(rows, { kind: 'screen', templates: ['x'], horizons: [1, 3], ...fields })
  if (result.kind !== 'screen') throw new Error('no screen')
  return result
}

/** Problem of a study that is refused. */
function refusal(rows: LongRows, fields: object): StudyError {
  try {
    screen(rows, fields)
  } catch (error) {
    if (error instanceof StudyError) return error
    throw error
  }
  throw new Error('The study is not refused.')
}

describe('the expected screens', () => {
  it.each([
    ['v10-screen', 'columns'],
    ['v11-screen-noise', 'columns'],
    ['v12-screen-day', 'two'],
    ['v13-screen-defaults', 'short'],
  ])('%s', async (id, panel) => {
    const study = parseStudy(readJson(`${id}.study.json`), { fromCache: false })
    const rows = { path: join(data, `${panel}.csv`) }
    expect(existsSync(rows.path)).toBe(true)
    const result = await runPanelStudy({ study, rows, against: null, scratchFolder: '' }, () => undefined)
    expect(studyDifferences(readJson(`${id}.expected.json`), JSON.parse(JSON.stringify(result)))).toEqual([])
  })

  it('refuses a template without a column', () => {
    expect(() => parseStudy(readJson('e03-template.study.json'), { fromCache: false })).toThrow(/templates.*x/)
  })
})

describe('a template', () => {
  it.each([
    ['x', '(a.b)'],
    ['rank(x, 288, 144)', 'rank((a.b), 288, 144)'],
    ['x - lag(x)', '(a.b) - lag((a.b))'],
    ['max(x, 1) + max.x + xx', 'max((a.b), 1) + max.x + xx'],
    [`"x" + 'x' * x`, `"x" + 'x' * (a.b)`],
    ['x(1) + x', 'x(1) + (a.b)'],
    ['x (1) / x', 'x (1) / (a.b)'],
  ])('%s is filled as %s', (template, filled) => {
    expect(templateFiller(template)('a.b')).toBe(filled)
  })

  it.each(['close', '"x"', "'x'", 'x(1)', 'xx', 'a.x', 'sma(close, 3'])('%s has no column', (template) => {
    const document = { version: 1, kind: 'screen', interval: '1h', templates: ['x', template] }
    expect(() => parseStudy(document, { fromCache: false })).toThrow(/^templates\[1\]/)
  })
})

/** Average ranks from 1. */
function ranksOf(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length
    const equal = values.filter((other) => other === value).length
    return below + (equal + 1) / 2
  })
}

const isConstant = (values: readonly number[]) =>
  Math.max(...values) - Math.min(...values) <= 1e-12 * Math.max(...values.map(Math.abs))

function spearman(pairs: readonly (readonly [number, number])[]): number {
  const [x, y] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
  if (isConstant(x) || isConstant(y)) return NaN
  const [p, q] = [ranksOf(x), ranksOf(y)]
  const mean = (x.length + 1) / 2
  let [xx, yy, xy] = [0, 0, 0]
  p.forEach((rank, at) => {
    xx += (rank - mean) ** 2
    yy += (q[at] - mean) ** 2
    xy += (rank - mean) * (q[at] - mean)
  })
  return xy / Math.sqrt(xx * yy)
}

/** Computes the direction, z and noise of one column by the words of the page, with plain loops. */
function plainCell(
  s: readonly number[],
  p: readonly number[],
  { d, h, m, shifts }: Record<'d' | 'h' | 'm' | 'shifts', number>,
) {
  const T = s.length
  const r = s.map((_, t) => (t + d + h < T && p[t + d] > 0 && p[t + d + h] > 0 ? p[t + d + h] / p[t + d] - 1 : NaN))
  const isUsed = (t: number) => !Number.isNaN(s[t]) && !Number.isNaN(r[t])
  const times = s.map((_, t) => t)
  const train = times.filter((t) => isUsed(t) && t + d + h < m)
  const test = times.filter((t) => isUsed(t) && t >= m)
  const samples = times.filter((t) => isUsed(t) && t >= test[0] && (t - test[0]) % h === 0)
  const direction = spearman(train.map((t) => [s[t], r[t]])) < 0 ? -1 : 1
  const z = (moved: (t: number) => number) => {
    const pairs = samples.map((t) => [s[t], moved(t)] as const).filter(([, value]) => !Number.isNaN(value))
    return direction * spearman(pairs) * Math.sqrt(pairs.length - 1)
  }
  const N = T - m
  const noise = Array.from({ length: shifts }, (_, at) => {
    const offset = Math.floor(((at + 1) * N) / (shifts + 1))
    return z((t) => r[m + ((t - m + offset) % N)])
  })
  return { direction, z: z((t) => r[t]), noise }
}

describe('the score of a line', () => {
  // Few gaps are corrected for, many are ranked anew; rounded values are equal to many others.
  it.each([
    ['no gaps', 0, 0, 1e9],
    ['gaps of the signal', 0.1, 0, 1e9],
    ['few gaps of the price', 0, 0.01, 3],
    ['many gaps and equal values', 0.2, 0.2, 1],
  ])('with %s is that of plain loops', (_, gapsOfSignal, gapsOfPrice, decimals) => {
    const random = randomOf(5)
    const rows = noiseRows({ seed: 3, bars: 800, columns: 2 })
    const [close, c0] = [rows.columns.get('close')!, rows.columns.get('c0')!]
    c0.forEach((value, at) => (c0[at] = random() < gapsOfSignal ? NaN : Math.round(value * decimals) / decimals))
    close.forEach((value, at) => (close[at] = random() < gapsOfPrice ? 0 : Math.round(value * 100) / 100))
    for (const [h, d] of [
      [1, 1],
      [3, 0],
      [5, 2],
    ]) {
      const { cells, noise } = screen(rows, {
        columns: ['c0'],
        horizons: [h],
        delayBars: d,
        shifts: 19,
        split: { share: 0.4 },
      })
      const plain = plainCell([...c0], [...close], { d, h, m: 320, shifts: 19 })
      expect(cells[0].direction).toBe(plain.direction)
      expect(cells[0].test.z).toBeCloseTo(plain.z, 10)
      noise.forEach((value, at) => expect(value).toBeCloseTo(plain.noise[at], 10))
    }
  })

  it('of a symbol does not depend on the others', () => {
    const rows = noiseRows({ seed: 4, bars: 300, columns: 3, symbols: 2 })
    const own = (result: Screen) => {
      const cells = result.cells.filter(({ symbol }) => symbol === 'S1')
      return cells.map(({ test: { q: _q, familyP: _p, ...test }, ...cell }) => ({ ...cell, test }))
    }
    const alone = {
      ...rows,
      times: rows.times.slice(300),
      symbols: rows.symbols.slice(300),
      columns: new Map([...rows.columns].map(([name, values]) => [name, values.slice(300)])),
    }
    expect(own(screen(rows))).toEqual(own(screen(alone)))
  })

  it('of the first part does not change if rows after it are deleted', () => {
    const rows = noiseRows({ seed: 5, bars: 400, columns: 3 })
    const cut = {
      ...rows,
      times: rows.times.slice(0, 330),
      symbols: rows.symbols.slice(0, 330),
      columns: new Map([...rows.columns].map(([name, values]) => [name, values.slice(0, 330)])),
    }
    const firstPart = (result: Screen) =>
      Object.fromEntries(
        result.cells.map(({ column, horizon, direction, train }) => [`${column} ${horizon}`, { direction, train }]),
      )
    const split = { day: '2026-01-08' }
    expect(firstPart(screen(cut, { split }))).toEqual(firstPart(screen(rows, { split })))
  })

  it('reads formulas across symbols', () => {
    const rows = noiseRows({ seed: 6, bars: 300, columns: 2, symbols: 3 })
    const { cells, attrition } = screen(rows, { templates: ['x', 'cs_rank(x)'], horizons: [1] })
    expect(attrition).toEqual({ cells: 12, tooFew: 0, constant: 0, used: 12 })
    expect(new Set(cells.map(({ symbol, formula }) => `${symbol} ${formula}`)).size).toBe(12)
  })

  it('leaves out members only where they are none', () => {
    const rows = noiseRows({ seed: 7, bars: 300, columns: 1 })
    const member = new Uint8Array(300).fill(1).fill(0, 0, 50)
    const [cell] = screen({ ...rows, member }, { horizons: [1] }).cells
    expect(cell.train.n).toBe(150 - 50 - 2)
  })
})

describe('what is tried', () => {
  it('is every numeric column but the price, in quotes where it is no plain name', () => {
    const rows = noiseRows({ seed: 8, bars: 200, columns: 2 })
    const columns = new Map([...rows.columns, ['the "flow"', rows.columns.get('c0')!.slice()]])
    const { cells } = screen({ ...rows, columns }, { horizons: [1] })
    expect(cells.map(({ column }) => column).sort()).toEqual(['"the \\"flow\\""', 'c0', 'c1'])
    expect(cells.map(({ formula }) => formula)).toContain('("the \\"flow\\"")')
  })

  it('has its columns refused if there are too many or none, and by name if one is wrong', () => {
    const rows = noiseRows({ seed: 9, bars: 100, columns: 2, symbols: 3 })
    const templates = Array.from({ length: 50 }, (_, at) => `x + ${at}`)
    const columns = Array.from({ length: 400 }, (_, at) => `c0 + ${at}`)
    expect(refusal(rows, { columns, templates }).message).toMatch(/^columns: .*120000 cells; .*50000/)
    expect(refusal({ ...rows, columns: new Map([['close', rows.columns.get('close')!]]) }, {}).field).toBe('columns')
    expect(refusal(rows, { columns: ['c0', 'c9'] }).field).toBe('columns[1]')
    expect(refusal(rows, { columns: ['c0', 'c1 +'] }).field).toBe('columns[1]')
    expect(refusal(rows, { columns: ['1'] }).field).toBe('columns[0]')
    expect(refusal(rows, { templates: ['x', 'sma(x)'] }).field).toBe('templates[1]')
    expect(refusal(rows, { templates: ['x', 'x + c9'] }).message).toMatch(/^templates\[1\]: .*c9/)
    expect(refusal(rows, { columns: ['c0', 'c0'] }).field).toBe('columns')
    expect(refusal(rows, { split: { share: 0.95 } }).field).toBe('split.share')
    expect(refusal(rows, { split: { day: '2026-13-01' } }).field).toBe('split.day')
    expect(refusal(rows, { shifts: 8 }).field).toBe('shifts')
  })

  it('is warned of where nothing varies, and where it contains the return it predicts', () => {
    const rows = noiseRows({ seed: 10, bars: 200, columns: 1 })
    const codes = (fields: object) => screen(rows, { horizons: [1], ...fields }).warnings.map(({ code }) => code)
    expect(codes({ columns: ['c0 * 0'] })).toEqual(['no-variation'])
    expect(codes({ delayBars: 0 })).toEqual(['no-delay'])
    const next = new Float64Array(200).fill(NaN)
    const close = rows.columns.get('close')!
    for (let at = 0; at + 1 < 200; at++) next[at] = close[at + 1] / close[at] - 1
    const peeking = { ...rows, columns: new Map([...rows.columns, ['c0', next]]) }
    expect(screen(peeking, { horizons: [1] }).warnings.map(({ code }) => code)).toEqual(['peek-ic', 'peek-equal'])
  })

  it('is all in one part if the day lies outside the range', () => {
    const rows = noiseRows({ seed: 11, bars: 100, columns: 1 })
    expect(screen(rows, { split: { day: '2030-01-01' } }).split).toEqual({ time: null, trainTimes: 100, testTimes: 0 })
    const all = screen(rows, { split: { day: '2020-01-01' } })
    expect(all.split).toEqual({ time: Date.UTC(2026, 0, 1), trainTimes: 0, testTimes: 100 })
    expect(all.noise).toEqual(new Array(39).fill(null))
  })
})

describe('the verdict of a screen', () => {
  const found = screen(noiseRows({ seed: 12, bars: 400, columns: 3 }), {
    horizons: [1, 12],
    templates: ['rank(x, 24, 12)'],
  })
  const [best] = found.cells
  const withBest = (test: Partial<Cell['test']>, more: Partial<Screen> = {}): Screen => ({
    ...found,
    attrition: { cells: 3100, tooFew: 20, constant: 2, used: 3078 },
    noise: [3.2, 4.4, null, 3.2],
    ...more,
    cells: [{ ...best, column: 'l2_imbalance.imbalance_ratio_5', horizon: 1, test: { ...best.test, ...test } }],
  })

  it('sets the winner beside the best of noise', () => {
    expect(verdict(withBest({ z: 4.12, familyP: 0.08 }, { tests: { count: 1, significant: 0, family: 0 } }))).toBe(
      '3\u202f078 lines tried; the best, `l2_imbalance.imbalance_ratio_5` as rank over a day over 1 bar, reaches z 4.1; the best of noise reaches 3.6 on average, 4.4 at most: chance 8 %.',
    )
  })

  it('counts what stands out of the noise', () => {
    const sentence = verdict(withBest({ z: 6, familyP: 0.025 }, { tests: { count: 9, significant: 4, family: 2 } }))
    expect(sentence).toMatch(/chance 2\.5 %, with 2 lines at 5 % or less\.$/)
  })

  it('says why nothing is left', () => {
    const nothing = { ...withBest({}), attrition: { cells: 18, tooFew: 17, constant: 1, used: 0 }, cells: [] }
    expect(verdict(nothing)).toBe(
      'None of 18 lines can be judged: 17 have fewer than 30 samples in a part, 1 does not vary.',
    )
  })

  it('says that there is no noise', () => {
    expect(verdict(withBest({}, { noise: [null, null] }))).toMatch(/there is no noise to compare it with\.$/)
  })
})

describe('a line that is opened', () => {
  const source = { exchanges: ['a', 'b'], symbols: null, universe: null, timestamp: 'exchange', against: null }
  const result = screen(noiseRows({ seed: 13, bars: 300, columns: 1 }), { horizons: [3], templates: ['sma(x, 4)'] })
  const cell = { ...result.cells[0], symbol: 'b/perpetual-BTC-USDT:USDT', direction: -1 as const }
  const cached = { ...result, study: { ...result.study, source, end: '2026-02-01' } } as Screen

  it('is a test of rule direct on the later days, with the costs of the screen', () => {
    const document = parseDocument(testOf(cached, cell), { fromCache: true })
    expect(document).toMatchObject({
      kind: 'portfolio',
      interval: '1h',
      start: '2026-01-07T06:00:00.000Z',
      end: '2026-02-01',
      source: { exchanges: ['b'], symbols: ['perpetual-BTC-USDT:USDT'] },
      signal: '1 - 2 * rank(sma((c0), 4), 18, 4)',
      price: 'close',
      delayBars: 1,
      weights: { rule: 'direct' },
      rebalance: { every: '1h' },
      costs: { feeBps: 5 },
    })
    expect(parseDocument(testOf(result, cell), { fromCache: false })).toMatchObject({ funding: 'none' })
  })

  it('is a series study of its formula and horizon', () => {
    expect(seriesOf(cached, cell)).toMatchObject({
      kind: 'series',
      start: '2026-01-07T06:00:00.000Z',
      signal: 'sma((c0), 4)',
      horizons: [3],
      source: { exchanges: ['b'], symbols: ['perpetual-BTC-USDT:USDT'] },
    })
  })

  it.each([
    '(a.b)',
    'rank((a.b), 288, 144)',
    'sma((a.b), 4) / (a.b)',
    '("a b")',
    '("a) b")',
    String.raw`rank(("a\") b"), 9)`,
  ])('is known again by its signal: %s', (formula) => {
    for (const direction of [1, -1] as const)
      expect(formulasBehind(positionFormula(formula, direction, 1e6))).toContain(comparable(formula))
    expect(formulasBehind(` -${formula}`)).toContain(comparable(formula))
    expect(formulasBehind(formula.replace('(', '( '))).toContain(comparable(formula))
  })

  it.each([
    ['(a)', '"a"'],
    ['("a b")', '"a b"'],
    ['rank((a), 288, 144)', 'rank(a, 288, 144)'],
    ['rank(sma(("a b"), 12), 288, 144)', 'rank(sma("a b", 12), 288, 144)'],
  ])('%s is known again as a person writes it: %s', (formula, written) => {
    expect(formulasBehind(written)).toContain(comparable(formula))
  })

  it('does not take a formula for another with brackets elsewhere', () => {
    expect(comparable('(a) * (b + c)')).not.toBe(comparable('(a * b) + c'))
    expect(comparable('"(a)"')).not.toBe(comparable('(a)'))
    expect(comparable('abs(a)')).not.toBe(comparable('abs a'))
  })
})

describe('a screen of noise', () => {
  it('rarely has a line beyond the best of noise', { timeout: 300_000 }, () => {
    let found = 0
    for (let seed = 0; seed < 60; seed++) {
      const rows = noiseRows({ seed: 700 + seed, bars: 700, columns: 12 })
      const { tests } = screen(rows, { templates: ['x', 'rank(x, 48, 24)'], horizons: [1, 6], shifts: 19 })
      if (tests.family > 0) found++
    }
    // 5 % of 60 are 3; more than 8 have a chance below 1 %.
    expect(found).toBeLessThanOrEqual(8)
  })
})
