import { Worker } from 'node:worker_threads'
import { AppError, type ErrorShape } from '#shared/contract/errors.ts'

export interface TaskMessage<Task> {
  id: number
  task: Task
}

export type TaskAnswer<Result> = { id: number; result: Result } | { id: number; error: ErrorShape; detail: string }

export interface ThreadPool<Task, Result> {
  /** A cancelled task that has not begun never begins; one that runs is ended with its thread. */
  run(task: Task, signal?: AbortSignal): Promise<Result>
  close(): Promise<void>
}

interface Waiting<Task, Result> {
  id: number
  task: Task
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Threads that work on tasks, first come first served; they start with the first task. One that dies fails its task and
 * is replaced by the next.
 */
export function createThreadPool<Task, Result>(entry: URL, size: number): ThreadPool<Task, Result> {
  const queue: Waiting<Task, Result>[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, Waiting<Task, Result>>()
  let nextId = 0
  let isClosed = false

  function start(): Worker {
    const worker = new Worker(entry)
    const lose = (cause: unknown) => {
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
      const waiting = busy.get(worker)
      busy.delete(worker)
      waiting?.reject(new AppError('internal', 'A working thread ended before its work was done.', { cause }))
      dispatch()
    }
    worker.on('error', lose)
    worker.on('exit', lose)
    worker.on('message', (answer: TaskAnswer<Result>) => {
      const waiting = busy.get(worker)
      if (waiting?.id !== answer.id) return
      busy.delete(worker)
      idle.push(worker)
      if ('result' in answer) waiting.resolve(answer.result)
      else waiting.reject(restored(answer))
      dispatch()
    })
    worker.unref()
    return worker
  }

  function dispatch(): void {
    while (queue.length > 0 && !isClosed) {
      const worker = idle.pop() ?? (busy.size < size ? start() : null)
      if (!worker) return
      const waiting = queue.shift()!
      busy.set(worker, waiting)
      worker.ref()
      worker.postMessage({ id: waiting.id, task: waiting.task } satisfies TaskMessage<Task>)
    }
    for (const worker of idle) worker.unref()
  }

  function cancel(id: number): void {
    const at = queue.findIndex((waiting) => waiting.id === id)
    if (at >= 0) queue.splice(at, 1)
    for (const [worker, waiting] of busy) {
      if (waiting.id !== id) continue
      busy.delete(worker)
      void worker.terminate()
    }
    dispatch()
  }

  return {
    run(task, signal) {
      if (isClosed) return Promise.reject(new AppError('cancelled'))
      signal?.throwIfAborted()
      const id = nextId++
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const abort = () => {
        cancel(id)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      queue.push({ id, task, resolve, reject })
      dispatch()
      return promise.finally(() => signal?.removeEventListener('abort', abort))
    },
    async close() {
      isClosed = true
      const running = [...busy.entries()]
      busy.clear()
      for (const { reject } of [...queue.splice(0), ...running.map(([, waiting]) => waiting)])
        reject(new AppError('cancelled'))
      await Promise.all([...idle.splice(0), ...running.map(([worker]) => worker)].map((worker) => worker.terminate()))
    },
  }
}

function restored({ error, detail }: { error: ErrorShape; detail: string }): AppError {
  const thrown = AppError.fromShape(error)
  thrown.cause = new Error(detail)
  return thrown
}
