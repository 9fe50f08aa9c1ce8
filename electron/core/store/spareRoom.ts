import { randomFillSync } from 'node:crypto'
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Space that the index needs to be opened and to forget a few files. */
export const SPARE_BYTES = 2 ** 20
const SPARE_NAME = 'spare-room'

/**
 * A file that takes the room which opening the index needs, so that files can still be removed from a cache that has
 * filled its disk.
 */
export interface SpareRoom {
  /** Removes the file, to make room; returns false if there is none. */
  use(): boolean
  /** Writes the file if it is missing and if there is room for it. */
  keep(): void
}

export function createSpareRoom(dataDir: string): SpareRoom {
  const path = join(dataDir, SPARE_NAME)
  const exists = () => statSync(path, { throwIfNoEntry: false }) !== undefined
  return {
    use() {
      if (!exists()) return false
      rmSync(path, { force: true })
      return true
    },
    keep() {
      const part = `${path}.${process.pid}.part`
      try {
        if (exists()) return
        // Random bytes also take their full space on a file system that compresses.
        writeFileSync(part, randomFillSync(Buffer.alloc(SPARE_BYTES)), { mode: 0o600 })
        renameSync(part, path)
      } catch {
        // Without room now, the next start or end tries again.
        rmSync(part, { force: true })
      }
    },
  }
}
