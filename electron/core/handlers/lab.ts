import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type LabDocument, labDocument, type StudySourceFacts } from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { documentedColumns } from '#shared/lab/cacheColumns.ts'
import { MOST_STUDY_BYTES, readStudyFile, STUDY_SUFFIX, writeStudyFile } from '#shared/lab/studyFile.ts'
import { thinResult } from '#shared/lab/thinResult.ts'
import { safeFileName } from '#shared/units/fileNames.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { StudyRequest, StudyService } from '#core/lab/studyService.ts'
import type { Clock } from '#core/ports.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { LabStore } from '#core/store/labStore.ts'

export interface LabDeps {
  studies: LabStore
  service: StudyService
  clock: Clock
  received: ReceivedFiles
  bus: EventBus
}

export function labHandlers(deps: LabDeps): Handlers<CallsOf<'lab'>> {
  return { ...documentHandlers(deps), ...runHandlers(deps) }
}

type DocumentCall =
  `lab.${'list' | 'read' | 'create' | 'save' | 'rename' | 'remove' | 'export' | 'import' | 'takePanel'}`

function documentHandlers({ studies, received, bus }: LabDeps): Handlers<DocumentCall> {
  const report = <Result>(result: Result): Result => {
    bus.emit('lab.changed', {})
    return result
  }
  return {
    'lab.list': () => studies.list(),
    'lab.read': ({ id }) => studies.read(id),
    'lab.create': ({ name, document }) => report(studies.create(name, document)),
    'lab.save': ({ id, document, revision }) => report({ revision: studies.save(id, document, revision) }),
    'lab.rename': ({ id, name }) => report(studies.rename(id, name)),
    'lab.remove': ({ id }) => {
      studies.remove(id)
      return report(null)
    },
    'lab.export': ({ name, document }, { host }) =>
      host.save({ name: safeFileName(`${name}${STUDY_SUFFIX}`), type: 'application/json' }, () =>
        Readable.from([writeStudyFile(name, document.study)]),
      ),
    'lab.import': async ({ file }) => {
      const { name: fileName, text } = await received.readText(file, MOST_STUDY_BYTES)
      // The file counts as dealt with, good or bad, so that it can be chosen again.
      received.remove([file])
      const read = readStudyFile(text, fileName)
      if ('problem' in read) throw new AppError('bad-input', `${fileName}: ${read.problem}`)
      const document = labDocument.safeParse({ version: 1, study: read.study, panel: null })
      if (!document.success) throw new AppError('bad-input', `${fileName}: The study is too large.`)
      return report(studies.create(read.name, document.data))
    },
    'lab.takePanel': ({ file }) => {
      const path = received.pathOf(file)
      if (path === null) throw new AppError('not-found', 'The file is gone; choose it again.')
      received.remove([file])
      return { path }
    },
  }
}

/** Runs up to this many cells and horizons follow the input. */
const SMALL_WORK = 3_000_000
const SMALL_BYTES = 40_000_000

const requestOf = ({ study, panel }: LabDocument): StudyRequest => ({
  document: study,
  panelPath: panel?.path ?? null,
  againstPath: panel?.against ?? null,
})

function runHandlers({ studies, service, clock, bus }: LabDeps): Handlers<Exclude<CallsOf<'lab'>, DocumentCall>> {
  /** Text that changes with the files of a study. */
  async function fingerprintOf({ panel, study }: LabDocument): Promise<string> {
    if (!panel) {
      const facts = await service.cacheFacts({ document: study })
      return 'refused' in facts ? '' : facts.fingerprint
    }
    const paths = [panel.path, panel.against].filter((path) => path !== null)
    const facts = await Promise.all(paths.map((path) => stat(path).catch(() => null)))
    return facts.map((one) => (one ? `${one.size}@${one.mtimeMs}` : 'gone')).join(' ')
  }

  /** Finds what a study would read from the cache; null where the study is not whole yet or nothing is cached. */
  async function cachedSource(study: LabDocument['study']): Promise<StudySourceFacts | null> {
    const facts = await service.cacheFacts({ document: study })
    if ('refused' in facts) return null
    const { symbols, cells, fingerprint } = facts
    const horizons = Array.isArray(study.horizons) ? study.horizons.length : 3
    const isSmall = cells * horizons <= SMALL_WORK
    return { rows: cells, symbols, firstTime: null, lastTime: null, columns: documentedColumns(), isSmall, fingerprint }
  }

  return {
    'lab.missing': async ({ document }) => {
      const answer = document.panel ? null : await service.missingFiles({ document: document.study })
      if (answer === null || 'refused' in answer) return { files: 0, locked: 0, requests: [] }
      const { missing, requests } = answer
      return { files: missing.length, locked: missing.filter(({ isLocked }) => isLocked).length, requests }
    },
    'lab.source': async ({ document }, { signal }) => {
      const { panel, study } = document
      if (!panel) return cachedSource(study)
      const { sizeBytes, changedMs: _, ...facts } = await service.fileFacts(panel.path, signal)
      const horizons = Array.isArray(study.horizons) ? study.horizons.length : 3
      const isSmall = sizeBytes <= SMALL_BYTES && facts.rows * horizons <= SMALL_WORK
      return { ...facts, isSmall, fingerprint: await fingerprintOf(document) }
    },
    'lab.answer': ({ id }) => studies.answer(id),
    'lab.run': async ({ id, document }, { signal, progress }) => {
      const fingerprint = await fingerprintOf(document)
      const { name } = studies.read(id)
      const request = requestOf({ ...document, study: { ...document.study, name } })
      const ran = await service.run(request, {
        signal,
        onStage: (stage, share) => progress({ done: share, total: 1, message: stage }),
      })
      if ('refused' in ran) throw new AppError('bad-input', ran.message)
      const answer = {
        ...thinResult(ran.result),
        ranAt: clock.nowMs(),
        document,
        runId: ran.id ?? '',
        fingerprint,
        isRecorded: true,
      }
      studies.keepAnswer(id, answer)
      bus.emit('lab.changed', {})
      return answer
    },
    'lab.section': ({ document, ...query }, { signal }) =>
      service.inspect(requestOf(document), 'section', query, signal),
    'lab.paths': ({ document }, { signal }) => service.inspect(requestOf(document), 'paths', {}, signal),
    'lab.symbol': ({ document, ...query }, { signal }) => service.inspect(requestOf(document), 'symbol', query, signal),
    'lab.coverage': ({ document }, { signal }) => service.inspect(requestOf(document), 'coverage', {}, signal),
  }
}
