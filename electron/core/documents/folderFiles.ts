import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, posix, resolve } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { cutText, safeFileName } from '#shared/units/fileNames.ts'
import { codeOf, isDenied, unreadText } from '#shared/units/fileKind.ts'
import { decodeText } from '#shared/units/textEncoding.ts'
import { findFreeName } from '#core/store/documentStore.ts'

/** File that marks a documents folder; the empty mount point of a missing drive does not have it. */
export const MARKER = 'perpscope.json'
const MOST_MARKER_BYTES = 10_000
const markerContent = { format: 'perpscope documents', version: 1 }
const temporaryNamePattern = /^\.perpscope-[0-9a-f]{12}\.tmp$/
/** Age after which an unfinished file counts as left behind by a dead process. */
const LEFT_OVER_MS = 60_000

/** Explains why the documents of a folder are unavailable; null if they are available. */
export async function folderProblem(root: string): Promise<string | null> {
  try {
    if (!(await stat(root)).isDirectory()) return `${root} is not a folder.`
  } catch (thrown) {
    return codeOf(thrown) === 'ENOENT'
      ? `The folder ${root} no longer exists.`
      : `${root} ${unreadText(codeOf(thrown))}`
  }
  const found = await readMarker(root)
  if (found === 'none') return `${root} is no longer a documents folder: ${MARKER} is missing.`
  if (typeof found === 'object') return found.unread
  if (found === 'other') return `${root} is not a documents folder: ${MARKER} in it is not from Perpscope.`
  return found === 'newer' ? `${root} was written by a newer Perpscope; update this one first.` : null
}

/** Reads the state of the marker file; `other` means that it was not written by Perpscope. */
async function readMarker(root: string): Promise<'none' | 'ok' | 'newer' | 'other' | { unread: string }> {
  try {
    const found = JSON.parse(await readDocumentText(join(root, MARKER), MOST_MARKER_BYTES)) as Partial<
      typeof markerContent
    > | null
    if (found?.format !== markerContent.format) return 'other'
    return typeof found.version === 'number' && found.version > markerContent.version ? 'newer' : 'ok'
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT') return 'none'
    return isDenied(code) ? { unread: `${join(root, MARKER)} ${unreadText(code)}` } : 'other'
  }
}

/**
 * Reads a file, without following a link and without waiting for the writer of a pipe. Reading stops soon after
 * `mostBytes` bytes.
 */
export async function readDocumentText(path: string, mostBytes: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
  try {
    const chunks: Buffer[] = []
    for (let total = 0; total <= mostBytes;) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(65_536) })
      if (bytesRead === 0) break
      chunks.push(buffer.subarray(0, bytesRead))
      total += bytesRead
    }
    return decodeText(Buffer.concat(chunks)).replace(/^\uFEFF/, '')
  } finally {
    await file.close()
  }
}

