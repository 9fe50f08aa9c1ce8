import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { safeFileName } from '#shared/units/fileNames.ts'

/**
 * Receives one file from the page, completely or not at all.
 * @returns its path
 */
export async function receiveUpload(request: IncomingMessage, incomingDir: string, name: string): Promise<string> {
  const folder = join(incomingDir, randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Folders created by older versions have the permissions of the umask.
  await chmod(incomingDir, 0o700)
  const path = join(folder, safeFileName(name))
  try {
    await pipeline(request, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return path
}
