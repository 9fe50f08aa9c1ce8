import type { ConnectionFields } from '#shared/contract/areas/connections.ts'
import type { Database } from './database.ts'

/** Ties stored responses to the address they came from, so that they are never taken for those of another service. */
export interface ServiceAnswers {
  /**
   * Handles a changed address: responses that can be requested again are deleted, and portfolio data is set aside until
   * its address is used again.
   */
  handleAddressChange(connectionId: string, before: ConnectionFields, after: ConnectionFields): void
  forget(connectionId: string): void
}

const metricsDeletions = [
  "DELETE FROM documents WHERE connection_id = ? AND name <> 'raw-catalog'",
  'DELETE FROM symbols WHERE connection_id = ?',
  'DELETE FROM refusals WHERE connection_id = ?',
  'DELETE FROM absences WHERE series_id IN (SELECT id FROM series WHERE connection_id = ?)',
]
const catalogDeletions = [
  "DELETE FROM documents WHERE connection_id = ? AND name IN ('raw-catalog', 'no-raw-catalog')",
  'DELETE FROM raw_coverage WHERE connection_id = ?',
]
/**
 * SQL condition for a connection's portfolio requests, including those set aside, in which a space and the address
 * follow the connection's id.
 */
const ownedCondition = "instr(connection_id || ' ', ? || ' ') = 1"
const portfolioDeletions = [
  ...['portfolio_days', 'portfolio_snapshots', 'portfolio_lists', 'portfolio_revisions'].map(
    (table) => `DELETE FROM ${table} WHERE request_id IN (SELECT id FROM portfolio_requests WHERE ${ownedCondition})`,
  ),
  `DELETE FROM portfolio_requests WHERE ${ownedCondition}`,
  'DELETE FROM portfolio_ids WHERE connection_id = ?',
  'DELETE FROM bare_overlays WHERE connection_id = ?',
]

export function createServiceAnswers({ writes }: Database): ServiceAnswers {
  const runAll = (statements: readonly string[], connectionId: string) => {
    for (const sql of statements) writes.run(sql, connectionId)
  }
  /**
   * Sets aside the portfolio requests whose latest response came from a different address, and restores those from this
   * address.
   */
  function moveRequests(connectionId: string, url: string): void {
    const address = `${url.replace(/\/+$/, '')}/`
    writes.run(
      `UPDATE portfolio_requests SET connection_id = connection_id || ' ' || source
       WHERE connection_id = ? AND instr(source, ?) <> 1`,
      connectionId,
      address,
    )
    writes.run(
      `UPDATE OR IGNORE portfolio_requests SET connection_id = ?
       WHERE instr(connection_id, ? || ' ') = 1 AND instr(source, ?) = 1`,
      connectionId,
      connectionId,
      address,
    )
  }

  return {
    handleAddressChange: (connectionId, before, after) =>
      writes.inTransaction(() => {
        if (before.metricsUrl !== after.metricsUrl) runAll(metricsDeletions, connectionId)
        // Where no catalog is set, it is the one that was found at the metrics service.
        const hasOtherCatalog =
          before.catalogLocation !== after.catalogLocation ||
          (after.catalogLocation === '' && before.metricsUrl !== after.metricsUrl)
        if (hasOtherCatalog) runAll(catalogDeletions, connectionId)
        // Without an address there is no other service, so the stored data stays.
        if (before.portfolioUrl !== after.portfolioUrl && after.portfolioUrl !== '')
          moveRequests(connectionId, after.portfolioUrl)
      }),
    forget: (connectionId) =>
      writes.inTransaction(() =>
        runAll([...metricsDeletions, ...catalogDeletions, ...portfolioDeletions], connectionId),
      ),
  }
}
