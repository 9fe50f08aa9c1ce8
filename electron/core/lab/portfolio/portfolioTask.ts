import { statSync } from 'node:fs'
import { buildPanel, type LongRows, type Panel } from '#shared/lab/panel.ts'
import { columnsNamed, evaluateOrConstant } from '#shared/lab/panelFormula.ts'
import { judgeOverfitting, type Overfitting, type TrialReturns } from '#shared/lab/portfolio/overfitting.ts'
import { combinationsOf, combinationStudy } from '#shared/lab/portfolio/parameterGrid.ts'
import { portfolioFormulas, type PortfolioStudy } from '#shared/lab/portfolio/portfolioStudy.ts'
import {
  describeTest,
  type PortfolioInput,
  type PreparedRows,
  prepareRows,
  recordOf,
  type RunRecord,
  testFolds,
  testPortfolio,
  type TestDescription,
} from '#shared/lab/portfolio/runPortfolio.ts'
import { sharpeSample } from '#shared/lab/portfolio/sharpeStatistics.ts'
import {
  chooseFolds,
  type CombinationReturns,
  type Fold,
  type Purge,
  purgeOf,
} from '#shared/lab/portfolio/walkForward.ts'
import { studyRange, type StudyRange } from '#shared/lab/studyRange.ts'
import { warning } from '#shared/lab/studyWarnings.ts'
import type { LedgerInput } from '#core/store/ledger/ledgerEntry.ts'
import { namingFile, readPanelFile } from '../panelFile.ts'
import { hashFile } from '../recordStudy.ts'

/** Rows of a test: a panel file, up to the day from which it is sealed. */
export interface TestRows {
  path: string
  /** Start of the sealed days in milliseconds; null where nothing is sealed. */
  sealedFromMs: number | null
}

/** Work of the thread of tested portfolios. */
export type PortfolioTask =
  /** Reads the rows, so that they are named before any of them is used. */
  | { work: 'open'; study: PortfolioStudy; rows: TestRows }
  | { work: 'test'; study: PortfolioStudy; rows: TestRows; keepBars: boolean }
  /** Runs one combination of the grid of `study`. */
  | { work: 'combination'; study: PortfolioStudy; rows: TestRows; combination: PortfolioStudy }
  | { work: 'walkForward'; study: PortfolioStudy; rows: TestRows; keepBars: boolean; grid: CombinationReturns[] }
  | {
      work: 'judge'
      net: Float64Array
      riskFree: number
      trials: TrialReturns[]
      trialsInLedger: number
      blocks: number
    }

/** Rows that a run was made of. */
export interface ReadRows {
  inputs: LedgerInput[]
  sealedRows: number
}

export interface TestAnswer extends ReadRows {
  description: TestDescription
  record: RunRecord
}

export interface WalkForwardAnswer extends TestAnswer {
  folds: Fold[]
  purge: Purge
}

export interface PortfolioAnswers {
  open: ReadRows
  test: TestAnswer
  combination: ReadRows & { record: RunRecord }
  walkForward: WalkForwardAnswer
  judge: Overfitting
}

/** An answer, or why there is none: `study` for a bad document or formula, `panel` for unusable rows. */
export type PortfolioReply =
  | { answer: PortfolioAnswers[PortfolioTask['work']] }
  | { refused: 'study'; field: string; message: string }
  | { refused: 'panel'; message: string }

