import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { isChangedFile } from '#core/parquet/fileVersion.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { UnchangedFile } from '#core/store/unchangedFiles.ts'
import type { KnownFile } from './readerTask.ts'

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

interface Verdict {
  sizeBytes: number
  changedAtMs: number
  refusal?: string
  /** Hash of the content if only the time of the file differs, as after a copy of the folder. */
  unchanged?: string
}

/** Number of files validated at a time; the guard has at most this many processes. */
const FILES_AT_ONCE = 4

/**
 * @param onUnchanged takes the files whose content is still what was validated, so that their new times can be kept and
 * no other process validates them again
 */
export function createChangedFiles(
  validate: ValidateChanged,
  onUnchanged: (files: readonly UnchangedFile[]) => void = () => {},
): ChangedFiles {
  /** Verdicts on changed files, by path. A file that changes again is validated again. */
  const verdicts = new Map<string, Verdict>()

  /** Running validations, so that a file that several tasks need at the same time is validated once. */
  const runningValidations = new Map<string, Promise<Verdict>>()

  async function validateVersion(
    path: string,
    sha256: string,
    version: { sizeBytes: number; changedAtMs: number },
  ): Promise<Verdict> {
    try {
      const validated = await validate(path, false)
      if (validated.sha256 === sha256) return { ...version, unchanged: sha256 }
      await validate(path, true)
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

  /** Corrects what a task knows of a file. @returns the file if only its time differs */
  async function correct(part: FilePart, signal?: AbortSignal): Promise<UnchangedFile | null> {
    if (!(await hasChanged(part))) return null
    const verdict = await judge(part.path, part.known, signal)
    const { path, known } = part
    applyVerdict(part, verdict)
    const { sha256 } = known
    return verdict.unchanged === sha256 ? { path, sha256, changedAtMs: verdict.changedAtMs } : null
  }

  async function settle(task: object, signal?: AbortSignal): Promise<void> {
    const parts = filePartsOf(task)
    const unchanged: UnchangedFile[] = []
    try {
      for (let at = 0; at < parts.length; at += FILES_AT_ONCE) {
        const corrected = await Promise.all(parts.slice(at, at + FILES_AT_ONCE).map((part) => correct(part, signal)))
        unchanged.push(...corrected.filter((file) => file !== null))
      }
    } finally {
      // What a cancelled run has found out is kept too.
      if (unchanged.length > 0) onUnchanged(unchanged)
    }
  }

  function applyVerdict(part: FilePart, { sizeBytes, changedAtMs, refusal }: Verdict): void {
    part.known = { ...part.known, sizeBytes, changedAtMs, ...(refusal !== undefined && { refusal }) }
  }

  /** Applies earlier verdicts to a task, so that it does not run into the same changed files again. */
  function applyVerdicts(task: object): void {
    for (const part of filePartsOf(task)) {
      const verdict = verdicts.get(part.path)
      if (verdict) applyVerdict(part, verdict)
    }
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
