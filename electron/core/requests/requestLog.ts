import type { RequestTrace } from '#core/clients/http.ts'
import { type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'

const MAX_RECORDS = 5000

/** The latest requests of this process, for display. They are never written to disk. */
export interface RequestLog {
  record(request: RequestTrace): void
  newestFirst(limit: number): RequestTrace[]
  clear(): void
}

export function createRequestLog(onRecord: () => void): RequestLog {
  let records: RequestTrace[] = []
  return {
    record(request) {
      records.push(request)
      if (records.length > MAX_RECORDS * 2) records = records.slice(-MAX_RECORDS)
      onRecord()
    },
    newestFirst: (limit) =>
      // Requests are recorded when they end, but listed with their start; of equal starts, the last to end comes first.
      records
        .toReversed()
        .sort((a, b) => b.startedAtMs - a.startedAtMs)
        .slice(0, Math.min(limit, MAX_RECORDS)),
    clear() {
      records = []
    },
  }
}

export function requestFrame(records: readonly RequestTrace[]): Frame {
  const valuesOf = <Key extends keyof RequestTrace>(key: Key) => records.map((record) => record[key])
  return {
    rows: records.length,
    columns: [
      timeColumn('time', valuesOf('startedAtMs')),
      textColumn('method', valuesOf('method')),
      textColumn('address', valuesOf('address')),
      numberColumn('status', valuesOf('status')),
      numberColumn('bytes', valuesOf('bytes')),
      numberColumn('duration_ms', valuesOf('durationMs')),
      textColumn('error', valuesOf('error')),
    ],
  }
}

const BATCH_MS = 200

/** Merges many events into one, because one event per request of a download would overload a window. */
export function coalesceEvents(onBatch: (count: number) => void, batchMs = BATCH_MS): { record(): void; stop(): void } {
  let count = 0
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    timer = null
    const reportedCount = count
    count = 0
    onBatch(reportedCount)
  }

  return {
    record() {
      count++
      if (timer) return
      timer = setTimeout(flush, batchMs)
      timer.unref()
    },
    stop() {
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}
