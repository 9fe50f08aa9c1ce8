import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  type LabDocument,
  labDocument,
  type LabResult,
  type StudyAnswer,
  type StudySourceFacts,
  type TestFormat,
} from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { documentedColumns } from '#shared/lab/cacheColumns.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { StudyError } from '#shared/lab/studyDocument.ts'
import { testProvenance } from '#shared/lab/portfolio/testProvenance.ts'
import { MOST_STUDY_BYTES, readStudyFile, STUDY_SUFFIX, writeStudyFile } from '#shared/lab/studyFile.ts'
import { thinResult } from '#shared/lab/thinResult.ts'
import { fileNameWithEnding } from '#shared/units/fileNames.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallContext, CallsOf, Handlers } from '#core/handler.ts'
import type { LedgerService } from '#core/lab/ledger/ledgerService.ts'
import { documentOnPanel, type PortfolioPanels } from '#core/lab/portfolioPanel.ts'
import type { PortfolioTestService } from '#core/lab/portfolio/portfolioTestService.ts'
import type { TestedSeriesStore } from '#core/lab/portfolio/testedSeries.ts'
import { writeTestTable } from '#core/lab/portfolio/writeTestTable.ts'
import type { StudyRequest, StudyService } from '#core/lab/studyService.ts'
import type { Clock } from '#core/ports.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { LabStore } from '#core/store/labStore.ts'
import type { StudyRunStore } from '#core/store/studyStore.ts'
import { storedDocuments } from './storedDocuments.ts'

export interface LabDeps {
  studies: LabStore
  service: StudyService
  tests: PortfolioTestService
  ledger: LedgerService
  panels: PortfolioPanels
  /** Results of tested portfolios as series of the workbench. */
  series: TestedSeriesStore
  /** The runs that are kept for the command line. */
  runs: StudyRunStore
  clock: Clock
  /** Version of Perpscope. */
  version: string
  received: ReceivedFiles
  bus: EventBus
}

export function labHandlers(deps: LabDeps): Handlers<CallsOf<'lab'>> {
  return { ...documentHandlers(deps), ...runHandlers(deps), ...testHandlers(deps) }
}

type DocumentCall =
  `lab.${'list' | 'read' | 'create' | 'save' | 'rename' | 'remove' | 'export' | 'import' | 'takePanel'}`

function documentHandlers({ studies, series, received, bus }: LabDeps): Handlers<DocumentCall> {
  const documents = storedDocuments('lab', studies, () => void bus.emit('lab.changed', {}))
  const { reportChange } = documents
  return {
    ...documents.handlers,
    'lab.remove': ({ id }) => {
      const answer = documents.calls.remove({ id })
      series.release(id)
      return answer
    },
    'lab.export': ({ name, document }, { host }) =>
      host.save({ name: fileNameWithEnding(name, STUDY_SUFFIX), type: 'application/json' }, () =>
        Readable.from([writeStudyFile(name, document.study)]),
      ),
    'lab.import': async ({ file }) => {
      const { name: fileName, text } = await received.readText(file, MOST_STUDY_BYTES)
      // The file is forgotten, valid or not, so that the user can choose it again.
      received.remove([file])
      const read = readStudyFile(text, fileName)
      if ('problem' in read) throw new AppError('bad-input', `${fileName}: ${read.problem}`)
      const document = labDocument.safeParse({ version: 1, study: read.study, panel: null })
      if (!document.success) throw new AppError('bad-input', `${fileName}: The study is too large.`)
      return reportChange(studies.create(read.name, document.data))
    },
    'lab.takePanel': ({ file }) => {
      const path = received.pathOf(file)
      if (path === null) throw new AppError('not-found', 'The file no longer exists; choose it again.')
      received.remove([file])
      return { path }
    },
  }
}

/** Largest study, in cells × horizons, that runs automatically while the user types. */
const SMALL_STUDY_CELLS = 3_000_000
/** Largest panel file of a study that runs automatically while the user types. */
const SMALL_PANEL_BYTES = 40_000_000

