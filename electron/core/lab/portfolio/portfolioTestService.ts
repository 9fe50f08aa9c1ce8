import { availableParallelism, tmpdir } from 'node:os'
import { computeOverfitting } from '#shared/lab/portfolio/overfitting.ts'
import { combinationsOf, combinationStudy, type Combination } from '#shared/lab/portfolio/parameterGrid.ts'
import { parseOverfittingInput } from '#shared/lab/portfolio/parseOverfittingInput.ts'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import { parsePortfolioStudy } from '#shared/lab/parseStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import type { RunRecord } from '#shared/lab/portfolio/runPortfolio.ts'
import {
  expectedMaximum,
  probabilisticSharpe,
  sharpeSample,
  sharpeVariance,
} from '#shared/lab/portfolio/sharpeStatistics.ts'
import { type CombinationReturns, describeFolds, outOfSample } from '#shared/lab/portfolio/walkForward.ts'
import type {
  LedgerOverfitting,
  GridPartResult,
  PortfolioResult,
  WalkForwardResult,
} from '#shared/lab/portfolio/testResult.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import { parseDay } from '#shared/time.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createWorkPool } from '#core/guard/workPool.ts'
import type { StartProcess } from '#core/ports.ts'
import type { Ledger, RunDraft } from '#core/store/ledger/ledger.ts'
import {
  type LedgerFace,
  type LedgerInput,
  returnsFromBytes,
  type RunEntry,
  type RunRole,
} from '#core/store/ledger/ledgerEntry.ts'
import { documentHash, familyOf, keyOf, scopeOf } from '#core/store/ledger/studyIdentity.ts'
import { type CacheSourceDeps, scratchFolderOf } from '../cacheSource.ts'
import type { PanelCheck } from '../panelCheck.ts'
import { withFileName } from '../panelFileError.ts'
import { refusalError } from '#shared/contract/studyRefusal.ts'
import { sortPortfolioWarnings } from '#shared/lab/portfolio/portfolioWarnings.ts'
import { cacheTestOf, findTestRows } from './cacheTest.ts'
import { screenedWarning } from './screenedSignal.ts'
import {
  columnsOf,
  type SealedPanelFile,
  type PortfolioAnswers,
  type PortfolioReply,
  type PortfolioTask,
  type RunInputs,
  type TestAnswer,
  type TestRows,
} from './portfolioTask.ts'

/** A test to run: the document as the user wrote it, and a panel to use in place of its source. */
export interface PortfolioTestRequest {
  document: unknown
  panelPath: string | null
  /** Connection whose cache is read; the active one if empty or absent. */
  connectionId?: string
  /** Funding periods of a recorded run, which is run again with them. */
  recordedFunding?: readonly FundingRow[] | undefined
  openHoldout: boolean
  keepBars: boolean
  /** True to keep the weights of each day, and a grid's results by fold, with the result. */
  keepWeights?: boolean
}

/** A share of a grid: every `parts`-th combination, starting at number `part`. */
export interface GridPart {
  part: number
  parts: number
}

export interface PortfolioRunOptions {
  signal: AbortSignal
  who: LedgerFace
  /** Called at the start and after each run of a test, with the number of recorded runs and of all runs. */
  onProgress(finished: number, total: number): void
}

/** Runs tested portfolios; every run is in the ledger before its result is returned. */
export interface PortfolioTestService {
  run(request: PortfolioTestRequest, options: PortfolioRunOptions): Promise<PortfolioResult>
  runPart(request: PortfolioTestRequest, part: GridPart, options: PortfolioRunOptions): Promise<GridPartResult>
  /**
   * Writes the rows, the members and the signal of a test to a CSV or Parquet file, without sealed rows; returns the
   * number of rows.
   */
  writePanel(request: PortfolioTestRequest, outPath: string, signal: AbortSignal): Promise<number>
  overfitting(document: unknown): ReturnType<typeof computeOverfitting>
  close(): Promise<void>
}

/** Time that a cancelled run may go on before its thread is terminated; it has nothing to clean up. */
const CANCELLED_TASK_TIMEOUT_MS = 50
/** Number of threads or processes for a grid; each holds the whole panel. */
const THREADS = Math.min(2, availableParallelism())

