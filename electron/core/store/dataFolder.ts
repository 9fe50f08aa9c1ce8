import { chmodSync, closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from './makeFolders.ts'

const INDEX = 'perpscope.sqlite'
const besides = ['', '-wal', '-shm']

/** The places in the data folder that concern the index. Everything here is the user's alone (0700, 0600). */
export interface DataFolder {
  dataDir: string
  indexPath: string
  /** Tells whether a damaged index was noticed while running; the next start checks such an index before it uses it. */
  isSuspect(): boolean
  markSuspect(): void
  clearSuspect(): void
  /** Tells two files at the same path apart. */
  indexIdentity(): string | null
  indexBytes(): number
  /** Moves the index out of the way, under a name that says when. @returns its new path */
  setAside(nowMs: number): string
}

export function openDataFolder(dataDir: string): DataFolder {
  makeFolders(dataDir)
  const indexPath = join(dataDir, INDEX)
  const suspectPath = `${indexPath}.suspect`
  const facts = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })
  closeSync(openSync(indexPath, 'a', 0o600))
  try {
    chmodSync(indexPath, 0o600)
  } catch {
    // Another account's file that we may use but not change: its owner decides who reads it.
  }

  return {
    dataDir,
    indexPath,
    isSuspect: () => facts(suspectPath) !== undefined,
    markSuspect() {
      try {
        writeFileSync(suspectPath, '', { mode: 0o600 })
      } catch {
        // Without room for the mark, the next start notices the damage by itself or at the next query.
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
      for (const suffix of besides) {
        if (facts(`${indexPath}${suffix}`)) renameSync(`${indexPath}${suffix}`, `${asidePath}${suffix}`)
      }
      return asidePath
    },
  }
}