/** Does one piece of work; throws a `PanelError` or a `StudyError`. */
export async function runPortfolioTask(task: PortfolioTask): Promise<PortfolioAnswers[PortfolioTask['work']]> {
  if (task.work === 'judge') {
    const { net, riskFree, trials, trialsInLedger, blocks } = task
    return judgeOverfitting(sharpeSample(net, riskFree), trials, { trialsInLedger, blocks })
  }
  const { study } = task
  const opened = await openRows(study, task.rows)
  const read: ReadRows = { inputs: opened.inputs, sealedRows: opened.sealedRows }
  if (task.work === 'open') {
    checkSignals(study, opened.input.panel)
    return read
  }
  if (task.work === 'combination') {
    const input = { ...opened.input, study: task.combination }
    return { ...read, record: recordOf(input, testPortfolio(input, opened.prepared)) }
  }
  const input = { ...opened.input, study }
  if (task.work === 'test') {
    const tested = testPortfolio(input, opened.prepared, task.keepBars)
    return { ...read, description: describeTest(input, tested), record: recordOf(input, tested) }
  }
  const rules = study.walkForward
  if (!rules) throw new Error('A walk-forward needs its rules.')
  const folds = chooseFolds(study, rules, input.panel, task.grid)
  const tested = testFolds(input, opened.prepared, folds, task.keepBars)
  const described = { description: describeTest(input, tested), record: recordOf(input, tested) }
  return { ...read, ...described, folds, purge: purgeOf(study) }
}

interface OpenedRows extends ReadRows {
  key: string
  input: Omit<PortfolioInput, 'study'>
  prepared: PreparedRows
}

/** The rows of the last task, because the combinations of a grid share all but their signal. */
let lastOpened: OpenedRows | null = null

async function openRows(study: PortfolioStudy, rows: TestRows): Promise<OpenedRows> {
  const { signal: _signal, capital: _capital, weights: _weights, ...shared } = study
  const columns = columnsOf(study)
  const key = JSON.stringify([shared, columns, rows, fileFacts(rows.path)])
  if (lastOpened?.key === key) return lastOpened
  lastOpened = null
  const { panel, sealedRows } = await openPanel(study, columns, rows)
  const inputs = [await hashFile(rows.path)]
  const warnings = study.source ? [warning('source-unused')] : []
  const input = { panel, warnings }
  lastOpened = { key, input, inputs, sealedRows, prepared: prepareRows({ ...input, study }) }
  return lastOpened
}

/** Lists the columns that any combination of a test names. */
function columnsOf(study: PortfolioStudy): string[] {
  const combinations = study.parameters ? combinationsOf(study.parameters) : [null]
  const formulas = new Set(
    combinations.flatMap((one) =>
      portfolioFormulas(one ? combinationStudy(study, one) : study).map(({ formula }) => formula),
    ),
  )
  return columnsNamed([...formulas])
}

/** Evaluates the signal of every combination on a single cell; throws a `StudyError` before any of them is recorded. */
function checkSignals(study: PortfolioStudy, panel: Panel): void {
  const columns = new Map(
    [...panel.columns].map(([name, { values, valid }]) => [
      name,
      { values: values.subarray(0, 1), valid: valid.subarray(0, 1) },
    ]),
  )
  const cell = { ...panel, times: 1, symbols: panel.symbols.slice(0, 1), columns }
  for (const parameters of combinationsOf(study.parameters ?? {})) {
    evaluateOrConstant(cell, 'signal', combinationStudy(study, parameters).signal)
  }
}

function fileFacts(path: string): string | null {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
  return facts ? `${facts.ino}:${facts.size}:${facts.mtimeNs}` : null
}

async function openPanel(
  study: PortfolioStudy,
  columns: readonly string[],
  { path, sealedFromMs }: TestRows,
): Promise<{ panel: Panel; sealedRows: number }> {
  const rows = await readPanelFile(path, columns)
  const range = studyRange(study)
  const endMs = Math.min(range.endMs, sealedFromMs ?? Infinity)
  const panel = await namingFile(path, () => buildPanel(rows, { ...range, endMs }))
  return { panel, sealedRows: countRows(rows, { ...range, startMs: Math.max(range.startMs, endMs) }) }
}

function countRows({ times }: LongRows, { startMs, endMs }: StudyRange): number {
  let count = 0
  for (const time of times) if (time >= startMs && time < endMs) count++
  return count
}
