import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateFile } from './createPrivateFile.ts'
import { makeFolders } from './makeFolders.ts'

const INDEX = 'perpscope.sqlite'
const suffixes = ['', '-wal', '-shm']

/** Paths in the data folder that concern the index. Everything is created for the user only (0700, 0600). */
export interface DataFolder {
  dataDir: string
  indexPath: string
  /** Tells whether a damaged index was noticed at run time; the next start then checks it before use. */
  isSuspect(): boolean
  markSuspect(): void
  clearSuspect(): void
  /** Returns an identity that differs between two files at the same path. */
  indexIdentity(): string | null
  indexBytes(): number
  /**
   * Renames the index to a name with the time.
   * @returns its new path
   */
  setAside(nowMs: number): string
}

export function openDataFolder(dataDir: string): DataFolder {
  makeFolders(dataDir)
  const indexPath = join(dataDir, INDEX)
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
      for (const suffix of suffixes) {
        if (facts(`${indexPath}${suffix}`)) renameSync(`${indexPath}${suffix}`, `${asidePath}${suffix}`)
      }
      return asidePath
    },
  }
}
