import { describe, expect, it } from 'vitest'
import { checkFormula, evaluateFormula } from '#shared/formula/evaluateFormula.ts'
import type { SeriesInput } from '#shared/formula/series.ts'
import { signatureOf } from '#shared/formula/formulaFunction.ts'
import { eventFunctions } from '#shared/formula/ownData.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { type Cells, cellsOf, input, inputs, rowsOf } from './formulaInputs.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const a: Cells = [1, 2, null, 4, 5]
const b: Cells = [10, 0, 30, null, 50]
const ab = { a: input(a), b: input(b), 'x "y" and': input(a) }

describe('a formula', () => {
  it.each<[string, Cells]>([
    ['a', a],
    ['"x \\"y\\" and" * 2', [2, 4, null, 8, 10]],
    ['1 + a * 2 ^ 2', [5, 9, null, 17, 21]],
    ['-a ^ 2', [-1, -4, null, -16, -25]],
    ['2 ^ -1 + 2 ^ 3 ^ 0 + 0 * a', [2.5, 2.5, null, 2.5, 2.5]],
    ['a / b', [0.1, null, null, null, 0.1]],
    ['b % 20', [10, 0, 10, null, 10]],
    ['-b % 20 - 0', [-10, -0, -10, null, -10]],
    ['a - 1 - 1', [-1, 0, null, 2, 3]],
    ['a > 2', [0, 0, null, 1, 1]],
    ['a >= 2 and not (a == 4) or a < 2', [1, 1, null, 0, 1]],
    ['a != 2', [1, 0, null, 1, 1]],
    ['if(b > 5, b, a)', [10, 2, 30, null, 50]],
    ['log(a - 2)', [null, null, null, Math.log(2), Math.log(3)]],
    ['sqrt(2 - a)', [1, 0, null, null, null]],
    ['exp(a * 1000)', [null, null, null, null, null]],
    ['abs(2 - a)', [1, 0, null, 2, 3]],
    ['sign(2 - a)', [1, 0, null, -1, -1]],
    ['min(a, b, 3)', [1, 0, null, null, 3]],
    ['max(a, b)', [10, 2, null, null, 50]],
    ['clip(a, 2, 4)', [2, 2, null, 4, 4]],
    ['clip(a, 4, 2)', [null, null, null, null, null]],
    ['spread(a, b)', [-9, 2, null, null, -45]],
    ['ratio(b, a)', [10, 0, null, null, 10]],
    ['bps(a, 4)', [-7500, -5000, null, 0, 2500]],
    ['lag(a)', [null, 1, 2, null, 4]],
    ['lag(a, 9)', [null, null, null, null, null]],
    ['diff(a, 2)', [null, null, null, 2, null]],
    ['pct(b)', [null, -100, null, null, null]],
    ['sum(a, 2)', [null, 3, null, null, 9]],
    ['sum(a, 2, 1)', [1, 3, 2, 4, 9]],
    ['sma(a, 2, 1)', [1, 1.5, 2, 4, 4.5]],
    ['std(a, 2)', [null, Math.SQRT1_2, null, null, Math.SQRT1_2]],
    ['std(a, 1)', [null, null, null, null, null]],
    ['zscore(a, 2)', [null, 0.5 / Math.SQRT1_2, null, null, 0.5 / Math.SQRT1_2]],
    ['zscore(0 * a, 2)', [null, null, null, null, null]],
    ['rank(-a, 4, 2)', [null, 0, null, 0, 0]],
    ['rank(0 * a, 4, 2)', [null, 0.5, null, 0.5, 0.5]],
    ['quantile(b, 3, 0.5, 2)', [null, 5, 10, 15, 40]],
    ['ema(a, 1)', a],
    ['ema(a, 3)', [null, null, null, 2.75, 3.875]],
    ['cumsum(a)', [1, 3, null, 7, 12]],
    ['index100(a)', [100, 200, null, 400, 500]],
    ['percentfromstart(b)', [0, -100, 200, null, 400]],
    ['index100(a - 1)', [null, null, null, null, null]],
    ['rollcorr(a, 7 - a, 2)', [null, -1, null, null, -1]],
    ['rollbeta(a * 3, a, 2)', [null, 3, null, null, 3]],
    ['1 / 0 + a', [null, null, null, null, null]],
    ['sma(a, 1 + 1, 4 / 4)', [1, 1.5, 2, 4, 4.5]],
  ])('%s', (formula, expected) => {
    const cells = cellsOf(formula, ab)
    expect(cells.map((cell) => cell !== null)).toEqual(expected.map((cell) => cell !== null))
    cells.forEach((cell, row) => expect(cell ?? 0).toBeCloseTo(expected[row] ?? 0, 12))
  })

  it('takes a value that is no finite number as missing', () => {
    const odd = { ...input([1, 2, 3]), values: Float64Array.of(NaN, Infinity, 3), valid: null }
    expect(cellsOf('a + 1', { a: odd })).toEqual([null, null, 4])
  })

  it('counts intervals that have no row, so that a gap stays a gap', () => {
    const gap = { ...input([1, 2, 3]), times: Float64Array.of(0, minuteMs, 3 * minuteMs) }
    expect(cellsOf('lag(a)', { a: gap })).toEqual([null, 1, 2, null])
    expect(cellsOf('sum(a, 2)', { a: gap })).toEqual([null, 3, null, null])
  })

  it('joins series of the same interval on their times', () => {
    const later = input([10, 20], minuteMs, minuteMs)
    expect(rowsOf('a + b', { a: input([1, 2]), b: later })).toEqual([
      [0, null],
      [minuteMs, 12],
      [2 * minuteMs, null],
    ])
  })
})

