import { statSync } from 'node:fs'
import { type Panel, type PanelColumn, PanelError, symbolSeries } from '#shared/lab/panel.ts'
import { type ColumnRules, evaluateAtTimes } from '#shared/lab/panelFormula.ts'
import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import { judgeOverfitting, type Overfitting, type TrialReturns } from '#shared/lab/portfolio/overfitting.ts'
import { combinationsOf, combinationStudy } from '#shared/lab/portfolio/parameterGrid.ts'
import { formulasOf } from '#shared/lab/kinds.ts'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import { type DailyWeights, dailyWeights } from '#shared/lab/portfolio/portfolioResult.ts'
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
  type TestedPortfolio,
} from '#shared/lab/portfolio/runPortfolio.ts'
import {
  chooseFolds,
  type CombinationReturns,
  type Fold,
  type Purge,
  purgeOf,
} from '#shared/lab/portfolio/walkForward.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { studyRange, type StudyRange } from '#shared/lab/studyRange.ts'
import { warning } from '#shared/lab/studyWarnings.ts'
import type { LedgerInput } from '#core/store/ledger/ledgerEntry.ts'
import type { PanelFile } from '../panelCheck.ts'
import { readFilePanel } from '../filePanel.ts'
import { hashFile } from '../recordStudy.ts'
import { writeTestPanel } from '../writePanel.ts'
import type { CacheTestRows } from './cacheTest.ts'
import { readCacheTest } from './readCacheTest.ts'
import type { StudyRefusal } from '#shared/contract/studyRefusal.ts'

/** Rows of a test: a panel file, or cached files. */
export type TestRows = SealedPanelFile | CacheTestRows

/** A panel file, read up to the day from which it is sealed. */
export interface SealedPanelFile extends PanelFile {
  /** Start of the sealed days in milliseconds; null if nothing is sealed. */
  sealedFromMs: number | null
  /** Folder to which rows are moved once they exceed the memory limit. */
  scratchFolder: string
  /** Memory limit for the rows before they are moved to a file; tests make it small. */
  mostMemoryBytes?: number
}

/** Work of a thread or process that tests portfolios. */
export type PortfolioTask =
  /** Opens the rows, so that the ledger can list them before they are used. */
  | { work: 'open'; study: PortfolioStudy; rows: TestRows }
  /** Writes the rows with the signal to a file. */
  | { work: 'panel'; study: PortfolioStudy; rows: TestRows; outPath: string }
  | { work: 'test'; study: PortfolioStudy; rows: TestRows; keepBars: boolean; keepWeights: boolean }
  /** Runs one combination of the grid of `study`. */
  | { work: 'combination'; study: PortfolioStudy; rows: TestRows; combination: PortfolioStudy }
  | {
      work: 'walkForward'
      study: PortfolioStudy
      rows: TestRows
      keepBars: boolean
      keepWeights: boolean
      grid: CombinationReturns[]
      /** Last day of the rows by which a recorded walk-forward chose; absent for a new one. */
      recordedTo?: DayNumber
    }
  | {
      work: 'judge'
      net: Float64Array
      riskFree: number
      trials: TrialReturns[]
      trialsInLedger: number
      blocks: number
    }

/** Inputs that a run was computed from. */
export interface RunInputs {
  /** The panel file; absent if the rows came from the cache, whose files are known in advance. */
  inputs?: LedgerInput[]
  sealedRows: number
}

export interface TestAnswer extends RunInputs {
  description: TestDescription
  record: RunRecord
  /** Weights by day, if requested. */
  dailyWeights?: DailyWeights | null
}

interface WalkForwardAnswer extends TestAnswer {
  folds: Fold[]
  purge: Purge
}

export interface PortfolioAnswers {
  open: RunInputs
  panel: { rows: number }
  test: TestAnswer
  combination: RunInputs & { record: RunRecord }
  walkForward: WalkForwardAnswer
  judge: Overfitting
}

/** An answer, or why there is none: `study` for an invalid document or formula, `panel` for unusable rows. */
export type PortfolioReply = { answer: PortfolioAnswers[PortfolioTask['work']] } | StudyRefusal

/** Runs one task; throws a `PanelError` or a `StudyError`. */
export async function runPortfolioTask(task: PortfolioTask): Promise<PortfolioAnswers[PortfolioTask['work']]> {
  if (task.work === 'judge') {
    const { net, riskFree, trials, trialsInLedger, blocks } = task
    return judgeOverfitting(net, trials, { trialsInLedger, blocks, riskFree })
  }
  const { study } = task
  const opened = await openRows(study, task.rows)
  const { input: _input, prepared: _prepared, key: _key, ...runInputs } = opened
  if (task.work === 'open') {
    checkSignals(study, opened.input)
    if (study.walkForward) purgeOf(study, opened.input.funding?.rows)
    return runInputs
  }
  if (task.work === 'panel') return { rows: await writeTestPanel(study, opened.input, task.outPath) }
  if (task.work === 'combination') {
    const input = { ...opened.input, study: task.combination }
    return { ...runInputs, record: recordOf(input, testPortfolio(input, opened.prepared)) }
  }
  const input = { ...opened.input, study }
  if (task.work === 'test') {
    const testedPortfolio = testPortfolio(input, opened.prepared, task.keepBars)
    return { ...runInputs, ...describe(task, input, testedPortfolio) }
  }
  const rules = study.walkForward
  if (!rules) throw new Error('A walk-forward needs its rules.')
  const purge = purgeOf(study, input.funding?.rows)
  const folds = chooseFolds(study, { ...rules, ...purge }, input.panel, task.grid, task.recordedTo)
  const tested = testFolds(input, opened.prepared, folds, task.keepBars)
  return { ...runInputs, ...describe(task, input, tested), folds, purge }
}

