import { AppError, toAppError } from '#shared/contract/errors.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import type { BackupItems } from './backupFile.ts'

export interface PackedBackup {
  bytes: Uint8Array
  items: BackupItems
}

export interface BuiltRestore {
  /** `in-use` if nothing was built, because the data folder already contains a user's data. */
  state: 'built' | 'in-use'
  items: BackupItems
  /** Size of the backup. */
  bytes: number
}

interface PackTask {
  do: 'pack'
  dataDir: string
  app: string
  nowMs: number
  /** True to pack the rows of own datasets too. */
  withData?: boolean
}

interface BuildTask {
  do: 'build'
  path: string
  /** Name of the file in errors. */
  name: string
  /** Folder in use, which is built only if it has no user data or if `replace` is true. */
  dataDir: string
  replace: boolean
  /** Folder to build. */
  folder: string
  /** True to build a ledger even if the backup has none. */
  alwaysLedger: boolean
  nowMs: number
}

export type BackupTask = PackTask | BuildTask

/** Maximum memory of the thread; the largest backup that can be restored needs less. */
const MOST_MEMORY_MB = 4096
/** Time limit for a backup or a restore; the largest ones take less than a minute. */
const MOST_MS = 10 * 60_000

/** Packs a backup, or reads one and builds its folder, in a thread with bounded memory and time. */
async function runInThread<Result extends PackedBackup | BuiltRestore>(
  task: BackupTask,
  signal: AbortSignal,
): Promise<Result> {
  const pool = createThreadPool<BackupTask, Result>(threadEntry('backupWorker', import.meta.url), 1, {
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  const limit = AbortSignal.timeout(MOST_MS)
  try {
    return await pool.run(task, AbortSignal.any([signal, limit]))
  } catch (thrown) {
    const cause = thrown instanceof AppError ? thrown.cause : null
    const isOutOfMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
    if (isOutOfMemory || limit.aborted)
      throw new AppError('too-large', 'The backup needs too much memory or time.', { cause: thrown })
    throw signal.aborted ? thrown : toAppError(thrown)
  } finally {
    void pool.close()
  }
}

/** Packs everything that the user made in a data folder; throws if the result could not be restored. */
export const packInThread = (task: Omit<PackTask, 'do'>, signal: AbortSignal): Promise<PackedBackup> =>
  runInThread({ do: 'pack', ...task }, signal)

/** Reads a backup and builds a data folder from it. */
export const buildInThread = (task: Omit<BuildTask, 'do'>, signal: AbortSignal): Promise<BuiltRestore> =>
  runInThread({ do: 'build', ...task }, signal)
