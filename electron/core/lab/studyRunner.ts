import { type ChangedFiles, runValidated } from '#core/series/changedFiles.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createWorkPool } from '#core/guard/workPool.ts'
import type { OnProgress } from '#core/threads/taskQueue.ts'
import type { ThreadPool } from '#core/threads/threadPool.ts'
import type { StartProcess } from '#core/ports.ts'
import { type StudyStage, studyStages } from '#shared/lab/studyInput.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import type { LabAnswer, LabTask, PackedAnswer } from './labWorker.ts'
import { unpackLists } from './packedResult.ts'
import { cachedRowsOf } from './studyTask.ts'

/** Time that a cancelled study may go on before its thread is terminated; it has nothing to clean up. */
const CANCELLED_TASK_TIMEOUT_MS = 50

export interface RunOptions {
  signal: AbortSignal
  onStage(stage: StudyStage, share: number): void
}

/** Runs studies in a separate thread or process, which is terminated if a cancelled study does not stop soon. */
interface StudyRunner {
  run(task: LabTask, options: RunOptions): Promise<LabAnswer>
  close(): Promise<void>
}

/** @param changedFiles detects files changed outside the app; null to trust the cache folder */
export function createStudyRunner(changedFiles: ChangedFiles | null, startProcess?: StartProcess): StudyRunner {
  const entry = threadEntry('labWorker', import.meta.url)
  const pool = createWorkPool<LabTask, PackedAnswer>(entry, {
    name: 'Perpscope studies',
    size: 1,
    cancelledTaskTimeoutMs: CANCELLED_TASK_TIMEOUT_MS,
    startProcess,
  })
  return {
    async run(task, { signal, onStage }) {
      const onProgress = (done: number) => {
        const stage = studyStages[Math.min(Math.floor(done), studyStages.length - 1)]
        onStage(stage, done - Math.floor(done))
      }
      // Processes share no memory, so the process of a cancelled study is killed after the time limit.
      const work = () =>
        startProcess ? pool.run(task, signal, onProgress) : runCancellable(pool, task, signal, onProgress)
      const answer = await runValidated(changedFiles, cachedRowsOf(task), work, signal)
      return 'packed' in answer ? { result: unpackLists(answer.packed) as StudyResult } : answer
    },
    close: () => pool.close(),
  }
}

/** Runs a task that stops by itself soon after it is cancelled, so that its thread keeps its caches. */
async function runCancellable(
  pool: ThreadPool<LabTask, PackedAnswer>,
  task: LabTask,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<PackedAnswer> {
  const cancelFlag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const cancel = () => void Atomics.store(cancelFlag, 0, 1)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await pool.run({ ...task, cancelFlag }, signal, onProgress)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
