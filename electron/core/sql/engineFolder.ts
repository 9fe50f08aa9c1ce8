import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Name of the folder in the data folder that contains one folder per running SQL engine. */
export const ENGINE_FOLDER = 'sql-engine'

/**
 * Removes the folders that ended programs have left behind. The name of a folder begins with the prefix and the id of
 * its program's process.
 */
export function removeStaleFolders(folder: string, prefix = ''): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0
    if (Number.isInteger(pid) && pid > 0 && hasEnded(pid)) removeFolder(join(folder, name))
  }
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // In a shared folder for temporary files, folders of other users cannot be removed.
  }
}

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

const MOST_TEMP_BYTES = 20 * 2 ** 30
const MOST_FREE_SHARE = 0.5

/**
 * Computes how much disk space DuckDB may use to sort or group more than fits into memory: at most `mostBytes`, and at
 * most half of the free space if that is known.
 */
export function tempSpace(folder: string, mostBytes = MOST_TEMP_BYTES): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return Math.min(mostBytes, bavail * bsize * MOST_FREE_SHARE)
  } catch {
    // Some network drives do not report their free space.
    return mostBytes
  }
}
