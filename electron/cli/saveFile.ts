import { AppError } from '#shared/contract/errors.ts'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SaveFile, WindowHost } from '#core/ports.ts'

/** Writes to `path`, or under the file's own name into the current folder; the name appears only when it is complete. */
export function saveTo(path: string | undefined): SaveFile {
  return async ({ name, beside }, open) => {
    const target = resolve(path ?? basename(name))
    await write(target, open())
    if (beside) await write(target + beside.suffix, beside.open())
    return { name: basename(target), path: target }
  }
}

async function write(target: string, source: Readable): Promise<void> {
  const part = `${target}.part`
  try {
    await pipeline(source, createWriteStream(part, { flush: true }))
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** The same for a folder; one that has something in it already is left alone. */
export function saveFolderTo(path: string | undefined): NonNullable<WindowHost['saveFolder']> {
  return async (name, fill) => {
    const target = resolve(path ?? basename(name))
    const inside = await readdir(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw new AppError(
        'conflict',
        `${target} is not a folder that can be written (${error.code ?? 'unknown cause'}).`,
      )
    })
    if (inside && inside.length > 0) throw new AppError('conflict', `${target} has something in it already.`)
    const part = `${target}.part`
    try {
      await rm(part, { recursive: true, force: true })
      await mkdir(part, { recursive: true })
      await fill(part)
      if (inside) await rmdir(target)
      await rename(part, target)
    } catch (error) {
      await rm(part, { recursive: true, force: true })
      throw error
    }
    return { name: basename(target), path: target }
  }
}
