import { statfsSync } from 'node:fs'
import { AppError, type ErrorCode } from '#shared/contract/errors.ts'

const meanings: readonly [pattern: RegExp, code: ErrorCode, message: string][] = [
  [/^SQLITE_FULL|^ENOSPC$|^EDQUOT$/, 'disk-full', 'The folder is'],
  [/^SQLITE_(READONLY|CANTOPEN|PERM)|^EACCES$|^EPERM$|^EROFS$/, 'read-only', 'The folder is'],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    'corrupt-file',
    'The index is damaged. Restart Perpscope to set it aside and make a new one. It is in',
  ],
  [/^SQLITE_(BUSY|LOCKED)/, 'busy', 'The folder is'],
  [/^(ENOTDIR|EEXIST)$/, 'read-only', 'There is a file where a folder should be:'],
  [/^EISDIR$/, 'read-only', 'There is a folder where a file should be:'],
  [/^(ENOENT|ENAMETOOLONG|EINVAL)$/, 'read-only', 'The folder cannot be created:'],
  [/^SQLITE_IOERR/, 'read-only', 'Reading or writing failed; the disk may be disconnected. The folder is'],
]

const codeOf = (thrown: unknown) =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

/** Turns an error from SQLite or the file system into one that a user can act on; any other error stays unchanged. */
export function storeError(thrown: unknown, dataDir: string): unknown {
  if (thrown instanceof AppError) return thrown
  const code = codeOf(thrown)
  // SQLite reports a full disk as an I/O error if it happens on a memory-mapped file.
  const isFull = code.startsWith('SQLITE_IOERR') && isDiskFull(dataDir)
  const meaning = meanings.find(([pattern]) => pattern.test(isFull ? 'ENOSPC' : code))
  if (!meaning) return thrown
  const path = code === 'EISDIR' && thrown instanceof Error && 'path' in thrown ? String(thrown.path) : dataDir
  return new AppError(meaning[1], `${meaning[2]} ${path}`, { cause: thrown })
}

/** Free space below which not even one page of a database can be written. */
const LEAST_FREE_BYTES = 64 * 1024

function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize < LEAST_FREE_BYTES
  } catch {
    return false
  }
}

export const isDamage = (thrown: unknown) => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(thrown))
