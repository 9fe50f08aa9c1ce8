import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import Sqlite, { type Database as SqliteDatabase } from 'better-sqlite3'
import { columnsOf, userTables } from './backup/backupFile.ts'
import { moveDocuments, movedTables } from './migrations/movedDocuments.ts'
import { connectionOf, type ConnectionRow } from './connectionRow.ts'
import { connectionFields } from '#shared/contract/areas/connections.ts'
import { plural } from '#shared/units/plurals.ts'

import { ARRIVAL_TABLES, RECORD_TABLES } from './carryRecord.ts'

interface RecoveredSettings {
  settings: number
  connections: number
  /** Number of workspaces, studies, lists and other documents of the user. */
  documents: number
}

/**
 * Copies the settings, connections and documents that can still be read. Unlike cached data, they cannot be fetched
 * again. Of a table that cannot be read to its end, the rest is taken from the daily copy.
 */
export function recoverSettings(damagedPath: string, dailyPath: string, newIndex: SqliteDatabase): RecoveredSettings {
  const recovered = { settings: 0, connections: 0, documents: 0 }
  const damagedIndex = openCopy(damagedPath)
  const dailyCopy = openCopy(dailyPath)
  function copyTable(name: string, columns: readonly string[]): number {
    const copy = copyRowBy(name, columns, newIndex)
    const order = keyOf(newIndex, name)
    const isWhole = damagedIndex !== null && readRows(damagedIndex.database, name, order, copy.row)
    if (!isWhole && dailyCopy !== null) readRows(dailyCopy.database, name, order, copy.row)
    return copy.count()
  }
  try {
    for (const { name, columns } of userTables(newIndex)) {
      const count = copyTable(name, columns)
      if (name === 'settings' || name === 'connections') recovered[name] += count
      else if (!RECORD_TABLES.some((table) => table === name)) recovered.documents += count
    }
    for (const name of ARRIVAL_TABLES) copyTable(name, columnsOf(newIndex, name))
    recovered.documents += recoverMoved(newIndex, copyTable)
  } finally {
    damagedIndex?.close()
    dailyCopy?.close()
  }
  return recovered
}

/**
 * Copies documents that an index of an earlier version keeps in tables of their own, through temporary tables like them.
 * @returns the number of documents
 */
function recoverMoved(
  newIndex: SqliteDatabase,
  copyTable: (name: string, columns: readonly string[]) => number,
): number {
  const count = () => newIndex.prepare('SELECT count(*) FROM user_documents').pluck().get() as number
  const before = count()
  for (const { name, columns } of movedTables) {
    newIndex.exec(`CREATE TEMP TABLE ${name} (${columns}) STRICT`)
    copyTable(name, columnsOf(newIndex, name))
  }
  moveDocuments(newIndex, movedTables)
  return count() - before
}

/** First bytes of every SQLite file, and the bytes of its header that our indexes always have. */
const headerBytes: readonly [at: number, bytes: Buffer][] = [
  [0, Buffer.from('SQLite format 3\0', 'latin1')],
  [16, Buffer.from([0x10, 0])],
  [18, Buffer.from([2, 2, 0, 64, 32, 32])],
]

/**
 * Opens a copy of a database with a mended header: the first bytes carry no rows, but SQLite reads nothing without
 * them. Returns null if there is no file, or nothing in it can be read.
 */
function openCopy(path: string): { database: SqliteDatabase; close(): void } | null {
  const copyPath = `${path}.${process.pid}.reading`
  const remove = () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${copyPath}${suffix}`, { force: true })
  }
  try {
    remove()
    for (const suffix of ['', '-wal'])
      if (existsSync(`${path}${suffix}`)) copyFileSync(`${path}${suffix}`, `${copyPath}${suffix}`)
    mendHeader(copyPath)
    const database = new Sqlite(copyPath, { fileMustExist: true })
    return {
      database,
      close() {
        database.close()
        remove()
      },
    }
  } catch {
    remove()
    return null
  }
}

function mendHeader(path: string): void {
  const file = openSync(path, 'r+')
  try {
    const start = Buffer.alloc(24)
    readSync(file, start, 0, start.length, 0)
    // A whole header, such as that of the daily copy, stays as it is.
    if (start.subarray(0, 16).equals(headerBytes[0][1])) return
    for (const [at, bytes] of headerBytes) writeSync(file, bytes, 0, bytes.length, at)
  } finally {
    closeSync(file)
  }
}

/** Creates a function that copies one row of a table into the new index, and counts the copied rows. */
function copyRowBy(name: string, columns: readonly string[], newIndex: SqliteDatabase) {
  let count = 0
  return {
    count: () => count,
    row(row: Record<string, unknown>) {
      try {
        count += copyRow(name, columns, newIndex, row)
      } catch {
        // A row that the new index refuses is left out.
      }
    },
  }
}

function copyRow(
  name: string,
  columns: readonly string[],
  newIndex: SqliteDatabase,
  row: Record<string, unknown>,
): number {
  if (name === 'connections') return copyConnection(columns, newIndex, row)
  return insert(name, columns, newIndex, row)
}

/** Inserts a row with every column that it has; an older index lacks later columns, which take their defaults. */
function insert(name: string, columns: readonly string[], newIndex: SqliteDatabase, row: object): number {
  const presentColumns = columns.filter((column) => column in row)
  const values = presentColumns.map((column) => `:${column}`)
  const sql = `INSERT OR IGNORE INTO "${name}" (${presentColumns.map((column) => `"${column}"`).join(', ')}) VALUES (${values.join(', ')})`
  return newIndex.prepare(sql).run(row).changes
}

/** Returns the columns that order a table's rows on the disk. */
function keyOf(index: SqliteDatabase, table: string): string {
  const key = index.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').pluck().all(table)
  return key.length > 0 ? key.map((name) => `"${String(name)}" DESC`).join(', ') : 'rowid DESC'
}

/**
 * Reads the rows of a table up to the first one that cannot be read, and then from its end up to the last one that
 * cannot.
 * @returns true if all rows were read
 */
function readRows(
  database: SqliteDatabase,
  table: string,
  descending: string,
  onRow: (row: Record<string, unknown>) => void,
): boolean {
  const read = (order: string): boolean => {
    try {
      const rows = database.prepare(`SELECT * FROM "${table}"${order}`).iterate() as Iterable<Record<string, unknown>>
      for (const row of rows) onRow(row)
      return true
    } catch {
      return false
    }
  }
  if (read('')) return true
  read(` ORDER BY ${descending}`)
  return false
}

/** Copies a connection of the user, unless a field of it is not valid. */
function copyConnection(columns: readonly string[], newIndex: SqliteDatabase, row: Record<string, unknown>): number {
  if (row.built_in !== 0) return 0
  const saved = insert('connections', columns, newIndex, { ...row, active: 0 })
  if (saved === 0) return 0
  // The stored row is checked, because the new index completes it with the columns that an older one lacks.
  if (!isValidConnection(newIndex, row.id)) {
    newIndex.prepare('DELETE FROM connections WHERE id = ?').run(row.id)
    return 0
  }
  if (row.active === 1) {
    newIndex.exec('UPDATE connections SET active = 0')
    newIndex.prepare('UPDATE connections SET active = 1 WHERE id = ?').run(row.id)
  }
  return saved
}

function isValidConnection(index: SqliteDatabase, wantedId: unknown): boolean {
  const row = index.prepare('SELECT * FROM connections WHERE id = ?').get(wantedId) as ConnectionRow
  const { id, active, builtIn, ...fields } = connectionOf(row)
  return /^[\w-]{1,100}$/.test(id) && connectionFields.safeParse(fields).success
}

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
