import { AppError, type ErrorCode } from '#shared/contract/errors.ts'

const meanings: readonly [pattern: RegExp, code: ErrorCode, message: string][] = [
  [/^SQLITE_FULL|^ENOSPC$|^EDQUOT$/, 'disk-full', 'The folder is'],
  [/^SQLITE_(READONLY|CANTOPEN|PERM)|^EACCES$|^EPERM$|^EROFS$/, 'read-only', 'The folder is'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'corrupt-file', 'The index is damaged. Restart Perpscope: it sets it aside. It is in'],
  [/^SQLITE_(BUSY|LOCKED)/, 'busy', 'The folder is'],
  [/^(ENOTDIR|EEXIST)$/, 'read-only', 'There is a file where a folder should be:'],
  [/^EISDIR$/, 'read-only', 'There is a folder where the index should be, in'],
  [/^(ENOENT|ENAMETOOLONG|EINVAL)$/, 'read-only', 'The folder cannot be made:'],
  [/^SQLITE_IOERR/, 'read-only', 'Reading or writing failed; the disk may be gone. The folder is'],
]

const codeOf = (thrown: unknown) =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

/** Gives what SQLite or the file system threw the words a person can act on; anything else passes as it is. */
export function storeError(thrown: unknown, dataDir: string): unknown {
  if (thrown instanceof AppError) return thrown
  const meaning = meanings.find(([pattern]) => pattern.test(codeOf(thrown)))
  return meaning ? new AppError(meaning[1], `${meaning[2]} ${dataDir}`, { cause: thrown }) : thrown
}

export const isDamage = (thrown: unknown) => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(thrown))
