import { Worker } from 'node:worker_threads'
import type { SandboxAnswer, SandboxTask } from './sandboxTask.ts'

/** Runs the sandbox's heavy work; equal tasks have equal results. */
export interface TaskThread {
  /** Starts a thread without waiting for a task; does nothing if one has started or if this is closed. */
  start(): void
  run(task: SandboxTask, weight: number): Promise<SandboxAnswer>
  close(): Promise<void>
}

interface PendingTask {
  task: SandboxTask
  weight: number
  resolve: (answer: SandboxAnswer) => void
  reject: (error: Error) => void
}

const workerUrl = () =>
  new URL(import.meta.url.endsWith('.ts') ? './sandboxWorker.ts' : './sandboxWorker.js', import.meta.url)

/** Memory limits of a thread, which keeps two days of events and one unfinished row group in memory. */
const resourceLimits = { maxOldGenerationSizeMb: 80, maxYoungGenerationSizeMb: 8 }

const LONGEST_LAST_TASK_MS = 5000

/** Waits for the running task, because a thread that is terminated during native work can crash the process. */
function endOfTask(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_LAST_TASK_MS)
    for (const event of ['message', 'error', 'exit'] as const) {
      worker.once(event, () => {
        clearTimeout(timer)
        resolve()
      })
    }
  })
}

/**
 * A thread for the sandbox's heavy work that runs one task at a time, the lightest first, so that a request for one day
 * does not wait behind requests for months. If the thread dies, its task fails and a new thread is started.
 */
export class WorkThread implements TaskThread {
  private worker: Worker | null = null
  private current: PendingTask | null = null
  private readonly queue: PendingTask[] = []
  private isClosed = false

  start(): void {
    if (!this.isClosed) this.worker ??= this.startWorker()
  }

  private startWorker(): Worker {
    const worker = new Worker(workerUrl(), { resourceLimits })
    worker.unref()
    worker.on('message', (answer: SandboxAnswer) => {
      const finishedTask = this.current
      this.current = null
      if (answer.kind === 'failed') finishedTask?.reject(new Error(answer.message))
      else finishedTask?.resolve(answer)
      this.next()
    })
    worker.on('error', (error: Error) => {
      this.worker = null
      this.current?.reject(error)
      this.current = null
      this.next()
    })
    return worker
  }

  run(task: SandboxTask, weight: number): Promise<SandboxAnswer> {
    return new Promise((resolve, reject) => {
      this.queue.push({ task, weight, resolve, reject })
      this.next()
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    const closing = new Error('the sandbox is closing')
    const isBusy = this.current !== null
    this.current?.reject(closing)
    this.current = null
    for (const waiting of this.queue.splice(0)) waiting.reject(closing)
    if (this.worker && isBusy) await endOfTask(this.worker)
    await this.worker?.terminate()
  }

  private next(): void {
    if (this.current || this.queue.length === 0 || this.isClosed) return
    let lightestAt = 0
    this.queue.forEach(({ weight }, index) => {
      if (weight < this.queue[lightestAt].weight) lightestAt = index
    })
    const [selected] = this.queue.splice(lightestAt, 1)
    this.current = selected
    this.worker ??= this.startWorker()
    this.worker.postMessage(selected.task)
  }
}

/** Several threads for the sandbox's heavy work; a task goes to the least busy one. */
export class WorkThreads implements TaskThread {
  private readonly threads: { thread: WorkThread; tasks: number }[]

  constructor(count: number) {
    this.threads = Array.from({ length: count }, () => ({ thread: new WorkThread(), tasks: 0 }))
  }

  /** Starts one thread; the others start with their first task. */
  start(): void {
    this.threads[0].thread.start()
  }

  async run(task: SandboxTask, weight: number): Promise<SandboxAnswer> {
    const leastBusy = this.threads.reduce((least, one) => (one.tasks < least.tasks ? one : least))
    leastBusy.tasks++
    try {
      return await leastBusy.thread.run(task, weight)
    } finally {
      leastBusy.tasks--
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map(({ thread }) => thread.close()))
  }
}
