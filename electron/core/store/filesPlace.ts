import { existsSync, lstatSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { copyMissing } from './folderCopy.ts'

/**
 * Returns the paths that the cached files may have. The files are in the data folder, or elsewhere behind a link of the
 * same name, so that every process of this data folder finds them at the same path. To move them, a copy is made, the
 * link to it is created as `files.next`, then two renames switch over (`files` → `files.old`, `files.next` → `files`),
 * and only then are the old files removed.
 */
const places = (dataDir: string) => ({
  files: join(dataDir, 'files'),
  next: join(dataDir, 'files.next'),
  old: join(dataDir, 'files.old'),
})

/** Tells whether a path exists; a symbolic link does even if its target is missing. */
export const pathExists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Finishes a switch that was interrupted between its two renames, or reverts it; called when the program starts. */
export function repairFilesPlace(dataDir: string): void {
  const { files, next, old } = places(dataDir)
  if (pathExists(files)) return
  for (const path of [next, old]) if (pathExists(path)) return renameSync(path, files)
}

/** Switches the cached files to this folder. */
export function switchFilesTo(dataDir: string, folder: string): void {
  const { files, next, old } = places(dataDir)
  rmSync(next, { force: true, recursive: true })
  symlinkSync(folder, next, 'junction')
  renameSync(files, old)
  try {
    renameSync(next, files)
  } catch (thrown) {
    // A process that started at this moment may have finished the switch already.
    if (pathExists(files) && realpathSync(files) === realpathSync(folder)) return
    renameSync(old, files)
    throw thrown
  }
}

/**
 * Removes the old folder after a switch, even if a crash interrupted the switch. Files that were added to the old
 * folder after the copy was made are first copied to the new one.
 */
export async function clearOldFiles(dataDir: string): Promise<void> {
  const { files, old } = places(dataDir)
  // While the disk behind the link is not mounted, the old files stay.
  if (!pathExists(old) || !existsSync(files)) return
  const [from, to] = [await realpath(old).catch(() => null), await realpath(files)]
  if (from !== null && from !== to) {
    await copyMissing(from, to, { signal: new AbortController().signal, onlyAbsent: true })
    await rm(from, { recursive: true, force: true })
  }
  await rm(old, { recursive: true, force: true })
}
