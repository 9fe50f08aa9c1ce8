import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { AppError } from '#shared/contract/errors.ts'
import { helperMacros, sqlMacros } from '#core/sql/sqlMacros.ts'
import type { EngineSettings } from '#core/sql/sqlTask.ts'
import { sqlSchemas } from '#core/sql/tableCatalog.ts'

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

export interface OpenDatabase {
  instance: DuckDBInstance
  connection: DuckDBConnection
  close(): void
}

interface DatabaseOptions {
  settings: EngineSettings
  allowedPaths: readonly string[]
  allowedFolders: readonly string[]
  /** True if the footers of the files stay in memory for the next query on the same files. */
  keepsFooters: boolean
}

/** Loads DuckDB on first use, because most runs of the program do not need it. */
async function loadDuckDb(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api')
  } catch (cause) {
    throw new AppError(
      'unsupported',
      'The SQL engine (DuckDB) is not part of this installation, so SQL is not available; everything else works.',
      { cause },
    )
  }
}

/** Opens a database in memory, with the schemas and functions of the app. */
async function createDatabase(settings: EngineSettings): Promise<OpenDatabase> {
  const { DuckDBInstance } = await loadDuckDb()
  const makeSubfolder = (name: string) => {
    const folder = join(settings.folder, name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  }
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(settings.threads),
    memory_limit: `${Math.max(64, Math.floor(settings.memoryBytes / 2 ** 20))}MiB`,
    temp_directory: makeSubfolder('temp'),
    home_directory: makeSubfolder('home'),
    extension_directory: makeSubfolder('extensions'),
    secret_directory: makeSubfolder('secrets'),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
    errors_as_json: 'true',
  })
  const connection = await instance.connect()
  const steps = [
    // DuckDB lists this limit among the options of an instance too, but heeds it only if a statement sets it.
    `SET max_temp_directory_size = '${Math.max(1, Math.floor(settings.tempBytes / 2 ** 20))}MiB'`,
    "SET GLOBAL TimeZone = 'UTC'",
    // This optimizer turns −0 into 0 when the last of several rows with the same time is selected.
    "SET disabled_optimizers = 'top_n_window_elimination'",
    ...sqlSchemas.map((schema) => `CREATE SCHEMA ${schema}`),
    ...helperMacros,
    ...sqlMacros,
  ]
  for (const step of steps) await connection.run(step)
  return {
    instance,
    connection,
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Keeps one database ready for the next query, because opening one takes as long as a short query. */
export class SpareDatabase {
  private spare: { key: string; database: Promise<OpenDatabase> } | null = null

  /** Opens a database in advance, unless one with these settings is ready. */
  prepare(settings: EngineSettings): void {
    const key = JSON.stringify(settings)
    if (this.spare?.key === key) return
    this.drop()
    const database = createDatabase(settings)
    // The query that takes the database handles the failure.
    database.catch(() => {})
    this.spare = { key, database }
  }

  /** Returns a database that can read only the allowed files and whose settings are locked. */
  async open({ settings, allowedPaths, allowedFolders, keepsFooters }: DatabaseOptions): Promise<OpenDatabase> {
    this.prepare(settings)
    const { database: opening } = this.spare!
    this.spare = null
    const database = await opening
    const accessStatements = [
      ...(allowedPaths.length > 0 ? [`SET allowed_paths = [${allowedPaths.map(quoteText).join(', ')}]`] : []),
      ...(allowedFolders.length > 0 ? [`SET allowed_directories = [${allowedFolders.map(quoteText).join(', ')}]`] : []),
    ]
    const statements = [
      ...accessStatements,
      `SET parquet_metadata_cache = ${keepsFooters}`,
      'SET enable_external_access = false',
      'SET lock_configuration = true',
    ]
    try {
      await database.connection.run(statements.join(';\n'))
    } catch (thrown) {
      database.close()
      throw thrown
    }
    return database
  }

  private drop(): void {
    void this.spare?.database.then(
      (database) => database.close(),
      () => {},
    )
    this.spare = null
  }
}

/** The connection of one query, whose result stays readable until the connection is closed. */
export interface OpenConnection {
  connection: DuckDBConnection
  close(): void
}

/** A database shared by several queries on the same files; closed when it is no longer used. */
export class SharedDatabase {
  /** Everything that the database's content depends on. */
  readonly key: string
  private readonly database: OpenDatabase
  private userCount = 0

  constructor(key: string, database: OpenDatabase) {
    this.key = key
    this.database = database
  }

  take(): this {
    this.userCount++
    return this
  }

  release(): void {
    this.userCount--
    if (this.userCount === 0) this.database.close()
  }

  /**
   * Opens a new connection for each query, because the app's statements may leave settings on a connection.
   */
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