const requestOf = ({ study, panel }: LabDocument): StudyRequest => ({
  document: study,
  panelPath: panel?.path ?? null,
  againstPath: panel?.against ?? null,
})

type TestCall = 'lab.trial' | 'lab.exportTest' | 'lab.chartTest' | 'lab.fromPortfolio'

const isTest = ({ study }: LabDocument): boolean => study.kind === 'portfolio'

/** Leaves out the weights by day, which only exported files need. */
function withoutWeights(answer: StudyAnswer): StudyAnswer {
  if (answer.result.kind !== 'portfolio') return answer
  const { dailyWeights: _, ...result } = answer.result
  return { ...answer, result }
}

const testFileTypes = {
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  json: 'application/json',
} as const satisfies Record<TestFormat, string>

function testHandlers({ studies, ledger, panels, series, clock, version, bus }: LabDeps): Handlers<TestCall> {
  function lastResult(id: string) {
    const result = studies.answer(id)?.result
    if (result?.kind === 'portfolio') return result
    throw new AppError('not-found', 'This test has no result yet; run it first.')
  }

  return {
    'lab.fromPortfolio': async ({ name, kind, ...query }, { signal }) => {
      const path = await panels.write(query, signal)
      const created = studies.create(name, documentOnPanel(query.subject, kind, path))
      bus.emit('lab.changed', {})
      return created
    },
    'lab.trial': async ({ document }, { signal }) => {
      if (!isTest(document)) return null
      const ledgerWork = { work: 'preview' as const, document: document.study, fromCache: document.panel === null }
      return (await ledger.ask(ledgerWork, signal)).answer
    },
    'lab.exportTest': async ({ id, table, format }, { host, signal }) => {
      const result = lastResult(id)
      const ledgerWork = { work: 'recorded' as const, documentHash: result.documentHash }
      const recorded = (await ledger.ask(ledgerWork, signal)).answer
      const writtenBy = `Perpscope ${version}`
      const provenance = testProvenance(result, { table, writtenBy, nowMs: clock.nowMs(), recorded })
      const bytes = writeTestTable(result, { table, format, provenance })
      const companion = {
        suffix: '.provenance.json',
        type: 'application/json',
        open: () => Readable.from([provenance]),
      }
      const name = fileNameWithEnding(studies.read(id).name, `-${table}.${format}`)
      const type = testFileTypes[format]
      return host.save({ name, type, ...(format !== 'parquet' && { companion }) }, () => Readable.from([bytes]))
    },
    'lab.chartTest': ({ id }) => series.write({ id, name: studies.read(id).name }, lastResult(id)),
  }
}

/** Turns the refusal of a study or panel into `bad-input`, whose message the window shows in the form. */
async function asBadInput<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw error instanceof StudyError || error instanceof PanelError ? new AppError('bad-input', error.message) : error
  }
}

type RunContext = Pick<CallContext, 'signal' | 'progress'>
type RunCall = Exclude<CallsOf<'lab'>, DocumentCall | TestCall>

