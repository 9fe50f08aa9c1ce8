import { constants, type BigIntStats, type Dirent } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, specialKind } from '#shared/units/fileKind.ts'
import { decodeText } from '#shared/units/textEncoding.ts'
import type { FolderKind } from './documentKinds.ts'

/** A file of one kind in the documents folder. */
export interface ScannedFile {
  /** Path relative to the documents folder, with forward slashes. */
  path: string
  /** Size, times and inode, which change when the file is rewritten; empty if the file cannot be read. */
  stamp: string
  /** Text of the file, or its problem as a clause that follows the path. */
  content: { text: string } | { problem: string }
  /** True if the file may still be being written. */
  isFresh: boolean
}

export interface ScannedKind {
  files: ScannedFile[]
  /** Sentence on why files of this kind may be missing from the list; null if the list is complete. */
  blocked: string | null
  /** Folders with files of this kind, to watch. */
  folders: string[]
}

/** Depth of subfolders in which files are still found. */
const MOST_LEVELS = 4
const MOST_FILES = 5000
/**
 * Age below which a changed file is read again even if its stamp is the same, because times on network drives are
 * coarse.
 */
const COARSE_TIME_MS = 3000

/** Creates a scanner of the folder that caches the texts of unchanged files. */
export function createFolderScan(nowMs: () => number, settleMs: number) {
  const read = new Map<string, ScannedFile & { readAtMs: number; seenAtMs: number }>()

  const trusted = new Map<string, string>()

  async function scanFile(root: string, path: string, mostBytes: number): Promise<ScannedFile> {
    const whole = join(root, path)
    const wrong = (problem: string): ScannedFile => ({ path, stamp: '', content: { problem }, isFresh: false })
    let facts: BigIntStats
    try {
      facts = await lstat(whole, { bigint: true })
    } catch (thrown) {
      return wrong(`cannot be read (${codeOf(thrown)}).`)
    }
    if (facts.isSymbolicLink()) return wrong('is a symbolic link, which is not followed: put the file itself here.')
    const special = specialKind(facts)
    if (special) return wrong(`is ${special}, not a file.`)
    if (facts.size > BigInt(mostBytes)) return wrong(`has more than ${mostBytes} bytes.`)
    const stamp = [facts.size, facts.mtimeNs, facts.ctimeNs, facts.ino].join(' ')
    const now = nowMs()
    const known = read.get(whole)
    const ageMs = now - Number(facts.mtimeMs)
    const isOld = ageMs > COARSE_TIME_MS
    if (known?.stamp === stamp && (isOld || known.readAtMs - Number(facts.mtimeMs) > COARSE_TIME_MS)) {
      return { ...known, isFresh: known.isFresh && now - known.seenAtMs < settleMs && !isOld }
    }
    let content: ScannedFile['content']
    try {
      const text = await readText(whole, mostBytes)
      // An equal text keeps its old object, because caches use the object as their key.
      content = known && 'text' in known.content && known.content.text === text ? known.content : { text }
    } catch (thrown) {
      return wrong(`cannot be read (${codeOf(thrown)}).`)
    }
    // A file that this process has just written is complete.
    if ('text' in content && trusted.get(whole) === content.text) {
      const scanned = { path, stamp, content, isFresh: false, readAtMs: now, seenAtMs: now }
      read.set(whole, scanned)
      return scanned
    }
    const seenAtMs = known?.stamp === stamp ? known.seenAtMs : now
    const isFresh = !isOld && now - seenAtMs < settleMs
    const scanned = { path, stamp, content, isFresh, readAtMs: now, seenAtMs }
    read.set(whole, scanned)
    return scanned
  }

  /** Reads the files of one kind; throws nothing. */
  async function scanKind(root: string, { folder, suffix, mostBytes }: FolderKind): Promise<ScannedKind> {
    const found: ScannedKind = { files: [], blocked: null, folders: [] }
    try {
      if ((await lstat(join(root, folder))).isSymbolicLink()) {
        return { ...found, blocked: `${folder} is a symbolic link, which is not followed.` }
      }
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return found
      return { ...found, blocked: `${folder} cannot be read (${codeOf(thrown)}).` }
    }
    const open = [folder]
    for (const below of open) {
      found.folders.push(below)
      let entries: Dirent[]
      try {
        entries = await readdir(join(root, below), { withFileTypes: true })
      } catch (thrown) {
        return { ...found, blocked: `${below} cannot be read (${codeOf(thrown)}).` }
      }
      for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const path = `${below}/${entry.name}`
        if (entry.name.startsWith('.')) continue
        if (entry.isDirectory()) {
          if (path.split('/').length <= MOST_LEVELS) open.push(path)
          continue
        }
        if (!entry.name.toLowerCase().endsWith(suffix)) continue
        if (found.files.length >= MOST_FILES)
          return { ...found, blocked: `${folder} has more than ${MOST_FILES} files.` }
        found.files.push(await scanFile(root, path, mostBytes))
      }
    }
    return found
  }

  return {
    scanKind,
    /** Records a text that this process writes, so that the scan treats the file as complete at once. */
    trust: (root: string, path: string, text: string) => void trusted.set(join(root, path), text),
  }
}

export type FolderScan = ReturnType<typeof createFolderScan>

/** Reads a file without following a link that replaced it meanwhile and without waiting for the writer of a pipe. */
async function readText(path: string, mostBytes: number): Promise<string> {
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
