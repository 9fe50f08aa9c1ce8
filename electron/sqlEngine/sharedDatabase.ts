import type { DuckDBConnection } from '@duckdb/node-api'
import type { OpenDatabase } from './openDatabase.ts'

/** The connection of one query. Its result stays readable until it is closed. */
export interface OpenConnection {
  connection: DuckDBConnection
  close(): void
}

/** A database that several queries on the same files use; it is closed when nobody uses it any more. */
export class SharedDatabase {
  /** Everything that its content depends on. */
  readonly key: string
  private readonly database: OpenDatabase
  private users = 0

  constructor(key: string, database: OpenDatabase) {
    this.key = key
    this.database = database
  }

  take(): this {
    this.users++
    return this
  }

  release(): void {
    this.users--
    if (this.users === 0) this.database.close()
  }

  /** Opens a fresh connection, because a statement of the app may leave settings in its own. */
  async connect(): Promise<OpenConnection> {
    this.take()
    try {
      const connection = await this.database.instance.connect()
      return {
        connection,
        close: () => {
          connection.closeSync()
          this.release()
        },
      }
    } catch (thrown) {
      this.release()
      throw thrown
    }
  }
}
