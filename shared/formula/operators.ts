import { cellwise } from './cellwise.ts'
import { type Operand, sharedUnit, withUnit } from './operand.ts'
import type { BinaryOperator, UnaryOperator } from './tree.ts'

const truth = (isTrue: boolean) => (isTrue ? 1 : 0)

const functions: Record<BinaryOperator, (a: number, b: number) => number> = {
  or: (a, b) => truth(a !== 0 || b !== 0),
  and: (a, b) => truth(a !== 0 && b !== 0),
  '<': (a, b) => truth(a < b),
  '<=': (a, b) => truth(a <= b),
  '>': (a, b) => truth(a > b),
  '>=': (a, b) => truth(a >= b),
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': (a, b) => a ** b,
}

export function applyUnary(operator: UnaryOperator, operand: Operand): Operand {
  if (operator === 'not') return cellwise([operand], (a) => truth(a === 0))
  return withUnit(
    cellwise([operand], (a) => -a),
    sharedUnit([operand]),
  )
}

export const applyBinary = (operator: BinaryOperator, left: Operand, right: Operand): Operand =>
  withUnit(cellwise([left, right], functions[operator]), unitOf(operator, left, right))

function unitOf(operator: BinaryOperator, left: Operand, right: Operand): string | null {
  const shared = sharedUnit([left, right])
  const isByConstant = typeof right === 'number'
  if (operator === '+' || operator === '-' || operator === '%') return shared
  if (operator === '*') return isByConstant || typeof left === 'number' ? shared : null
  if (operator === '/') return isByConstant ? shared : typeof left === 'number' ? null : shared && 'none'
  return operator === '^' ? null : 'none'
}
