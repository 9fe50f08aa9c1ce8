import { Worker } from 'node:worker_threads'
import { AppError, type ErrorShape } from '#shared/contract/errors.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import type { ComputeTask } from './computeTask.ts'

export interface TaskMessage {
  id: number
  task: ComputeTask
}

export type TaskAnswer = { id: number; rows: MetricRows[] } | { id: number; error: ErrorShape; detail: string }

interface Waiting {
  task: ComputeTask
  resolve(rows: MetricRows[]): void
  reject(error: Error): void
}

interface Thread {
  worker: Worker
  running: number | null
}

// Sources run unbuilt in tests and command lines; the bundle has the entry beside its chunks.
const entry = import.meta.url.endsWith('.ts') ? './computeWorker.ts' : './computeWorker.js'

/** Threads that compute tasks, first come first served. A thread that dies fails its task and is replaced. */
export class ComputePool {
  private readonly threads: Thread[] = []
  private readonly waiting = new Map<number, Waiting>()
  private readonly queue: number[] = []
  private readonly size: number
  private nextId = 0

  constructor(threads: number) {
    this.size = threads
  }

  run(task: ComputeTask): Promise<MetricRows[]> {
    const id = this.nextId++
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { task, resolve, reject })
      this.queue.push(id)
      this.dispatch()
    })
  }

  async close(): Promise<void> {
    const threads = this.threads.splice(0)
    this.queue.length = 0
    for (const { reject } of this.waiting.values()) reject(new AppError('cancelled'))
    this.waiting.clear()
    await Promise.all(threads.map(({ worker }) => worker.terminate()))
  }

  private dispatch(): void {
    while (this.queue.length > 0) {
      const thread = this.threads.find(({ running }) => running === null) ?? this.start()
      if (!thread) return
      const id = this.queue.shift()!
      const waiting = this.waiting.get(id)
      if (!waiting) continue
      thread.running = id
      thread.worker.postMessage({ id, task: waiting.task } satisfies TaskMessage)
    }
  }

  private start(): Thread | null {
    if (this.threads.length >= this.size) return null
    const worker = new Worker(new URL(entry, import.meta.url))
    const thread: Thread = { worker, running: null }
    worker.on('message', (answer: TaskAnswer) => this.settle(thread, answer))
    worker.on('error', (error) => this.lose(thread, error))
    worker.on('exit', () => this.lose(thread, new Error('the thread ended')))
    this.threads.push(thread)
    return thread
  }

  private settle(thread: Thread, answer: TaskAnswer): void {
    thread.running = null
    const waiting = this.waiting.get(answer.id)
    this.waiting.delete(answer.id)
    if ('rows' in answer) waiting?.resolve(answer.rows)
    else waiting?.reject(withDetail(answer))
    this.dispatch()
  }

  private lose(thread: Thread, error: unknown): void {
    const at = this.threads.indexOf(thread)
    if (at < 0) return
    this.threads.splice(at, 1)
    const waiting = thread.running === null ? undefined : this.waiting.get(thread.running)
    if (thread.running !== null) this.waiting.delete(thread.running)
    waiting?.reject(new AppError('internal', 'A computing thread ended before its work was done.', { cause: error }))
    this.dispatch()
  }
}

function withDetail({ error, detail }: { error: ErrorShape; detail: string }): AppError {
  const restored = AppError.fromShape(error)
  restored.cause = new Error(detail)
  return restored
}
