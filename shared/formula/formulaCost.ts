import { parseDuration } from '#shared/time.ts'
import { FormulaError } from './formulaError.ts'
import { formulaFunction } from './functionTable.ts'
import { parseFormula } from './parseFormula.ts'
import { shareNodes } from './sharedNodes.ts'
import { childrenOf, type FormulaNode } from './tree.ts'

/** Rows of an input that a formula computes with. */
export interface InputRows {
  rows: number
  intervalMs: number
}

/** Time that an operation takes for a row on an ordinary machine, measured with 178,000 rows. */
const NS_PER_ROW = 60

/**
 * Estimates the time that an ordinary machine takes to compute a formula, in milliseconds, from its operations and the
 * number of rows; 0 if the formula is invalid, whose error the evaluation reports.
 */
export function formulaCostMs(formula: string, inputs: ReadonlyMap<string, InputRows>): number {
  const rowsByNode = new Map<FormulaNode, InputRows>()
  let ns = 0

  /** Adds the cost of a node that was not visited yet, and returns the rows of its result. */
  function visit(node: FormulaNode): InputRows {
    const known = rowsByNode.get(node)
    if (known) return known
    const operands = childrenOf(node).map(visit)
    const operand = operands.reduce((most, one) => (one.rows > most.rows ? one : most), NO_ROWS)
    const computed = node.kind === 'series' ? (inputs.get(node.name) ?? NO_ROWS) : operand
    ns += computed.rows * (node.kind === 'call' ? (formulaFunction(node.name)?.nsPerRow ?? NS_PER_ROW) : NS_PER_ROW)
    const result = resultRows(node, computed)
    rowsByNode.set(node, result)
    return result
  }

  try {
    visit(shareNodes(parseFormula(formula)))
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return 0
  }
  return ns / 1e6
}

const NO_ROWS: InputRows = { rows: 0, intervalMs: 0 }

/** Returns the rows of a result: fewer than those of its operand where it has a longer interval. */
function resultRows(node: FormulaNode, operand: InputRows): InputRows {
  if (node.kind !== 'call' || node.name !== 'resample') return operand
  const interval = node.args.find((arg) => arg.kind === 'text')
  const intervalMs = interval ? parseDuration(interval.value) : null
  if (!intervalMs || intervalMs <= operand.intervalMs) return operand
  return { rows: Math.ceil((operand.rows * operand.intervalMs) / intervalMs), intervalMs }
}
