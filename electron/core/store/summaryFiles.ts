import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Puts a summary in its place, whole or not at all. It can be made again from its file at any time: nothing waits for the
 * disk, and what goes wrong (a full disk) only costs speed.
 * @returns whether it is there now
 */
export function keepSummary(path: string, bytes: Uint8Array): boolean {
  const part = `${path}.${process.pid}.part`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(part, bytes)
    renameSync(part, path)
    return true
  } catch {
    return false
  }
}
