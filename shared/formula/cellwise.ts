import type { Operand } from './operand.ts'
import type { Series } from './series.ts'

/** Rows of an operand; a constant has a single row, which is read for every row (`step` 0). */
interface Cells {
  values: Float64Array
  valid: Uint8Array | null
  step: 0 | 1
}

const cellsOf = (operand: Operand): Cells =>
  typeof operand === 'number'
    ? { values: Float64Array.of(operand), valid: Uint8Array.of(Number(Number.isFinite(operand))), step: 0 }
    : { values: operand.values, valid: operand.valid, step: 1 }

/** A function of one or two cells of a row. A result of NaN or infinity means that there is no value. */
type CellFunction = (a: number, b: number) => number

/** Stands for the second operand where a function has only one. */
const noSecondCells: Cells = cellsOf(0)

/**
 * Applies a function row by row to operands on the same grid. The result is missing if an input is missing or the value
 * is not finite. Constant operands give a constant, which is NaN if it has no value.
 */
export function cellwise(operands: readonly Operand[], compute: CellFunction): Operand {
  const template = operands.find((operand): operand is Series => typeof operand !== 'number')
  const [a, b = noSecondCells] = operands.map(cellsOf)
  const rows = template ? template.values.length : 1
  const values = new Float64Array(rows)
  const valid = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) {
    const atA = row * a.step
    const atB = row * b.step
    if ((a.valid && !a.valid[atA]) || (b.valid && !b.valid[atB])) continue
    const value = compute(a.values[atA], b.values[atB])
    if (value - value !== 0) continue
    values[row] = value
    valid[row] = 1
  }
  if (!template) return valid[0] ? values[0] : NaN
  return { ...template, values, valid }
}

/**
 * Returns `yes` where the condition is not 0 and `no` where it is 0; the result is missing if the condition or the
 * chosen value is missing.
 */
export function choose(condition: Operand, yes: Operand, no: Operand): Operand {
  const operands = [condition, yes, no]
  const template = operands.find((operand): operand is Series => typeof operand !== 'number')
  const [conditionCells, yesCells, noCells] = operands.map(cellsOf)
  const rows = template ? template.values.length : 1
  const values = new Float64Array(rows)
  const valid = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) {
    const at = row * conditionCells.step
    if (conditionCells.valid && !conditionCells.valid[at]) continue
    const chosen = conditionCells.values[at] !== 0 ? yesCells : noCells
    const place = row * chosen.step
    if (chosen.valid && !chosen.valid[place]) continue
    values[row] = chosen.values[place]
    valid[row] = 1
  }
  if (!template) return valid[0] ? values[0] : NaN
  return { ...template, values, valid }
}
