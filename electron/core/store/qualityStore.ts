import type { Database } from './database.ts'

export interface AcceptedFinding {
  note: string
  acceptedAtMs: number
}

/** Results of checks, each kept as long as the bytes that it read, and findings that the person accepted. */
export interface QualityStore {
  /** Text of a result; undefined where this check was never made. */
  result(key: string): string | undefined
  saveResults(results: readonly { key: string; result: string }[], nowMs: number): void
  accepted(): Map<string, AcceptedFinding>
  accept(finding: string, note: string, nowMs: number): void
  /** @returns the number of findings that were accepted before */
  reopen(finding: string): number
}

export function createQualityStore({ reads, writes }: Database): QualityStore {
  return {
    result: (key) => reads.first<{ result: string }>('SELECT result FROM quality_results WHERE key = ?', key)?.result,
    saveResults(results, nowMs) {
      writes.inTransaction(() => {
        for (const { key, result } of results)
          writes.run(
            'INSERT OR REPLACE INTO quality_results (key, result, checked_at_ms) VALUES (?, ?, ?)',
            key,
            result,
            nowMs,
          )
      })
    },
    accepted: () =>
      new Map(
        reads
          .all<{ finding: string; note: string; accepted_at_ms: number }>('SELECT * FROM quality_accepted')
          .map(({ finding, note, accepted_at_ms }) => [finding, { note, acceptedAtMs: accepted_at_ms }]),
      ),
    accept(finding, note, nowMs) {
      writes.run(
        'INSERT OR REPLACE INTO quality_accepted (finding, note, accepted_at_ms) VALUES (?, ?, ?)',
        finding,
        note,
        nowMs,
      )
    },
    reopen: (finding) => writes.run('DELETE FROM quality_accepted WHERE finding = ?', finding),
  }
}
