import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '#shared/contract/errors.ts'

/** Writes beside the target and renames at the end: the file is there whole or not at all. */
export async function saveFile(path: string, source: Readable): Promise<void> {
  const part = `${path}.${randomUUID()}.part`
  try {
    const file = await open(part, 'wx')
    try {
      await file.writeFile(source)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, path)
  } catch (cause) {
    source.destroy()
    await rm(part, { force: true })
    throw asAppError(cause, basename(path))
  }
}

function asAppError(cause: unknown, name: string): unknown {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  if (code === 'ENOSPC') return new AppError('disk-full', null, { cause })
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new AppError('unsupported', `“${name}” may not be written there; choose another folder.`, { cause })
  return cause
}
