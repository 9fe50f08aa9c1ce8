import type { SummaryColumn } from '#core/series/readerTask.ts'

/** Summaries of files that were looked at lately, so that another look at them needs neither disk nor thread. */
export interface KeptSummaries {
  /** The columns of a file by one of its clocks; null where one of them is not kept. */
  find(sha256: string, timestamp: string, columns: readonly string[]): SummaryColumn[] | null
  keep(sha256: string, timestamp: string, columns: readonly string[], summary: readonly SummaryColumn[]): void
}

/** By content, which never changes; what was used longest ago goes first. */
export function createKeptSummaries(mostBytes = 64 * 2 ** 20): KeptSummaries {
  const kept = new Map<string, SummaryColumn>()
  let bytes = 0
  const keyOf = (sha256: string, timestamp: string, column: string) => `${sha256} ${timestamp} ${column}`

  function drop(key: string): void {
    bytes -= kept.get(key)?.parts.byteLength ?? 0
    kept.delete(key)
  }

  return {
    find(sha256, timestamp, columns) {
      const found: SummaryColumn[] = []
      for (const column of columns) {
        const key = keyOf(sha256, timestamp, column)
        const one = kept.get(key)
        if (!one) return null
        kept.delete(key)
        kept.set(key, one)
        found.push(one)
      }
      return found
    },
    keep(sha256, timestamp, columns, summary) {
      for (const [at, one] of summary.entries()) {
        const key = keyOf(sha256, timestamp, columns[at])
        drop(key)
        kept.set(key, one)
        bytes += one.parts.byteLength
      }
      for (const key of kept.keys()) {
        if (bytes <= mostBytes) break
        drop(key)
      }
    },
  }
}
