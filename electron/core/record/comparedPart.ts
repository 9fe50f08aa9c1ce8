import type { RuleBound } from '#shared/contract/areas/inbox.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { isComparison } from '#shared/formula/tree.ts'

/** Splits a comparison with a number into what is compared and the number; any other formula stays whole. */
export function comparedPart(formula: string): { formula: string; threshold: RuleBound | null } {
  const node = parseFormula(formula)
  if (node.kind !== 'binary' || !isComparison(node.operator)) return { formula, threshold: null }
  const { left, right, operator } = node
  const number = right.kind === 'unary' && right.operator === '-' ? right.operand : right
  if (number.kind !== 'number') return { formula, threshold: null }
  const bound = number === right ? number.value : -number.value
  const column = left.kind === 'series' ? left.name : null
  return { formula: formula.slice(left.start, left.end), threshold: { operator, bound, column } }
}
