import { readFileSync } from 'node:fs'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { type Study, StudyError } from '#shared/lab/studyDocument.ts'
import type { Store } from '#core/store/store.ts'
import type { Inspections, PanelFileFacts } from './inspectWorker.ts'
import type { LabAnswer } from './labWorker.ts'
import type { StudyTask } from './panelStudy.ts'
import { createStudyInspector } from './studyInspector.ts'
import { createStudyRunner, type RunOptions } from './studyRunner.ts'

/** A study to run: its document as it was written, and the files that take the place of its source. */
export interface StudyRequest {
  document: unknown
  /** File whose rows are studied; null to read the cache as `source` says. */
  panelPath: string | null
  /** Panel of the other clock. */
  againstPath: string | null
}

/** The reason why a study has no result: `study` for a bad document or formula, `panel` for unusable rows. */
export interface StudyRefusal {
  refused: 'study' | 'panel'
  message: string
}

export type StudyAnswer = { id: string | null; study: Study; result: StudyResult } | StudyRefusal

export interface StudyRunOptions extends RunOptions {
  /** False for a run whose result is not kept, such as one while the user still types. */
  keep?: boolean
}

/**
 * Runs studies on a thread of its own. A cancelled run rejects at once, and its thread is terminated within 50 ms if it
 * does not end by itself.
 */
export interface StudyService {
  run(request: StudyRequest, options: StudyRunOptions): Promise<StudyAnswer>
  /** Writes the rows, members and formula values of a study to a CSV or Parquet file. */
  writePanel(
    request: StudyRequest,
    outPath: string,
    options: RunOptions,
  ): Promise<{ written: { path: string; rows: number } } | StudyRefusal>
  /** Answers a question about single cells; rejects with `bad-input` where the study or its rows are refused. */
  inspect<Kind extends keyof Inspections>(
    request: StudyRequest,
    kind: Kind,
    query: Inspections[Kind]['query'],
    signal: AbortSignal,
  ): Promise<Inspections[Kind]['result']>
  fileFacts(path: string, signal: AbortSignal): Promise<PanelFileFacts>
  close(): Promise<void>
}

export function createStudyService({ studies }: Pick<Store, 'studies'>): StudyService {
  const runner = createStudyRunner()
  const inspector = createStudyInspector()

  return {
    run: (request, { keep = true, ...options }) =>
      refusing(async () => {
        const task = taskOf(request)
        const answer = await runner.run({ ...task, panelOutPath: null }, options)
        if (!('result' in answer)) return refusalOf(answer)
        const { study } = task
        const { result } = answer
        return { id: keep ? studies.save(study, result) : null, study, result }
      }),
    writePanel: (request, outPath, options) =>
      refusing(async () => {
        const answer = await runner.run({ ...taskOf(request), panelOutPath: outPath }, options)
        return 'written' in answer ? answer : refusalOf(answer)
      }),
    inspect: async (request, kind, query, signal) => {
      try {
        return await inspector.inspect(kind, taskOf(request), query, signal)
      } catch (error) {
        throw error instanceof StudyError ? new AppError('bad-input', error.message) : error
      }
    },
    fileFacts: inspector.fileFacts,
    async close() {
      await runner.close()
      await inspector.close()
    },
  }
}

/** Reads a study document from a file; throws a `StudyError` that names the file where it is not JSON. */
export function readStudyDocument(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : toAppError(error).message
    throw new StudyError(path, `cannot be read as JSON (${reason}).`)
  }
}

/** Checks a request and finds its rows; throws a `StudyError`. */
function taskOf({ document, panelPath, againstPath }: StudyRequest): StudyTask {
  const study = parseStudy(document, { fromCache: panelPath === null })
  if (againstPath !== null && study.kind !== 'signal') {
    throw new StudyError('against', 'only a signal study is compared with the other clock.')
  }
  if (panelPath === null) {
    if (study.source === null) throw new StudyError('source', 'is null and there is no panel: name the rows to study.')
    throw new StudyError('source', 'Studies of the cache cannot be run yet. Export the rows and pass them as a panel.')
  }
  return { study, rows: { path: panelPath }, against: againstPath === null ? null : { path: againstPath } }
}

async function refusing<Answer>(work: () => Promise<Answer>): Promise<Answer | StudyRefusal> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StudyError)) throw error
    return { refused: 'study', message: error.message }
  }
}

function refusalOf(answer: LabAnswer): StudyRefusal {
  if ('refused' in answer) return answer
  throw new Error('The thread answered another task than it was given.')
}
