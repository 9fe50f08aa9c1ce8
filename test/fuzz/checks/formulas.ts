import { checkFormula, evaluateFormula } from '#shared/formula/evaluateFormula.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { inputReach } from '#shared/formula/inputReach.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { printFormula } from '#shared/formula/printFormula.ts'
import type { SeriesInput } from '#shared/formula/series.ts'
import { allowing, bytesOf, type Check, textOf } from '../check.ts'

const MINUTE_MS = 60_000

function rows(count: number, intervalMs: number): SeriesInput {
  return {
    times: Float64Array.from({ length: count }, (_, row) => row * intervalMs),
    values: Float64Array.from({ length: count }, (_, row) => Math.sin(row)),
    valid: null,
    intervalMs,
  }
}

const inputs = new Map([
  ['a', rows(500, MINUTE_MS)],
  ['b', rows(500, MINUTE_MS)],
  ['h', rows(100, 5 * MINUTE_MS)],
])
const intervals = new Map([...inputs].map(([name, { intervalMs }]) => [name, intervalMs]))

/** Reads a formula as the workbench does: parsed, printed, checked and evaluated. */
export const check: Check = {
  seeds: () => [
    ...formulaFunctions.map(({ example }) => bytesOf(example)),
    bytesOf("if(zscore(a, 4, 2) > h, sum(b, 3, 1), not b) - resample(a * 2, '5m', 'last')"),
  ],
  tokens: [
    '(',
    ')',
    'a',
    'b',
    'h',
    '-',
    'not ',
    ',',
    '1e308',
    '999999999',
    '0',
    "'",
    '"',
    '.',
    ' and ',
    '^',
    'sma(',
    'lag(',
    'resample(',
    "'1d'",
  ],
  read(bytes) {
    const text = textOf(bytes)
    const tree = allowing([FormulaError], () => parseFormula(text))
    for (const work of [
      () => checkFormula(text, inputs),
      () => inputReach(text, intervals),
      () => evaluateFormula(text, inputs),
    ])
      allowing<unknown>([FormulaError], work)
    if (!tree) return null
    const printed = printFormula(tree)
    return printFormula(parseFormula(printed)) === printed ? null : 'is printed as another formula'
  },
}
