import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { SaveFile } from '#core/ports.ts'

/** Writes to `path`, or under the file's own name into the current folder; the name appears only when it is complete. */
export function saveTo(path: string | undefined): SaveFile {
  return async (file, open) => {
    const target = resolve(path ?? basename(file.name))
    const part = `${target}.part`
    try {
      await pipeline(open(), createWriteStream(part, { flush: true }))
      await rename(part, target)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
    return { name: basename(target), path: target }
  }
}
