import { AppError } from '#shared/contract/errors.ts'
import { restoredError } from '#core/threads/taskError.ts'
import { type OnProgress, type PendingTask, TaskQueue } from '#core/threads/taskQueue.ts'
import type { TaskAnswer } from '#core/threads/threadPool.ts'
import { type CancelMessage, READY } from './answerGuarded.ts'
import type { GuardedProcess, ProcessUsage, StartProcess } from '#core/ports.ts'

/** Limits of one task. A process that exceeds a limit is killed, and its task fails with `GuardStopped`. */
export interface GuardLimits {
  /** CPU time of the process, if the system reports it. */
  cpuMs: number
  /**
   * Wall-clock time, which ends a task that waits forever. It is generous, because a busy machine must not make a good
   * file look bad.
   */
  wallMs: number
  /** Resident memory of the whole process. */
  memoryBytes: number
}

/**
 * Cause of the end of a process; `stalled` blames no file: the process hardly got any CPU time, because the disk or the
 * machine kept it waiting.
 */
type StopReason = 'time' | 'stalled' | 'memory' | 'died'

const stopText: Record<StopReason, string> = {
  time: 'reading it takes too long',
  stalled: 'the disk or this machine was too slow',
  memory: 'reading it takes too much memory',
  died: 'reading it crashed the reader process',
}

/** A guarded process was killed, or died, before its task was done. */
export class GuardStopped extends AppError {
  readonly reason: StopReason
  /** The reason, worded as the end of a sentence about a file. */
  readonly reasonText: string

  constructor(reason: StopReason) {
    super('internal', `A guarded process was stopped (${reason}).`)
    this.reason = reason
    this.reasonText = stopText[reason]
  }
}

/** Runs tasks in processes of their own, which start on demand and end when idle. */
export interface Guard<Task, Result> {
  /** Runs a task. Cancelling rejects immediately, and kills the process if the task does not stop by itself soon. */
  run(task: Task, signal?: AbortSignal, onProgress?: OnProgress): Promise<Result>
  close(): Promise<void>
}

export interface GuardOptions<Task> {
  start: StartProcess
  entry: URL
  /** Name of the process in the system's process list. */
  name: string
  /** Maximum number of processes. */
  processes: number
  /** Time that a task waits for a free process before another one is started; by default none. */
  growAfterMs?: number
  limitsOf(task: Task): GuardLimits
  /** Time without tasks after which a process ends. */
  idleMs?: number
  /** Time in which a cancelled task may stop by itself before its process is killed. */
  cancelTimeoutMs?: number
  /**
   * Selects quick tasks, which a process also answers while it runs another one; `answerGuarded` must be given the same
   * function.
   */
  isQuick?(task: Task): boolean
  /** Memory beyond which a process is replaced after its task, so that the next task has its whole limit to itself. */
  retireBytes?: number
}

/** The task that a process is running. */
interface RunningTask<Task, Result> extends PendingTask<Task, Result> {
  limits: GuardLimits
  startedAtMs: number
  /** CPU time of the process when the task began; null until it has been read. */
  cpuBeforeMs: number | null
}

/** A process of the guard, with the tasks that it has been sent. */
interface Member<Task, Result> {
  process: GuardedProcess
  /** State of the process; an `ending` one was killed and has not exited yet. */
  state: 'starting' | 'idle' | 'working' | 'ending'
  running: RunningTask<Task, Result> | null
  /** Quick tasks sent to the process while it was working, by id. */
  quickTasks: Map<number, PendingTask<Task, Result>>
  stoppedFor: StopReason | null
  /** True if the process is killed, or may be, because of its running task: no other task is to end with it. */
  isDoomed: boolean
  /** Memory that the process used at the last check. */
  memoryBytes: number
  idleTimer: NodeJS.Timeout | null
  startTimer: NodeJS.Timeout | null
  ended: Promise<void>
}

const IDLE_MS = 15_000
const CANCEL_TIMEOUT_MS = 500
/** Time between checks of a working process's memory and CPU time, if reading them is fast (`isUsageCheap`). */
const WATCH_MS = 50
/**
 * True if the usage of a process can be read from files, as on Linux; elsewhere reading it means starting a program.
 */
const isUsageCheap = process.platform === 'linux'
const SLOW_WATCH_MS = 500
const START_TIMEOUT_MS = 60_000
const RETIRE_BYTES = 220 * 2 ** 20

/**
 * Creates a guard that runs tasks, whose callers take turns, one at a time per process except for quick ones, so that it is known which
 * task made a process die.
 */