/** @param cache finds the rows of a test in the cache; if absent, every test needs a panel */
export function createPortfolioTestService(
  ledger: () => Ledger,
  panelCheck: PanelCheck,
  cache?: CacheSourceDeps,
  startProcess?: StartProcess,
): PortfolioTestService {
  const entry = threadEntry('portfolioWorker', import.meta.url)
  const pool = createWorkPool<PortfolioTask, PortfolioReply>(entry, {
    name: 'Perpscope portfolio tests',
    size: THREADS,
    startProcess,
    cancelledTaskTimeoutMs: CANCELLED_TASK_TIMEOUT_MS,
  })

  async function runTask<Kind extends PortfolioTask['work']>(
    task: Extract<PortfolioTask, { work: Kind }>,
    signal: AbortSignal,
  ): Promise<PortfolioAnswers[Kind]> {
    const reply = await pool.run(task, signal)
    if ('answer' in reply) return reply.answer as PortfolioAnswers[Kind]
    throw refusalError(reply)
  }

  return {
    async run(request, options) {
      const test = await prepareTest({ ledger: ledger(), panelCheck, cache }, request, options)
      return test.study.parameters ? runGrid(test, options, runTask) : runOnce(test, options, runTask)
    },
    async runPart(request, { part, parts }, options) {
      const test = await prepareTest({ ledger: ledger(), panelCheck, cache }, request, options)
      if (!test.study.parameters) throw new StudyError('parameters', 'are needed to run a part of a grid.')
      const finished = await runCombinations(test, (index) => index % parts === part - 1, options, runTask)
      const rows = finished.map(({ parameters, entry: { sequence, summary } }) => ({
        parameters,
        sharpe: summary?.sharpe ?? null,
        days: summary?.days ?? 0,
        sequence,
      }))
      const combinations = combinationsOf(test.study.parameters).length
      const { study, hash, family } = test
      return {
        version: 1,
        kind: 'portfolio',
        study,
        part,
        of: parts,
        combinations,
        grid: rows,
        documentHash: hash,
        family,
      }
    },
    async writePanel(request, outPath, signal) {
      const test = await prepareTest({ ledger: ledger(), panelCheck, cache }, request, { signal, who: 'other' })
      return (await runTask({ work: 'panel', study: test.study, rows: test.rows, outPath }, signal)).rows
    },
    overfitting: (document) => computeOverfitting(parseOverfittingInput(document)),
    close: () => pool.close(),
  }
}

type RunTask = <Kind extends PortfolioTask['work']>(
  task: Extract<PortfolioTask, { work: Kind }>,
  signal: AbortSignal,
) => Promise<PortfolioAnswers[Kind]>

/** A validated test with its place in the ledger. */
interface PreparedTest {
  ledger: Ledger
  study: PortfolioStudy
  hash: string
  family: string
  rows: TestRows
  /** Cached files that the test reads; absent for a panel, which is hashed once it has been read. */
  inputs?: LedgerInput[]
  files?: unknown
  fundingPeriods?: readonly FundingRow[] | null
  seenTo?: string | null
  keepBars: boolean
  keepWeights: boolean
  holdoutFromDay: string | null
  isOpened: boolean
}

interface TestDeps {
  ledger: Ledger
  panelCheck: PanelCheck
  cache: CacheSourceDeps | undefined
}

/** Validates a request, finds its rows and the seal of its family, and opens the seal if requested. */
async function prepareTest(
  { ledger, panelCheck, cache }: TestDeps,
  request: PortfolioTestRequest,
  { who, signal }: Pick<PortfolioRunOptions, 'who' | 'signal'>,
): Promise<PreparedTest> {
  const { panelPath, connectionId = '', recordedFunding } = request
  const study = parsePortfolioStudy(request.document, { fromCache: panelPath === null })
  if (panelPath === null) cacheTestOf(study)
  const panel =
    panelPath !== null && (await withFileName(panelPath, () => panelCheck.check(panelPath, columnsOf(study), signal)))
  const family = familyOf(study)
  const days = [ledger.tables.earliestHoldout(family), study.holdout?.fromDay].flatMap((day) => day ?? [])
  const holdoutFromDay = days.sort()[0] ?? null
  let isOpened = ledger.tables.isHoldoutOpened(family)
  if (request.openHoldout) {
    if (holdoutFromDay === null)
      throw new StudyError('holdout', 'nothing is sealed for this family, so there is nothing to open.')
    if (isOpened) throw new StudyError('holdout', 'was already opened; nothing is sealed for this family any more.')
    ledger.append([{ event: 'holdoutOpened', family, holdoutFromDay }], who)
    isOpened = true
  }
  const sealedFromMs = holdoutFromDay === null || isOpened ? null : parseDay(holdoutFromDay)
  const foundRows = panel
    ? { rows: { ...panel, sealedFromMs, ...scratchOf(cache) } }
    : await findTestRows(neededCache(cache), { study, connectionId, sealedFromMs, recordedFunding }, signal)
  return {
    ledger,
    study,
    hash: documentHash(study),
    family,
    ...foundRows,
    keepBars: request.keepBars,
    keepWeights: request.keepWeights ?? false,
    holdoutFromDay,
    isOpened,
  }
}

