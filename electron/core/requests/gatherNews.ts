const GATHER_MS = 200

/** Makes one piece of news of many: a window that hears of every single request of a download would do nothing else. */
export function coalesceEvents(tell: (count: number) => void, gatherMs = GATHER_MS): { note(): void; stop(): void } {
  let count = 0
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    timer = null
    const told = count
    count = 0
    tell(told)
  }

  return {
    note() {
      count++
      if (timer) return
      timer = setTimeout(flush, gatherMs)
      timer.unref()
    },
    stop() {
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}
