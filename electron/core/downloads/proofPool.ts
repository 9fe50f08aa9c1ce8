import { restoredError, type TaskError } from '#core/threads/taskError.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import type { Proof } from './proof.ts'
import type { TakeInTask } from './takeIn.ts'

/** Takes files in, away from the main thread. */
export interface ProofPool {
  /** Writes (where the bytes are given), proves and puts in place, for good. */
  takeIn(task: TakeInTask): Promise<Proof>
  /** Proves a file where it lies; `deep` reads every value. */
  prove(path: string, signal?: AbortSignal, deep?: boolean): Promise<Proof>
  close(): Promise<void>
}

export type ProofTask = { kind: 'take in'; tasks: TakeInTask[] } | { kind: 'prove'; path: string; deep: boolean }
export type ProofResult = { proof: Proof } | TaskError

interface Waiting {
  task: TakeInTask
  resolve(proof: Proof): void
  reject(error: unknown): void
}

/** Files that go to a thread together: each message wakes it, and what it waits for the disk is shared. */
const MOST_TOGETHER = 16
/** Requests that stand ready go out before files that just came are handed over, and more of these go together. */
const GATHERED_MS = 6
/** While the disk has the files of one message, those of the next are proven. */
const MESSAGES_PER_THREAD = 6

export function createProofPool(threads: number): ProofPool {
  const entry = threadEntry('proofWorker', import.meta.url)
  const taking = createThreadPool<ProofTask, ProofResult[]>(entry, threads, {
    buffersOf: (task) => (task.kind === 'take in' ? task.tasks.flatMap(({ bytes }) => memoryOf(bytes ?? [])) : []),
    perThread: MESSAGES_PER_THREAD,
  })
  // Of their own: one that is given up may have to end its thread, and must not take files with it that just came.
  const proving = createThreadPool<ProofTask, ProofResult[]>(entry, threads)
  const waiting: Waiting[] = []
  let messages = 0
  let gathering: NodeJS.Timeout | null = null

  function send(): void {
    gathering = null
    while (waiting.length > 0 && messages < threads * MESSAGES_PER_THREAD) void sendTogether(nextTogether())
  }

  /** A large file, which stands in its part, goes alone: others would wait for it. */
  function nextTogether(): Waiting[] {
    const large = waiting.slice(0, MOST_TOGETHER).findIndex(({ task }) => task.bytes === null)
    return waiting.splice(0, large < 0 ? MOST_TOGETHER : Math.max(1, large))
  }

  async function sendTogether(together: Waiting[]): Promise<void> {
    messages++
    try {
      const results = await taking.run({ kind: 'take in', tasks: together.map(({ task }) => task) })
      together.forEach(({ resolve, reject }, index) => {
        const result = results[index]
        if ('proof' in result) resolve(result.proof)
        else reject(restoredError(result))
      })
    } catch (thrown) {
      for (const { reject } of together) reject(thrown)
    } finally {
      messages--
      if (waiting.length > 0) gathering ??= setTimeout(send, GATHERED_MS)
    }
  }

  return {
    takeIn: (task) =>
      new Promise((resolve, reject) => {
        waiting.push({ task, resolve, reject })
        gathering ??= setTimeout(send, GATHERED_MS)
      }),
    async prove(path, signal, deep = false) {
      const [result] = await proving.run({ kind: 'prove', path, deep }, signal)
      if ('proof' in result) return result.proof
      throw restoredError(result)
    },
    async close() {
      await Promise.all([taking.close(), proving.close()])
    },
  }
}

/** Each once: pieces may lie in one memory. */
const memoryOf = (pieces: readonly Uint8Array[]) => [...new Set(pieces.map(({ buffer }) => buffer as ArrayBuffer))]
