import { type ResourceLimits, Worker, type Transferable } from 'node:worker_threads'
import { AppError } from '#shared/contract/errors.ts'
import { restoredError, type TaskError } from './taskError.ts'
import { type OnProgress, type OnWait, type PendingTask, TaskQueue } from './taskQueue.ts'

export interface TaskMessage<Task> {
  id: number
  task: Task
}

export type TaskAnswer<Result> =
  | { id: number; result: Result }
  | ({ id: number } & TaskError)
  | { id: number; done: number; total: number }

export interface ThreadPool<Task, Result> {
  /** Runs a task. A cancelled task rejects immediately; its thread takes the next one when the work has ended. */
  run(task: Task, signal?: AbortSignal, onProgress?: OnProgress, onWait?: OnWait): Promise<Result>
  close(): Promise<void>
}

export interface ThreadPoolOptions<Task> {
  /** Buffers of a task that are transferred to the thread instead of being copied. */
  buffersOf?: (task: Task) => Transferable[]
  /** Time that a cancelled task may continue before its thread is terminated. */
  cancelledTaskTimeoutMs?: number
  /** Number of tasks per thread at a time; more than one is useful if tasks wait for something in between. */
  perThread?: number
  /** Maximum number of tasks of one caller at a time, below the number of threads to keep one for the others. */
  mostPerCaller?: number
  /** Limits of each thread's memory; by default those of V8, with new objects in less of it. */
  resourceLimits?: ResourceLimits
}

/** A worker thread and its running tasks. */
interface Thread<Task> {
  taskIds: ReadonlySet<number>
  /**
   * Sends a task.
   * @returns what was thrown when the task was posted; null if nothing was
   */
  send(task: Task, id: number): { thrown: unknown } | null
  /** Records that a task has ended. */
  release(id: number): void
  terminate(): void
  /** Terminates the thread if the task is still running after this time. */
  terminateUnlessDone(id: number, withinMs: number): void
  exited: Promise<void>
}

interface ThreadListener<Result> {
  onAnswer(answer: TaskAnswer<Result>): void
  /**
   * Called when the thread dies of an error, and again when it has exited; without an error, only when it has exited.
   */
  onGone(cause: unknown): void
}

/**
 * Memory of a thread for new objects. V8 would let it grow to 128 MB where much survives its first collection, and would
 * not return it to the system; nothing becomes faster by that.
 */
const NEW_OBJECTS_MB = 48

function startThread<Task, Result>(
  entry: URL,
  { buffersOf = () => [], resourceLimits = {} }: ThreadPoolOptions<Task>,
  { onAnswer, onGone }: ThreadListener<Result>,
): Thread<Task> {
  const worker = new Worker(entry, { resourceLimits: { maxYoungGenerationSizeMb: NEW_OBJECTS_MB, ...resourceLimits } })
  const taskIds = new Set<number>()
  const { promise: exited, resolve } = Promise.withResolvers<void>()
  worker.on('message', onAnswer)
  worker.on('error', onGone)
  worker.on('exit', () => {
    onGone(null)
    resolve()
  })
  worker.unref()

  function release(id: number): void {
    taskIds.delete(id)
    // A worker keeps the process alive only while it has tasks.
    if (taskIds.size === 0) worker.unref()
  }

  return {
    taskIds,
    send(task, id) {
      taskIds.add(id)
      worker.ref()
      try {
        worker.postMessage({ id, task } satisfies TaskMessage<Task>, buffersOf(task))
        return null
      } catch (thrown) {
        release(id)
        return { thrown }
      }
    },
    release,
    terminate: () => void worker.terminate(),
    terminateUnlessDone(id, withinMs) {
      const timer = setTimeout(() => {
        if (taskIds.has(id)) void worker.terminate()
      }, withinMs).unref()
      void exited.then(() => clearTimeout(timer))
    },
    exited,
  }
}

/**
 * Time that a cancelled task may continue: long, because terminating a thread inside native code (a query, a
 * decompression) can crash the process.
 */
const CANCELLED_TASK_TIMEOUT_MS = 5000

/**
 * Creates a pool of threads that run tasks, whose callers take turns; a thread starts when a task needs it. If a thread
 * dies, its tasks fail and another thread is started for the next ones. A working thread is terminated only if a
 * cancelled task goes on for too long.
 */
export function createThreadPool<Task, Result>(
  entry: URL,
  size: number,
  options: ThreadPoolOptions<Task> = {},
): ThreadPool<Task, Result> {
  const { cancelledTaskTimeoutMs = CANCELLED_TASK_TIMEOUT_MS, perThread = 1, mostPerCaller } = options
  const queue = new TaskQueue<Task, Result>({ dispatch, abandon }, mostPerCaller)
  const runningById = new Map<number, PendingTask<Task, Result>>()
  const threads = new Set<Thread<Task>>()

  function start(): Thread<Task> {
    const thread = startThread<Task, Result>(entry, options, {
      onAnswer: (answer) => settle(thread, answer),
      onGone: (cause) => lose(thread, cause),
    })
    threads.add(thread)
    return thread
  }

  function lose(thread: Thread<Task>, cause: unknown): void {
    if (!threads.delete(thread)) return
    for (const id of thread.taskIds) {
      queue.end(id)
      take(id)?.reject(new AppError('internal', 'A worker thread ended before its task was done.', { cause }))
    }
    dispatch()
  }

  function settle(thread: Thread<Task>, answer: TaskAnswer<Result>): void {
    if ('done' in answer) return runningById.get(answer.id)?.onProgress?.(answer.done, answer.total)
    thread.release(answer.id)
    queue.end(answer.id)
    const pending = take(answer.id)
    if ('result' in answer) pending?.resolve(answer.result)
    else pending?.reject(restoredError(answer))
    if (!queue.isClosed) dispatch()
    else if (thread.taskIds.size === 0) thread.terminate()
  }

  function dispatch(): void {
    while (queue.hasNext && !queue.isClosed) {
      const thread = leastBusy()
      if (!thread) return
      const pending = queue.next()!
      runningById.set(pending.id, pending)
      const failure = thread.send(pending.task, pending.id)
      if (!failure) continue
      queue.end(pending.id)
      take(pending.id)?.reject(failure.thrown)
    }
  }

  /** Returns an idle thread, a new one, or the one with the fewest tasks; null if all are full. */
  function leastBusy(): Thread<Task> | null {
    const [least] = [...threads].sort((a, b) => a.taskIds.size - b.taskIds.size)
    if (least?.taskIds.size === 0) return least
    if (threads.size < size) return start()
    return least.taskIds.size < perThread ? least : null
  }

  function take(id: number): PendingTask<Task, Result> | undefined {
    const pending = runningById.get(id)
    runningById.delete(id)
    return pending
  }

  function abandon(id: number): void {
    runningById.delete(id)
    const thread = [...threads].find(({ taskIds }) => taskIds.has(id))
    thread?.terminateUnlessDone(id, cancelledTaskTimeoutMs)
  }

  return {
    run: (task, signal, onProgress, onWait) => queue.run(task, signal, onProgress, onWait),
    async close() {
      queue.close()
      for (const { reject } of runningById.values()) reject(new AppError('cancelled'))
      const endingThreads = [...threads]
      for (const thread of endingThreads) {
        if (thread.taskIds.size === 0) thread.terminate()
        for (const id of thread.taskIds) abandon(id)
      }
      await Promise.all(endingThreads.map(({ exited }) => exited))
    },
  }
}
