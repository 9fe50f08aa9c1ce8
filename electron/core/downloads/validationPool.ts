import { restoredError, type TaskError } from '#core/threads/taskError.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import type { CommitTask, ValidatedFile } from './verifyFile.ts'

/** Validates and commits files in worker threads. */
export interface ValidationPool {
  /** Writes the part file (where bytes are given), validates it, and puts it in its place durably. */
  commit(task: CommitTask): Promise<ValidatedFile>
  /** Validates a file in its place; `deep` reads every value. */
  validate(path: string, signal?: AbortSignal, deep?: boolean): Promise<ValidatedFile>
  close(): Promise<void>
}

export type ValidationTask = { kind: 'commit'; tasks: CommitTask[] } | { kind: 'validate'; path: string; deep: boolean }
export type ValidationResult = { validated: ValidatedFile } | TaskError

interface WaitingCommit {
  task: CommitTask
  resolve(validated: ValidatedFile): void
  reject(error: unknown): void
}

/** Files per message, because a message wakes the thread and the files of one message share a disk sync. */
const FILES_PER_MESSAGE = 16
/** Time to collect files for one message, in which pending HTTP requests go out first. */
const COLLECT_MS = 6
/** Messages per thread, so that the files of one are validated while those of another wait for the disk. */
const MESSAGES_PER_THREAD = 6

export function createValidationPool(threads: number): ValidationPool {
  const entry = threadEntry('validationWorker', import.meta.url)
  const commits = createThreadPool<ValidationTask, ValidationResult[]>(entry, threads, {
    buffersOf: (task) => (task.kind === 'commit' ? task.tasks.flatMap(({ bytes }) => memoryOf(bytes ?? [])) : []),
    perThread: MESSAGES_PER_THREAD,
  })
  // Validations have threads of their own, because a cancelled one may end its thread together with that thread's commits.
  const validations = createThreadPool<ValidationTask, ValidationResult[]>(entry, threads)
  const waiting: WaitingCommit[] = []
  let pendingMessages = 0
  let timer: NodeJS.Timeout | null = null

  function send(): void {
    timer = null
    while (waiting.length > 0 && pendingMessages < threads * MESSAGES_PER_THREAD) void sendBatch(nextBatch())
  }

  /** A large file, which is in its part file already, is sent alone because other files would wait for it. */
  function nextBatch(): WaitingCommit[] {
    const large = waiting.slice(0, FILES_PER_MESSAGE).findIndex(({ task }) => task.bytes === null)
    return waiting.splice(0, large < 0 ? FILES_PER_MESSAGE : Math.max(1, large))
  }

  async function sendBatch(batch: WaitingCommit[]): Promise<void> {
    pendingMessages++
    try {
      const results = await commits.run({ kind: 'commit', tasks: batch.map(({ task }) => task) })
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index]
        if ('validated' in result) resolve(result.validated)
        else reject(restoredError(result))
      })
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown)
    } finally {
      pendingMessages--
      if (waiting.length > 0) timer ??= setTimeout(send, COLLECT_MS)
    }
  }

  return {
    commit: (task) =>
      new Promise((resolve, reject) => {
        waiting.push({ task, resolve, reject })
        timer ??= setTimeout(send, COLLECT_MS)
      }),
    async validate(path, signal, deep = false) {
      const [result] = await validations.run({ kind: 'validate', path, deep }, signal)
      if ('validated' in result) return result.validated
      throw restoredError(result)
    },
    async close() {
      await Promise.all([commits.close(), validations.close()])
    },
  }
}

/** The memory of the pieces, each buffer once because several pieces may share one. */
const memoryOf = (pieces: readonly Uint8Array[]) => [...new Set(pieces.map(({ buffer }) => buffer as ArrayBuffer))]
