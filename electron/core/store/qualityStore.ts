import type { Database } from './database.ts'

interface AcceptedFinding {
  note: string
  acceptedAtMs: number
}

/** Results of checks by a hash of what they read, and the findings that the user accepted. */
export interface QualityStore {
  /** Returns the results of checks by key; there is none for a check that was never run. */
  results(keys: readonly string[]): Map<string, string>
  saveResults(results: readonly { key: string; result: string }[], nowMs: number): void
  /** Returns the accepted findings by key. */
  acceptedFindings(): Map<string, AcceptedFinding>
  /** Returns a text that changes whenever a finding is accepted or reopened. */
  acceptedRevision(): string
  accept(findingKey: string, note: string, nowMs: number): void
  /** @returns number of findings reopened */
  reopen(findingKey: string): number
}

export function createQualityStore({ reads, writes }: Database): QualityStore {
  return {
    results: (keys) =>
      new Map(
        reads
          .all<{ key: string; result: string }>(
            'SELECT key, result FROM quality_results WHERE key IN (SELECT value FROM json_each(?))',
            JSON.stringify(keys),
          )
          .map(({ key, result }) => [key, result]),
      ),
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
    acceptedFindings: () =>
      new Map(
        reads
          .all<{ finding: string; note: string; accepted_at_ms: number }>('SELECT * FROM quality_accepted')
          .map(({ finding, note, accepted_at_ms }) => [finding, { note, acceptedAtMs: accepted_at_ms }]),
      ),
    acceptedRevision: () =>
      reads.first<{ revision: string }>(
        "SELECT count(*) || ' ' || total(accepted_at_ms) AS revision FROM quality_accepted",
      )?.revision ?? '',
    accept(findingKey, note, nowMs) {
      writes.run(
        'INSERT OR REPLACE INTO quality_accepted (finding, note, accepted_at_ms) VALUES (?, ?, ?)',
        findingKey,
        note,
        nowMs,
      )
    },
    reopen: (findingKey) => writes.run('DELETE FROM quality_accepted WHERE finding = ?', findingKey),
  }
}
