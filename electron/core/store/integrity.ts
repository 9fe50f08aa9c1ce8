import { Worker } from 'node:worker_threads'
import type { IntegrityAnswer } from './integrityWorker.ts'

const entry = import.meta.url.endsWith('.ts') ? './integrityWorker.ts' : './integrityWorker.js'

/** Looks through the whole index in a thread of its own. @returns what is wrong with it, or null */
export function indexProblem(indexPath: string, signal: AbortSignal): Promise<string | null> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(entry, import.meta.url), { workerData: indexPath })
    const abort = () => {
      reject(signal.reason as Error)
      void worker.terminate()
    }
    signal.addEventListener('abort', abort, { once: true })
    worker.once('message', ({ problem }: IntegrityAnswer) => resolve(problem))
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', abort)
      reject(new Error('the thread that looks through the index ended without an answer'))
    })
  })
}