export function createGuard<Task, Result>(options: GuardOptions<Task>): Guard<Task, Result> {
  const { start, entry, name, processes, limitsOf, idleMs = IDLE_MS } = options
  const { cancelTimeoutMs = CANCEL_TIMEOUT_MS, retireBytes = RETIRE_BYTES } = options
  const queue = new TaskQueue<Task, Result>({
    dispatch,
    abandon(id) {
      abandonTask(members, id, cancelTimeoutMs)
      if (![...members].some(({ running }) => running?.id === id)) queue.end(id)
    },
  })
  const members = new Set<Member<Task, Result>>()
  const watch = createWatch(() => members)
  const growth = createGrowth(options.growAfterMs ?? 0, queue, () => {
    if (!queue.isClosed && members.size < processes) addProcess()
  })

  function addProcess(): void {
    const process = start(entry, name)
    const member = createMember<Task, Result>(process)
    members.add(member)
    process.onMessage((message) => receive(member, message))
    process.onEnd(() => lose(member))
  }

  function receive(member: Member<Task, Result>, message: unknown): void {
    if (message === READY) return becomeIdle(member)
    const answer = message as TaskAnswer<Result>
    const { running, quickTasks } = member
    const quick = quickTasks.get(answer.id)
    if (quick && !('done' in answer)) {
      quickTasks.delete(answer.id)
      queue.end(answer.id)
      answerTo(quick, answer)
      return keepHostWhileAwaited(member)
    }
    if (running?.id !== answer.id) return
    if ('done' in answer) return running.onProgress?.(answer.done, answer.total)
    member.running = null
    queue.end(answer.id)
    void settle(member, running, answer)
  }

  /** Passes the answer on, and replaces the process if it uses too much memory. */
  async function settle(
    member: Member<Task, Result>,
    running: RunningTask<Task, Result>,
    answer: Exclude<TaskAnswer<Result>, { done: number }>,
  ): Promise<void> {
    answerTo(running, answer)
    if (isUsageCheap) member.memoryBytes = (await member.process.usage())?.memoryBytes ?? 0
    if (member.memoryBytes > retireBytes) retire(member)
    else becomeIdle(member)
  }

  function retire(member: Member<Task, Result>): void {
    member.state = 'ending'
    member.process.kill()
  }

  function becomeIdle(member: Member<Task, Result>): void {
    if (member.startTimer) clearTimeout(member.startTimer)
    // Messages of a process may arrive after it was killed; `close` keeps the host alive until the process has exited.
    if (queue.isClosed || member.state === 'ending') return
    member.state = 'idle'
    member.isDoomed = false
    keepHostWhileAwaited(member)
    member.idleTimer = setTimeout(() => retire(member), idleMs).unref()
    dispatch()
  }

  function lose(member: Member<Task, Result>): void {
    if (member.startTimer) clearTimeout(member.startTimer)
    if (member.idleTimer) clearTimeout(member.idleTimer)
    const wasKnown = members.delete(member)
    const stopError = new GuardStopped(member.stoppedFor ?? 'died')
    const quickTasks = [...member.quickTasks.values()]
    member.quickTasks.clear()
    for (const { id } of [...quickTasks, ...(member.running ? [member.running] : [])]) queue.end(id)
    if (member.isDoomed && !queue.isClosed) queue.putBack(quickTasks)
    else for (const { reject } of quickTasks) reject(stopError)
    member.running?.reject(stopError)
    member.running = null
    // Without this, a process that fails to start would be started again and again.
    if (wasKnown && member.state === 'starting')
      queue.next()?.reject(new AppError('internal', 'A guarded process could not be started.'))
    if (!queue.isClosed) dispatch()
  }

  /** Sends quick tasks to a working process, so that they need not wait for its task to end. */
  function sendQuickTasks(): void {
    const [member] = [...members].filter(({ state, isDoomed }) => state === 'working' && !isDoomed)
    if (!options.isQuick || !member) return
    for (let quick = queue.take(options.isQuick); quick; quick = queue.take(options.isQuick)) {
      member.quickTasks.set(quick.id, quick)
      member.process.send({ id: quick.id, task: quick.task })
    }
  }

  function dispatch(): void {
    if (queue.isClosed) return
    sendQuickTasks()
    for (const member of members) {
      if (queue.length === 0) return
      if (member.state !== 'idle') continue
      const nextTask = queue.next()!
      begin(member, nextTask, limitsOf(nextTask.task))
      watch.start()
    }
    const startingCount = [...members].filter(({ state }) => state === 'starting').length
    for (let toStart = queue.length - startingCount; toStart > 0 && members.size < processes; toStart--) {
      if (members.size > 0 && !growth.isImmediate) {
        if (startingCount === 0) growth.consider()
        return
      }
      addProcess()
    }
  }

  return {
    run: (task, signal, onProgress) => queue.run(task, signal, onProgress),
    async close() {
      watch.stop()
      growth.stop()
      queue.close()
      await endAll([...members])
    },
  }
}

