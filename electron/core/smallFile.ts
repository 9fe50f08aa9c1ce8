import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { AppError } from '#shared/contract/errors.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { codeOf, notFileText, unopenedText } from '#shared/units/fileKind.ts'

/** Largest text file that a user would write by hand: a list, a study, a table of instruments. */
const MOST_BYTES = 16 * 2 ** 20
const CHUNK_BYTES = 2 ** 20

/**
 * Reads a text file of limited size. Throws an AppError with an explanation, without waiting, if the path is a pipe, a
 * device or a folder, or if the file is too large.
 */
export const readSmallFile = (path: string, mostBytes = MOST_BYTES): string =>
  readSmallBytes(path, mostBytes).toString('utf8')

/** Reads a file of limited size as bytes; throws like `readSmallFile`. */
export function readSmallBytes(path: string, mostBytes: number): Buffer {
  const descriptor = openFile(path)
  try {
    const facts = fstatSync(descriptor)
    const problem = notFileText(path, facts)
    if (problem) throw new AppError('bad-input', problem)
    if (facts.size > mostBytes) throw tooLargeError(path, mostBytes)
    return readAll(descriptor, path, mostBytes)
  } finally {
    closeSync(descriptor)
  }
}

/** Explains why a path cannot be read as a regular file; null if it can. */
export function fileProblem(path: string): string | null {
  try {
    return notFileText(path, statSync(path))
  } catch (thrown) {
    return unopenedText(path, codeOf(thrown))
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function openFile(path: string): number {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait forever for a writer, and no signal could end it. Windows has
    // no such pipes and no such flag.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (cause) {
    const code = codeOf(cause)
    throw new AppError(code === 'ENOENT' ? 'not-found' : 'bad-input', fileProblem(path) ?? unopenedText(path, code), {
      cause,
    })
  }
}

/**
 * Reads until the file ends or exceeds the limit, because system files (`/proc`) report a size of 0, and some never
 * end.
 */
function readAll(descriptor: number, path: string, mostBytes: number): Buffer {
  const chunks: Buffer[] = []
  for (let total = 0; ;) {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const count = readChunk(descriptor, path, chunk)
    if (count === 0) return Buffer.concat(chunks, total)
    chunks.push(chunk.subarray(0, count))
    total += count
    if (total > mostBytes) throw tooLargeError(path, mostBytes)
  }
}

function readChunk(descriptor: number, path: string, chunk: Buffer): number {
  try {
    return readSync(descriptor, chunk)
  } catch (cause) {
    throw new AppError('bad-input', unopenedText(path, codeOf(cause)), { cause })
  }
}

const tooLargeError = (path: string, mostBytes: number) =>
  new AppError('too-large', `${path} is larger than ${formatBytes(mostBytes)}, the limit for such a file.`)
