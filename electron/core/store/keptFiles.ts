import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Maximum total size of the kept files that are no longer in the cache; beyond it, the files that were superseded
 * earliest are removed.
 */
const MOST_KEPT_BYTES = 2e9

/**
 * Content of cached files that a report, the ledger or a pin refers to, kept even when a newer version replaces the
 * file.
 */
export interface KeptFiles {
  /** Keeps the content of files; takes no disk space until the files change. */
  keep(files: readonly { path: string; sha256: string }[]): void
  /** Keeps what else is needed to read a kept file, under the hash of its content. */
  keepNote(sha256: string, note: string): void
  /** Returns what `keepNote` kept; null if there is none. */
  noteOf(sha256: string): string | null
  /** Returns the path of kept content, without checking that it exists or is intact. */
  pathOf(sha256: string): string
}

export function createKeptFiles(dataDir: string, mostBytes = MOST_KEPT_BYTES): KeptFiles {
  const folder = join(dataDir, 'record', 'kept')
  const pathOf = (sha256: string) => join(folder, sha256)
  const notePath = (sha256: string) => `${pathOf(sha256)}.note`
  return {
    keep(files) {
      try {
        if (files.length > 0) mkdirSync(folder, { recursive: true, mode: 0o700 })
        for (const { path, sha256 } of files) linkFile(path, pathOf(sha256))
        removeOldest(folder, mostBytes)
      } catch {
        // Reports and ledger entries work without the content, which only a replay after a change needs.
      }
    },
    keepNote(sha256, note) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(notePath(sha256), note, { mode: 0o600 })
      } catch {
        // As with the content itself.
      }
    },
    noteOf: (sha256) => (existsSync(notePath(sha256)) ? readFileSync(notePath(sha256), 'utf8') : null),
    pathOf,
  }
}

/**
 * Hard-links a file under its hash, so that its content survives when a newer version replaces the file; on file
 * systems without hard links nothing is kept.
 */
function linkFile(path: string, target: string): void {
  try {
    if (!existsSync(target)) linkSync(path, target)
  } catch {
    // Other files of the list may still be linked.
  }
}

/**
 * Removes kept files, beginning with the earliest superseded, until the rest are within the limit. Files that are
 * still in the cache do not count, because they take no extra space.
 */
function removeOldest(folder: string, mostBytes: number): void {
  if (!existsSync(folder)) return
  const supersededFiles = readdirSync(folder).flatMap((name) => {
    const facts = statSync(join(folder, name), { throwIfNoEntry: false })
    return facts?.nlink === 1 ? [{ path: join(folder, name), bytes: facts.size, sinceMs: facts.ctimeMs }] : []
  })
  let totalBytes = supersededFiles.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { path, bytes } of supersededFiles.sort((a, b) => a.sinceMs - b.sinceMs)) {
    if (totalBytes <= mostBytes) return
    rmSync(path, { force: true })
    totalBytes -= bytes
  }
}