/** Returns where to keep rows that do not fit into memory. */
const scratchOf = (cache: CacheSourceDeps | undefined): Pick<SealedPanelFile, 'scratchFolder' | 'mostMemoryBytes'> => ({
  scratchFolder: cache ? scratchFolderOf(cache.dataDir) : tmpdir(),
  ...(cache?.mostMemoryBytes !== undefined && { mostMemoryBytes: cache.mostMemoryBytes }),
})

function neededCache(cache: CacheSourceDeps | undefined): CacheSourceDeps {
  if (cache) return cache
  throw new StudyError('source', 'cannot be read here: there is no cache. Pass the rows as a panel.')
}

const readUntilOf = ({ holdoutFromDay, isOpened }: PreparedTest) => (isOpened ? null : holdoutFromDay)

function draftOf(
  test: PreparedTest,
  { study, role, runInputs, record }: { study: PortfolioStudy; role: RunRole; runInputs: RunInputs; record: RunRecord },
): RunDraft {
  const hash = documentHash(study)
  const { days, sharpe } = sharpeSample(record.net, study.riskFree)
  const { totalReturn, maxDrawdown, ruined } = record
  const combinations = test.study.parameters && combinationsOf(test.study.parameters).length
  const inputs = inputsOf(test, runInputs)
  return {
    event: 'run',
    kind: 'portfolio',
    role,
    documentHash: hash,
    study,
    inputs,
    family: familyOf(study),
    key: keyOf({ documentHash: hash, inputs, readUntil: readUntilOf(test) }),
    holdoutFromDay: test.holdoutFromDay,
    summary: { days, sharpe, totalReturn, maxDrawdown, ruined },
    returns: record.net,
    isNoTrial: record.isNeverTraded,
    firstDay: record.firstDay === null ? null : dayFromNumber(record.firstDay),
    dataTo: record.firstDay === null ? null : dayFromNumber(record.firstDay + record.net.length - 1),
    seenTo: test.seenTo ?? null,
    grid: combinations === null ? null : { documentHash: test.hash, combinations },
    ...(test.files !== undefined && { files: test.files }),
    ...(test.fundingPeriods && { fundingPeriods: test.fundingPeriods }),
  }
}

const inputsOf = (test: PreparedTest, runInputs: RunInputs): LedgerInput[] => runInputs.inputs ?? test.inputs ?? []

async function runOnce(test: PreparedTest, options: PortfolioRunOptions, runTask: RunTask): Promise<PortfolioResult> {
  const { study, rows, keepBars, keepWeights, ledger } = test
  options.onProgress(0, 1)
  const answer = await runTask({ work: 'test', study, rows, keepBars, keepWeights }, options.signal)
  ledger.append([draftOf(test, { study, role: 'test', runInputs: answer, record: answer.record })], options.who)
  const overfitting = await judge(test, answer.record, options.signal, runTask)
  options.onProgress(1, 1)
  return resultOf(test, answer, overfitting, null)
}

const resultOf = (
  test: PreparedTest,
  { description, sealedRows, dailyWeights }: TestAnswer,
  overfitting: LedgerOverfitting,
  walkForward: WalkForwardResult | null,
): PortfolioResult => ({
  ...description,
  warnings: sortPortfolioWarnings([...description.warnings, ...screenedWarning(test.ledger.tables, test.study)]),
  overfitting,
  walkForward,
  holdout: test.holdoutFromDay === null ? null : { fromDay: test.holdoutFromDay, opened: test.isOpened, sealedRows },
  documentHash: test.hash,
  family: test.family,
  ...(dailyWeights !== undefined && { dailyWeights }),
})

/** Judges a run against all trials of its family, once the run is recorded. */
async function judge(
  test: PreparedTest,
  { net }: RunRecord,
  signal: AbortSignal,
  runTask: RunTask,
): Promise<LedgerOverfitting> {
  const { ledger, study, family } = test
  const { tables } = ledger
  const judged = await runTask(
    {
      work: 'judge',
      net,
      riskFree: study.riskFree,
      trials: tables.trialsOf(family),
      trialsInLedger: tables.countTried(),
      blocks: study.pbo.blocks,
    },
    signal,
  )
  const sharpesOnSource = tables.sharpesOfScope(scopeOf(study), study.riskFree)
  return {
    ...judged,
    trialsOnSource: sharpesOnSource.length,
    deflatedOnSource: probabilisticSharpe(
      judged,
      Math.sqrt(sharpeVariance(sharpesOnSource)) * expectedMaximum(sharpesOnSource.length),
    ),
    resetTime: tables.lastReset()?.time ?? null,
    lostEntries: ledger.lost(),
  }
}

