import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A name for a received file that is safe on every system: the person's own words, less what a path could be made of. */
function safeName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\p{Cc}<>:"/\\|?*]/gu, '_')
    .replace(/^\.+|[. ]+$/g, '')
    .slice(-150)
  return plain || 'file'
}

/** Takes in one file that the page sends, whole or not at all. @returns its path */
export async function receiveUpload(request: IncomingMessage, incomingDir: string, name: string): Promise<string> {
  const folder = join(incomingDir, randomUUID())
  await mkdir(folder, { recursive: true })
  const path = join(folder, safeName(name))
  try {
    await pipeline(request, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return path
}
