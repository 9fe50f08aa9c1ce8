import { basename } from 'node:path'
import { performance } from 'node:perf_hooks'
import Sqlite, { type Database as SqliteDatabase } from 'better-sqlite3'
import { AppError } from '#shared/contract/errors.ts'
import type { Clock, Logger } from '#core/ports.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { createDailyCopy, type DailyCopy } from './dailyCopy.ts'
import { createSpareRoom, type DataFolder, openDataFolder, type SpareRoom } from './dataFolder.ts'
import { migrate } from './migrations/migration.ts'
import { migrations } from './migrations/migrations.ts'
import { recoverSettings, describeRecovered } from './recoverSettings.ts'
import { openSql, type QueryWatch, type Reads, type Writes } from './sql.ts'
import { isDamage, storeError } from './storeErrors.ts'
import { useWriteAheadLog } from './writeAheadLog.ts'

/**
 * Size up to which the whole index is checked at every start (about 10 ms); a larger one is checked only on request or
 * if damage is suspected.
 */
const CHECKED_AT_START_BYTES = 4 * 1024 * 1024
const SLOW_QUERY_MS = 50
const BUSY_TIMEOUT_MS = 5000

/** The index on disk, opened with one writer and one reader; other processes open it the same way. */
export interface Database {
  reads: Reads
  writes: Writes
  sqliteVersion: string
  /** Messages for the user about opening the index. */
  notices: string[]
  /** Message about a damaged index that was replaced when it was opened; null if it was whole. */
  replaced: string | null
  /** Tells whether another process has changed the index since the last call. */
  hasChangedElsewhere(): boolean
  /** Returns a number that changes with every commit to the index, by this process or another one. */
  version(): number
  /**
   * Checks the whole index in a thread.
   * @returns what is wrong with it; null if nothing is
   */
  findProblem(signal: AbortSignal): Promise<string | null>
  close(): void
}

export interface DatabaseDeps {
  dataDir: string
  clock: Clock
  log: Logger
  slowQueryMs?: number
  /** True to refuse a damaged index instead of setting it aside and recovering from it. */
  refuseDamaged?: boolean
}

export function openDatabase(deps: DatabaseDeps): Database {
  const spareRoom = createSpareRoom(deps.dataDir)
  try {
    const database = openWithin(deps, spareRoom)
    spareRoom.keep()
    return database
  } catch (thrown) {
    const isFull = thrown instanceof AppError && thrown.code === 'disk-full'
    if (!isFull || !spareRoom.use()) throw thrown
    return openWithin(deps, spareRoom)
  }
}

/** Opens the index; when it is closed, the spare room is kept again. */
function openWithin(
  { dataDir, clock, log, slowQueryMs = SLOW_QUERY_MS, refuseDamaged = false }: DatabaseDeps,
  spareRoom: SpareRoom,
): Database {
  try {
    const folder = openDataFolder(dataDir)
    const notices: string[] = []
    const dailyCopy = createDailyCopy(dataDir, () => clock.nowMs())
    let replaced: string | null = null
    const writer = openOrReplace(folder, refuseDamaged ? null : dailyCopy, clock, (notice) => {
      replaced = notice
      notices.push(notice)
      log.write('warn', notice)
    })
    dailyCopy.keep(writer, false)
    const reader = new Sqlite(folder.indexPath, { readonly: true, timeout: BUSY_TIMEOUT_MS })
    const watch: QueryWatch = {
      nowMs: () => performance.now(),
      slowMs: slowQueryMs,
      onSlow: (sql, durationMs) => log.write('warn', `slow query, ${Math.round(durationMs)} ms: ${sql}`),
      onError(thrown) {
        if (isDamage(thrown)) folder.markSuspect()
        return storeError(thrown, dataDir)
      },
    }
    const reads = openSql(reader, watch)
    const writes = openSql(writer, watch)
    let seenVersion = dataVersion(writer)
    return {
      reads,
      writes,
      notices,
      replaced,
      sqliteVersion: reads.first<{ version: string }>('SELECT sqlite_version() AS version')?.version ?? '',
      hasChangedElsewhere() {
        const version = dataVersion(writer)
        const hasChanged = version !== seenVersion
        seenVersion = version
        return hasChanged
      },
      // The pragma `data_version` of a connection changes with each commit of any other connection. That of the reader
      // therefore changes with the commits of the writer, too.
      version: () => dataVersion(reader),
      async findProblem(signal) {
        const found = await findIndexProblem(folder.indexPath, signal)
        if (found) folder.markSuspect()
        return found
      },
      close() {
        dailyCopy.keep(writer, true)
        reader.close()
        writer.close()
        spareRoom.keep()
      },
    }
  } catch (thrown) {
    throw openError(storeError(thrown, dataDir), dataDir)
  }
}

/** Tells the user how to make room on a full disk, because cached files cannot be freed before the index is open. */
function openError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'disk-full') return error
  const detail = `Perpscope needs about 1 MB to open its index in ${dataDir}: delete or move other files on this disk.`
  return new AppError('disk-full', detail, { cause: error.cause })
}

const dataVersion = (database: SqliteDatabase) => database.pragma('data_version', { simple: true }) as number

/**
 * Opens the index; a damaged one is set aside and replaced, and the user is told.
 * @param dailyCopy copy to recover from; null to refuse a damaged index
 */
function openOrReplace(
  folder: DataFolder,
  dailyCopy: DailyCopy | null,
  clock: Clock,
  notify: (message: string) => void,
): SqliteDatabase {
  const identity = folder.indexIdentity()
  try {
    return openIndex(folder)
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown
    // Another process may have replaced the index meanwhile; then the new one is used.
    if (folder.indexIdentity() !== identity) return openIndex(folder)
    if (dailyCopy === null) throw new AppError('corrupt-file', damagedText(folder.indexPath), { cause: thrown })
    const asidePath = folder.setAside(clock.nowMs())
    folder.clearSuspect()
    const database = openIndex(openDataFolder(folder.dataDir))
    notify(
      `The index of the data folder was damaged. It was set aside as ${basename(asidePath)} and a new one was made. ` +
        describeRecovered(recoverSettings(asidePath, dailyCopy.path, database)),
    )
    dailyCopy.setAside(clock.nowMs())
    return database
  }
}

const damagedText = (path: string) =>
  `The index ${path} is damaged, so nothing was done. Open the app, or run “perpscope verify --repair”: both keep the ` +
  'damaged file and recover what can be read of it.'

function openIndex(folder: DataFolder): SqliteDatabase {
  const database = new Sqlite(folder.indexPath, { timeout: BUSY_TIMEOUT_MS })
  try {
    useWriteAheadLog(database, BUSY_TIMEOUT_MS)
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    // The many small commits of the download queue change the same pages, so the write-ahead log collects more of them
    // than by default before SQLite copies each page once.
    database.pragma('wal_autocheckpoint = 8000')
    if (folder.isSuspect() || folder.indexBytes() <= CHECKED_AT_START_BYTES) refuseDamage(database)
    migrate(database, migrations)
    folder.clearSuspect()
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

function refuseDamage(database: SqliteDatabase): void {
  const found = database.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') throw new Sqlite.SqliteError(String(found), 'SQLITE_CORRUPT')
}

/**
 * Checks the whole index in a separate thread.
 * @returns what is wrong with it; null if nothing is
 */
async function findIndexProblem(indexPath: string, signal: AbortSignal): Promise<string | null> {
  const pool = createThreadPool<string, string | null>(threadEntry('integrityWorker', import.meta.url), 1)
  try {
    return await pool.run(indexPath, signal)
  } finally {
    void pool.close()
  }
}