describe('a series of a longer interval', () => {
  const minutes = input(
    Array.from({ length: 150 }, (_, row) => row),
    minuteMs,
  )
  const hours = input([1000, 2000, null], hourMs)

  it('is seen from the row on that ends with it, and never before', () => {
    const cells = cellsOf('a + h', { a: minutes, h: hours })
    expect(cells.slice(0, 59)).toEqual(Array(59).fill(null))
    expect(cells[59]).toBe(1059)
    expect(cells[118]).toBe(1118)
    expect(cells[119]).toBe(2119)
  })

  it('has no value while its last interval that ended has none', () => {
    expect(cellsOf('a + h', { a: input(Array(200).fill(1), minuteMs), h: hours }).slice(178, 182)).toEqual([
      2001,
      null,
      null,
      null,
    ])
  })

  it('works where it is no multiple of the shorter one', () => {
    const threes = input([1, 2], 3 * minuteMs)
    const twos = input([10, 20, 30], 2 * minuteMs)
    // The rows of two minutes end at minutes 2, 4 and 6, those of three minutes at 3 and 6.
    expect(cellsOf('a + b', { a: twos, b: threes })).toEqual([null, 21, 32])
  })
})

describe('resample in a formula', () => {
  const minutes = input([1, 2, 3, null, 5, 6, 7], minuteMs, 2 * minuteMs)

  it('keeps only intervals that are whole', () => {
    expect(rowsOf("resample(a, '3m', 'sum')", { a: minutes })).toEqual([
      [3 * minuteMs, 5],
      [6 * minuteMs, 18],
    ])
  })

  it('uses the rule of the column where none is given', () => {
    const last = { ...minutes, resample: { how: 'last' } as const }
    expect(cellsOf("resample(a, '3m')", { a: last })).toEqual([3, 7])
    expect(cellsOf("resample(a, '3m', 'max') - a", { a: last })).toEqual([null, null, null, null, -2, -3, 0])
  })
})

