import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { type FileVersion, isChangedFile } from '#core/parquet/parquetFile.ts'
import type { OnProgress, OnWait } from '#core/threads/taskQueue.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { KnownFile, ReaderResult, ReaderTask, ReaderWork, ReaderWorkName } from './readerTask.ts'

/** Reads series away from the main thread. */
export interface SeriesReader {
  /** Number of tasks of one caller that run at the same time. */
  readonly threads: number
  run<Name extends ReaderWorkName>(
    name: Name,
    task: ReaderWork[Name]['task'],
    signal?: AbortSignal,
    onWait?: OnWait,
  ): Promise<ReaderWork[Name]['result']>
  /** Validates all changed files of a task before other threads work on it. */
  settle(task: object, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

const readingThreadCount = () => Math.min(4, availableParallelism())

/**
 * Creates threads that read only validated files.
 * @param entry file that the threads run
 * @param changedFiles detects files changed outside the app; null to trust the cache folder
 */
export function createValidatedThreads<Message, Result>(
  entry: URL,
  changedFiles: ChangedFiles | null,
  threads = readingThreadCount(),
) {
  // One more thread than a caller may use, so that the others need not wait until its work is done.
  const pool = createThreadPool<Message, Result>(entry, threads + 1, { mostPerCaller: threads })
  return {
    /** @param task the part of the message that names files */
    run: (
      task: object,
      message: Message,
      signal?: AbortSignal,
      onProgress?: OnProgress,
      onWait?: OnWait,
    ): Promise<Result> => runValidated(changedFiles, task, () => pool.run(message, signal, onProgress, onWait), signal),
    close: pool.close,
  }
}

export function createSeriesReader(changedFiles: ChangedFiles | null, threads = readingThreadCount()): SeriesReader {
  const entry = threadEntry('readerWorker', import.meta.url)
  const pool = createValidatedThreads<ReaderTask, ReaderResult>(entry, changedFiles, threads)
  return {
    threads,
    run: (name, task, signal, onWait) =>
      pool.run(task, { name, task } as ReaderTask, signal, undefined, onWait) as Promise<never>,
    async settle(task, signal) {
      if (changedFiles) await changedFiles.settle(task, signal)
      else forgetKnown(task)
    },
    close: pool.close,
  }
}

/** Validates a file in a guarded process. @returns its hash */
type ValidateChanged = (path: string, deep: boolean) => Promise<{ sha256: string }>

/**
 * Keeps threads of this process from reading files that have changed on disk since they were validated: a changed file
 * is validated first, in a guarded process, and left out with the reason if that fails.
 */
export interface ChangedFiles {
  /** Runs work on a task; if the work finds a changed file, the task is corrected and the work runs again. */
  run<Result>(task: object, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
  /** Validates all changed files of a task, for work that cannot run twice. */
  settle(task: object, signal?: AbortSignal): Promise<void>
}

/**
 * Runs the work of threads on a task whose files were validated.
 * @param changedFiles detects files changed outside the app; null to read the files as they are
 */
export function runValidated<Result>(
  changedFiles: ChangedFiles | null,
  task: object,
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  if (changedFiles) return changedFiles.run(task, work, signal)
  forgetKnown(task)
  return work()
}

/** A part of a task that names a file and the version of it in the index. */
interface FilePart {
  path: string
  known: KnownFile
}

type Verdict = Pick<KnownFile, 'sizeBytes' | 'changedAtMs' | 'refusal'>

/** Number of files validated at a time; the guard has at most this many processes. */
const FILES_AT_ONCE = 4

export function createChangedFiles(validate: ValidateChanged): ChangedFiles {
  /** Verdicts on changed files, by path. A file that changes again is validated again. */
  const verdicts = new Map<string, Verdict>()

  /** Running validations, so that a file that several tasks need at the same time is validated once. */
  const runningValidations = new Map<string, Promise<Verdict>>()

  async function validateVersion(path: string, sha256: string, version: FileVersion): Promise<Verdict> {
    try {
      const validated = await validate(path, false)
      // After a copy of the folder, only the time of a file differs; its content is still what was validated.
      if (validated.sha256 !== sha256) await validate(path, true)
      return version
    } catch (thrown) {
      const { detail, message } = toAppError(thrown)
      return { ...version, refusal: detail ?? message }
    }
  }

  async function judge(path: string, { sha256 }: KnownFile, signal?: AbortSignal): Promise<Verdict> {
    const { size, mtimeMs } = await stat(path)
    const earlierVerdict = verdicts.get(path)
    if (earlierVerdict?.sizeBytes === size && earlierVerdict.changedAtMs === mtimeMs) return earlierVerdict
    const key = `${path}\n${size}\n${mtimeMs}`
    const judging =
      runningValidations.get(key) ??
      validateVersion(path, sha256, { sizeBytes: size, changedAtMs: mtimeMs }).finally(() =>
        runningValidations.delete(key),
      )
    runningValidations.set(key, judging)
    const verdict = await judging
    verdicts.set(path, verdict)
    signal?.throwIfAborted()
    return verdict
  }

  async function correct(part: FilePart, signal?: AbortSignal): Promise<void> {
    if (!(await hasChanged(part))) return
    const verdict = await judge(part.path, part.known, signal)
    part.known = { ...part.known, ...verdict }
  }

  async function settle(task: object, signal?: AbortSignal): Promise<void> {
    const parts = filePartsOf(task)
    for (let at = 0; at < parts.length; at += FILES_AT_ONCE)
      await Promise.all(parts.slice(at, at + FILES_AT_ONCE).map((part) => correct(part, signal)))
  }

  /** Applies earlier verdicts to a task, so that it does not run into the same changed files again. */
  function applyVerdicts(task: object): void {
    for (const part of filePartsOf(task)) part.known = { ...part.known, ...verdicts.get(part.path) }
  }

  return {
    settle,
    async run(task, work, signal) {
      if (verdicts.size > 0) applyVerdicts(task)
      try {
        return await work()
      } catch (thrown) {
        if (!isChangedFile(thrown)) throw thrown
      }
      await settle(task, signal)
      try {
        return await work()
      } catch (thrown) {
        if (!isChangedFile(thrown)) throw thrown
        const { detail } = toAppError(thrown)
        throw new AppError('busy', `${basename(detail ?? '')} Another program is writing to it; try again.`)
      }
    },
  }
}

/**
 * Tells whether the file on disk differs from the version in the task; false for a missing file, which its reader
 * reports.
 */
async function hasChanged({ path, known }: FilePart): Promise<boolean> {
  const facts = await stat(path).catch(() => null)
  if (!facts) return false
  return facts.size !== known.sizeBytes || (known.changedAtMs !== null && facts.mtimeMs !== known.changedAtMs)
}

/** Collects every object inside a task that names a file with its known version. */
function filePartsOf(task: unknown): FilePart[] {
  if (typeof task !== 'object' || task === null || ArrayBuffer.isView(task)) return []
  const ownPart = 'path' in task && 'known' in task && task.known ? [task as FilePart] : []
  return [...ownPart, ...Object.values(task).flatMap(filePartsOf)]
}

/** Removes the known versions from a task, for readers without validation, which read whatever file is there. */
export function forgetKnown(task: object): void {
  for (const part of filePartsOf(task)) delete (part as Partial<FilePart>).known
}
