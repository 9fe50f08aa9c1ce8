import { failureText, usageText } from './text/messages.ts'
import { accessSync, closeSync, constants, fsyncSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { openPart } from '#core/partFile.ts'
import { resolveLinks } from '#core/resolveLinks.ts'
import { writeError } from '#shared/contract/writeError.ts'
import { notFileText } from '#shared/units/fileKind.ts'
import { Failure } from './failure.ts'
import { UsageError } from './usageError.ts'

/**
 * Checks, before the work starts, that the output file can be written.
 * @param given option or argument that names the file
 */
export function checkTargetFile(path: string, given = '--out'): void {
  checkFolder(given, dirname(path))
  checkNewFile(path, dirname(path), given)
}

/** Formats by the ending of a file's name. */
const formatByEnding = {
  '.arrow': 'arrow',
  '.csv': 'csv',
  '.feather': 'arrow',
  '.json': 'json',
  '.md': 'markdown',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.parquet': 'parquet',
} as const

/** Returns the format that the ending of a file's name stands for; undefined if it stands for none. */
export const formatOfName = (path: string): (typeof formatByEnding)[keyof typeof formatByEnding] | undefined =>
  new Map(Object.entries(formatByEnding)).get(extname(path).toLowerCase())

/** Refuses an output whose name stands for another format than the one that was asked for. */
export function checkFormatOfName(path: string, format: string): void {
  const named = formatOfName(path)
  if (named !== undefined && named !== format) throw new UsageError(usageText.outClash(path, named, format))
}

/** Checks an output file whose missing parent folders will be created. */
export function checkTargetWithFolders(path: string): void {
  checkNewFile(path, existingFolderOf(dirname(path)), '--out')
}

/** Checks an output folder that will be created if it does not exist. */
export function checkTargetFolder(path: string): void {
  checkWritable(existingFolderOf(path))
}

/** Returns the folder, or its closest parent that exists; throws a Failure if that is not a folder. */
function existingFolderOf(path: string): string {
  let folder = path
  while (!statsOf(folder) && dirname(folder) !== folder) folder = dirname(folder)
  checkFolder('--out', folder)
  return folder
}

function checkNewFile(path: string, folder: string, given: string): void {
  const stats = statsOf(path)
  if (stats?.isDirectory()) throw new Failure(failureText.outIsFolder(given, path))
  // A device or a pipe is refused, because a regular file would replace it for every program on the machine.
  const problem = stats && notFileText(path, stats)
  if (problem) throw new Failure(problem)
  checkWritable(folder)
}

function checkWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new Failure(failureText.folderNotWritable(folder))
  }
}

/**
 * Writes a file, which appears only when it is complete and on the disk.
 * @param mode permissions, if not those of the user's umask
 */
export function writeAtomically(path: string, content: string | Uint8Array, mode?: number): void {
  const target = resolveLinks(path)
  try {
    const part = openPart(target, mode)
    try {
      try {
        writeFileSync(part.descriptor, content)
        fsyncSync(part.descriptor)
      } finally {
        closeSync(part.descriptor)
      }
      renameSync(part.path, target)
    } finally {
      rmSync(part.path, { force: true })
    }
  } catch (thrown) {
    throw writeError(path, thrown)
  }
}

/** Checks that the folder named by an option or argument exists. */
export function checkFolder(given: string, folder: string): void {
  const stats = statsOf(folder)
  if (!stats) throw new Failure(failureText.noSuchFolder(given, folder))
  if (!stats.isDirectory()) throw new Failure(failureText.notFolder(given, folder))
}

/**
 * Returns the facts about the file or folder at a path; undefined if there is none, or if the path leads through a
 * file.
 */
function statsOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