/** Tells whether Git is rebasing the repository that contains a folder. */
export async function isRebasing(root: string): Promise<boolean> {
  const gitFolder = await findGitFolder(root)
  if (gitFolder === null) return false
  const found = await Promise.all(
    ['rebase-merge', join('rebase-apply', 'rebasing')].map((name) =>
      access(join(gitFolder, name)).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}

/** Finds the folder in which Git keeps the state of the repository that contains a folder. */
async function findGitFolder(folder: string): Promise<string | null> {
  const path = join(folder, '.git')
  const facts = await stat(path).catch(() => null)
  if (facts?.isDirectory()) return path
  if (facts?.isFile()) {
    // In a linked worktree and in a submodule, a file names the folder.
    const text = await readDocumentText(path, MOST_MARKER_BYTES).catch(() => '')
    const target = /^gitdir: (.+)$/m.exec(text)?.[1].trimEnd()
    return target === undefined ? null : resolve(folder, target)
  }
  return dirname(folder) === folder ? null : findGitFolder(dirname(folder))
}

/** Writes the marker file of a documents folder if it is missing; never replaces another file of that name. */
export async function markFolder(root: string): Promise<void> {
  const found = await readMarker(root)
  if (typeof found === 'object') throw new AppError('bad-input', found.unread)
  if (found === 'other')
    throw new AppError(
      'conflict',
      `${join(root, MARKER)} exists, but was not written by Perpscope. Rename it, or choose another folder.`,
    )
  if (found === 'none') await writeAtomically(join(root, MARKER), `${JSON.stringify(markerContent, null, 2)}\n`)
}

/** Writes a temporary file, syncs it and renames it, so that no reader ever sees half of it. */
async function writeAtomically(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  const temporaryPath = join(folder, `.perpscope-${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(temporaryPath, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporaryPath, path)
  } catch (thrown) {
    await rm(temporaryPath, { force: true })
    throw thrown
  }
  await syncFolder(folder)
}

/** Syncs a folder so that a rename is durable, if the system can open folders. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const opened = await open(folder, 'r')
    try {
      await opened.sync()
    } finally {
      await opened.close()
    }
  } catch {
    // Windows and some network drives do not support this; the file itself is on the disk.
  }
}

/** Returns the stamp of a file, in the same form as `scanFile`; null if there is no file. */
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
 * Writes a file, unless another program has changed it since its stamp was read.
 * @param stamp stamp of the file to replace; null if there was no file
 * @returns false, changing nothing, if the stamp has changed
 */
export async function replaceFile(root: string, path: string, text: string, stamp: string | null): Promise<boolean> {
  const fullPath = join(root, path)
  await mkdir(dirname(fullPath), { recursive: true })
  if ((await stampOf(fullPath)) !== stamp) return false
  await writeAtomically(fullPath, text)
  return true
}

/**
 * Removes a file, unless another program has changed it since its stamp was read.
 * @returns false, changing nothing, if the stamp has changed
 */
export async function removeDocumentFile(root: string, path: string, stamp: string): Promise<boolean> {
  const fullPath = join(root, path)
  if ((await stampOf(fullPath)) !== stamp) return false
  await rm(fullPath)
  await syncFolder(dirname(fullPath))
  return true
}

/** Renames a file; returns false if the new name is taken. */
export async function moveFile(root: string, from: string, to: string): Promise<boolean> {
  const target = await stampOf(join(root, to))
  // On a case-insensitive disk, the new name may refer to the file itself.
  if (target !== null && target !== (await stampOf(join(root, from)))) return false
  await rename(join(root, from), join(root, to))
  return true
}

/** Removes the temporary files of processes that died while writing. */
export async function clearLeftOvers(root: string, folders: readonly string[], nowMs: number): Promise<void> {
  for (const folder of ['', ...folders]) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      if (!temporaryNamePattern.test(name)) continue
      const path = join(root, folder, name)
      const facts = await lstat(path).catch(() => null)
      if (facts?.isFile() && nowMs - facts.mtimeMs > LEFT_OVER_MS) await rm(path, { force: true })
    }
  }
}

/** Maximum number of characters of a document name that go into a file name, so that the ending always fits. */
const LONGEST_STEM = 60
/** Normal form in which names are compared, because some disks ignore case and the encoding of accents. */
const foldName = (name: string) => name.normalize('NFC').toLowerCase()

/** Turns a document name into the beginning of a file name that is valid on every system. */
export const fileStem = (name: string): string => safeFileName(cutText(name, LONGEST_STEM), 'untitled')

/** Finds the path of a new file: the document's name, followed by a number if that path is taken. */
export function freePath(folder: string, name: string, suffix: string, taken: readonly string[]): string {
  const takenPaths = new Set(taken.map(foldName))
  const pathOf = (stem: string) => posix.join(folder, stem + suffix)
  return pathOf(findFreeName(fileStem(name), (stem) => takenPaths.has(foldName(pathOf(stem)))))
}
