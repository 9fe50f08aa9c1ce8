import { Worker } from 'node:worker_threads'
import { AppError, type ErrorShape } from '#shared/contract/errors.ts'
import type { Proof } from './proof.ts'
import type { TakeInTask } from './takeIn.ts'

/** Takes files in, away from the main thread. */
export interface ProofPool {
  /** Writes (where the bytes are given), proves and puts in place. */
  takeIn(task: TakeInTask): Promise<Proof>
  /** Proves a file where it lies. */
  prove(path: string): Promise<Proof>
  close(): Promise<void>
}

export type ProofTask = { kind: 'take in'; task: TakeInTask } | { kind: 'prove'; path: string }
export type ProofAnswer = { proof: Proof } | { error: ErrorShape; detail: string }

interface Waiting {
  task: ProofTask
  resolve(proof: Proof): void
  reject(error: Error): void
}

// Sources run unbuilt in tests and command lines; the bundle has the entry beside its chunks.
const entry = import.meta.url.endsWith('.ts') ? './proofWorker.ts' : './proofWorker.js'

/** Threads start with the first file and wait for the disk in turns; one that dies fails its file and is replaced. */
export function createProofPool(threads: number): ProofPool {
  const queue: Waiting[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, Waiting>()
  let closed = false

  function start(): Worker {
    const worker = new Worker(new URL(entry, import.meta.url))
    const lose = (cause: unknown) => {
      const waiting = busy.get(worker)
      busy.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
      waiting?.reject(new AppError('internal', 'The thread that checks files ended.', { cause }))
      if (!closed) dispatch()
    }
    worker.on('error', lose)
    worker.on('exit', lose)
    worker.on('message', (answer: ProofAnswer) => {
      const waiting = busy.get(worker)
      busy.delete(worker)
      idle.push(worker)
      // Only work in hand keeps the process alive.
      worker.unref()
      dispatch()
      if ('proof' in answer) return waiting?.resolve(answer.proof)
      const error = AppError.fromShape(answer.error)
      error.cause = answer.detail
      waiting?.reject(error)
    })
    worker.unref()
    return worker
  }

  function dispatch(): void {
    while (queue.length > 0) {
      const worker = idle.pop() ?? (busy.size < threads ? start() : null)
      if (!worker) return
      const waiting = queue.shift()!
      busy.set(worker, waiting)
      worker.ref()
      const bytes = waiting.task.kind === 'take in' ? waiting.task.task.bytes : null
      worker.postMessage(waiting.task, bytes ? [bytes.buffer as ArrayBuffer] : [])
    }
  }

  const ask = (task: ProofTask) =>
    new Promise<Proof>((resolve, reject) => {
      if (closed) return reject(new AppError('cancelled'))
      queue.push({ task, resolve, reject })
      dispatch()
    })

  return {
    takeIn: (task) => ask({ kind: 'take in', task }),
    prove: (path) => ask({ kind: 'prove', path }),
    async close() {
      closed = true
      for (const { reject } of queue.splice(0)) reject(new AppError('cancelled'))
      await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()))
    },
  }
}
