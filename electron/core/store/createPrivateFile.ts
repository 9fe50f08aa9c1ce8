import { chmodSync, closeSync, openSync } from 'node:fs'

/**
 * Creates an empty file that only the user's account may read and write, unless the file exists. An existing database
 * is not opened, because closing any handle of it drops the locks that SQLite holds for this process, and another
 * program with an SQLite before 3.51 may then remove the write-ahead log.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown
  }
  try {
    chmodSync(path, 0o600)
  } catch {
    // A file that belongs to another account can be used without changing its permissions.
  }
}
