import { parseInterval } from '#shared/time.ts'
import { constantIn } from './evaluateFormula.ts'
import { formulaFunction } from './functionTable.ts'
import { parseFormula } from './parseFormula.ts'
import { childrenOf, type FormulaNode } from './tree.ts'

/** Rows of an input that the rows of a range depend on. */
export interface InputReach {
  /** Time span before the range, in milliseconds. */
  backMs: number
  /** Nothing before the origin may be read: what is computed begins with the first row there is. */
  fromOrigin: boolean
}

/**
 * Finds the reach of every series that a formula names; throws `FormulaError`. Names without an interval are left out.
 */
export function inputReach(formula: string, intervalsMs: ReadonlyMap<string, number>): Map<string, InputReach> {
  const reach = new Map<string, InputReach>()

  const intervalOf = (node: FormulaNode): number => {
    if (node.kind === 'series') return intervalsMs.get(node.name) ?? Infinity
    return resampledTo(node) ?? Math.min(Infinity, ...childrenOf(node).map(intervalOf))
  }

  const visit = (node: FormulaNode, backMs: number, fromOrigin: boolean): void => {
    if (node.kind === 'series') {
      const known = reach.get(node.name) ?? { backMs: 0, fromOrigin: false }
      const further = { backMs: Math.max(known.backMs, backMs), fromOrigin: known.fromOrigin || fromOrigin }
      if (intervalsMs.has(node.name)) reach.set(node.name, further)
      return
    }
    const called = node.kind === 'call' ? formulaFunction(node.name) : undefined
    const shortestMs = Math.min(Infinity, ...childrenOf(node).map(intervalOf))
    const rows = typeof called?.looksBack === 'function' ? called.looksBack(constantsOf(node)) : 0
    const ownMs = resampledTo(node) ?? (rows > 0 && Number.isFinite(shortestMs) ? rows * shortestMs : 0)
    for (const child of childrenOf(node)) {
      const intervalMs = intervalOf(child)
      // A longer interval stands beside the shorter ones of the next: its row began up to two of them ago.
      const alignedMs = Number.isFinite(intervalMs) && intervalMs > shortestMs ? 2 * intervalMs : 0
      visit(child, backMs + ownMs + alignedMs, fromOrigin || called?.looksBack === 'start')
    }
  }

  visit(parseFormula(formula), 0, false)
  return reach
}

function resampledTo(node: FormulaNode): number | null {
  if (node.kind !== 'call' || node.name !== 'resample') return null
  const text = node.args[1]
  const seconds = text?.kind === 'text' ? parseInterval(text.value) : null
  return seconds === null ? null : seconds * 1000
}

const constantsOf = (node: FormulaNode): number[] =>
  childrenOf(node)
    .filter(({ kind }) => kind !== 'text')
    .map(constantIn)
    .filter((value) => value !== null)
