import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { AppError } from '#shared/contract/errors.ts'

/** Largest text file that a person writes by hand: a list, a study, a table of instruments. */
const MOST_BYTES = 16 * 2 ** 20

/** Reads a small text file; throws an AppError at once where the path is a pipe, a device or a folder, or the file is too large. */
export function readSmallFile(path: string): string {
  // Without O_NONBLOCK a named pipe would wait for a writer for ever, deaf to every signal. Windows has neither.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const facts = fstatSync(descriptor)
    if (!facts.isFile())
      throw new AppError('bad-input', `${path} is not a file: it may be a folder, a pipe or a device.`)
    if (facts.size > MOST_BYTES) throw new AppError('too-large', `${path} has more than ${MOST_BYTES} bytes.`)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}
