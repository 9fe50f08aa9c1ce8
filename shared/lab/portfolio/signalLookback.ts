import { constantIn } from '#shared/formula/evaluateFormula.ts'
import { formulaFunction } from '#shared/formula/functionTable.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { childrenOf, type FormulaNode } from '#shared/formula/tree.ts'
import { namingField } from '../panelFormula.ts'
import { StudyError } from '../studyDocument.ts'

/** Spans after which an exponential mean counts as settled for a purge, whatever a chart reads. */
const EMA_SPANS = 10

/** Counts the bars that a signal reads before its own; throws a `StudyError` where they have no bound. */
export const signalLookback = (signal: string): number =>
  namingField('signal', signal, () => lookbackOf(parseFormula(signal)))

function lookbackOf(node: FormulaNode): number {
  return ownLookback(node) + Math.max(0, ...childrenOf(node).map(lookbackOf))
}

function ownLookback(node: FormulaNode): number {
  const called = node.kind === 'call' ? formulaFunction(node.name) : undefined
  if (node.kind !== 'call' || !called) return 0
  if (called.looksBack === 'start' || node.name === 'resample') {
    throw new StudyError('walkForward.lookbackBars', `is needed because the signal calls ${node.name}.`)
  }
  const numbers = node.args.filter(({ kind }) => kind !== 'text').flatMap((arg) => constantIn(arg) ?? [])
  if (node.name === 'ema') return EMA_SPANS * (numbers[0] ?? 0)
  return called.looksBack?.(numbers) ?? 0
}
