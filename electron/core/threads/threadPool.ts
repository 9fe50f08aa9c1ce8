import { Worker, type Transferable } from 'node:worker_threads'
import { AppError } from '#shared/contract/errors.ts'
import { restoredError, type TaskError } from './taskError.ts'

export interface TaskMessage<Task> {
  id: number
  task: Task
}

export type TaskAnswer<Result> =
  | { id: number; result: Result }
  | ({ id: number } & TaskError)
  | { id: number; done: number; total: number }

/** Reports the progress of a task, in units of its own. */
export type OnDone = (done: number, total: number) => void

export interface ThreadPool<Task, Result> {
  /** Cancelling rejects at once; what had begun ends unheard, and then its thread takes the next task. */
  run(task: Task, signal?: AbortSignal, onDone?: OnDone): Promise<Result>
  close(): Promise<void>
}

export interface ThreadPoolOptions<Task> {
  /** Memory that goes over to the thread instead of being copied. */
  buffersOf?: (task: Task) => Transferable[]
  /** Time that a task may continue after its caller has gone. */
  patienceMs?: number
  /** Tasks a thread has at a time: more than one where it waits for something in between. */
  perThread?: number
}

interface Waiting<Task, Result> {
  id: number
  task: Task
  onDone: OnDone | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  /** The tasks at hand. */
  taskIds: Set<number>
  exited: Promise<void>
}

/** A thread that is ended inside native code (an inflation, a query) can take the process with it. */
const PATIENCE_MS = 5000

/**
 * Threads that work on tasks, first come first served; they start with the first task. One that dies fails its task and
 * is replaced by the next. None is ended while it works, unless it goes on for too long with what nobody wants.
 */
export function createThreadPool<Task, Result>(
  entry: URL,
  size: number,
  { buffersOf = () => [], patienceMs = PATIENCE_MS, perThread = 1 }: ThreadPoolOptions<Task> = {},
): ThreadPool<Task, Result> {
  const queue: Waiting<Task, Result>[] = []
  const running = new Map<number, Waiting<Task, Result>>()
  const threads = new Set<Thread>()
  let nextId = 0
  let isClosed = false

  function start(): Thread {
    const worker = new Worker(entry)
    const { promise: exited, resolve } = Promise.withResolvers<void>()
    const thread: Thread = { worker, taskIds: new Set(), exited }
    threads.add(thread)
    worker.on('error', (cause) => lose(thread, cause))
    worker.on('exit', () => {
      lose(thread, null)
      resolve()
    })
    worker.on('message', (answer: TaskAnswer<Result>) => settle(thread, answer))
    worker.unref()
    return thread
  }

  function lose(thread: Thread, cause: unknown): void {
    if (!threads.delete(thread)) return
    for (const id of thread.taskIds)
      take(id)?.reject(new AppError('internal', 'A working thread ended before its work was done.', { cause }))
    dispatch()
  }

  function settle(thread: Thread, answer: TaskAnswer<Result>): void {
    if ('done' in answer) return running.get(answer.id)?.onDone?.(answer.done, answer.total)
    done(thread, answer.id)
    const waiting = take(answer.id)
    if ('result' in answer) waiting?.resolve(answer.result)
    else waiting?.reject(restoredError(answer))
    if (!isClosed) dispatch()
    else if (thread.taskIds.size === 0) void thread.worker.terminate()
  }

  function done({ taskIds, worker }: Thread, id: number): void {
    taskIds.delete(id)
    // A worker keeps the process alive only while it has tasks.
    if (taskIds.size === 0) worker.unref()
  }

  function dispatch(): void {
    while (queue.length > 0 && !isClosed) {
      const thread = readiest()
      if (!thread) return
      const waiting = queue.shift()!
      running.set(waiting.id, waiting)
      thread.taskIds.add(waiting.id)
      thread.worker.ref()
      send(thread, waiting)
    }
  }

  /** One that has nothing to do, a new one, or the one with the least to do. */
  function readiest(): Thread | null {
    const [least] = [...threads].sort((a, b) => a.taskIds.size - b.taskIds.size)
    if (least?.taskIds.size === 0) return least
    if (threads.size < size) return start()
    return least.taskIds.size < perThread ? least : null
  }

  function send(thread: Thread, { id, task }: Waiting<Task, Result>): void {
    try {
      thread.worker.postMessage({ id, task } satisfies TaskMessage<Task>, buffersOf(task))
    } catch (thrown) {
      done(thread, id)
      take(id)?.reject(thrown)
    }
  }

  function take(id: number): Waiting<Task, Result> | undefined {
    const waiting = running.get(id)
    running.delete(id)
    return waiting
  }

  function desert(id: number): void {
    running.delete(id)
    const thread = [...threads].find(({ taskIds }) => taskIds.has(id))
    if (!thread) return
    const timer = setTimeout(() => {
      if (thread.taskIds.has(id)) void thread.worker.terminate()
    }, patienceMs).unref()
    void thread.exited.then(() => clearTimeout(timer))
  }

  return {
    run(task, signal, onDone) {
      if (isClosed) return Promise.reject(new AppError('cancelled'))
      if (signal?.aborted) return Promise.reject(signal.reason as Error)
      const id = nextId++
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const abort = () => {
        const at = queue.findIndex((waiting) => waiting.id === id)
        if (at >= 0) queue.splice(at, 1)
        else desert(id)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      queue.push({ id, task, onDone, resolve, reject })
      dispatch()
      return promise.finally(() => signal?.removeEventListener('abort', abort))
    },
    async close() {
      isClosed = true
      for (const { reject } of [...queue.splice(0), ...running.values()]) reject(new AppError('cancelled'))
      const ending = [...threads]
      for (const { taskIds, worker } of ending) {
        if (taskIds.size === 0) void worker.terminate()
        for (const id of taskIds) desert(id)
      }
      await Promise.all(ending.map(({ exited }) => exited))
    },
  }
}
