import * as z from '#shared/schemas/lazySchemas.ts'
import type { EngineServer } from '#shared/contract/areas/connections.ts'
import type { EngineName } from '#shared/contract/areas/raw.ts'
import type { Database } from './database.ts'
import { storedJsonOr } from './storedJson.ts'

/** The ClickHouse servers of connections, at most one each, and the results of engine comparisons. */
export interface EngineStore {
  find(connectionId: string): EngineServer | null
  /** Saves the server of a connection, replacing its earlier one. */
  save(connectionId: string, server: EngineServer): void
  /** Removes the server of a connection and all comparisons of its engines. */
  remove(connectionId: string): void
  checks: {
    list(connectionId: string, engine: EngineName): EngineCheck[]
    /** Saves comparisons, replacing those of the same columns. */
    save(connectionId: string, checks: readonly EngineCheck[]): void
    forget(connectionId: string, engine: EngineName): void
  }
}

/** Result of the latest comparison of a column between an engine and the built-in one. */
export interface EngineCheck {
  engine: EngineName
  dataset: string
  column: string
  version: string | null
  agrees: boolean
  /** Largest relative difference. */
  largest: number
  /** The symbol-day with the largest difference; null if the column agrees. */
  worst: { exchange: string; symbol: string; day: number; interval: string; timestamp: string } | null
  checkedAtMs: number
}

interface ServerRow {
  url: string
  user_name: string
  cluster: string
  plain_http: number
}

export function createEngineStore(database: Database): EngineStore {
  const { reads, writes } = database
  return {
    find(connectionId) {
      const row = reads.first<ServerRow>(
        'SELECT url, user_name, cluster, plain_http FROM engine_servers WHERE connection_id = ?',
        connectionId,
      )
      if (!row) return null
      return { url: row.url, user: row.user_name, cluster: row.cluster, plainHttp: row.plain_http === 1 }
    },
    save(connectionId, { url, user, cluster, plainHttp }) {
      writes.run(
        'INSERT OR REPLACE INTO engine_servers (connection_id, url, user_name, cluster, plain_http) VALUES (?, ?, ?, ?, ?)',
        connectionId,
        url,
        user,
        cluster,
        plainHttp ? 1 : 0,
      )
    },
    remove(connectionId) {
      writes.run('DELETE FROM engine_servers WHERE connection_id = ?', connectionId)
      writes.run('DELETE FROM engine_checks WHERE connection_id = ?', connectionId)
    },
    checks: createChecks(database),
  }
}

interface CheckRow {
  dataset: string
  column_name: string
  version: string | null
  agrees: number
  largest: number
  worst: string | null
  checked_at_ms: number
}

const worstPlace = z.strictObject({
  exchange: z.string(),
  symbol: z.string(),
  day: z.int(),
  interval: z.string(),
  timestamp: z.string(),
})
const isWorst = (value: unknown): value is z.infer<typeof worstPlace> => worstPlace.safeParse(value).success

function createChecks({ reads, writes }: Database): EngineStore['checks'] {
  return {
    list: (connectionId, engine) =>
      reads
        .all<CheckRow>(
          `SELECT dataset, column_name, version, agrees, largest, worst, checked_at_ms
           FROM engine_checks WHERE connection_id = ? AND engine = ? ORDER BY dataset, column_name`,
          connectionId,
          engine,
        )
        .map((row) => ({
          engine,
          dataset: row.dataset,
          column: row.column_name,
          version: row.version,
          agrees: row.agrees === 1,
          largest: row.largest,
          worst: storedJsonOr(row.worst, isWorst, null),
          checkedAtMs: row.checked_at_ms,
        })),
    save(connectionId, checks) {
      writes.inTransaction(() => {
        for (const { engine, dataset, column, version, agrees, largest, worst, checkedAtMs } of checks)
          writes.run(
            `INSERT OR REPLACE INTO engine_checks
             (connection_id, engine, dataset, column_name, version, agrees, largest, worst, checked_at_ms)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            connectionId,
            engine,
            dataset,
            column,
            version,
            agrees ? 1 : 0,
            largest,
            worst && JSON.stringify(worst),
            checkedAtMs,
          )
      })
    },
    forget: (connectionId, engine) =>
      void writes.run('DELETE FROM engine_checks WHERE connection_id = ? AND engine = ?', connectionId, engine),
  }
}