/** A combination that is recorded in the ledger, with its returns. */
interface FinishedCombination {
  parameters: Combination
  entry: RunEntry
  net: Float64Array
}

async function runGrid(test: PreparedTest, options: PortfolioRunOptions, runTask: RunTask): Promise<PortfolioResult> {
  const { study, rows, keepBars, keepWeights, ledger } = test
  const finished = await runCombinations(test, () => true, options, runTask)
  const grid: CombinationReturns[] = finished.map(({ parameters, entry, net }) => ({
    parameters,
    firstDay: entry.firstDay === null ? null : dayNumberOf(entry.firstDay),
    net,
  }))
  const answer = await runTask({ work: 'walkForward', study, rows, keepBars, keepWeights, grid }, options.signal)
  ledger.append([draftOf(test, { study, role: 'walk-forward', runInputs: answer, record: answer.record })], options.who)
  const overfitting = await judge(test, answer.record, options.signal, runTask)
  const gridRows = finished.map(({ parameters, net }) => {
    const sample = sharpeSample(net, study.riskFree)
    const deflated = probabilisticSharpe(sample, overfitting.expectedMaximum)
    return { parameters, sharpe: sample.sharpe, days: sample.days, deflated }
  })
  const walkForward = { ...answer.purge, folds: describeFolds(answer.folds), grid: gridRows }
  const result = resultOf(test, answer, overfitting, walkForward)
  return keepWeights ? { ...result, gridOutOfSample: outOfSample(grid, answer.folds, study.riskFree) } : result
}

/**
 * Runs the combinations of a grid in parallel and records them in grid order. Combinations that an interrupted run of
 * the same grid has recorded are not run again.
 */
async function runCombinations(
  test: PreparedTest,
  isInPart: (index: number) => boolean,
  { signal, who, onProgress }: PortfolioRunOptions,
  runTask: RunTask,
): Promise<FinishedCombination[]> {
  const { study, rows, ledger } = test
  const { tables } = ledger
  const ownCombinations = combinationsOf(study.parameters ?? {}).filter((_, index) => isInPart(index))
  const runInputs = await runTask({ work: 'open', study, rows }, signal)
  const combinationKeyOf = (combination: PortfolioStudy) =>
    keyOf({ documentHash: documentHash(combination), inputs: inputsOf(test, runInputs), readUntil: readUntilOf(test) })
  const doneByKey = tables.combinationsDone(test.hash, combinationKeyOf(study))
  const results = new Array<FinishedCombination | null>(ownCombinations.length).fill(null)
  const drafts = new Array<RunDraft | null>(ownCombinations.length).fill(null)
  let recordedCount = 0

  /** Records the results up to the first gap, so that the ledger keeps the order of the grid. */
  function record(): void {
    while (recordedCount < ownCombinations.length && (results[recordedCount] || drafts[recordedCount])) {
      const draft = drafts[recordedCount]
      if (draft && !results[recordedCount]) {
        const [entry] = ledger.append([draft], who) as RunEntry[]
        const net = draft.returns ?? new Float64Array(0)
        results[recordedCount] = { parameters: ownCombinations[recordedCount], entry, net }
      }
      recordedCount++
    }
    onProgress(recordedCount, ownCombinations.length)
  }

  const usedKeys = new Set<string>()
  const candidates = ownCombinations.map((parameters, index) => ({
    index,
    combination: combinationStudy(study, parameters),
  }))
  const toRun = candidates.filter(({ index, combination }) => {
    const combinationKey = combinationKeyOf(combination)
    const entry = doneByKey.get(combinationKey)
    if (!entry || usedKeys.has(combinationKey)) return true
    usedKeys.add(combinationKey)
    const bytes = entry.returnsSha256 === null ? null : tables.returns(entry.returnsSha256)
    if (!bytes) return true
    results[index] = { parameters: ownCombinations[index], entry, net: returnsFromBytes(bytes) }
    return false
  })
  record()
  await Promise.all(
    toRun.map(async ({ index, combination }) => {
      const answer = await runTask({ work: 'combination', study, rows, combination }, signal)
      drafts[index] = draftOf(test, {
        study: combination,
        role: 'combination',
        runInputs: answer,
        record: answer.record,
      })
      record()
    }),
  )
  return results.flatMap((one) => one ?? [])
}
