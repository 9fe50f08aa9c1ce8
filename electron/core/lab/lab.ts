import type { LabResult } from '#shared/lab/labResult.ts'
import { isBlendDocument, isPortfolioDocument } from '#shared/lab/kinds.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import type { StudyStage } from '#shared/lab/studyInput.ts'
import type { LedgerFace } from '#core/store/ledger/ledgerEntry.ts'
import type { StudyRunStore } from '#core/store/studyStore.ts'
import type { BlendService } from './book/blendService.ts'
import type { GridPart, PortfolioTestRequest, PortfolioTestService } from './portfolio/portfolioTestService.ts'
import { refusalError } from '#shared/contract/studyRefusal.ts'
import type { StudyRequest, StudyService } from './studyService.ts'

/** A document to run, as the user wrote it, and files to use in place of its source. */
export interface LabRequest extends StudyRequest {
  /** Folder of the document, to which the files of a blend are relative. */
  folder?: string
  /** True to open the sealed days of a tested portfolio for its whole family. */
  openHoldout?: boolean
  /** True to list every bar in the result of a test. */
  keepBars?: boolean
  /** True to keep the weights of each day of a test, and a grid's results by fold, with the result. */
  keepWeights?: boolean
}

/** What a run does; a study goes through stages, a test counts its runs. */
export interface LabProgress {
  stage: StudyStage | 'test' | 'grid'
  done: number
  total: number
}

export interface LabRunOptions {
  signal: AbortSignal
  /** Origin of the run in the ledger. */
  who: LedgerFace
  /** False for a run whose result is not kept for `study show`. */
  keep?: boolean
  onProgress?(progress: LabProgress): void
}

export interface LabRun {
  /** Id of the kept result; null if it is not kept. */
  id: string | null
  result: LabResult
}

/** Runs documents of every kind. What a document or its rows refuse is a `StudyError` or a `PanelError`. */
export interface Lab extends Omit<StudyService, 'run' | 'writePanel'> {
  run(request: LabRequest, options: LabRunOptions): Promise<LabRun>
  /** Runs a part of the grid of a tested portfolio. */
  runPart(request: LabRequest, part: GridPart, options: LabRunOptions): ReturnType<PortfolioTestService['runPart']>
  /** Writes the rows, members and formula values of a document to a CSV or Parquet file; returns the number of rows. */
  writePanel(request: LabRequest, outPath: string, options: LabRunOptions): Promise<number>
  overfitting(document: unknown): Promise<ReturnType<PortfolioTestService['overfitting']>>
}

/** Leaves out what only exported files need. */
export function withoutSeries({ dailyWeights: _weights, gridOutOfSample: _grid, ...result }: PortfolioResult) {
  return result
}

const ignoreProgress = () => undefined

export function createLab(
  studies: StudyService,
  tests: (() => Promise<PortfolioTestService>) & { close(): Promise<void> },
  blends: (() => Promise<BlendService>) & { close(): Promise<void> },
  runs: StudyRunStore,
): Lab {
  async function runTest(request: LabRequest, { keep = true, ...options }: LabRunOptions): Promise<LabRun> {
    const keepWeights = keep || request.keepWeights === true
    const result = await (await tests()).run({ ...testRequest(request), keepWeights }, testOptions(options))
    const id = keep ? runs.save(result.study, withoutSeries(result), result.dailyWeights) : null
    return { id, result: request.keepWeights ? result : withoutSeries(result) }
  }

  async function runBlend(
    request: LabRequest,
    { keep = true, onProgress = ignoreProgress, signal, who }: LabRunOptions,
  ): Promise<LabRun> {
    const onShare = (share: number) => onProgress({ stage: 'blend', done: share, total: 1 })
    const result = await (await blends()).run(request, { signal, who, onShare })
    return { id: keep ? runs.save(result.study, result) : null, result }
  }

  async function runStudy(
    request: LabRequest,
    { onProgress = ignoreProgress, ...options }: LabRunOptions,
  ): Promise<LabRun> {
    const onStage = (stage: StudyStage, share: number) => onProgress({ stage, done: share, total: 1 })
    const outcome = await studies.run(request, { ...options, onStage })
    if ('refused' in outcome) throw refusalError(outcome)
    return { id: outcome.id, result: outcome.result }
  }

  return {
    ...studies,
    run(request, options) {
      if (isBlendDocument(request.document)) return runBlend(request, options)
      return isPortfolioDocument(request.document) ? runTest(request, options) : runStudy(request, options)
    },
    runPart: async (request, part, options) =>
      (await tests()).runPart(testRequest(request), part, testOptions(options)),
    async writePanel(request, outPath, { signal, onProgress = ignoreProgress }) {
      if (isBlendDocument(request.document)) throw new StudyError('kind', 'a blend has no panel.')
      if (isPortfolioDocument(request.document))
        return (await tests()).writePanel(testRequest(request), outPath, signal)
      const onStage = (stage: StudyStage, share: number) => onProgress({ stage, done: share, total: 1 })
      const outcome = await studies.writePanel(request, outPath, { signal, onStage })
      if ('refused' in outcome) throw refusalError(outcome)
      return outcome.written.rows
    },
    overfitting: async (document) => (await tests()).overfitting(document),
    async close() {
      await studies.close()
      await tests.close()
      await blends.close()
    },
  }
}

function testRequest({ againstPath, ...request }: LabRequest): PortfolioTestRequest {
  if (againstPath !== null)
    throw new StudyError('against', 'a tested portfolio cannot be compared with the other clock.')
  return { openHoldout: false, keepBars: false, ...request }
}

const testOptions = ({ onProgress = ignoreProgress, ...options }: Omit<LabRunOptions, 'keep'>) => ({
  ...options,
  onProgress: (done: number, total: number) => onProgress({ stage: total > 1 ? 'grid' : 'test', done, total }),
})
