import { parentPort } from 'node:worker_threads'
import { toAppError } from '#shared/contract/errors.ts'
import { proveFile } from './proof.ts'
import type { ProofAnswer, ProofTask } from './proofPool.ts'
import { takeIn } from './takeIn.ts'

/** A thread's entry: one file in, what was found or its error out. */
parentPort?.on('message', (task: ProofTask) => parentPort?.postMessage(answerTo(task)))

function answerTo(task: ProofTask): ProofAnswer {
  try {
    return { proof: task.kind === 'prove' ? proveFile(task.path) : takeIn(task.task) }
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { error: toAppError(error).toShape(), detail }
  }
}
