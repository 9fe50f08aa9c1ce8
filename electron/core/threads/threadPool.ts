import { Worker, type Transferable } from 'node:worker_threads'
import { AppError, type ErrorShape } from '#shared/contract/errors.ts'

export interface TaskMessage<Task> {
  id: number
  task: Task
}

export type TaskAnswer<Result> =
  | { id: number; result: Result }
  | { id: number; error: ErrorShape; detail: string }
  | { id: number; done: number; total: number }

/** How far a task is, in units of its own. */
export type OnDone = (done: number, total: number) => void

export interface ThreadPool<Task, Result> {
  /** Cancelling rejects at once; what had begun ends unheard, and then its thread takes the next task. */
  run(task: Task, signal?: AbortSignal, onDone?: OnDone): Promise<Result>
  close(): Promise<void>
}

export interface ThreadPoolOptions<Task> {
  /** Memory that goes over to the thread instead of being copied. */
  buffersOf?: (task: Task) => Transferable[]
  /** How long a task that nobody waits for any more may go on. */
  patienceMs?: number
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
  /** The task at hand; null while idle. */
  taskId: number | null
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
  { buffersOf = () => [], patienceMs = PATIENCE_MS }: ThreadPoolOptions<Task> = {},
): ThreadPool<Task, Result> {
  const queue: Waiting<Task, Result>[] = []
  const running = new Map<number, Waiting<Task, Result>>()
  const threads = new Set<Thread>()
  let nextId = 0
  let isClosed = false

  function start(): Thread {
    const worker = new Worker(entry)
    const { promise: exited, resolve } = Promise.withResolvers<void>()
    const thread: Thread = { worker, taskId: null, exited }
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
    if (thread.taskId !== null)
      take(thread.taskId)?.reject(
        new AppError('internal', 'A working thread ended before its work was done.', { cause }),
      )
    dispatch()
  }

  function settle(thread: Thread, answer: TaskAnswer<Result>): void {
    if ('done' in answer) return running.get(answer.id)?.onDone?.(answer.done, answer.total)
    thread.taskId = null
    // Only work at hand keeps the process alive.
    thread.worker.unref()
    const waiting = take(answer.id)
    if ('result' in answer) waiting?.resolve(answer.result)
    else waiting?.reject(restored(answer))
    if (isClosed) void thread.worker.terminate()
    else dispatch()
  }

  function dispatch(): void {
    while (queue.length > 0 && !isClosed) {
      const idle = [...threads].find(({ taskId }) => taskId === null)
      if (!idle && threads.size >= size) return
      const thread = idle ?? start()
      const waiting = queue.shift()!
      running.set(waiting.id, waiting)
      thread.taskId = waiting.id
      thread.worker.ref()
      send(thread, waiting)
    }
  }

  function send(thread: Thread, { id, task }: Waiting<Task, Result>): void {
    try {
      thread.worker.postMessage({ id, task } satisfies TaskMessage<Task>, buffersOf(task))
    } catch (thrown) {
      thread.taskId = null
      thread.worker.unref()
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
    const thread = [...threads].find(({ taskId }) => taskId === id)
    if (!thread) return
    const timer = setTimeout(() => {
      if (thread.taskId === id) void thread.worker.terminate()
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
      for (const { taskId, worker } of ending) {
        if (taskId === null) void worker.terminate()
        else desert(taskId)
      }
      await Promise.all(ending.map(({ exited }) => exited))
    },
  }
}

function restored({ error, detail }: { error: ErrorShape; detail: string }): AppError {
  const thrown = AppError.fromShape(error)
  thrown.cause = new Error(detail)
  return thrown
}
