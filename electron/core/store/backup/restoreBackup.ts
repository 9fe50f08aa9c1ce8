import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { AppError } from '#shared/contract/errors.ts'
import type { Clock, Logger } from '#core/ports.ts'
import { FILES_FOLDER, OWN_FOLDER } from '../partitions.ts'
import { openLedger } from '../ledger/ledger.ts'
import { makeFolders } from '../makeFolders.ts'
import { migrate } from '../migrations/migration.ts'
import { migrations } from '../migrations/migrations.ts'
import { isDamage } from '../storeErrors.ts'
import { type BackupContent, type BackupSummary, fillTables, userTables, readBackup } from './backupFile.ts'
import { fillArrivals } from './backupArrivals.ts'
import { buildInThread } from './backupThread.ts'

export interface RestoreDeps {
  dataDir: string
  clock: Clock
  log: Logger
}

interface RestoreSummary extends BackupSummary {
  /** Folder with the previous content; null if there was none. */
  kept: string | null
}

/** The folder already contains a user's data, which a restore would set aside. */
export class FolderInUse extends Error {
  constructor(dataDir: string) {
    super(`${dataDir} is in use.`)
    this.name = 'FolderInUse'
  }
}

/**
 * Creates the data folder from a backup. The new folder is built and checked next to the old one and then replaces it,
 * so that a failure leaves the old one unchanged; the previous content is kept next to it. Throws `FolderInUse` if the
 * folder contains user data and `replace` is false.
 */
export async function restoreBackup(
  path: string,
  deps: Pick<RestoreDeps, 'dataDir' | 'clock'>,
  replace: boolean,
  signal: AbortSignal,
): Promise<RestoreSummary> {
  // A link to the data folder stays; the folder itself is replaced, on its own disk.
  const dataDir = existsSync(deps.dataDir) ? realpathSync(deps.dataDir) : deps.dataDir
  const nowMs = deps.clock.nowMs()
  const stamp = new Date(nowMs).toISOString().replaceAll(':', '-')
  const newFolder = siblingPath(dataDir, `restoring-${stamp}`)
  try {
    const task = { path, name: path, dataDir, replace, folder: newFolder, alwaysLedger: false, nowMs }
    const { state, items, bytes } = await buildInThread(task, signal)
    if (state === 'in-use') throw new FolderInUse(dataDir)
    const kept = exchangeFolders(dataDir, newFolder, siblingPath(dataDir, `before-${stamp}`))
    return { file: path, bytes, items, kept }
  } finally {
    rmSync(newFolder, { recursive: true, force: true })
  }
}

/** Reads a backup that this version can restore; errors refer to the file as `name`. */
export async function readRestorable(path: string, name: string): Promise<{ content: BackupContent; bytes: number }> {
  const found = await readBackup(path, name)
  const newestVersion = Math.max(...migrations.map(({ version }) => version))
  if (found.content.schema > newestVersion) {
    throw new AppError('bad-input', `${name} was made by a newer Perpscope; update this one first.`)
  }
  return found
}

const siblingPath = (dataDir: string, suffix: string) => join(dirname(dataDir), `${basename(dataDir)}.${suffix}`)

/** Tells whether a folder contains data of the user; an index that cannot be read counts as such. */
export function containsUserData(dataDir: string): boolean {
  if ((statSync(join(dataDir, 'ledger.jsonl'), { throwIfNoEntry: false })?.size ?? 0) > 0) return true
  const indexPath = join(dataDir, 'perpscope.sqlite')
  if (!existsSync(indexPath)) return existsSync(dataDir) && readdirSync(dataDir).some((name) => name === 'files')
  const freshIndex = new Sqlite(':memory:')
  try {
    migrate(freshIndex, migrations)
    const counts = rowCounts(indexPath)
    // An index of an earlier version may have tables that a fresh one lacks.
    const freshTables = new Set(userTables(freshIndex).map(({ name }) => name))
    return (
      counts === null ||
      [...counts].some(([name, count]) => count > (freshTables.has(name) ? countRows(freshIndex, name) : 0))
    )
  } finally {
    freshIndex.close()
  }
}

