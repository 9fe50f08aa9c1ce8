import { AppError } from '#shared/contract/errors.ts'
import { createThreadPool, type ThreadPool } from '#core/threads/threadPool.ts'
import type { StartProcess } from '#core/ports.ts'
import { createGuard, GuardStopped } from './guard.ts'

/** Memory limit of a process for heavy work; if it is exceeded, the task fails and the app goes on. */
export const WORK_MEMORY_BYTES = 4 * 2 ** 30
/** Idle time after which a process ends; processes are kept between tasks, because some cache what they read. */
const IDLE_MS = 5 * 60_000

interface WorkPoolOptions {
  /** Name of the processes in the system's process list. */
  name: string
  /** Maximum number of processes or threads. */
  size: number
  /** Time that a cancelled task may go on before its thread or process is killed. */
  cancelledTaskTimeoutMs?: number
  /** Starts processes; left out if threads do the work. */
  startProcess?: StartProcess | undefined
  memoryBytes?: number
}

/**
 * Creates a pool for heavy work on trusted input (studies and tested portfolios). Under Electron it uses processes,
 * because all threads of an Electron process share one V8 memory cage of limited size; elsewhere it uses threads. The
 * entry must call `answerWork`.
 */
export function createWorkPool<Task, Result>(entry: URL, options: WorkPoolOptions): ThreadPool<Task, Result> {
  const { name, size, cancelledTaskTimeoutMs, startProcess, memoryBytes = WORK_MEMORY_BYTES } = options
  if (!startProcess)
    return createThreadPool(entry, size, { ...(cancelledTaskTimeoutMs !== undefined && { cancelledTaskTimeoutMs }) })
  const limits = { cpuMs: Infinity, wallMs: Infinity, memoryBytes }
  const guard = createGuard<Task, Result>({
    start: startProcess,
    entry,
    name,
    processes: size,
    limitsOf: () => limits,
    idleMs: IDLE_MS,
    retireBytes: memoryBytes / 2,
    ...(cancelledTaskTimeoutMs !== undefined && { cancelTimeoutMs: cancelledTaskTimeoutMs }),
  })
  return {
    run: (task, signal, onProgress) =>
      guard.run(task, signal, onProgress).catch((thrown: unknown) => {
        throw thrown instanceof GuardStopped ? workError(thrown, memoryBytes) : thrown
      }),
    close: guard.close,
  }
}

function workError(stopped: GuardStopped, memoryBytes: number): AppError {
  if (stopped.reason !== 'memory')
    return new AppError('internal', 'A worker process ended before its task was done.', { cause: stopped })
  const gigabytes = Math.round(memoryBytes / 2 ** 30)
  return new AppError(
    'too-large',
    `The computation takes more than ${gigabytes} GB of memory. Choose fewer symbols or days.`,
  )
}
