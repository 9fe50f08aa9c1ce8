import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Creates a folder and those above it, for this account only. Node's own recursion never ends below `/proc`, where nothing can be
 * created, so a folder that a user names is made by this function.
 */
export function makeFolders(folder: string): void {
  if (isFolder(folder)) return
  const above = dirname(folder)
  if (above !== folder) makeFolders(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (thrown) {
    // Another process may have created it in between.
    if (!isFolder(folder)) throw thrown
  }
}
