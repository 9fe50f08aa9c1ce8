import type { SeriesInput } from '#shared/formula/series.ts'
import { evaluateFormula, timesOf } from '#shared/formula/evaluateFormula.ts'

export type Cells = readonly (number | null)[]

const MINUTE_MS = 60_000

/** Creates a series with rows on successive intervals from `firstMs`. */
export function input(cells: Cells, intervalMs = MINUTE_MS, firstMs = 0, more: Partial<SeriesInput> = {}): SeriesInput {
  return {
    times: Float64Array.from(cells, (_, row) => firstMs + row * intervalMs),
    values: Float64Array.from(cells, (cell) => cell ?? NaN),
    valid: Uint8Array.from(cells, (cell) => Number(cell !== null)),
    intervalMs,
    ...more,
  }
}

export const inputs = (named: Record<string, SeriesInput>) => new Map(Object.entries(named))

/** Returns the cells of a formula's result; null means missing. */
export function cellsOf(formula: string, named: Record<string, SeriesInput>): (number | null)[] {
  const { values, valid } = evaluateFormula(formula, inputs(named))
  return [...values].map((value, row) => (valid && !valid[row] ? null : value))
}

/** Returns the cells of a formula's result with their times. */
export function rowsOf(formula: string, named: Record<string, SeriesInput>): [timeMs: number, number | null][] {
  const times = timesOf(evaluateFormula(formula, inputs(named)))
  return cellsOf(formula, named).map((cell, row) => [times[row], cell])
}
