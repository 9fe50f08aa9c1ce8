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
