import type { EngineServer } from '#shared/contract/areas/connections.ts'
import type { Database } from './database.ts'

/** The ClickHouse servers of connections, at most one each. */
export interface EngineStore {
  find(connectionId: string): EngineServer | null
  /** Replaces the one before. */
  save(connectionId: string, server: EngineServer): void
  remove(connectionId: string): void
}

interface Row {
  url: string
  user_name: string
  cluster: string
  plain_http: number
}

export function createEngineStore({ reads, writes }: Database): EngineStore {
  return {
    find(connectionId) {
      const row = reads.first<Row>(
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
    remove: (connectionId) => void writes.run('DELETE FROM engine_servers WHERE connection_id = ?', connectionId),
  }
}
