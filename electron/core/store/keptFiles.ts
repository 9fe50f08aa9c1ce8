import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Most bytes of files that nothing but a reference holds; above it the ones that were superseded first are removed. */
const MOST_KEPT_BYTES = 2e9

/** Content of cached files that a report, the ledger or a pin refers to; it outlives a newer version of the file. */
export interface KeptFiles {
  /** Keeps the bytes of files; costs no room while the files stay as they are. */
  keep(files: readonly { path: string; sha256: string }[]): void
  /** Returns the place of content that was kept; without checking that it is there or intact. */
  pathOf(sha256: string): string
}

export function createKeptFiles(dataDir: string, mostBytes = MOST_KEPT_BYTES): KeptFiles {
  const folder = join(dataDir, 'record', 'kept')
  const pathOf = (sha256: string) => join(folder, sha256)
  return {
    keep(files) {
      try {
        if (files.length > 0) mkdirSync(folder, { recursive: true, mode: 0o700 })
        for (const { path, sha256 } of files) linkFile(path, pathOf(sha256))
        removeOldest(folder, mostBytes)
      } catch {
        // A report or an entry of the ledger is complete without the bytes; only a replay after a change misses them.
      }
    },
    pathOf,
  }
}

/** Links a file under its hash, so that its bytes outlive a newer version; file systems without links keep nothing. */
function linkFile(path: string, target: string): void {
  try {
    if (!existsSync(target)) linkSync(path, target)
  } catch {
    // Another file of the list may still be linked.
  }
}

/** Removes the kept files that were superseded first, above the limit. One that still is in the cache takes no room here. */
function removeOldest(folder: string, mostBytes: number): void {
  if (!existsSync(folder)) return
  const superseded = readdirSync(folder).flatMap((name) => {
    const facts = statSync(join(folder, name), { throwIfNoEntry: false })
    return facts?.nlink === 1 ? [{ path: join(folder, name), bytes: facts.size, sinceMs: facts.ctimeMs }] : []
  })
  let total = superseded.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { path, bytes } of superseded.sort((a, b) => a.sinceMs - b.sinceMs)) {
    if (total <= mostBytes) return
    rmSync(path, { force: true })
    total -= bytes
  }
}
