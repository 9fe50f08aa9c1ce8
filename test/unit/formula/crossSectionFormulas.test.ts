import { checkFormula, evaluateFormula } from '#shared/formula/evaluateFormula.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { buildPanel, type LongRows } from '#shared/lab/panel.ts'
import { evaluateOnPanel } from '#shared/lab/panelFormula.ts'
import { describe, expect, it } from 'vitest'
import { type Cells, cellsOf, input, inputs } from './formulaInputs.ts'

const x: Record<string, Cells> = { a: [3, 1, null, 2, 5, 7], b: [1, 1, 4, null, 5, 2], c: [2, 4, 6, null, 5, 0.5] }
const y: Record<string, Cells> = { a: [1, 5, 2, 1, 9, 3], b: [2, 4, 4, 4, 7, 1], c: [3, 0, 1, 8, 8, 4] }
const inputsByName = Object.fromEntries(
  Object.keys(x).flatMap((symbol) => [
    [symbol, input(x[symbol])],
    [`${symbol}2`, input(y[symbol])],
  ]),
)

/** Returns the same cells as rows of a panel with the columns x and y. */
function panelRows(): LongRows {
  const names = Object.keys(x)
  const rows = names.flatMap((name, symbol) =>
    x[name].map((value, row) => ({ symbol, row, x: value, y: y[name][row] })),
  )
  return {
    times: Float64Array.from(rows, ({ row }) => row * 60_000),
    symbols: Int32Array.from(rows, ({ symbol }) => symbol),
    names,
    columns: new Map([
      ['x', Float64Array.from(rows, (row) => row.x ?? NaN)],
      ['y', Float64Array.from(rows, (row) => row.y ?? NaN)],
    ]),
    member: null,
    otherColumns: [],
    columnNames: ['x', 'y'],
  }
}

describe('functions across the symbols of a formula', () => {
  it.each([
    ['cs_rank(a, b, c)', 'cs_rank(x)'],
    ['cs_zscore(a, b, c)', 'cs_zscore(x)'],
    ['cs_demean(a, b, c)', 'cs_demean(x)'],
    ['cs_winsor(a, 0.25, b, c)', 'cs_winsor(x, 0.25)'],
    ['cs_neutral(a, a2, b, b2, c, c2)', 'cs_neutral(x, y)'],
    ['sma(cs_rank(a, b, c), 2)', 'sma(cs_rank(x), 2)'],
  ])('%s is what %s is in a study of the same symbols', (formula, inStudy) => {
    const panel = buildPanel(panelRows(), { intervalMs: 60_000, startMs: -Infinity, endMs: Infinity })
    const matrix = evaluateOnPanel(panel, 'signal', inStudy)
    const ofFirst = x.a.map((_, row) => matrix[row * 3]).map((value) => (Number.isNaN(value) ? null : value))
    expect(cellsOf(formula, inputsByName)).toEqual(ofFirst)
    expect(ofFirst.some((value) => value !== null)).toBe(true)
  })

  it('ranks the first series by hand', () => {
    expect(cellsOf('cs_rank(a, b, c)', inputsByName).slice(0, 4)).toEqual([2.5 / 3, 1 / 3, null, 0.5])
  })

  it('sees of a longer interval only what has ended', () => {
    const hours = { ...inputsByName, h: input([10, 0], 180_000) }
    expect(cellsOf('cs_rank(a, h)', hours)).toEqual([0.5, 0.5, null, 0.25, 0.25, 0.75])
  })

  it.each([
    ['cs_rank(a)', 'cs_rank compares symbols: add the series of the others, for example cs_rank(a, b).'],
    ['cs_neutral(a, b, c)', 'cs_neutral takes two series for every symbol.'],
    ['cs_winsor(a, 0.6, b)', 'q must be a number from 0 to 0.5.'],
  ])('refuses %s', (formula, message) => {
    expect(() => evaluateFormula(formula, inputs(inputsByName))).toThrow(
      new FormulaError(message, { start: 0, end: 0 }).message,
    )
  })

  it('says that symbols are compared whose units differ', () => {
    const units = inputs({
      a: input([1], 60_000, 0, { unit: 'base asset' }),
      b: input([1], 60_000, 0, { unit: 'contracts' }),
    })
    expect(checkFormula('cs_rank(a, b)', units).unitWarnings).toEqual(['mixed units: base asset and contracts'])
    const same = inputs({ a: input([1], 60_000, 0, { unit: 'price' }), b: input([1], 60_000, 0, { unit: 'price' }) })
    expect(checkFormula('cs_rank(a, b)', same)).toMatchObject({ unit: 'none', unitWarnings: [] })
    expect(checkFormula('cs_demean(a, b)', same)).toMatchObject({ unit: 'price' })
  })
})
