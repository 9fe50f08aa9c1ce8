import type { IdKind } from '#shared/catalog/portfolioEndpoints.ts'
import type { Database } from './database.ts'

/** Identifiers are free text; those that were used with success are offered again. */
export interface PortfolioIds {
  noteUse(connectionId: string, ids: readonly { kind: IdKind; id: string }[], nowMs: number): void
  /** The last used first. */
  used(connectionId: string, kind: IdKind, limit: number): { id: string; usedAtMs: number }[]
}

/** A use within this time of the last one is not worth a write. */
const SAME_USE_MS = 60_000

export function createPortfolioIds({ reads, writes }: Database): PortfolioIds {
  const isNoted = (connectionId: string, kind: IdKind, id: string, sinceMs: number) =>
    reads.first(
      'SELECT 1 FROM portfolio_ids WHERE connection_id = ? AND kind = ? AND name = ? AND used_at_ms > ?',
      connectionId,
      kind,
      id,
      sinceMs,
    ) !== undefined

  return {
    noteUse(connectionId, ids, nowMs) {
      const unnoted = ids.filter(({ kind, id }) => !isNoted(connectionId, kind, id, nowMs - SAME_USE_MS))
      if (unnoted.length === 0) return
      writes.inTransaction(() => {
        for (const { kind, id } of unnoted) {
          writes.run(
            'INSERT OR REPLACE INTO portfolio_ids (connection_id, kind, name, used_at_ms) VALUES (?, ?, ?, ?)',
            connectionId,
            kind,
            id,
            nowMs,
          )
        }
      })
    },
    used: (connectionId, kind, limit) =>
      reads
        .all<{ name: string; used_at_ms: number }>(
          `SELECT name, used_at_ms FROM portfolio_ids WHERE connection_id = ? AND kind = ?
           ORDER BY used_at_ms DESC, name LIMIT ?`,
          connectionId,
          kind,
          limit,
        )
        .map((row) => ({ id: row.name, usedAtMs: row.used_at_ms })),
  }
}
