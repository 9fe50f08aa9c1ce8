import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Creates a folder and its parents, accessible to this account only. Node's recursive mkdir is not used for folders
 * that a user names, because below `/proc`, where nothing can be created, it never returns.
 */
export function makeFolders(folder: string): void {
  if (isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolders(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (thrown) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw thrown
  }
}
