import type { Series } from './series.ts'

/** An operand is the value of a part of a formula: a series, or the same number at all times (NaN for no value). */
export type Operand = Series | number

/** The unit that two operands share; a constant fits any. Null where they differ or it is not known. */
export function sharedUnit(operands: readonly Operand[]): string | null {
  const series = operands.filter((operand) => typeof operand !== 'number')
  const [first] = series
  return first && series.every(({ unit }) => unit === first.unit) ? first.unit : null
}

export const withUnit = (operand: Operand, unit: string | null): Operand =>
  typeof operand === 'number' ? operand : { ...operand, unit }
