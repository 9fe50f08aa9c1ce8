import { failureText } from './text/messages.ts'
import { accessSync, constants, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { resolveLinks } from '#core/resolveLinks.ts'
import { notFileText } from '#shared/units/fileKind.ts'
import { Failure } from './failure.ts'

/** Checks, before the work starts, that the output file can be written. */
export function checkTargetFile(path: string): void {
  checkFolder('--out', dirname(path))
  checkNewFile(path, dirname(path))
}

/** Checks an output file whose missing parent folders will be created. */
export function checkTargetWithFolders(path: string): void {
  let folder = dirname(path)
  while (!foundAt(folder) && dirname(folder) !== folder) folder = dirname(folder)
  checkFolder('--out', folder)
  checkNewFile(path, folder)
}

function checkNewFile(path: string, folder: string): void {
  const found = foundAt(path)
  if (found?.isDirectory()) throw new Failure(failureText.outIsFolder(path))
  // A device or a pipe is refused, because a regular file would replace it for every program on the machine.
  const problem = found && notFileText(path, found)
  if (problem) throw new Failure(problem)
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new Failure(failureText.folderNotWritable(folder))
  }
}

/** Writes a file, which appears only when it is complete. */
export function writeAtomically(path: string, content: string): void {
  const target = resolveLinks(path)
  const part = `${target}.${process.pid}.part`
  try {
    writeFileSync(part, content, { mode: 0o600, flush: true })
    renameSync(part, target)
  } catch (thrown) {
    rmSync(part, { force: true })
    throw thrown
  }
}

/** Checks that a folder exists. */
export function checkFolder(option: string, folder: string): void {
  const found = foundAt(folder)
  if (!found) throw new Failure(failureText.noSuchFolder(option, folder))
  if (!found.isDirectory()) throw new Failure(failureText.notFolder(option, folder))
}

/** Returns the file or folder at a path; undefined if there is none, or if the path leads through a file. */
function foundAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
