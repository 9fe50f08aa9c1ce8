import type { BigIntStats, Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { codeOf, specialKind, unreadText } from '#shared/units/fileKind.ts'
import type { FolderKind } from './documentKinds.ts'
import { readDocumentText } from './folderFiles.ts'

/** A file of one kind in the documents folder. */
export interface ScannedFile {
  /** Path relative to the documents folder, with forward slashes. */
  path: string
  /** Size, times and inode, which change when the file is rewritten; empty if the file cannot be read. */
  stamp: string
  /** Text of the file, or its problem as a clause that follows the path. */
  content: { text: string } | { problem: string }
  /** True if the file may not be completely written yet. */
  isFresh: boolean
}

export interface ScannedKind {
  files: ScannedFile[]
  /** Sentence on why files of this kind may be missing from the list; null if the list is complete. */
  blocked: string | null
  /** Folders that were searched for files of this kind, to be watched. */
  folders: string[]
}

/** Maximum depth of the folders that are searched; the folder of the kind has depth 1. */
const MOST_LEVELS = 4
const MOST_FILES = 5000
/** Maximum number of folders; they are watched, and systems limit how many a program may watch. */
const MOST_FOLDERS = 1000
/** Maximum number of characters in all files of one kind, whose texts stay in memory. */
const MOST_CHARACTERS = 200_000_000
/**
 * A file whose last change is more recent than this is read again even if its stamp is the same, because times on
 * network drives are coarse.
 */
const COARSE_TIME_MS = 3000

/** Creates a scanner of the documents folder that caches the texts of unchanged files. */
export function createFolderScan(nowMs: () => number, settleMs: number, mostCharacters = MOST_CHARACTERS) {
  const scannedByPath = new Map<string, ScannedFile & { readAtMs: number; seenAtMs: number }>()
  /** Texts that this process has written itself. */
  const ownTextByPath = new Map<string, string>()

  async function scanFile(root: string, path: string, mostBytes: number): Promise<ScannedFile> {
    const fullPath = join(root, path)
    const unreadable = (problem: string): ScannedFile => ({ path, stamp: '', content: { problem }, isFresh: false })
    let facts: BigIntStats
    try {
      facts = await lstat(fullPath, { bigint: true })
    } catch (thrown) {
      return unreadable(unreadText(codeOf(thrown)))
    }
    if (facts.isSymbolicLink())
      return unreadable('is a symbolic link, which is not followed: put the file itself here.')
    const special = specialKind(facts)
    if (special) return unreadable(`is ${special}, not a file.`)
    if (facts.size > BigInt(mostBytes)) return unreadable(`has more than ${mostBytes} bytes.`)
    const stamp = [facts.size, facts.mtimeNs, facts.ctimeNs, facts.ino].join(' ')
    const now = nowMs()
    const earlier = scannedByPath.get(fullPath)
    const ageMs = now - Number(facts.mtimeMs)
    const isOld = ageMs > COARSE_TIME_MS
    if (earlier?.stamp === stamp && (isOld || earlier.readAtMs - Number(facts.mtimeMs) > COARSE_TIME_MS)) {
      return { ...earlier, isFresh: earlier.isFresh && now - earlier.seenAtMs < settleMs && !isOld }
    }
    let content: ScannedFile['content']
    try {
      const text = await readDocumentText(fullPath, mostBytes)
      // An equal text keeps its old object, because caches use the object as their key.
      content = earlier && 'text' in earlier.content && earlier.content.text === text ? earlier.content : { text }
    } catch (thrown) {
      return unreadable(unreadText(codeOf(thrown)))
    }
    // A file that this process has just written is complete.
    if ('text' in content && ownTextByPath.get(fullPath) === content.text) {
      const scanned = { path, stamp, content, isFresh: false, readAtMs: now, seenAtMs: now }
      scannedByPath.set(fullPath, scanned)
      return scanned
    }
    const seenAtMs = earlier?.stamp === stamp ? earlier.seenAtMs : now
    const isFresh = !isOld && now - seenAtMs < settleMs
    const scanned = { path, stamp, content, isFresh, readAtMs: now, seenAtMs }
    scannedByPath.set(fullPath, scanned)
    return scanned
  }

  /** Reads the files of one kind; never rejects. */
  async function scanKind(root: string, { folder, suffix, mostBytes }: FolderKind): Promise<ScannedKind> {
    const found: ScannedKind = { files: [], blocked: null, folders: [] }
    try {
      if ((await lstat(join(root, folder))).isSymbolicLink()) {
        return { ...found, blocked: `${folder} is a symbolic link, which is not followed.` }
      }
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return found
      return { ...found, blocked: `${folder} ${unreadText(codeOf(thrown))}` }
    }
    const toScan = [folder]
    let totalCharacters = 0
    for (const subfolder of toScan) {
      if (found.folders.length >= MOST_FOLDERS)
        return { ...found, blocked: `${folder} has more than ${MOST_FOLDERS} folders.` }
      found.folders.push(subfolder)
      let entries: Dirent[]
      try {
        entries = await readdir(join(root, subfolder), { withFileTypes: true })
      } catch (thrown) {
        return { ...found, blocked: `${subfolder} ${unreadText(codeOf(thrown))}` }
      }
      for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const path = `${subfolder}/${entry.name}`
        if (entry.name.startsWith('.')) continue
        if (entry.isDirectory()) {
          if (path.split('/').length <= MOST_LEVELS) toScan.push(path)
          continue
        }
        if (!entry.name.toLowerCase().endsWith(suffix)) continue
        if (found.files.length >= MOST_FILES)
          return { ...found, blocked: `${folder} has more than ${MOST_FILES} files.` }
        const file = await scanFile(root, path, mostBytes)
        totalCharacters += 'text' in file.content ? file.content.text.length : 0
        if (totalCharacters > mostCharacters) {
          forget(join(root, folder))
          return { ...found, files: [], blocked: `${folder} has more than ${mostCharacters} characters in its files.` }
        }
        found.files.push(file)
      }
    }
    forget(join(root, folder), new Set(found.files.map(({ path }) => join(root, path))))
    return found
  }

  /** Forgets the texts of the files in a folder, except those that are still present. */
  function forget(folder: string, presentPaths: ReadonlySet<string> = new Set()): void {
    for (const path of scannedByPath.keys())
      if (path.startsWith(folder + sep) && !presentPaths.has(path)) scannedByPath.delete(path)
  }

  return {
    scanKind,
    /** Records a text that this process writes, so that the scan treats the file as complete immediately. */
    trust: (root: string, path: string, text: string) => void ownTextByPath.set(join(root, path), text),
  }
}

export type FolderScan = ReturnType<typeof createFolderScan>
