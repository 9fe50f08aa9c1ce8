import type { Aggregate, PlanCondition, Step, Value, WindowValue } from './plan.ts'

/** Argument of a plan node; a string names a column and a number is a constant. */
export type PlanOperand = Value | string | number

export function value(operand: PlanOperand): Value {
  if (typeof operand === 'string') return { op: 'column', name: operand }
  return typeof operand === 'number' ? { op: 'number', value: operand } : operand
}

const binary =
  <Op extends 'add' | 'subtract' | 'multiply' | 'ratio' | 'logReturn'>(op: Op) =>
  (left: PlanOperand, right: PlanOperand) =>
    ({ op, left: value(left), right: value(right) }) satisfies Value

export const add = binary('add')
export const subtract = binary('subtract')
export const multiply = binary('multiply')
export const ratio = binary('ratio')
/** ln(later price / earlier price); the earlier price is the first argument. */
export const logReturn = binary('logReturn')

const unary =
  <Op extends string>(op: Op) =>
  (operand: PlanOperand) => ({ op, operand: value(operand) })

export const abs = unary('abs')
export const sqrt = unary('sqrt')
export const ln = unary('ln')
export const orZero = unary('orZero')
export const nullIfZero = unary('nullIfZero')

export const choose = (when: PlanCondition, then: PlanOperand, otherwise: PlanOperand | null = null): Value => ({
  op: 'choose',
  when,
  then: value(then),
  otherwise: otherwise === null ? null : value(otherwise),
})

const comparison =
  <Op extends 'equal' | 'differs' | 'above' | 'atLeast'>(op: Op) =>
  (left: PlanOperand, right: PlanOperand): PlanCondition => ({ op, left: value(left), right: value(right) })

export const equal = comparison('equal')
export const differs = comparison('differs')
export const above = comparison('above')
export const atLeast = comparison('atLeast')
export const present = (operand: PlanOperand): PlanCondition => ({ op: 'present', operand: value(operand) })
export const all = (...conditions: PlanCondition[]): PlanCondition => ({ op: 'all', conditions })
export const any = (...conditions: PlanCondition[]): PlanCondition => ({ op: 'any', conditions })

export const count = (when: PlanCondition | null = null): Aggregate => ({ op: 'count', when })
export const total = unary('total')
export const mean = unary('mean')
export const least = unary('least')
export const greatest = unary('greatest')
export const first = unary('first')
export const last = unary('last')
export const variance = unary('variance')
export const skewness = unary('skewness')
export const kurtosis = unary('kurtosis')
export const quantile = (operand: PlanOperand, numerator: number, denominator: number): Aggregate => ({
  op: 'quantile',
  operand: value(operand),
  numerator,
  denominator,
})

export const before = (operand: PlanOperand, scope: 'interval' | 'day' = 'interval'): WindowValue => ({
  op: 'before',
  operand: value(operand),
  scope,
})
export const ahead = (operand: PlanOperand, rows: number): WindowValue => ({
  op: 'ahead',
  operand: value(operand),
  rows,
})
export const running = (operand: PlanOperand): WindowValue => ({ op: 'running', operand: value(operand) })
export const across = (operand: Aggregate): WindowValue => ({ op: 'across', operand })
export const score = (operand: PlanOperand): WindowValue => ({ op: 'score', operand: value(operand) })

export const define = (why: string, values: Record<string, Value | WindowValue>): Step => ({
  step: 'define',
  why,
  values,
})
export const keep = (why: string, when: PlanCondition): Step => ({ step: 'keep', why, when })

/**
 * Builds the steps that add each column's distance from its interval mean as `<column>_distance`. They subtract the
 * minimum first, so that equal values have distances of exactly 0 and prices of 1e5 keep their digits.
 */
export function centre(...columns: string[]): Step[] {
  const withSuffix = (suffix: string, build: (column: string) => Value | WindowValue) =>
    Object.fromEntries(columns.map((column) => [`${column}_${suffix}`, build(column)]))
  return [
    define(
      `Least ${columns.join(' and ')} of the interval`,
      withSuffix('least', (column) => across(least(column))),
    ),
    define(
      'Differences from the least value keep the digits of small differences',
      withSuffix('shifted', (column) => subtract(column, `${column}_least`)),
    ),
    define(
      'Mean of these differences',
      withSuffix('shift', (column) => across(mean(`${column}_shifted`))),
    ),
    define(
      'Distances from the mean',
      withSuffix('distance', (column) => subtract(`${column}_shifted`, `${column}_shift`)),
    ),
  ]
}