function runHandlers({ studies, service, tests, runs, series, clock, bus }: LabDeps): Handlers<RunCall> {
  /** Returns a text that changes when the files of a study change. */
  async function fingerprintOf({ panel, study }: LabDocument): Promise<string> {
    if (!panel) {
      const facts = await service.cacheFacts({ document: study })
      return 'refused' in facts ? '' : facts.fingerprint
    }
    const paths = [panel.path, panel.against].filter((path) => path !== null)
    const facts = await Promise.all(paths.map((path) => stat(path).catch(() => null)))
    return facts.map((one) => (one ? `${one.size}@${one.mtimeMs}` : 'gone')).join(' ')
  }

  /** Finds what a study would read from the cache; null if the study is incomplete or nothing is cached. */
  async function cachedSource(study: LabDocument['study']): Promise<StudySourceFacts | null> {
    const facts = await service.cacheFacts({ document: study })
    if ('refused' in facts) return null
    const { symbols, cells, fingerprint } = facts
    const horizons = Array.isArray(study.horizons) ? study.horizons.length : 3
    const isSmall = cells * horizons <= SMALL_STUDY_CELLS
    return { rows: cells, symbols, firstTime: null, lastTime: null, columns: documentedColumns(), isSmall, fingerprint }
  }

  type FinishedRun = { result: LabResult; thinnedBy: number; runId: string }

  async function runStudy(document: LabDocument, { signal, progress }: RunContext): Promise<FinishedRun> {
    const outcome = await service.run(requestOf(document), {
      signal,
      onStage: (stage, share) => progress({ done: share, total: 1, message: stage }),
    })
    if ('refused' in outcome) throw new AppError('bad-input', outcome.message)
    return { ...thinResult(outcome.result), runId: outcome.id ?? '' }
  }

  async function runTest(
    { study, panel }: LabDocument,
    openHoldout: boolean,
    { signal, progress }: RunContext,
  ): Promise<FinishedRun> {
    const request = { document: study, panelPath: panel?.path ?? null, openHoldout, keepBars: false, keepWeights: true }
    const result = await asBadInput(
      tests.run(request, {
        signal,
        who: 'window',
        onProgress: (done, total) => progress({ done: done / total, total, message: total > 1 ? 'grid' : 'test' }),
      }),
    )
    const { dailyWeights: _weights, gridOutOfSample: _grid, ...storedResult } = result
    return { result, thinnedBy: 1, runId: runs.save(result.study, storedResult) }
  }

  return {
    'lab.missing': async ({ document }, { signal }) => {
      const answer = document.panel ? null : await service.missingFiles({ document: document.study }, signal)
      if (answer === null || 'refused' in answer) return { files: 0, locked: 0, requests: [] }
      const { missing, requests } = answer
      return { files: missing.length, locked: missing.filter(({ isLocked }) => isLocked).length, requests }
    },
    'lab.source': async ({ document }, { signal }) => {
      const { panel, study } = document
      if (!panel) return cachedSource(study)
      const { sizeBytes, changedMs: _, ...facts } = await service.fileFacts(panel.path, signal)
      const horizons = Array.isArray(study.horizons) ? study.horizons.length : 3
      const isSmall = sizeBytes <= SMALL_PANEL_BYTES && facts.rows * horizons <= SMALL_STUDY_CELLS
      return { ...facts, isSmall, fingerprint: await fingerprintOf(document) }
    },
    'lab.answer': ({ id }) => {
      const answer = studies.answer(id)
      return answer && withoutWeights(answer)
    },
    'lab.run': async ({ id, document, openHoldout }, { signal, progress }) => {
      const fingerprint = await fingerprintOf(document)
      const { name } = studies.read(id)
      const renamedDocument = { ...document, study: { ...document.study, name } }
      const finished = await (
        isTest(document)
          ? runTest(renamedDocument, openHoldout, { signal, progress })
          : runStudy(renamedDocument, { signal, progress })
      )
        // A cancelled or failed run may have recorded combinations of its grid, or opened the holdout.
        .finally(() => bus.emit('ledger.changed', {}))
      const answer = { ...finished, ranAt: clock.nowMs(), document, fingerprint, isRecorded: true }
      studies.keepAnswer(id, answer)
      if (finished.result.kind === 'portfolio') await series.refresh({ id, name }, finished.result)
      bus.emit('lab.changed', {})
      return withoutWeights(answer)
    },
    'lab.section': ({ document, ...query }, { signal }) =>
      service.inspect(requestOf(document), 'section', query, signal),
    'lab.paths': ({ document }, { signal }) => service.inspect(requestOf(document), 'paths', {}, signal),
    'lab.symbol': ({ document, ...query }, { signal }) => service.inspect(requestOf(document), 'symbol', query, signal),
    'lab.coverage': ({ document }, { signal }) => service.inspect(requestOf(document), 'coverage', {}, signal),
  }
}
