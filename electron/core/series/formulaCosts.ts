import { type Caller, currentCaller } from '#core/threads/caller.ts'
import type { OnWait } from '#core/threads/taskQueue.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { formulaCostMs, type InputRows } from '#shared/formula/formulaCost.ts'
import type { FormulaInput } from './readerTask.ts'

/** A formula with the estimated time that its computation takes. */
interface FormulaCost {
  formula: string
  costMs: number
}

/**
 * Maximum estimated time of all formulas that one caller computes at the same time. The heaviest sensible workspace
 * (60 series of ten operations over a million rows) takes 36 seconds.
 */
const MOST_COST_MS = 180_000

/** Estimated time from which a computation says how long it takes. */
const SLOW_MS = 2000

const MOST_NAMED = 3
const MOST_CHARACTERS = 60

/** Bounds the cost of the formulas that each caller has computed at the same time. */
export interface FormulaCosts {
  /** Does the work of formulas; refuses it if the caller's formulas together take too long. */
  run<Result>(costs: readonly FormulaCost[], work: () => Promise<Result>): Promise<Result>
}

export function createFormulaCosts(mostMs = MOST_COST_MS): FormulaCosts {
  const runningByCaller = new WeakMap<Caller, Set<FormulaCost>>()
  return {
    async run(costs, work) {
      const caller = currentCaller()
      const running = runningByCaller.get(caller) ?? new Set()
      runningByCaller.set(caller, running)
      if (sumOf([...running, ...costs]) > mostMs) throw tooCostly(costs, [...running], mostMs)
      for (const cost of costs) running.add(cost)
      try {
        return await work()
      } finally {
        for (const cost of costs) running.delete(cost)
      }
    },
  }
}

/** Estimates the cost of formulas over the rows of their inputs. */
export function costsOf(formulas: readonly string[], inputs: Readonly<Record<string, FormulaInput>>): FormulaCost[] {
  const rows = new Map(Object.entries(inputs).map(([name, input]) => [name, rowsOf(input)]))
  return formulas.map((formula) => ({ formula, costMs: formulaCostMs(formula, rows) }))
}

/** Returns a listener that tells the caller while formulas wait, and how long they take if that is long. */
export function waitReporter(costs: readonly FormulaCost[], onProgress: (progress: Progress) => void): OnWait {
  const costMs = sumOf(costs)
  let shown = ''
  return (ahead) => {
    const slow = costMs >= SLOW_MS ? aboutSeconds(costMs) : ''
    const message = ahead === null ? slow : waitingText(ahead)
    if (message !== shown) onProgress({ done: 0, total: null, message })
    shown = message
  }
}

function waitingText(ahead: number): string {
  if (ahead === 0) return 'waits for a free thread'
  return ahead === 1 ? 'waits for 1 other' : `waits for ${ahead} others`
}

function rowsOf({ slices, fromMs = -Infinity, intervalMs }: FormulaInput): InputRows {
  const lengthMs = slices.reduce((sum, { startMs, endMs }) => sum + Math.max(0, endMs - Math.max(startMs, fromMs)), 0)
  return { rows: Math.ceil(lengthMs / intervalMs), intervalMs }
}

const sumOf = (costs: readonly FormulaCost[]) => costs.reduce((sum, { costMs }) => sum + costMs, 0)

const aboutSeconds = (ms: number) => `about ${Math.max(1, Math.round(ms / 1000))} s`

function tooCostly(costs: readonly FormulaCost[], running: readonly FormulaCost[], mostMs: number): AppError {
  const others = running.length > 0 ? ` This window already computes formulas: ${listOf(running)}.` : ''
  const limit = `All formulas of a window together may take ${mostMs / 1000} s at a time.`
  return new AppError('too-large', `${listOf(costs)}.${others} ${limit} Shorten the range, or simplify the formulas.`)
}

/** Lists the most costly formulas, each with its cost. */
function listOf(costs: readonly FormulaCost[]): string {
  const sorted = costs.toSorted((a, b) => b.costMs - a.costMs)
  const named = sorted
    .slice(0, MOST_NAMED)
    .map(({ formula, costMs }) => `“${shortened(formula)}” takes ${aboutSeconds(costMs)}`)
  const rest = sorted.slice(MOST_NAMED)
  return [...named, ...(rest.length > 0 ? [`${rest.length} more take ${aboutSeconds(sumOf(rest))}`] : [])].join(', ')
}

const shortened = (formula: string) =>
  formula.length <= MOST_CHARACTERS ? formula : `${formula.slice(0, MOST_CHARACTERS)}…`
