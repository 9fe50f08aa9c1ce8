import { parseInterval } from '#shared/time.ts'
import { evaluatePart, type FormulaInputs, numbersOf } from './evaluateFormula.ts'
import { formulaFunction } from './functionTable.ts'
import { parseFormula } from './parseFormula.ts'
import type { Series } from './series.ts'
import { childrenOf, type FormulaNode } from './tree.ts'

/** Rows of an input that are needed to compute a range. */
export interface InputReach {
  /** Time span before the range, in milliseconds. */
  backMs: number
  /** Time span after the range, because a longer interval that begins in the range may end after it. */
  aheadMs: number
  /**
   * True if missing values may require even earlier rows; `isSettled` tells whether the rows read so far are enough.
   */
  mayNeedMore: boolean
  /**
   * True if rows are needed from the origin of the request (`originMs`) on, and none before it, because a function
   * depends on the first row that it gets.
   */
  fromOrigin: boolean
}

/**
 * Finds the reach of every series that a formula names; throws `FormulaError`. Names without an interval are skipped.
 */
export function inputReach(formula: string, intervalMsByName: ReadonlyMap<string, number>): Map<string, InputReach> {
  const reachByName = new Map<string, InputReach>()

  visitNodes(parseFormula(formula), intervalMsByName, ({ node, backMs, aheadMs, fromOrigin, settlesAfter }) => {
    if (node.kind !== 'series' || !intervalMsByName.has(node.name)) return
    const known = reachByName.get(node.name)
    reachByName.set(node.name, {
      backMs: Math.max(known?.backMs ?? 0, backMs),
      aheadMs: Math.max(known?.aheadMs ?? 0, aheadMs),
      mayNeedMore: known?.mayNeedMore === true || settlesAfter > 0,
      fromOrigin: known?.fromOrigin === true || fromOrigin,
    })
  })
  return reachByName
}

/**
 * Tells whether the rows reach back far enough: no earlier row would change the result from `startMs` on, because each
 * recursive function has enough non-missing values to settle before its first needed row.
 */
export function isSettled(formula: string, inputs: FormulaInputs, startMs: number): boolean {
  const intervalMsByName = new Map([...inputs].map(([name, { intervalMs }]) => [name, intervalMs]))
  let isSettledSoFar = true
  visitNodes(parseFormula(formula), intervalMsByName, ({ node, neededBackMs, settlesAfter, numbers }) => {
    const calledFunction = node.kind === 'call' ? formulaFunction(node.name) : undefined
    const ownValueCount = calledFunction?.settlesAfter?.(numbers) ?? 0
    if (!isSettledSoFar || node.kind !== 'call' || ownValueCount === 0) return
    const operand = evaluatePart(node.args[0], inputs)
    if (typeof operand === 'number') return
    const beforeMs = startMs - neededBackMs
    isSettledSoFar = presentBefore(operand, beforeMs) >= settlesAfter + ownValueCount
  })
  return isSettledSoFar
}

function presentBefore({ intervalMs, firstSlot, values, valid }: Series, endMs: number): number {
  const rows = Math.min(values.length, Math.max(0, Math.ceil(endMs / intervalMs) - firstSlot))
  return valid ? valid.subarray(0, rows).reduce((sum, one) => sum + one, 0) : rows
}

/** A part of a formula, with the needs of the functions around it. */
interface VisitedPart {
  node: FormulaNode
  /** Time before the range for which rows of this part are read. */
  backMs: number
  /** Time after the range for which rows of this part are read. */
  aheadMs: number
  /**
   * Time before the range for which rows are needed, not counting functions whose need is a number of values
   * (`settlesAfter`).
   */
  neededBackMs: number
  fromOrigin: boolean
  /** Number of non-missing values that the functions around this part need before their first needed row. */
  settlesAfter: number
  /** Arguments of a call that are counts, spans (in rows) or numbers. */
  numbers: number[]
}

function visitNodes(
  tree: FormulaNode,
  intervalMsByName: ReadonlyMap<string, number>,
  onPart: (part: VisitedPart) => void,
): void {
  const intervalMsByNode = new Map<FormulaNode, number>()
  const findInterval = (node: FormulaNode): number => {
    if (node.kind === 'series') return intervalMsByName.get(node.name) ?? Infinity
    return resampledTo(node) ?? Math.min(Infinity, ...childrenOf(node).map(intervalOf))
  }
  /** Finds the interval of a part once, because every part around it asks for it. */
  function intervalOf(node: FormulaNode): number {
    const intervalMs = intervalMsByNode.get(node) ?? findInterval(node)
    intervalMsByNode.set(node, intervalMs)
    return intervalMs
  }

  const visit = (part: Omit<VisitedPart, 'numbers'>): void => {
    const { node, backMs, aheadMs, neededBackMs, fromOrigin } = part
    const called = node.kind === 'call' ? formulaFunction(node.name) : undefined
    const shortestMs = Math.min(Infinity, ...childrenOf(node).map(intervalOf))
    const numbers = called && node.kind === 'call' ? numbersOf(called, node, shortestMs) : []
    onPart({ ...part, numbers })
    const ownValueCount = called?.settlesAfter?.(numbers) ?? 0
    const rows = typeof called?.looksBack === 'function' ? called.looksBack(numbers) : 0
    const rowsMs = rows > 0 && Number.isFinite(shortestMs) ? rows * shortestMs : 0
    const ownMs = resampledTo(node) ?? called?.looksBackMs ?? rowsMs
    for (const child of childrenOf(node)) {
      const intervalMs = intervalOf(child)
      // A row of a longer interval may have begun up to two intervals before the shorter row that uses it.
      const alignedMs = Number.isFinite(intervalMs) && intervalMs > shortestMs ? 2 * intervalMs : 0
      visit({
        node: child,
        backMs: backMs + ownMs + alignedMs,
        aheadMs: aheadMs + (resampledTo(node) ?? 0),
        neededBackMs: neededBackMs + (ownValueCount > 0 ? 0 : ownMs) + alignedMs,
        fromOrigin: fromOrigin || called?.looksBack === 'start',
        settlesAfter: part.settlesAfter + ownValueCount,
      })
    }
  }

  visit({ node: tree, backMs: 0, aheadMs: 0, neededBackMs: 0, fromOrigin: false, settlesAfter: 0 })
}

function resampledTo(node: FormulaNode): number | null {
  if (node.kind !== 'call' || node.name !== 'resample') return null
  const text = node.args[1]
  const seconds = text?.kind === 'text' ? parseInterval(text.value) : null
  return seconds === null ? null : seconds * 1000
}
