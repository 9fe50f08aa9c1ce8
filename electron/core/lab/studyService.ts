import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { isPortfolioDocument, kindFacts, type Study } from '#shared/lab/kinds.ts'
import { parsePortfolioStudy, parseStudy } from '#shared/lab/parseStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { thinResult } from '#shared/lab/thinResult.ts'
import type { StartProcess } from '#core/ports.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { LedgerFace } from '#core/store/ledger/ledgerEntry.ts'
import { type CacheStudy, downloadRequests, type MissingFile } from './cachePlan.ts'
import {
  type CacheFacts,
  cacheFacts,
  type CacheNeeds,
  type CacheSourceDeps,
  cacheTask,
  missingFilesOf,
  scratchFolderOf,
  studyNeeds,
} from './cacheSource.ts'
import type { Inspections, PanelFileFacts } from './inspectWorker.ts'
import type { LabAnswer } from './labWorker.ts'
import type { PanelCheck } from './panelCheck.ts'
import type { WantedColumns } from './panelHeader.ts'
import { withFileName } from './panelFileError.ts'
import { cachedRowsOf, columnsOfStudy, type StudyTask } from './studyTask.ts'
import { seenTo } from './forward/seenTo.ts'
import { cacheNeeds, cacheTestOf, namesFunding } from './portfolio/cacheTest.ts'
import { fundingInputs, goesByFunding, studyFunding } from './studyFunding.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { hashOf } from '#core/store/ledger/canonicalJson.ts'
import { answerOrRefusal, asBadInput, type StudyRefusal } from '#shared/contract/studyRefusal.ts'
import { inputsOf, recordStudy } from './recordStudy.ts'
import { createStudyInspector } from './studyInspector.ts'
import { createStudyRunner, type RunOptions } from './studyRunner.ts'

/** A study to run: the document as the user wrote it, and files to use in place of its source. */
export interface StudyRequest {
  document: unknown
  /** Connection whose cache is read; the active one if empty. */
  connectionId?: string
  /** File with the rows to study; null to read the cache as `source` says. */
  panelPath: string | null
  /** Funding periods of a recorded run, which is run again with them. */
  recordedFunding?: readonly FundingRow[] | undefined
  /** File with the rows of the other clock; null to compare no clocks, or to read the cache. */
  againstPath: string | null
}

export type StudyOutcome = { id: string | null; study: Study; result: StudyResult } | StudyRefusal

export interface StudyRunOptions extends RunOptions {
  /** False for a run whose result is not kept, such as one while the user is typing. */
  keep?: boolean
  /** Origin of the run in the ledger; the window if absent. */
  who?: LedgerFace
}

/**
 * Runs studies in a separate thread or process. A cancelled run rejects immediately, and its thread or process is ended
 * if it does not stop within 50 ms.
 */
export interface StudyService {
  run(request: StudyRequest, options: StudyRunOptions): Promise<StudyOutcome>
  /** Writes the rows, members and formula values of a study to a CSV or Parquet file. */
  writePanel(
    request: StudyRequest,
    outPath: string,
    options: RunOptions,
  ): Promise<{ written: { path: string; rows: number } } | StudyRefusal>
  /** Answers a query about individual cells; rejects with `bad-input` if the study or its rows are refused. */
  inspect<Kind extends keyof Inspections>(
    request: StudyRequest,
    kind: Kind,
    query: Inspections[Kind]['query'],
    signal: AbortSignal,
  ): Promise<Inspections[Kind]['result']>
  fileFacts(path: string, signal: AbortSignal): Promise<PanelFileFacts>
  /** Finds the files that a study needs and the cache does not have, with the requests that download them. */
  missingFiles(request: CacheQuery, signal?: AbortSignal): Promise<MissingFiles | StudyRefusal>
  /** Describes the cached files of a study without reading them. */
  cacheFacts(request: CacheQuery, signal?: AbortSignal): Promise<CacheFacts | StudyRefusal>
  close(): Promise<void>
}

export type CacheQuery = Pick<StudyRequest, 'document' | 'connectionId'>

export interface MissingFiles {
  missing: MissingFile[]
  requests: DownloadRequest[]
}

export interface StudyServiceDeps extends CacheSourceDeps {
  panelCheck: PanelCheck
  ledger: () => Ledger
  /** Starts processes for the work; left out if threads do it. */
  startProcess?: StartProcess | undefined
}

