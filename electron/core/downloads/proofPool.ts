import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import type { Proof } from './proof.ts'
import type { TakeInTask } from './takeIn.ts'

/** Takes files in, away from the main thread. */
export interface ProofPool {
  /** Writes (where the bytes are given), proves and puts in place. */
  takeIn(task: TakeInTask): Promise<Proof>
  /** Proves a file where it lies; `deep` reads every value. */
  prove(path: string, signal?: AbortSignal, deep?: boolean): Promise<Proof>
  close(): Promise<void>
}

export type ProofTask = { kind: 'take in'; task: TakeInTask } | { kind: 'prove'; path: string; deep: boolean }

export function createProofPool(threads: number): ProofPool {
  const pool = createThreadPool<ProofTask, Proof>(threadEntry('proofWorker', import.meta.url), threads, {
    buffersOf: (task) => (task.kind === 'take in' && task.task.bytes ? memoryOf(task.task.bytes) : []),
  })
  return {
    takeIn: (task) => pool.run({ kind: 'take in', task }),
    prove: (path, signal, deep = false) => pool.run({ kind: 'prove', path, deep }, signal),
    close: pool.close,
  }
}

/** Each once: pieces may lie in one memory. */
const memoryOf = (pieces: readonly Uint8Array[]) => [...new Set(pieces.map(({ buffer }) => buffer as ArrayBuffer))]
