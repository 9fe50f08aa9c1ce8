import { AppError } from '#shared/contract/errors.ts'

/** Reports the progress of a task in any unit. */
export type OnProgress = (done: number, total: number) => void

/** A task that waits for a worker or runs on one. */
export interface PendingTask<Task, Result> {
  id: number
  task: Task
  onProgress: OnProgress | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

/** The workers of a queue, which take tasks from it and abandon a running task that was cancelled. */
export interface TaskWorkers {
  dispatch(): void
  abandon(id: number): void
}

/** Tasks that wait for a worker, first come, first served; cancelled ones reject immediately. */
export class TaskQueue<Task, Result> {
  isClosed = false
  private readonly workers: TaskWorkers
  private readonly waiting: PendingTask<Task, Result>[] = []
  private nextId = 0

  constructor(workers: TaskWorkers) {
    this.workers = workers
  }

  get length(): number {
    return this.waiting.length
  }

  /** Returns the id of the next task; undefined if none is waiting. */
  get nextTaskId(): number | undefined {
    return this.waiting.at(0)?.id
  }

  next(): PendingTask<Task, Result> | undefined {
    return this.waiting.shift()
  }

  /** Removes and returns the first waiting task that matches, even if others came earlier. */
  take(isWanted: (task: Task) => boolean): PendingTask<Task, Result> | undefined {
    const index = this.waiting.findIndex(({ task }) => isWanted(task))
    return index < 0 ? undefined : this.waiting.splice(index, 1)[0]
  }

  /** Puts tasks back in front of the others, because their worker ended through no fault of theirs. */
  putBack(tasks: Iterable<PendingTask<Task, Result>>): void {
    this.waiting.unshift(...tasks)
  }

  run(task: Task, signal?: AbortSignal, onProgress?: OnProgress): Promise<Result> {
    if (this.isClosed) return Promise.reject(new AppError('cancelled'))
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    const id = this.nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const abort = () => {
      this.cancel(id)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.waiting.push({ id, task, onProgress, resolve, reject })
    this.workers.dispatch()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Accepts no more tasks and rejects those that wait. */
  close(): void {
    this.isClosed = true
    for (const { reject } of this.waiting.splice(0)) reject(new AppError('cancelled'))
  }

  private cancel(id: number): void {
    const index = this.waiting.findIndex((pending) => pending.id === id)
    if (index >= 0) this.waiting.splice(index, 1)
    else this.workers.abandon(id)
  }
}
