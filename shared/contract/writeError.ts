/** Turns the system's errors of writing a file into errors that say which file it was and what to do. */
import { codeOf, isDenied, isDiskFull, unwrittenText } from '../units/fileKind.ts'
import { AppError } from './errors.ts'

/** Errors that only writing causes, besides those of a full disk and of missing permissions. */
const writeOnlyCodes = new Set(['EROFS', 'EFBIG', 'ENAMETOOLONG'])

/** Returns the error for a file that could not be written; an error with any other cause is returned unchanged. */
export function writeError(path: string, cause: unknown): unknown {
  const code = codeOf(cause)
  if (isDiskFull(code)) return new AppError('disk-full', `${path} was not written.`, { cause })
  if (!isDenied(code) && !writeOnlyCodes.has(code)) return cause
  return new AppError('unsupported', `${path} ${unwrittenText(code)} Choose another place.`, { cause })
}

/** Writes a file with `write`; if that fails, the error names the file. */
export function attemptWrite<Result>(path: string, write: () => Result): Result {
  try {
    return write()
  } catch (thrown) {
    throw writeError(path, thrown)
  }
}
