import { randomFillSync } from 'node:crypto'
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateFile } from './createPrivateFile.ts'
import { makeFolders } from './makeFolders.ts'

const INDEX_NAME = 'perpscope.sqlite'
const sqliteSuffixes = ['', '-wal', '-shm']

/** The data folder as far as it concerns the index. Everything is created for the user's account only (0700, 0600). */
export interface DataFolder {
  dataDir: string
  indexPath: string
  /** Tells whether a damaged index was noticed at run time; the next start then checks it before use. */
  isSuspect(): boolean
  markSuspect(): void
  clearSuspect(): void
  /** Returns the device and inode of the index, which change if another file takes its place; null if it is gone. */
  indexIdentity(): string | null
  indexBytes(): number
  /**
   * Renames the damaged index to a name that contains the time.
   * @returns its new path
   */
  setAside(nowMs: number): string
}

export function openDataFolder(dataDir: string): DataFolder {
  makeFolders(dataDir)
  const indexPath = join(dataDir, INDEX_NAME)
  const suspectPath = `${indexPath}.suspect`
  const facts = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })
  createPrivateFile(indexPath)

  return {
    dataDir,
    indexPath,
    isSuspect: () => facts(suspectPath) !== undefined,
    markSuspect() {
      try {
        writeFileSync(suspectPath, '', { mode: 0o600 })
      } catch {
        // Without disk space for the mark, the damage is noticed again at the next start or query.
      }
    },
    clearSuspect: () => rmSync(suspectPath, { force: true }),
    indexIdentity() {
      const found = facts(indexPath)
      return found ? `${found.dev}:${found.ino}` : null
    },
    indexBytes: () => Number(facts(indexPath)?.size ?? 0n),
    setAside(nowMs) {
      const stamp = new Date(nowMs).toISOString().replaceAll(':', '-')
      const asidePath = `${indexPath}.damaged-${stamp}`
      for (const suffix of sqliteSuffixes) {
        if (facts(`${indexPath}${suffix}`)) renameSync(`${indexPath}${suffix}`, `${asidePath}${suffix}`)
      }
      return asidePath
    },
  }
}

/** Space that the index needs to be opened and to forget a few files. */
const SPARE_BYTES = 2 ** 20
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
