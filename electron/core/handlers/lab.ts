import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  type LabDocument,
  type StudyAnswer,
  type StudySourceFacts,
  type TestFormat,
} from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { documentedColumns } from '#shared/lab/cacheColumns.ts'
import { testProvenance } from '#shared/lab/portfolio/testProvenance.ts'
import { verdictOf } from '#shared/lab/studySheet.ts'
import { thinResult } from '#shared/lab/thinResult.ts'
import { fileNameWithEnding } from '#shared/units/fileNames.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { LedgerService } from '#core/lab/ledger/ledgerService.ts'
import type { Lab, LabProgress } from '#core/lab/lab.ts'
import { asBadInput } from '#shared/contract/studyRefusal.ts'
import { documentOnPanel, type PortfolioPanels } from '#core/lab/portfolioPanel.ts'
import type { TestedSeriesStore } from '#core/lab/portfolio/testedSeries.ts'
import { writeTestTable } from '#core/lab/portfolio/writeTestTable.ts'
import type { StudyRequest } from '#core/lab/studyService.ts'
import type { Clock } from '#core/ports.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { DocumentStore } from '#core/store/documentStore.ts'
import type { StudyAnswers } from '#core/store/studyAnswers.ts'

export interface LabDeps {
  studies: DocumentStore<'study'>
  answers: StudyAnswers
  lab: Lab
  ledger: LedgerService
  panels: PortfolioPanels
  /** Results of tested portfolios as series of the workbench. */
  series: TestedSeriesStore
  clock: Clock
  /** Version of Perpscope. */
  version: string
  received: ReceivedFiles
  bus: EventBus
}

export function labHandlers(deps: LabDeps): Handlers<CallsOf<'lab'>> {
  return { ...runHandlers(deps), ...testHandlers(deps) }
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

function testHandlers({ studies, answers, ledger, panels, series, clock, version, bus }: LabDeps): Handlers<TestCall> {
  function testResult(id: string, trial?: number) {
    const result = answers.read(id, trial)?.result
    if (result?.kind === 'portfolio') return result
    throw new AppError('not-found', 'This test has no result yet; run it first.')
  }

  return {
    'lab.fromPortfolio': async ({ name, kind, ...query }, { signal }) => {
      const path = await panels.write(query, signal)
      const created = studies.create(name, documentOnPanel(query.subject, kind, path))
      bus.emit('documents.changed', { kind: 'study' })
      return created
    },
    'lab.trial': async ({ document }, { signal }) => {
      if (!isTest(document)) return null
      const ledgerWork = { work: 'preview' as const, document: document.study, fromCache: document.panel === null }
      return (await ledger.ask(ledgerWork, signal)).answer
    },
    'lab.exportTest': async ({ id, trial, table, format }, { host, signal }) => {
      const result = testResult(id, trial)
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
    'lab.chartTest': ({ id, trial }) => series.write({ id, name: studies.read(id).name }, testResult(id, trial)),
  }
}

type RunCall = Exclude<CallsOf<'lab'>, TestCall>

function runHandlers({ studies, answers, received, lab, series, clock, bus }: LabDeps): Handlers<RunCall> {
  /** Returns a text that changes when the files of a study change. */
  async function fingerprintOf({ panel, study }: LabDocument): Promise<string> {
    if (!panel) {
      const facts = await lab.cacheFacts({ document: study })
      return 'refused' in facts ? '' : facts.fingerprint
    }
    const paths = [panel.path, panel.against].filter((path) => path !== null)
    const facts = await Promise.all(paths.map((path) => stat(path).catch(() => null)))
    return facts.map((one) => (one ? `${one.size}@${one.mtimeMs}` : 'gone')).join(' ')
  }

  /** Finds what a study would read from the cache; null if the study is incomplete or nothing is cached. */
  async function cachedSource(study: LabDocument['study']): Promise<StudySourceFacts | null> {
    const facts = await lab.cacheFacts({ document: study })
    if ('refused' in facts) return null
    const { symbols, cells, fingerprint } = facts
    const horizons = Array.isArray(study.horizons) ? study.horizons.length : 3
    const isSmall = cells * horizons <= SMALL_STUDY_CELLS
    return { rows: cells, symbols, firstTime: null, lastTime: null, columns: documentedColumns(), isSmall, fingerprint }
  }

  return {
    'lab.takePanel': ({ file }) => {
      const path = received.pathOf(file)
      if (path === null) throw new AppError('not-found', 'The file no longer exists; choose it again.')
      received.remove([file])
      return { path }
    },
    'lab.missing': async ({ document }, { signal }) => {
      const answer = document.panel ? null : await lab.missingFiles({ document: document.study }, signal)
      if (answer === null || 'refused' in answer) return { files: 0, locked: 0, requests: [] }
      const { missing, requests } = answer
      return { files: missing.length, locked: missing.filter(({ isLocked }) => isLocked).length, requests }
    },
    'lab.source': async ({ document }, { signal }) => {
      const { panel, study } = document
      if (!panel) return cachedSource(study)
      const { sizeBytes, changedMs: _, ...facts } = await lab.fileFacts(panel.path, signal)
      const horizons = Array.isArray(study.horizons) ? study.horizons.length : 3
      const isSmall = sizeBytes <= SMALL_PANEL_BYTES && facts.rows * horizons <= SMALL_STUDY_CELLS
      return { ...facts, isSmall, fingerprint: await fingerprintOf(document) }
    },
    'lab.answer': ({ id, trial }) => {
      const answer = answers.read(id, trial)
      return answer && withoutWeights(answer)
    },
    'lab.trials': ({ id }) => answers.trials(id),
    'lab.run': async ({ id, document, openHoldout, isAutomatic }, { signal, progress }) => {
      const fingerprint = await fingerprintOf(document)
      const { name } = studies.read(id)
      const renamedDocument = { ...document, study: { ...document.study, name } }
      const options = {
        signal,
        who: 'window' as const,
        onProgress: ({ stage, done, total }: LabProgress) => progress({ done: done / total, total, message: stage }),
      }
      const request = { ...requestOf(renamedDocument), openHoldout, keepWeights: true }
      const run = await asBadInput(() => lab.run(request, options))
        // A cancelled or failed run may have recorded combinations of its grid, or opened the holdout.
        .finally(() => bus.emit('ledger.changed', {}))
      const { result, thinnedBy } = thinResult(run.result)
      const facts = { ranAt: clock.nowMs(), document, fingerprint, isRecorded: true }
      const how = { isAutomatic, verdict: verdictOf(run.result) }
      const answer = answers.keep(id, { result, thinnedBy, runId: run.id ?? '', ...facts }, how)
      if (run.result.kind === 'portfolio') await series.refresh({ id, name }, run.result)
      bus.emit('documents.changed', { kind: 'study' })
      return withoutWeights(answer)
    },
    'lab.section': ({ document, ...query }, { signal }) => lab.inspect(requestOf(document), 'section', query, signal),
    'lab.paths': ({ document }, { signal }) => lab.inspect(requestOf(document), 'paths', {}, signal),
    'lab.bucket': ({ document, ...query }, { signal }) => lab.inspect(requestOf(document), 'bucket', query, signal),
    'lab.price': ({ document, ...query }, { signal }) => lab.inspect(requestOf(document), 'price', query, signal),
    'lab.symbol': ({ document, ...query }, { signal }) => lab.inspect(requestOf(document), 'symbol', query, signal),
    'lab.coverage': ({ document }, { signal }) => lab.inspect(requestOf(document), 'coverage', {}, signal),
  }
}
