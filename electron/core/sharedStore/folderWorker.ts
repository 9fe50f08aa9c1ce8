import { AppError } from '#shared/contract/errors.ts'
import { plural } from '#shared/units/plurals.ts'
import { abortable } from '#core/abortable.ts'
import { READY } from '#core/guard/answerGuarded.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { GuardedProcess, StartProcess } from '#core/ports.ts'
import { restoredError } from '#core/threads/taskError.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import type { TaskAnswer } from '#core/threads/threadPool.ts'
import type { FolderWork } from './folderWork.ts'

/** Runs an operation in the folder of a store; rejects if the folder does not answer in time. */
export type CallFolder = <Call extends keyof FolderWork>(
  call: Call,
  args: Parameters<FolderWork[Call]>,
  signal: AbortSignal,
  /** Time added to the limit for an operation that writes a large file. */
  extraMs?: number,
) => Promise<Awaited<ReturnType<FolderWork[Call]>>>

export interface FolderTask {
  call: keyof FolderWork
  args: readonly unknown[]
}

/** Runs operations in one folder, in a process that ends when idle. */
interface FolderWorker {
  call: CallFolder
  close(): void
}

interface FolderWorkersDeps {
  start?: StartProcess | undefined
  /** Time limit of an operation. */
  timeoutMs?: number | undefined
}

interface PendingTask extends PromiseWithResolvers<unknown> {
  task: FolderTask
  waitMs: number
  timer: NodeJS.Timeout | null
}

interface RunningProcess {
  process: GuardedProcess
  isReady: boolean
  pending: Map<number, PendingTask>
  idleTimer: NodeJS.Timeout | null
  startTimer: NodeJS.Timeout
}

/** One worker per folder, so that a hanging folder does not block the others. */
export interface FolderWorkers {
  callIn(root: string): CallFolder
  close(): void
}

export function createFolderWorkers(deps: FolderWorkersDeps): FolderWorkers {
  const workers = new Map<string, FolderWorker>()
  return {
    callIn(root) {
      const worker = workers.get(root) ?? createFolderWorker(root, deps)
      workers.set(root, worker)
      return worker.call
    },
    close() {
      for (const worker of workers.values()) worker.close()
    },
  }
}

/** Time limit of an operation, longer than a network share takes to spin up its disks. */
const TIMEOUT_MS = 30_000
/** Time within which the process must start. */
const START_TIMEOUT_MS = 60_000
/** Idle time after which the process ends. */
const IDLE_MS = 15_000

/**
 * Creates the worker of a folder. An operation in a mounted folder that never responds cannot be cancelled: it would
 * occupy one of the few threads that read all files of this program, and keep the program from exiting. So it waits in
 * a separate process, which is abandoned after the time limit. As long as that process has not ended, the folder counts
 * as hanging.
 */
function createFolderWorker(
  root: string,
  { start = startNodeProcess, timeoutMs = TIMEOUT_MS }: FolderWorkersDeps,
): FolderWorker {
  let current: RunningProcess | null = null
  let abandonedProcess: GuardedProcess | null = null
  let lastId = 0
  const storeError = (reason: string) => new AppError('unsupported', `The store ${root} ${reason}.`)

  function startRunning(): RunningProcess {
    const process = start(threadEntry('storeFolderProcess', import.meta.url), 'Perpscope store folder')
    const startTimer = setTimeout(process.kill, START_TIMEOUT_MS).unref()
    const runningProcess: RunningProcess = { process, isReady: false, pending: new Map(), idleTimer: null, startTimer }
    process.onMessage((message) => receive(runningProcess, message))
    process.onEnd(() => {
      if (abandonedProcess === process) abandonedProcess = null
      end(runningProcess, storeError('cannot be used: the process that works in it ended'))
    })
    return runningProcess
  }

  function receive(runningProcess: RunningProcess, message: unknown): void {
    if (message === READY) {
      runningProcess.isReady = true
      clearTimeout(runningProcess.startTimer)
      for (const [id, pending] of runningProcess.pending) send(runningProcess, id, pending)
      return
    }
    const answer = message as Exclude<TaskAnswer<unknown>, { done: number }>
    const pending = removeTask(runningProcess, answer.id)
    if ('result' in answer) pending?.resolve(answer.result)
    else pending?.reject(restoredError(answer))
  }

  function send(runningProcess: RunningProcess, id: number, pending: PendingTask): void {
    pending.timer = setTimeout(() => giveUp(runningProcess, pending.waitMs), pending.waitMs).unref()
    runningProcess.process.send({ id, task: pending.task })
  }

  function removeTask(runningProcess: RunningProcess, id: number): PendingTask | undefined {
    const pending = runningProcess.pending.get(id)
    if (pending?.timer) clearTimeout(pending.timer)
    runningProcess.pending.delete(id)
    if (runningProcess.pending.size === 0) startIdling(runningProcess)
    return pending
  }

  /** Lets this program exit although the process is running, and ends the process once it has been idle for a while. */
  function startIdling(runningProcess: RunningProcess): void {
    runningProcess.process.keepHostAlive(false)
    runningProcess.idleTimer ??= setTimeout(() => end(runningProcess, new AppError('cancelled')), IDLE_MS).unref()
  }

  function end(runningProcess: RunningProcess, reason: AppError): void {
    if (current === runningProcess) current = null
    clearTimeout(runningProcess.startTimer)
    for (const [id] of runningProcess.pending) removeTask(runningProcess, id)?.reject(reason)
    if (runningProcess.idleTimer) clearTimeout(runningProcess.idleTimer)
    runningProcess.process.kill()
    runningProcess.process.keepHostAlive(false)
  }

  function giveUp(runningProcess: RunningProcess, waitedMs: number): void {
    abandonedProcess = runningProcess.process
    end(runningProcess, storeError(`did not answer within ${plural(Math.round(waitedMs / 1000), 'second')}`))
  }

  return {
    async call(call, args, signal, extraMs = 0) {
      signal.throwIfAborted()
      if (abandonedProcess) throw storeError('still does not answer')
      const runningProcess = (current ??= startRunning())
      const id = ++lastId
      const pending = {
        ...Promise.withResolvers<unknown>(),
        task: { call, args },
        waitMs: timeoutMs + extraMs,
        timer: null,
      }
      runningProcess.pending.set(id, pending)
      if (runningProcess.idleTimer) clearTimeout(runningProcess.idleTimer)
      runningProcess.idleTimer = null
      runningProcess.process.keepHostAlive(true)
      if (runningProcess.isReady) send(runningProcess, id, pending)
      const onAbort = () => removeTask(runningProcess, id)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        return (await abortable(pending.promise, signal)) as never
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
    close() {
      if (current) end(current, new AppError('cancelled'))
    },
  }
}
