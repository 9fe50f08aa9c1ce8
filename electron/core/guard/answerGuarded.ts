import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'
import { taskError } from '#core/threads/taskError.ts'
import type { OnProgress } from '#core/threads/taskQueue.ts'
import type { TaskAnswer, TaskMessage } from '#core/threads/threadPool.ts'

/** Time between looks at the host: a third of the time within which this process must have ended. */
const WATCH_HOST_MS = 1000

/** First message of a guarded process, sent when it has loaded and waits for tasks. */
export const READY = 'ready'

/** The channel to the host: Electron's for a utility process, or Node's for a forked process. */
interface Channel {
  post(message: unknown): void
  listen(listener: (message: unknown) => void): void
  /** Resolves when it is certain that this process ends if its host is killed. */
  hostWatched: Promise<unknown>
}

interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/**
 * Message from the host that a task is no longer needed; if the task can stop by itself, its process need not be
 * killed.
 */
export interface CancelMessage {
  cancel: number
}

/**
 * Runs a guarded process: receives tasks one after the other and sends back each result or error.
 * @param onCancel called immediately when the host cancels the running task
 * @param isQuick selects the tasks that are answered while another one is running
 */
export function answerGuarded<Task, Result>(
  work: (task: Task, onProgress: OnProgress) => Result | Promise<Result>,
  onCancel: () => void = () => {},
  isQuick: (task: Task) => boolean = () => false,
): void {
  const channel = openChannel()
  let lastTask = Promise.resolve()
  let runningId: number | null = null

  async function answer({ id, task }: TaskMessage<Task>): Promise<void> {
    const onProgress: OnProgress = (done, total) => channel.post({ id, done, total } satisfies TaskAnswer<Result>)
    try {
      channel.post({ id, result: await work(task, onProgress) } satisfies TaskAnswer<Result>)
    } catch (thrown) {
      channel.post({ id, ...taskError(thrown) } satisfies TaskAnswer<Result>)
    }
  }
  async function runTask(message: TaskMessage<Task>): Promise<void> {
    runningId = message.id
    await answer(message)
    runningId = null
  }
  channel.listen((message) => {
    if (isCancel(message)) {
      if (message.cancel === runningId) onCancel()
      return
    }
    const taskMessage = message as TaskMessage<Task>
    if (isQuick(taskMessage.task)) void answer(taskMessage)
    else lastTask = lastTask.then(() => runTask(taskMessage))
  })
  void channel.hostWatched.then(() => {
    channel.post(READY)
    // Node keeps compiled code at the end of a process, but a guarded process is killed.
    flushCompileCache()
  })
}

const isCancel = (message: unknown): message is CancelMessage =>
  typeof message === 'object' && message !== null && 'cancel' in message

function openChannel(): Channel {
  const parent = (process as { parentPort?: ParentPort }).parentPort
  const hostWatched = endWithHost()
  if (parent)
    return {
      post: (message) => parent.postMessage(message),
      listen: (listener) => parent.on('message', ({ data }) => listener(data)),
      // Electron ends its utility processes too, so the first task need not wait for the thread.
      hostWatched: Promise.resolve(),
    }
  process.on('disconnect', endNow)
  return {
    post: (message) => void process.send?.(message),
    listen: (listener) => void process.on('message', listener),
    hostWatched,
  }
}

/** Ends this process by a signal, because `process.exit` waits for native threads, so for a running query. */
const endNow = (): void => void process.kill(process.pid, 'SIGKILL')

/**
 * Ends this process with its host. A killed host cannot end its children, and a child in an endless loop does not
 * notice that the channel closed, so a thread watches the host.
 */
function endWithHost(): Promise<unknown> {
  const watcherSource = `const host = process.ppid
    setInterval(() => {
      try { process.kill(host, 0) } catch { process.kill(process.pid, 'SIGKILL') }
      if (process.ppid !== host) process.kill(process.pid, 'SIGKILL')
    }, ${WATCH_HOST_MS})`
  const watcher = new Worker(watcherSource, { eval: true, stdout: true, stderr: true })
  const started = once(watcher, 'online')
  // A thread that could not start is no reason to end a utility process of Electron.
  started.catch(() => {})
  watcher.unref()
  return started
}
