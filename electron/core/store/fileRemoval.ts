import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { storeError } from './storeErrors.ts'

/** Name of the folder that damaged files are moved to; nothing is read from there. */
export const QUARANTINE_FOLDER = 'quarantine'

/** Removes a file, or a folder with all that is in it; one that is gone already is fine. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true, recursive: true }).catch((thrown: unknown) => {
    throw storeError(thrown, path)
  })
}

/** Moves a file of the cache out of it, never over another one. @returns its new path */
export async function setFileAside(path: string, quarantine: string, relativePath: string): Promise<string> {
  try {
    const target = join(quarantine, relativePath)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    let free = target
    for (let number = 2; await exists(free); number++) free = target.replace(/(\.parquet)?$/, `.${number}$1`)
    await rename(path, free).catch(async (thrown: NodeJS.ErrnoException) => {
      // The files may lie on another disk than the data folder.
      if (thrown.code !== 'EXDEV') throw thrown
      await copyFile(path, free)
      await chmod(free, 0o600)
      await rm(path)
    })
    return free
  } catch (thrown) {
    throw storeError(thrown, path)
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