describe('checking before there are data', () => {
  it.each([
    ['a / b', 'none'],
    ['a - b', 'price'],
    ['2 * a + 1', 'price'],
    ['a * b', 'price²'],
    ['pct(a)', '%'],
    ['sma(a, 5)', 'price'],
    ['zscore(a, 5)', 'none'],
    ['a > b', 'none'],
    ['a + n', 'mixed units: price and trades'],
    ['a > n', 'none', ['mixed units: price and trades']],
    ['ratio(a, n)', 'mixed units: price and trades'],
    ['1 / a', '1/price'],
    ['sqrt(a ^ 2)', 'price'],
    ['log(a) - lag(log(b))', 'ln(price)'],
    ['rollbeta(a, n, 5)', 'price per trades'],
    ['max(a, b)', 'price'],
  ])('%s has the unit %s', (formula, unit, unitWarnings = unit.startsWith('mixed') ? [unit] : []) => {
    const price = input([], minuteMs, 0, { unit: 'price' })
    const named = inputs({ a: price, b: price, n: input([], hourMs, 0, { unit: 'trades' }) })
    expect(checkFormula(formula, named)).toMatchObject({ intervalMs: minuteMs, unit, unitWarnings })
  })
})

describe('the table of functions', () => {
  it('documents each with an example that works', () => {
    const column = { ...input([1, 2, 3]), resample: { how: 'last' } as const }
    for (const one of formulaFunctions) {
      expect(signatureOf(one)).toContain(`${one.name}(`)
      expect(one.description.length).toBeGreaterThan(3)
      const units = {
        a: { ...column, unit: 'base asset' },
        b: { ...column, unit: 'price' },
        ...Object.fromEntries(eventFunctions.map((name) => [`${name}(own_unlocks)`, column])),
      }
      expect(() => checkFormula(one.example, inputs(units))).not.toThrow()
    }
    expect(new Set(formulaFunctions.map(({ name }) => name)).size).toBe(formulaFunctions.length)
  })
})

describe('notes', () => {
  const notes = (formula: string, named: Record<string, SeriesInput>) => evaluateFormula(formula, inputs(named)).notes
  const hour = 3_600_000

  it('say from when a sum or a comparison with the first value counts', () => {
    const firstMs = Date.UTC(2026, 7, 1)
    const a = input([null, null, 3, 4], hour, firstMs)
    const b = input([1, 2, 3, 4], hour, firstMs)
    expect(notes('cumsum(a) + cumsum(b)', { a, b })).toEqual([
      'cumsum(a) from 2026-08-01 02:00 UTC',
      'cumsum(b) from 2026-08-01 00:00 UTC',
    ])
    expect(notes('index100(a)', { a })).toEqual(['index100(a) from 2026-08-01 02:00 UTC'])
    expect(notes('sma(percentfromstart(a), 2)', { a })).toEqual(['percentfromstart(a) from 2026-08-01 02:00 UTC'])
    expect(notes('ema(a, 2) + lag(b)', { a, b })).toEqual([])
    const noted = formulaFunctions.filter(({ looksBack }) => looksBack === 'start').map(({ name }) => name)
    expect(noted).toEqual(['cumsum', 'index100', 'percentfromstart'])
  })

  it('say how often a longer interval counts in pairs of rows', () => {
    const a = input(Array(120).fill(1), 60_000)
    const b = input([1, 2], hour)
    expect(notes('rollcorr(a, b, 90)', { a, b })).toEqual([
      'rollcorr: each value of 1h counts 60 times beside rows of 1m; resample to 1h to count it once',
    ])
    expect(notes("rollbeta(resample(a, '1h', 'last'), b, 2)", { a, b })).toEqual([])
  })
})

describe('sums and choices', () => {
  it('a running sum keeps what a much larger value would swallow, whichever comes first', () => {
    expect(cellsOf('cumsum(a)', { a: input([1e16, 1, 1, -1e16]) }).at(-1)).toBe(2)
    expect(cellsOf('cumsum(a)', { a: input([1, 1, 1e16, -1e16]) }).at(-1)).toBe(2)
  })

  it('a choice among constants is a constant', () => {
    const a = input([1, 2])
    expect(cellsOf('a * if(1, 2, 3)', { a })).toEqual([2, 4])
    expect(cellsOf('a * where(0, 2, 3)', { a })).toEqual([3, 6])
  })
})
