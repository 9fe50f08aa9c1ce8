import Sqlite, { type Database as SqliteDatabase } from 'better-sqlite3'
import { userTables } from './backup/backupFile.ts'
import type { ConnectionRow } from './connectionRow.ts'
import { connectionFields } from '#shared/contract/areas/connections.ts'
import { plural } from '#shared/units/plurals.ts'

export interface RecoveredSettings {
  settings: number
  connections: number
  /** Number of workspaces, studies, lists and other documents of the user. */
  documents: number
}

/** Columns of a connection that every release has stored. */
type CommonConnectionRow = Omit<
  ConnectionRow,
  'built_in' | 'private_storage' | 'store' | 'store_endpoint' | 'store_plain_http' | 'venues'
>

/**
 * Copies the settings, connections and documents that can still be read. Unlike cached data, they cannot be fetched
 * again.
 */
export function recoverSettings(damagedPath: string, newIndex: SqliteDatabase): RecoveredSettings {
  const recovered = { settings: 0, connections: 0, documents: 0 }
  let damagedIndex: SqliteDatabase | null = null
  try {
    damagedIndex = new Sqlite(damagedPath, { readonly: true })
    for (const row of readableRows<{ key: string; value: string }>(damagedIndex, 'SELECT key, value FROM settings')) {
      recovered.settings += insert(newIndex, 'INSERT OR IGNORE INTO settings (key, value) VALUES (:key, :value)', row)
    }
    for (const row of readableRows<CommonConnectionRow>(damagedIndex, 'SELECT * FROM connections WHERE built_in = 0')) {
      if (isComplete(row)) recovered.connections += saveConnection(newIndex, row)
    }
    recovered.documents = copyDocuments(damagedIndex, newIndex)
  } catch {
    // The damaged index cannot be opened, or the new one refuses a setting or connection; what was copied before stays.
  } finally {
    damagedIndex?.close()
  }
  return recovered
}

/** Copies the user's tables except settings and connections; a row that the new index refuses is left out. */
function copyDocuments(damagedIndex: SqliteDatabase, newIndex: SqliteDatabase): number {
  let copiedRows = 0
  for (const { name, columns } of userTables(newIndex)) {
    if (name === 'settings' || name === 'connections') continue
    for (const row of readableRows<Record<string, unknown>>(damagedIndex, `SELECT * FROM "${name}"`)) {
      // An older index lacks columns that were added later; they take their defaults.
      const presentColumns = columns.filter((column) => column in row)
      const values = presentColumns.map((column) => `:${column}`)
      try {
        copiedRows += insert(
          newIndex,
          `INSERT OR IGNORE INTO "${name}" (${presentColumns.join(', ')}) VALUES (${values.join(', ')})`,
          row,
        )
      } catch {
        continue
      }
    }
  }
  return copiedRows
}

/** Yields the rows up to the first one that cannot be read. */
function* readableRows<Row>(damagedIndex: SqliteDatabase, sql: string): Generator<Row> {
  try {
    yield* damagedIndex.prepare(sql).iterate() as IterableIterator<Row>
  } catch {
    return
  }
}

function isComplete(row: CommonConnectionRow): boolean {
  const { name, metrics_url: metricsUrl, portfolio_url: portfolioUrl, catalog_location: catalogLocation, tier } = row
  const fields = { name, metricsUrl, portfolioUrl, catalogLocation, tier }
  return /^[\w-]{1,100}$/.test(String(row.id)) && connectionFields.safeParse(fields).success
}

function saveConnection(newIndex: SqliteDatabase, row: CommonConnectionRow): number {
  const sql = `INSERT OR IGNORE INTO connections
    (id, name, metrics_url, portfolio_url, catalog_location, tier, active, built_in)
    VALUES (:id, :name, :metrics_url, :portfolio_url, :catalog_location, :tier, 0, 0)`
  const saved = insert(newIndex, sql, row)
  if (saved && row.active === 1) {
    newIndex.exec('UPDATE connections SET active = 0')
    newIndex.prepare('UPDATE connections SET active = 1 WHERE id = ?').run(row.id)
  }
  return saved
}

const insert = (newIndex: SqliteDatabase, sql: string, row: object): number => newIndex.prepare(sql).run(row).changes

export function describeRecovered({ settings, connections, documents }: RecoveredSettings): string {
  if (settings + connections + documents === 0)
    return 'No setting, connection or document could be recovered; keys in the keychain stay there.'
  const recovered = [
    plural(settings, 'changed setting'),
    plural(connections, 'connection'),
    `${plural(documents, 'document')} (workspaces, studies, lists and others)`,
  ]
  return `Recovered: ${recovered.join(', ')}. Please check them.`
}
