import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from './failure.ts'

/** Says before the work begins where its file could not be written at the end. */
export function checkTargetFile(path: string): void {
  checkFolder('--out', dirname(path))
  checkNewFile(path, dirname(path))
}

/** The same of a file whose folders are made where they are missing. */
export function checkTargetWithFolders(path: string): void {
  let folder = dirname(path)
  while (!foundAt(folder) && dirname(folder) !== folder) folder = dirname(folder)
  checkFolder('--out', folder)
  checkNewFile(path, folder)
}

function checkNewFile(path: string, folder: string): void {
  if (foundAt(path)?.isDirectory()) throw new Failure(`--out must be a file; ${path} is a folder. Add a name to it.`)
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new Failure(`The folder ${folder} cannot be written. Choose another with --out, or change its permissions.`)
  }
}

/** A folder that has to be there. */
export function checkFolder(option: string, folder: string): void {
  const found = foundAt(folder)
  if (!found) throw new Failure(`${option}: there is no folder ${folder}. Correct the path, or make the folder first.`)
  if (!found.isDirectory()) throw new Failure(`${option}: ${folder} is not a folder.`)
}

/** A path that leads through a file leads nowhere. */
function foundAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
