import { stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { Redactor } from '#core/clients/redact.ts'
import type { StartProcess } from '#core/ports.ts'
import { PART_SUFFIX, QUARANTINE_FOLDER, setFileAside } from '#core/store/cacheFolder.ts'
import { restoredError, taskError, type TaskError } from '#core/threads/taskError.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import {
  createGuardedValidation,
  noJournal,
  openValidationJournal,
  type ValidationResult,
} from './guardedValidation.ts'
import type { CommitTask, FileLocation, PeriodLimits, TableToCheck, ValidatedFile } from './verifyFile.ts'

/** Writes files and moves them into place in worker threads, and validates them in guarded processes in between. */
export interface ValidationPool {
  /** Writes the part file (if bytes are given), validates it and moves it into place durably. */
  commit(task: CommitTask): Promise<ValidatedFile>
  /** Validates a cached file, within the limits of its period if they are given; `deep` reads every value. */
  validate(path: string, signal?: AbortSignal, deep?: boolean, limits?: PeriodLimits): Promise<ValidatedFile>
  /** Validates cached files one after the other in one process, and returns a result for each. */
  validateAll(paths: readonly string[], signal: AbortSignal, deep?: boolean): Promise<(ValidatedFile | AppError)[]>
  /** Reads the columns of a table that is not a cached file; rejects with `corrupt-file` if that fails. */
  checkTable(table: TableToCheck, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Task of a disk thread, which never parses a file's content. */
export type DiskTask = { kind: 'write'; tasks: CommitTask[] } | { kind: 'sync' | 'place'; places: FileLocation[] }
/** Result of a disk task: an error, the hash of what was written, or null. */
export type DiskResult = TaskError | { sha256: string } | null

interface WaitingCommit {
  task: CommitTask
  resolve(validated: ValidatedFile): void
  reject(error: unknown): void
}

/** Files per message; a message wakes the thread, and the files of one message share a disk sync. */
const FILES_PER_MESSAGE = 16
/**
 * Time to collect files for one message. A message takes more CPU time than validating a small file, because two
 * threads, a process and the main thread handle it. The wait delays no transfer, because a received file has already
 * freed its network slot.
 */
const COLLECT_MS = 25
/**
 * Delay before a second process starts. Starting it takes as much CPU time as validating several hundred small files,
 * so it pays off only for large files.
 */
const GROW_AFTER_MS = 400
/** Messages per thread; the files of one message are validated while those of another wait for the disk. */
const MESSAGES_PER_THREAD = 6

export interface ValidationPoolOptions {
  start?: StartProcess
  /** Data folder, where a file that crashed the program twice is recorded and quarantined; left out in some tests. */
  dataDir?: string
  /** Entry of the guarded process; tests pass one that misbehaves. */
  entry?: URL
  /** Finds API keys in column names, where a service may put them, and removes them from error messages. */
  redactor?: Pick<Redactor, 'contains' | 'error'>
}

export function createValidationPool(threads: number, options: ValidationPoolOptions = {}): ValidationPool {
  const { start = startNodeProcess, dataDir, entry, redactor } = options
  const journal = dataDir === undefined ? noJournal : openValidationJournal(dataDir)
  const disk = createThreadPool<DiskTask, DiskResult[]>(threadEntry('validationWorker', import.meta.url), threads, {
    buffersOf: (task) => (task.kind === 'write' ? task.tasks.flatMap(({ bytes }) => distinctBuffers(bytes ?? [])) : []),
    perThread: MESSAGES_PER_THREAD,
  })
  const guardOptions = { start, processes: threads, journal, ...(entry && { entry }) }
  const commitValidation = createGuardedValidation({ ...guardOptions, growAfterMs: GROW_AFTER_MS })
  // Validations have processes of their own, because a long one would hold up downloads.
  const cacheValidation = createGuardedValidation(guardOptions)

  /** Moves a part file that crashed the program twice into quarantine. */
  async function quarantine({ path, root }: CommitTask): Promise<ValidationResult | null> {
    if (dataDir === undefined || !journal.takePoisonous(path + PART_SUFFIX)) return null
    await setFileAside(path + PART_SUFFIX, join(dataDir, QUARANTINE_FOLDER), relative(root, path))
    const message = `${basename(path)}: Perpscope crashed twice while reading this file, so it was moved to the quarantine folder.`
    return taskError(new AppError('corrupt-file', message))
  }

  /** Refuses a file with an API key in a column name, and removes the key from error messages. */
  function withoutKey(path: string, result: ValidationResult): ValidationResult {
    if (!redactor) return result
    if ('error' in result) return taskError(redactor.error(restoredError(result)))
    const names = result.validated.facts.columns.map(({ name }) => name).join('\n')
    if (!redactor.contains(names)) return result
    return taskError(new AppError('corrupt-file', `${basename(path)}: the name of a column contains the API key.`))
  }

  /** Validates part files, those without a proof in a guarded process. @returns one result per file */
  async function validateParts(tasks: readonly PartTask[]): Promise<ValidationResult[]> {
    const unproven = tasks.filter(({ proof }) => !proof)
    const read = unproven.length > 0 ? await commitValidation.validate(unproven.map(partOf)) : []
    const found = read.values()
    return Promise.all(tasks.map(async ({ path, proof }) => (proof ? provenPart(path, proof) : found.next().value!)))
  }

  /**
   * Commits several files together.
   * @returns one result per file
   */
  async function commitAll(tasks: readonly CommitTask[]): Promise<ValidationResult[]> {
    const placesOf = (indexes: readonly number[]) =>
      indexes.map((index) => ({ path: tasks[index].path, root: tasks[index].root }))
    const resultByIndex = new Map<number, ValidationResult>()
    const remaining = () => tasks.map((_, index) => index).filter((index) => !isFailed(resultByIndex.get(index)))
    const note = (indexes: readonly number[], found: readonly (ValidationResult | DiskResult)[]) =>
      found.forEach((result, index) => result && !('sha256' in result) && resultByIndex.set(indexes[index], result))

    const writes = await disk.run({ kind: 'write', tasks: [...tasks] })
    const hashes = writes.map((result, index) => (result && 'sha256' in result ? result.sha256 : tasks[index].sha256))
    note(remaining(), writes)
    const writtenIndexes = remaining()
    note(writtenIndexes, await Promise.all(writtenIndexes.map((index) => quarantine(tasks[index]))))
    const readableIndexes = remaining()
    if (readableIndexes.length > 0) {
      // The files are synced while they are validated.
      const [validated, synced] = await Promise.all([
        validateParts(readableIndexes.map((index) => ({ ...tasks[index], sha256: hashes[index] }))),
        disk.run({ kind: 'sync', places: placesOf(readableIndexes) }),
      ])
      note(
        readableIndexes,
        validated.map((result, index) => withoutKey(tasks[readableIndexes[index]].path, result)),
      )
      note(readableIndexes, synced)
    }
    const valid = remaining()
    if (valid.length > 0) note(valid, await disk.run({ kind: 'place', places: placesOf(valid) }))
    return tasks.map((_, index) => resultByIndex.get(index)!)
  }

  return {
    commit: createBatches(threads * MESSAGES_PER_THREAD, commitAll),
    async validate(path, signal, deep = false, limits = {}) {
      const [result] = await cacheValidation.validate([{ path, deep, ...limits }], signal)
      return validatedOrThrow(withoutKey(path, result))
    },
    async validateAll(paths, signal, deep = false) {
      const results = await cacheValidation.validate(
        paths.map((path) => ({ path, deep })),
        signal,
      )
      return results.map((each, index) => {
        const result = withoutKey(paths[index], each)
        return 'validated' in result ? result.validated : restoredError(result)
      })
    },
    checkTable: cacheValidation.checkTable,
    async close() {
      await Promise.all([disk.close(), commitValidation.close(), cacheValidation.close()])
      journal.close()
    },
  }
}

const isFailed = (result: ValidationResult | undefined) => result !== undefined && 'error' in result

type PartTask = Omit<CommitTask, 'sha256'> & { sha256: string | undefined }

/** Applies to a part file what is known of its bytes. */
async function provenPart(path: string, { facts, ...proof }: ValidatedFile): Promise<ValidationResult> {
  try {
    const { mtimeMs } = await stat(path + PART_SUFFIX)
    return { validated: { ...proof, facts: { ...facts, changedAtMs: mtimeMs } } }
  } catch (thrown) {
    return taskError(thrown)
  }
}

const partOf = ({ path, mostRows, rowsWithin, compares, sha256 }: PartTask) => ({
  path: path + PART_SUFFIX,
  deep: true,
  ...(mostRows !== undefined && { mostRows }),
  ...(rowsWithin !== undefined && { rowsWithin }),
  ...(sha256 !== undefined && { sha256 }),
  ...(compares && { before: path }),
})

function validatedOrThrow(result: ValidationResult): ValidatedFile {
  if ('validated' in result) return result.validated
  throw restoredError(result)
}

/** Collects commits into batches and limits how many batches run at a time. */
function createBatches(mostBatches: number, commitAll: (tasks: readonly CommitTask[]) => Promise<ValidationResult[]>) {
  const waitingCommits: WaitingCommit[] = []
  let runningBatches = 0
  let timer: NodeJS.Timeout | null = null

  function send(): void {
    timer = null
    while (waitingCommits.length > 0 && runningBatches < mostBatches) void sendBatch(nextBatch())
  }

  /** Takes the next batch; a large file, already in its part file, is sent alone because others would wait for it. */
  function nextBatch(): WaitingCommit[] {
    const largeAt = waitingCommits.slice(0, FILES_PER_MESSAGE).findIndex(({ task }) => task.bytes === null)
    return waitingCommits.splice(0, largeAt < 0 ? FILES_PER_MESSAGE : Math.max(1, largeAt))
  }

  async function sendBatch(batch: WaitingCommit[]): Promise<void> {
    runningBatches++
    try {
      const results = await commitAll(batch.map(({ task }) => task))
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index]
        if ('validated' in result) resolve(result.validated)
        else reject(restoredError(result))
      })
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown)
    } finally {
      runningBatches--
      if (waitingCommits.length > 0) timer ??= setTimeout(send, COLLECT_MS)
    }
  }

  return (task: CommitTask): Promise<ValidatedFile> =>
    new Promise((resolve, reject) => {
      waitingCommits.push({ task, resolve, reject })
      timer ??= setTimeout(send, COLLECT_MS)
    })
}

/** Lists the buffers of the chunks; a buffer that several chunks share is listed once. */
const distinctBuffers = (chunks: readonly Uint8Array[]) => [
  ...new Set(chunks.map(({ buffer }) => buffer as ArrayBuffer)),
]
