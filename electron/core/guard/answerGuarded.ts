import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { taskError } from '#core/threads/taskError.ts'
import type { OnDone } from '#core/threads/taskQueue.ts'
import type { TaskAnswer, TaskMessage } from '#core/threads/threadPool.ts'

/** First message of a guarded process: it is loaded and waits for tasks. */
export const READY = 'ready'

/** The channel to the host: that of Electron's utility process, or the one of a forked Node. */
interface Channel {
  post(message: unknown): void
  listen(listener: (message: unknown) => void): void
  /** Resolves when something ends this process should its host be killed. */
  isWatched: Promise<unknown>
}

interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/** Message of the host that nobody waits for a task any more; a task that can stop by itself saves its process. */
export interface CancelMessage {
  cancel: number
}

/**
 * Runs a guarded process: receives one task after the other and sends back the result or the error of each.
 * @param onCancel hears at once that the host cancelled the task being worked on
 * @param isQuick picks the tasks that are answered beside the one being worked on
 */
export function answerGuarded<Task, Result>(
  work: (task: Task, onDone: OnDone) => Result | Promise<Result>,
  onCancel: () => void = () => {},
  isQuick: (task: Task) => boolean = () => false,
): void {
  const channel = openChannel()
  let last = Promise.resolve()
  let working: number | null = null

  async function answer({ id, task }: TaskMessage<Task>): Promise<void> {
    const onDone: OnDone = (done, total) => channel.post({ id, done, total } satisfies TaskAnswer<Result>)
    try {
      channel.post({ id, result: await work(task, onDone) } satisfies TaskAnswer<Result>)
    } catch (thrown) {
      channel.post({ id, ...taskError(thrown) } satisfies TaskAnswer<Result>)
    }
  }
  async function workOn(message: TaskMessage<Task>): Promise<void> {
    working = message.id
    await answer(message)
    working = null
  }
  channel.listen((message) => {
    if (isCancel(message)) {
      if (message.cancel === working) onCancel()
      return
    }
    const taskMessage = message as TaskMessage<Task>
    if (isQuick(taskMessage.task)) void answer(taskMessage)
    else last = last.then(() => workOn(taskMessage))
  })
  void channel.isWatched.then(() => channel.post(READY))
}

const isCancel = (message: unknown): message is CancelMessage =>
  typeof message === 'object' && message !== null && 'cancel' in message

function openChannel(): Channel {
  const parent = (process as { parentPort?: ParentPort }).parentPort
  if (parent)
    return {
      post: (message) => parent.postMessage(message),
      listen: (listener) => parent.on('message', ({ data }) => listener(data)),
      // Electron ends its utility processes itself.
      isWatched: Promise.resolve(),
    }
  process.on('disconnect', () => process.exit())
  return {
    post: (message) => void process.send?.(message),
    listen: (listener) => void process.on('message', listener),
    isWatched: endWithHost(),
  }
}

/** A killed host cannot end its children, and a child caught in a loop does not hear that the channel closed, so a thread watches the host. */
function endWithHost(): Promise<unknown> {
  const look = `const host = process.ppid
    setInterval(() => {
      try { process.kill(host, 0) } catch { process.kill(process.pid, 'SIGKILL') }
      if (process.ppid !== host) process.kill(process.pid, 'SIGKILL')
    }, 2000)`
  const watcher = new Worker(look, { eval: true, stdout: true, stderr: true })
  const isUp = once(watcher, 'online')
  watcher.unref()
  return isUp
}
