import { createThreadPool, type ThreadPool, type ThreadPoolOptions } from './threadPool.ts'

/**
 * Keeps threads for a while after their work, because starting one often takes longer than its work. A thread that
 * is taken works for its taker alone, so the thread can keep what it was given.
 */
export interface ReusableThreads {
  /** Returns an idle thread of the entry, or a new one. All takers of an entry pass the same options. */
  take<Task, Result>(entry: URL, options?: ThreadPoolOptions<Task>): ReusableThread<Task, Result>
  /** Ends the idle threads, and those in use once their takers release them. */
  close(): Promise<void>
}

export interface ReusableThread<Task, Result> extends Pick<ThreadPool<Task, Result>, 'run'> {
  /** @param isReusable false to end the thread, because one of its tasks failed or may still be running */
  release(isReusable: boolean): Promise<void>
}

/** Time that an idle thread is kept. */
const KEPT_MS = 30_000

export function createReusableThreads(keptMs = KEPT_MS): ReusableThreads {
  const idleByEntry = new Map<string, IdleThread[]>()
  let isClosed = false

  function keep(entry: URL, pool: ClosablePool): void {
    const threads = idleByEntry.get(entry.href) ?? []
    idleByEntry.set(entry.href, threads)
    const timer = setTimeout(() => {
      threads.splice(threads.indexOf(thread), 1)
      void pool.close()
    }, keptMs).unref()
    const thread: IdleThread = { pool, timer }
    threads.push(thread)
  }

  function takeIdle(entry: URL): ClosablePool | null {
    const thread = idleByEntry.get(entry.href)?.pop()
    clearTimeout(thread?.timer)
    return thread?.pool ?? null
  }

  return {
    take<Task, Result>(entry: URL, options?: ThreadPoolOptions<Task>) {
      const idlePool = takeIdle(entry) as ThreadPool<Task, Result> | null
      const pool = idlePool ?? createThreadPool<Task, Result>(entry, 1, options)
      return {
        run: pool.run,
        async release(isReusable) {
          if (isReusable && !isClosed) keep(entry, pool)
          else await pool.close()
        },
      }
    },
    async close() {
      isClosed = true
      const threads = [...idleByEntry.values()].flat()
      idleByEntry.clear()
      for (const { timer } of threads) clearTimeout(timer)
      await Promise.all(threads.map(({ pool }) => pool.close()))
    },
  }
}

type ClosablePool = Pick<ThreadPool<never, unknown>, 'close'>

interface IdleThread {
  pool: ClosablePool
  timer: NodeJS.Timeout
}
