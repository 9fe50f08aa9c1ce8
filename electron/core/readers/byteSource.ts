import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { AppError } from '#shared/contract/errors.ts'

/** A byte source reads the bytes of a file. Close it after use. */
export interface ByteSource {
  sizeBytes: number
  changedAtMs: number
  /** Fills the target with the bytes at the offset. @returns whether there were so many */
  read(target: Uint8Array, offset: number): boolean
  /** All of it in order, where it is in memory already. */
  pieces?: readonly Uint8Array[]
  close(): void
}

export function diskSource(path: string): ByteSource {
  const descriptor = opened(path)
  const close = () => closeSync(descriptor)
  try {
    const { size, mtimeMs } = fstatSync(descriptor)
    return {
      sizeBytes: size,
      changedAtMs: mtimeMs,
      read(target, offset) {
        for (let done = 0; done < target.length;) {
          const count = readSync(descriptor, target, done, target.length - done, offset + done)
          if (count === 0) return false
          done += count
        }
        return true
      },
      close,
    }
  } catch (thrown) {
    close()
    throw thrown
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown cause'
    throw new AppError('not-found', `${path} cannot be opened (${code}).`, { cause: error })
  }
}

/** A file that is in memory, in the pieces it came in. */
export function memorySource(pieces: readonly Uint8Array[]): ByteSource {
  return {
    sizeBytes: pieces.reduce((sum, { byteLength }) => sum + byteLength, 0),
    changedAtMs: 0,
    pieces,
    read(target, offset) {
      let start = 0
      let done = 0
      for (const piece of pieces) {
        const end = start + piece.byteLength
        const from = offset + done
        if (from < end && done < target.length) {
          const part = piece.subarray(from - start, Math.min(piece.byteLength, offset + target.length - start))
          target.set(part, done)
          done += part.byteLength
        }
        start = end
      }
      return done === target.length
    },
    close() {},
  }
}
