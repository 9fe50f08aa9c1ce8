import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { cutText, safeFileName } from '#shared/units/fileNames.ts'
import { codeOf } from '#shared/units/fileKind.ts'

/** File by which a folder of documents is known; a drive that is not mounted leaves an empty folder without it. */
const MARKER = 'perpscope.json'
const marker = { format: 'perpscope documents', version: 1 }
const TEMPORARY = /^\.perpscope-[0-9a-f]{12}\.tmp$/
/** A file that was being written longer ago than this belongs to a process that is gone. */
const LEFT_OVER_MS = 60_000

/** Explains why the documents of a folder are not available now; null where they are. */
export async function folderProblem(root: string): Promise<string | null> {
  try {
    if (!(await stat(root)).isDirectory()) return `${root} is not a folder.`
  } catch (thrown) {
    return codeOf(thrown) === 'ENOENT'
      ? `There is no folder ${root} now.`
      : `${root} cannot be read (${codeOf(thrown)}).`
  }
  const found = await readMarker(root)
  if (found === 'none') return `${root} no longer holds documents: ${MARKER} is missing.`
  return found === 'newer' ? `${root} was written by a newer Perpscope; update this one first.` : null
}

async function readMarker(root: string): Promise<'none' | 'ok' | 'newer'> {
  const path = join(root, MARKER)
  try {
    if (!(await lstat(path)).isFile()) return 'none'
    const found = JSON.parse(await readFile(path, 'utf8')) as Partial<typeof marker> | null
    if (found?.format !== marker.format) return 'none'
    return typeof found.version === 'number' && found.version > marker.version ? 'newer' : 'ok'
  } catch {
    return 'none'
  }
}

/** Writes the marker file of a documents folder unless it is there. */
export async function markFolder(root: string): Promise<void> {
  if ((await readMarker(root)) === 'none') await writeWhole(join(root, MARKER), `${JSON.stringify(marker, null, 2)}\n`)
}

/** Writes a file beside its place, brings it to the disk and renames it, so that no reader ever sees half of it. */
async function writeWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  const part = join(folder, `.perpscope-${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, path)
  } catch (thrown) {
    await rm(part, { force: true })
    throw thrown
  }
  await syncFolder(folder)
}

/** Brings a rename to the disk, where the system lets folders be opened. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const opened = await open(folder, 'r')
    try {
      await opened.sync()
    } finally {
      await opened.close()
    }
  } catch {
    // Windows and some network drives do not offer it; the file itself is on the disk.
  }
}

/** State of a place that a write may replace: its stamp as `scanFile` makes it; null where nothing is there. */
async function stampOf(path: string): Promise<string | null> {
  try {
    const { size, mtimeNs, ctimeNs, ino } = await lstat(path, { bigint: true })
    return [size, mtimeNs, ctimeNs, ino].join(' ')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  }
}

/**
 * Writes a document over the file that was read under this stamp (null: where nothing was).
 * @returns false, leaving everything, where the file has changed meanwhile
 */
export async function replaceFile(root: string, path: string, text: string, stamp: string | null): Promise<boolean> {
  const whole = join(root, path)
  await mkdir(dirname(whole), { recursive: true })
  if ((await stampOf(whole)) !== stamp) return false
  await writeWhole(whole, text)
  return true
}

/** Removes a file that was read under this stamp. @returns false where it has changed meanwhile */
export async function removeFile(root: string, path: string, stamp: string): Promise<boolean> {
  const whole = join(root, path)
  if ((await stampOf(whole)) !== stamp) return false
  await rm(whole)
  await syncFolder(dirname(whole))
  return true
}

/** Renames a file, unless another one has the new name already. */
export async function moveFile(root: string, from: string, to: string): Promise<boolean> {
  const target = await stampOf(join(root, to))
  // On a disk that does not tell capitals apart, the new name may be the file itself.
  if (target !== null && target !== (await stampOf(join(root, from)))) return false
  await rename(join(root, from), join(root, to))
  return true
}

/** Removes what a process left that ended while it was writing. */
export async function clearLeftOvers(root: string, folders: readonly string[], nowMs: number): Promise<void> {
  for (const folder of ['', ...folders]) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      if (!TEMPORARY.test(name)) continue
      const path = join(root, folder, name)
      const facts = await lstat(path).catch(() => null)
      if (facts?.isFile() && nowMs - facts.mtimeMs > LEFT_OVER_MS) await rm(path, { force: true })
    }
  }
}

/** Longest part of a name that a file keeps, so that its ending always fits. */
const LONGEST_STEM = 60
/** Names are compared like this, because some disks tell neither capitals nor spellings of accents apart. */
const folded = (name: string) => name.normalize('NFC').toLowerCase()

/** Turns the name of a document into the beginning of a file name that every system allows. */
export const fileStem = (name: string): string => safeFileName(cutText(name, LONGEST_STEM), 'untitled')

/** Finds the path of a new file: its document's name, with a number where another file has it. */
export function freePath(folder: string, name: string, suffix: string, taken: readonly string[]): string {
  const all = new Set(taken.map(folded))
  const stem = fileStem(name)
  for (let number = 1; ; number += 1) {
    const path = posix.join(folder, `${stem}${number === 1 ? '' : ` ${number}`}${suffix}`)
    if (!all.has(folded(path))) return path
  }
}
