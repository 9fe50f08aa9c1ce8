import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Folder of the data folder in which each engine has one of its own. */
export const ENGINE_FOLDER = 'sql-engine'

/** Removes the folders that engines of ended programs left behind. */
export function clearFolders(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = Number(name.split('-')[0])
    if (Number.isInteger(pid) && pid > 0 && hasEnded(pid)) rmSync(join(folder, name), { recursive: true, force: true })
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
const MOST_OF_FREE = 0.5

/** Finds what DuckDB may write to a folder while it sorts or groups more than fits into memory: never all that is free. */
export function tempSpace(folder: string, mostBytes = MOST_TEMP_BYTES): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return Math.min(mostBytes, bavail * bsize * MOST_OF_FREE)
  } catch {
    // Some network drives do not say what is free.
    return mostBytes
  }
}
