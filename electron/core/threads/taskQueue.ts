import { AppError } from '#shared/contract/errors.ts'
import { type Caller, currentCaller } from './caller.ts'

/** Reports the progress of a task in any unit. */
export type OnProgress = (done: number, total: number) => void

/** Reports how many tasks are before a waiting one; null when it begins. */
export type OnWait = (ahead: number | null) => void

/** A task that waits for a worker or runs on one. */
export interface PendingTask<Task, Result> {
  id: number
  task: Task
  caller: Caller
  onProgress: OnProgress | undefined
  onWait: OnWait | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

/** The workers of a queue, which take tasks from it and abandon a running task that was cancelled. */
interface TaskWorkers {
  dispatch(): void
  abandon(id: number): void
}

/**
 * Tasks that wait for a worker; cancelled ones reject immediately. Callers take turns, so that none waits for all tasks
 * of another one; the tasks of one caller run in the order in which they came.
 */
export class TaskQueue<Task, Result> {
  isClosed = false
  private readonly workers: TaskWorkers
  /** Maximum number of running tasks of one caller. */
  private readonly mostPerCaller: number
  private readonly waiting: PendingTask<Task, Result>[] = []
  /** Callers of the running tasks, also of cancelled ones that still occupy a worker. */
  private readonly runningCallers = new Map<number, Caller>()
  /** Number of the last turn of each caller. */
  private readonly lastTurns = new WeakMap<Caller, number>()
  private turn = 0
  private nextId = 0

  constructor(workers: TaskWorkers, mostPerCaller = Infinity) {
    this.workers = workers
    this.mostPerCaller = mostPerCaller
  }

  get length(): number {
    return this.waiting.length
  }

  /** Tells whether a task may begin now. */
  get hasNext(): boolean {
    return this.indexOfNext() >= 0
  }

  /** Returns the id of the next task; undefined if none may begin. */
  get nextTaskId(): number | undefined {
    return this.waiting[this.indexOfNext()]?.id
  }

  /** Removes and returns the task to run next: of the caller with the fewest running tasks, or the longest wait. */
  next(): PendingTask<Task, Result> | undefined {
    return this.begin(this.indexOfNext())
  }

  /** Removes and returns the first waiting task that matches, even if others came earlier. */
  take(isWanted: (task: Task) => boolean): PendingTask<Task, Result> | undefined {
    return this.begin(this.waiting.findIndex(({ task }) => isWanted(task)))
  }

  /** Records that a task no longer occupies a worker. */
  end(id: number): void {
    this.runningCallers.delete(id)
  }

  /** Puts tasks back in front of the others, because their worker ended through no fault of theirs. */
  putBack(tasks: Iterable<PendingTask<Task, Result>>): void {
    this.waiting.unshift(...tasks)
  }

  run(task: Task, signal?: AbortSignal, onProgress?: OnProgress, onWait?: OnWait): Promise<Result> {
    if (this.isClosed) return Promise.reject(new AppError('cancelled'))
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    const id = this.nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const abort = () => {
      this.cancel(id)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.waiting.push({ id, task, caller: currentCaller(), onProgress, onWait, resolve, reject })
    this.workers.dispatch()
    this.tellWaiting()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Accepts no more tasks and rejects those that wait. */
  close(): void {
    this.isClosed = true
    for (const { reject } of this.waiting.splice(0)) reject(new AppError('cancelled'))
  }

  /** Finds the task to run next: the first one of each caller competes; −1 if none may begin. */
  private indexOfNext(): number {
    const runningCounts = this.runningCounts()
    const firsts = new Map<Caller, number>()
    for (const [index, { caller }] of this.waiting.entries()) if (!firsts.has(caller)) firsts.set(caller, index)
    const candidates = [...firsts].map(([caller, index]) => ({
      index,
      running: runningCounts.get(caller) ?? 0,
      lastTurn: this.lastTurns.get(caller) ?? -1,
    }))
    const [best] = candidates
      .filter(({ running }) => running < this.mostPerCaller)
      .sort((a, b) => a.running - b.running || a.lastTurn - b.lastTurn)
    return best?.index ?? -1
  }

  private begin(index: number): PendingTask<Task, Result> | undefined {
    if (index < 0) return undefined
    const [pending] = this.waiting.splice(index, 1)
    this.runningCallers.set(pending.id, pending.caller)
    this.lastTurns.set(pending.caller, this.turn++)
    pending.onWait?.(null)
    this.tellWaiting()
    return pending
  }

  /** Tells each waiting task how many tasks of its caller are before it. */
  private tellWaiting(): void {
    const counts = this.runningCounts()
    for (const { caller, onWait } of this.waiting) {
      const ahead = counts.get(caller) ?? 0
      onWait?.(ahead)
      counts.set(caller, ahead + 1)
    }
  }

  private runningCounts(): Map<Caller, number> {
    const counts = new Map<Caller, number>()
    for (const caller of this.runningCallers.values()) counts.set(caller, (counts.get(caller) ?? 0) + 1)
    return counts
  }

  private cancel(id: number): void {
    const index = this.waiting.findIndex((pending) => pending.id === id)
    if (index >= 0) this.waiting.splice(index, 1)
    else this.workers.abandon(id)
  }
}