/** Asks the process to cancel a task, and kills the process if the task has not ended in time. */
function abandonTask<Task, Result>(members: ReadonlySet<Member<Task, Result>>, id: number, timeoutMs: number): void {
  for (const { quickTasks } of members) quickTasks.delete(id)
  const member = [...members].find(({ running }) => running?.id === id)
  if (!member) return
  member.isDoomed = true
  member.process.send({ cancel: id } satisfies CancelMessage)
  setTimeout(() => {
    if (member.running?.id === id) member.process.kill()
  }, timeoutMs).unref()
}

/** Starts another process once a task has waited `growAfterMs`, because a start takes as long as many short tasks. */
function createGrowth<Task, Result>(growAfterMs: number, queue: TaskQueue<Task, Result>, grow: () => void) {
  let timer: NodeJS.Timeout | null = null
  return {
    isImmediate: growAfterMs === 0,
    consider(): void {
      const awaitedId = queue.nextTaskId
      timer ??= setTimeout(() => {
        timer = null
        if (queue.nextTaskId === awaitedId) grow()
      }, growAfterMs).unref()
    },
    stop(): void {
      if (timer) clearTimeout(timer)
    },
  }
}

function createMember<Task, Result>(process: GuardedProcess): Member<Task, Result> {
  return {
    process,
    state: 'starting',
    running: null,
    quickTasks: new Map(),
    stoppedFor: null,
    isDoomed: false,
    memoryBytes: 0,
    idleTimer: null,
    startTimer: setTimeout(() => process.kill(), START_TIMEOUT_MS).unref(),
    ended: new Promise((resolve) => process.onEnd(resolve)),
  }
}

/** Keeps the host alive as long as an answer of the process is awaited. */
const keepHostWhileAwaited = <Task, Result>({ process, state, quickTasks }: Member<Task, Result>): void =>
  process.keepHostAlive(state === 'working' || quickTasks.size > 0)

function answerTo<Task, Result>(
  { resolve, reject }: PendingTask<Task, Result>,
  answer: Exclude<TaskAnswer<Result>, { done: number }>,
): void {
  if ('result' in answer) resolve(answer.result)
  else reject(restoredError(answer))
}

function begin<Task, Result>(
  member: Member<Task, Result>,
  nextTask: PendingTask<Task, Result>,
  limits: GuardLimits,
): void {
  if (member.idleTimer) clearTimeout(member.idleTimer)
  member.state = 'working'
  member.running = { ...nextTask, limits, startedAtMs: performance.now(), cpuBeforeMs: null }
  member.process.keepHostAlive(true)
  member.process.send({ id: nextTask.id, task: nextTask.task })
}

async function endAll<Task, Result>(members: readonly Member<Task, Result>[]): Promise<void> {
  for (const { process, running, quickTasks } of members) {
    for (const { reject } of [...quickTasks.values(), ...(running ? [running] : [])]) reject(new AppError('cancelled'))
    process.keepHostAlive(true)
    process.kill()
  }
  await Promise.all(members.map(({ ended }) => ended))
}

/** Monitors the resources of working processes from outside, and kills those that exceed their limits. */
function createWatch<Task, Result>(membersNow: () => ReadonlySet<Member<Task, Result>>) {
  let timer: NodeJS.Timeout | null = null
  const everyMs = isUsageCheap ? WATCH_MS : SLOW_WATCH_MS

  async function checkWorking(): Promise<void> {
    const workingMembers = [...membersNow()].filter(({ running }) => running !== null)
    await Promise.all(workingMembers.map(check))
    const isNeeded = [...membersNow()].some(({ state }) => state === 'working')
    timer = isNeeded && timer !== null ? setTimeout(() => void checkWorking(), everyMs).unref() : null
  }

  return {
    start: () => void (timer ??= setTimeout(() => void checkWorking(), everyMs).unref()),
    stop() {
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}

async function check<Task, Result>(member: Member<Task, Result>): Promise<void> {
  const { running, process } = member
  if (!running) return
  const usage = await process.usage()
  if (member.running !== running) return
  running.cpuBeforeMs ??= usage?.cpuMs ?? null
  member.memoryBytes = usage?.memoryBytes ?? member.memoryBytes
  const reason = reasonToStop(running, usage, performance.now() - running.startedAtMs)
  if (!reason) return
  member.stoppedFor = reason
  member.isDoomed = true
  process.kill()
}

function reasonToStop(
  { limits, cpuBeforeMs }: Pick<RunningTask<unknown, unknown>, 'limits' | 'cpuBeforeMs'>,
  usage: ProcessUsage | null,
  elapsedMs: number,
): StopReason | null {
  const { memoryBytes, cpuMs } = usage ?? { memoryBytes: 0, cpuMs: null }
  if (memoryBytes > limits.memoryBytes) return 'memory'
  if (cpuMs !== null && cpuBeforeMs !== null && cpuMs - cpuBeforeMs > limits.cpuMs) return 'time'
  if (elapsedMs <= limits.wallMs) return null
  return cpuMs === null ? 'time' : 'stalled'
}