const describe = (
  { keepWeights }: { keepWeights: boolean },
  input: PortfolioInput,
  testedPortfolio: TestedPortfolio,
): Omit<TestAnswer, keyof RunInputs> => ({
  description: describeTest(input, testedPortfolio),
  record: recordOf(input, testedPortfolio),
  ...(keepWeights && { dailyWeights: dailyWeights(input.panel, testedPortfolio.run, input.study.capital) }),
})

interface OpenedRows extends RunInputs {
  key: string
  input: Omit<PortfolioInput, 'study'>
  prepared: PreparedRows
}

/** The rows of the last task, kept because the combinations of a grid share them. */
let lastOpened: OpenedRows | null = null

async function openRows(study: PortfolioStudy, rows: TestRows): Promise<OpenedRows> {
  const { signal: _signal, capital: _capital, weights: _weights, ...sharedFields } = study
  const columns = columnsOf(study)
  const source = 'path' in rows ? [rows, fileFacts(rows.path)] : rows.key
  const key = JSON.stringify([sharedFields, columns, source])
  if (lastOpened?.key === key) return lastOpened
  lastOpened = null
  const { input, ...runInputs } =
    'path' in rows ? await openPanelFile(study, columns, rows) : readCacheTest(study, rows.content)
  lastOpened = { key, input, ...runInputs, prepared: prepareRows({ ...input, study }) }
  return lastOpened
}

/** Lists the columns that any combination of a test names. */
export function columnsOf(study: PortfolioStudy): string[] {
  const combinations = study.parameters ? combinationsOf(study.parameters) : [null]
  const formulas = new Set(
    combinations.flatMap((one) => formulasOf(one ? combinationStudy(study, one) : study).map(({ formula }) => formula)),
  )
  return columnsNamed([...formulas])
}

/**
 * Evaluates the signal of every combination on the first row, so that an invalid signal throws a `StudyError` before
 * any combination is recorded.
 */
function checkSignals(study: PortfolioStudy, { panel, rules }: Omit<PortfolioInput, 'study'>): void {
  const columns = new Map([...panel.columns].map(([name, column]) => [name, firstCells(panel, column)]))
  const row: PortfolioInput['panel'] = { ...panel, timeCount: 1, columns }
  for (const parameters of combinationsOf(study.parameters ?? {})) {
    evaluateAtTimes(
      row,
      'signal',
      combinationStudy(study, parameters).signal,
      Int32Array.of(0),
      rules && firstRowRules(rules),
    )
  }
}

/** Cuts a column to the first row of each symbol. */
function firstCells(panel: Panel, column: PanelColumn): PanelColumn {
  const rows = panel.symbols.map((_, symbol) => symbolSeries(panel, column, symbol))
  return {
    values: Float64Array.from(rows, ({ values }) => values[0] ?? 0),
    valid: Uint8Array.from(rows, ({ valid }) => valid[0] ?? 0),
    ...(column.grids && {
      grids: rows.map(({ intervalMs, firstSlot }, from) => ({ intervalMs, firstSlot, rows: 1, from })),
    }),
  }
}

/** Limits the rules of the columns to the first row. */
const firstRowRules = (rules: ColumnRules): ColumnRules => ({
  rule(name, symbol) {
    const rule = rules.rule(name, symbol)
    if (!rule) return null
    const companions = Object.entries(rule.companions ?? {}).map(([column, one]) => [column, firstRow(one)] as const)
    return { ...rule, ...firstRow(rule), times: rule.times.subarray(0, 1), companions: Object.fromEntries(companions) }
  },
})

const firstRow = <Column extends { values: Float64Array; valid: Uint8Array | null }>(column: Column): Column => ({
  ...column,
  values: column.values.subarray(0, 1),
  valid: column.valid && column.valid.subarray(0, 1),
})

function fileFacts(path: string): string | null {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
  return facts ? `${facts.ino}:${facts.size}:${facts.mtimeNs}` : null
}

/** Reads a panel file up to the start of its sealed days. */
async function openPanelFile(study: PortfolioStudy, columns: readonly string[], rows: SealedPanelFile) {
  const { sealedFromMs, scratchFolder, mostMemoryBytes, ...file } = rows
  const range = studyRange(study)
  const endMs = Math.min(range.endMs, sealedFromMs ?? Infinity)
  let [unsealedRows, sealedRows] = [0, 0]
  const panel = await readFilePanel(
    file,
    { columns, range: { ...range, endMs } },
    {
      scratchFolder,
      ...(mostMemoryBytes !== undefined && { mostMemoryBytes }),
      onTimes(times) {
        unsealedRows += countTimes(times, { ...range, endMs })
        sealedRows += countTimes(times, { ...range, startMs: Math.max(range.startMs, endMs) })
      },
      onRead() {
        if (sealedRows > 0 && unsealedRows === 0)
          throw new PanelError('every row in the range of the study is sealed; open the holdout or seal a later day.')
      },
    },
  )
  const warnings = study.source ? [warning('source-unused')] : []
  return { input: { panel, warnings }, inputs: [await hashFile(file.path)], sealedRows }
}

function countTimes(times: Float64Array, { startMs, endMs }: StudyRange): number {
  let count = 0
  for (const time of times) if (time >= startMs && time < endMs) count++
  return count
}