const countRows = (database: Sqlite.Database, table: string): number =>
  database.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number

/** Counts the rows of the user's tables; null if the index cannot be read. */
function rowCounts(indexPath: string): Map<string, number> | null {
  let database: Sqlite.Database | null = null
  try {
    database = new Sqlite(indexPath, { readonly: true })
    const opened = database
    return new Map(userTables(opened).map(({ name }) => [name, countRows(opened, name)]))
  } catch {
    return null
  } finally {
    database?.close()
  }
}

/**
 * Builds a data folder: fills an index that has the backup's schema, migrates it, and writes the ledger and verifies
 * its chain.
 */
export function buildFolder(folder: string, content: BackupContent, deps: Omit<RestoreDeps, 'dataDir'>): void {
  makeFolders(folder)
  const database = new Sqlite(join(folder, 'perpscope.sqlite'))
  try {
    database.pragma('journal_mode = WAL')
    migrate(
      database,
      migrations.filter(({ version }) => version <= content.schema),
    )
    database.pragma('foreign_keys = OFF')
    fillTables(database, content.tables)
    migrate(database, migrations)
    fillArrivals(database, content.arrivals ?? [])
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
  for (const { path, base64 } of content.ownFiles ?? []) {
    const target = join(folder, FILES_FOLDER, OWN_FOLDER, path)
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    writeFileSync(target, Buffer.from(base64, 'base64'), { mode: 0o600 })
  }
  if (content.ledger === null) return
  writeFileSync(join(folder, 'ledger.jsonl'), content.ledger, { mode: 0o600, flush: true })
  const ledger = openLedger({ ...deps, dataDir: folder })
  try {
    const brokenEntry = ledger.verify()
    if (brokenEntry) {
      throw new AppError(
        'bad-input',
        `The ledger of the backup is broken at entry ${brokenEntry.sequence}: ${brokenEntry.problem}.`,
      )
    }
  } finally {
    ledger.close()
  }
}

/**
 * Replaces the old folder with the new one.
 * @returns where the old one is kept; null if there was none or it was empty
 */
function exchangeFolders(dataDir: string, newFolder: string, keptFolder: string): string | null {
  const hasFolder = existsSync(dataDir)
  const isEmpty = hasFolder && readdirSync(dataDir).length === 0
  if (hasFolder && !isEmpty) refuseWhileOpen(join(dataDir, 'perpscope.sqlite'), dataDir)
  try {
    if (isEmpty) rmSync(dataDir, { recursive: true })
    else if (hasFolder) renameSync(dataDir, keptFolder)
    else mkdirSync(dirname(dataDir), { recursive: true })
    renameSync(newFolder, dataDir)
  } catch (thrown) {
    if (!existsSync(dataDir) && existsSync(keptFolder)) renameSync(keptFolder, dataDir)
    throw new AppError('read-only', `${dataDir} could not be replaced by the restored folder.`, { cause: thrown })
  }
  return hasFolder && !isEmpty ? keptFolder : null
}

/** Throws if another program has the database open, because that program would go on writing to the old file. */
export function refuseWhileOpen(path: string, dataDir: string): void {
  if (!existsSync(path)) return
  const database = new Sqlite(path, { timeout: 1000 })
  try {
    // Switching the write-ahead log off requires exclusive access, which any other connection prevents.
    database.pragma('journal_mode = DELETE')
    database.pragma('journal_mode = WAL')
  } catch (thrown) {
    if (isDamage(thrown)) return
    throw new AppError('conflict', `Perpscope is running on ${dataDir}. Close it, then restore again.`, {
      cause: thrown,
    })
  } finally {
    database.close()
  }
}
