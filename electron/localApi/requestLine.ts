import type { RequestRate } from './access.ts'

/** Requests that are answered in the order in which they came. */
export interface RequestLine {
  /**
   * Does the work of a request when its turn has come; not at all if the signal is aborted before.
   * @returns null if too many requests are waiting
   */
  take(work: () => Promise<void>, signal: AbortSignal): Promise<void> | null
}

interface RequestLineOptions {
  mostRunning: number
  mostWaiting: number
  rate: RequestRate
}

/** Time after which a request that was held up by the rate is tried again. */
const RETRY_MS = 20

export function createRequestLine({ mostRunning, mostWaiting, rate }: RequestLineOptions): RequestLine {
  const waiting = new Set<() => void>()
  let runningCount = 0
  let retry: NodeJS.Timeout | null = null

  function next(): void {
    if (retry !== null) return
    for (const begin of waiting) {
      if (runningCount >= mostRunning) return
      if (!rate.take()) {
        retry = setTimeout(() => {
          retry = null
          next()
        }, RETRY_MS).unref()
        return
      }
      waiting.delete(begin)
      runningCount += 1
      begin()
    }
  }

  async function turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      waiting.delete(resolve)
      reject(signal.reason as Error)
    }
    if (signal.aborted) leave()
    else waiting.add(resolve)
    signal.addEventListener('abort', leave, { once: true })
    next()
    await promise
    signal.removeEventListener('abort', leave)
  }

  return {
    take(work, signal) {
      if (waiting.size >= mostWaiting) return null
      return turn(signal).then(async () => {
        try {
          await work()
        } finally {
          runningCount -= 1
          next()
        }
      })
    },
  }
}