export function createStudyService(deps: StudyServiceDeps): StudyService {
  const { studyRuns, connections } = deps.store
  const { changedFiles, panelCheck } = deps
  const runner = createStudyRunner(changedFiles, deps.startProcess)
  const inspector = createStudyInspector(changedFiles, deps.startProcess)

  const checkPanel = (path: string, columns: WantedColumns, signal: AbortSignal) =>
    withFileName(path, () => panelCheck.check(path, columns, signal))

  /** Validates a request and finds its rows; throws a `StudyError` or a `PanelError`. */
  async function taskOf(request: StudyRequest, signal: AbortSignal): Promise<StudyTask> {
    const { panelPath, againstPath } = request
    const study = studyOf(request)
    const columns = columnsOfStudy(study)
    const against = againstPath === null ? null : await checkPanel(againstPath, columns, signal)
    const scratchFolder = scratchFolderOf(deps.dataDir)
    if (panelPath !== null) return { study, rows: await checkPanel(panelPath, columns, signal), against, scratchFolder }
    const { connectionId = '', recordedFunding } = request
    const { task } = await cacheTask(deps, cacheStudyOf(study), { connectionId, recordedFunding }, signal)
    return against === null ? task : { ...task, against }
  }

  /** Finds what a study needs from the cache, and of which connection; throws a `StudyError`. */
  async function cacheNeedsOf(
    { document, connectionId = '' }: CacheQuery,
    signal?: AbortSignal,
  ): Promise<{ needs: CacheNeeds; id: string }> {
    const { id } = connectionId === '' ? connections.active() : connections.find(connectionId)
    if (isPortfolioDocument(document)) {
      const test = cacheTestOf(parsePortfolioStudy(document, { fromCache: true }))
      if (!namesFunding(test)) return { needs: cacheNeeds(test), id }
      const { byName } = await studyFunding(deps, test, { connectionId: id }, signal)
      return { needs: { ...cacheNeeds(test, byName), state: hashOf([...byName]) }, id }
    }
    const study = cacheStudyOf(parseStudy(document, { fromCache: true }))
    const needs = studyNeeds(deps, study, id)
    if (!goesByFunding(study)) return { needs, id }
    const { byName } = await studyFunding(deps, study, { connectionId: id }, signal)
    return { needs: { ...needs, state: hashOf([...byName]) }, id }
  }

  function seenByTask({ connectionId = '' }: StudyRequest, task: StudyTask): string | null {
    const plans = cachedRowsOf(task).map(({ plan }) => plan)
    if (plans.length === 0) return null
    const { id } = connectionId === '' ? connections.active() : connections.find(connectionId)
    return seenTo(deps.store, { connectionId: id, timestamps: timestampSources }, plans)
  }

  return {
    run: (request, { keep = true, who = 'window', ...options }) =>
      answerOrRefusal(async () => {
        const task = await taskOf(request, options.signal)
        const answer = await runner.run({ ...task, panelOutPath: null }, options)
        if (!('result' in answer)) return refusalIn(answer)
        const { study } = task
        const { result } = answer
        const read = await inputsOf([task.rows, task.against])
        const fundingPeriods = task.funding ?? null
        const inputs = [...read.inputs, ...fundingInputs(fundingPeriods)]
        recordStudy(deps.ledger(), result, { ...read, inputs, seenTo: seenByTask(request, task), fundingPeriods }, who)
        return { id: keep ? studyRuns.save(study, keptResult(result)) : null, study, result }
      }),
    writePanel: (request, outPath, options) =>
      answerOrRefusal(async () => {
        const answer = await runner.run({ ...(await taskOf(request, options.signal)), panelOutPath: outPath }, options)
        return 'written' in answer ? answer : refusalIn(answer)
      }),
    inspect: (request, kind, query, signal) =>
      asBadInput(async () => inspector.inspect(kind, await taskOf(request, signal), query, signal)),
    fileFacts: (path, signal) =>
      asBadInput(async () => inspector.fileFacts(await checkPanel(path, [], signal), signal)),
    async close() {
      await runner.close()
      await inspector.close()
    },
    missingFiles: (request, signal) =>
      answerOrRefusal(async () => {
        const { needs, id } = await cacheNeedsOf(request, signal)
        const missing = missingFilesOf(deps, needs, id)
        return { missing, requests: downloadRequests(id, missing) }
      }),
    cacheFacts: (request, signal) =>
      answerOrRefusal(async () => {
        const { needs, id } = await cacheNeedsOf(request, signal)
        return cacheFacts(deps, needs, id)
      }),
  }
}

/**
 * Maximum number of timestamps for which a result is kept in full; a longer one is shortened, because each run over a
 * year of minutes would otherwise add 80 MB to the index.
 */
const MOST_KEPT_TIMES = 100_000

/** Shortens the long lists of a very large result for the index, as the window does. */
const keptResult = (result: StudyResult): StudyResult =>
  result.kind !== 'screen' && result.data.times <= MOST_KEPT_TIMES ? result : thinResult(result).result

function studyOf({ document, panelPath, againstPath }: StudyRequest): Study {
  const study = parseStudy(document, { fromCache: panelPath === null })
  if (panelPath !== null && kindFacts(study.kind).readsBothClocks)
    throw new StudyError('panel', 'a study of clocks reads no panel: the rows of both clocks stand in the cache only.')
  if (againstPath !== null && !kindFacts(study.kind).comparesClocks) {
    throw new StudyError('against', 'only a signal study is compared with the other clock.')
  }
  return study
}

/** Narrows the type of a study to one whose rows come from the cache. */
function cacheStudyOf(study: Study): CacheStudy {
  const { source } = study
  if (source === null) throw new StudyError('source', 'is null and there is no panel: name the rows to study.')
  if (source.against !== null && !kindFacts(study.kind).comparesClocks) {
    throw new StudyError('source.against', 'only a signal study is compared with the other clock.')
  }
  return { ...study, source } as CacheStudy
}

function refusalIn(answer: LabAnswer): StudyRefusal {
  if ('refused' in answer) return answer
  throw new Error('The worker answered a different task than it was given.')
}
