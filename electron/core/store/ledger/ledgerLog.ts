import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

const NEWLINE = 10
const CHUNK_BYTES = 2 ** 20

/** The plain-text copy of the ledger, with one line per entry. */
export interface LedgerLog {
  path: string
  sizeBytes(): number
  /** Writes lines at the offset `from`, replacing everything after it, and syncs them; returns the new size. */
  append(lines: string, from: number): number
  /** Truncates the file to this size. */
  cut(bytes: number): void
  /** Visits the complete lines from an offset on; returns the offset after the last of them. */
  readLines(from: number, visit: (text: string) => void): number
  /** Renames the file to a name with this suffix; returns the new path, null if there is no file. */
  setAside(suffix: string): string | null
}

export function openLedgerLog(path: string): LedgerLog {
  const sizeBytes = () => (existsSync(path) ? withFile(path, 'r', (file) => sizeOf(file, path)) : 0)
  return {
    path,
    sizeBytes,
    append(lines, from) {
      const isNew = !existsSync(path)
      const size = withFile(path, isNew ? 'w' : 'r+', (file) => {
        ftruncateSync(file, from)
        const content = Buffer.from(lines)
        for (let done = 0; done < content.length;) {
          done += writeSync(file, content, done, content.length - done, from + done)
        }
        fsyncSync(file)
        return from + content.length
      })
      if (isNew) syncFolder(path)
      return size
    },
    cut: (size) =>
      withFile(path, 'r+', (file) => {
        ftruncateSync(file, size)
        fsyncSync(file)
      }),
    readLines: (from, visit) => (existsSync(path) ? withFile(path, 'r', (file) => readLines(file, from, visit)) : 0),
    setAside(suffix) {
      if (!existsSync(path)) return null
      const asidePath = `${path}.${suffix}`
      renameSync(path, asidePath)
      return asidePath
    },
  }
}

/** Returns the size of a file; throws an error with the path if there is a folder in its place. */
function sizeOf(file: number, path: string): number {
  const facts = fstatSync(file)
  if (facts.isDirectory()) throw Object.assign(new Error(`${path} is a folder.`), { code: 'EISDIR', path })
  return facts.size
}

function withFile<Result>(path: string, flags: string, work: (file: number) => Result): Result {
  const file = openSync(path, flags, 0o600)
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

/** Syncs the folder of a new file, so that its name survives a crash; Windows neither can nor needs to. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  withFile(dirname(path), 'r', fsyncSync)
}

function readLines(file: number, from: number, visit: (text: string) => void): number {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const lineReader = createLineReader(visit)
  for (let place = from; ;) {
    const count = readSync(file, chunk, 0, chunk.length, place)
    if (count === 0) return from + lineReader.completeBytes()
    place += count
    lineReader.add(chunk.subarray(0, count))
  }
}

/** Visits the complete lines in bytes; an incomplete last line is left out. */
export function visitLines(bytes: Uint8Array, visit: (text: string) => void): void {
  createLineReader(visit).add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

/** Maximum length of an entry's line, including its list of files and its returns. */
const MOST_LINE_BYTES = 64 * 2 ** 20

/**
 * Splits chunks of a file into lines. A line longer than any entry is visited as an empty one, so that it is never
 * completely in memory.
 */
function createLineReader(visit: (text: string) => void) {
  let pieces: Buffer[] = []
  let lineBytes = 0
  let completeBytes = 0
  const keep = (piece: Buffer) => {
    lineBytes += piece.length
    if (lineBytes > MOST_LINE_BYTES) pieces = []
    else pieces.push(piece)
  }
  return {
    completeBytes: () => completeBytes,
    add(bytes: Buffer): void {
      let start = 0
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
        keep(bytes.subarray(start, at))
        visit(lineBytes > MOST_LINE_BYTES ? '' : Buffer.concat(pieces).toString('utf8'))
        completeBytes += lineBytes + 1
        pieces = []
        lineBytes = 0
        start = at + 1
      }
      // The rest is copied, because the next chunk is read into the same buffer.
      keep(Buffer.from(bytes.subarray(start)))
    },
  }
}

const HASH_BYTES = 64
const hashPattern = new RegExp(`"hash":"([0-9a-f]{${HASH_BYTES}})"`, 'g')
/** Overlap of two consecutive chunks, so that no hash is split. */
const OVERLAP_BYTES = HASH_BYTES + 16

/** Visits the entry hashes that occur anywhere in a file, even a damaged one; a hash may occur twice. */
export function visitHashes(path: string, visit: (hash: string) => void): void {
  if (!existsSync(path)) return
  withFile(path, 'r', (file) => {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let place = 0; ;) {
      const count = readSync(file, chunk, 0, chunk.length, place)
      for (const [, hash] of chunk.toString('latin1', 0, count).matchAll(hashPattern)) visit(hash)
      if (count <= OVERLAP_BYTES) return
      place += count - OVERLAP_BYTES
    }
  })
}

/**
 * Counts the entries that a copy lacks: numbers up to `newestSequence` without a line, and lines that are not valid
 * entries.
 */
export function createMissingCounter(newestSequence: number) {
  const chains = new Map<string, { first: number; last: number; entries: number }>()
  let unreadableLines = 0
  let unreadableAtEnd = 0
  return {
    unreadable(): void {
      unreadableLines++
      unreadableAtEnd++
    },
    entry(name: string, sequence: number): void {
      const chain = chains.get(name) ?? { first: name === '' ? 1 : sequence, last: sequence, entries: 0 }
      chain.first = Math.min(chain.first, sequence)
      chain.last = Math.max(chain.last, sequence)
      chain.entries++
      chains.set(name, chain)
      unreadableAtEnd = 0
    },
    /**
     * Returns the number of missing entries. An unreadable line between two entries counts only once, as a gap in the
     * numbers.
     */
    missing(): number {
      const missingBetween = [...chains.values()].map(({ first, last, entries }) => last - first + 1 - entries)
      const missingAtEnd = Math.max(unreadableAtEnd, newestSequence - (chains.get('')?.last ?? 0))
      return Math.max(
        missingBetween.reduce((sum, each) => sum + each, missingAtEnd),
        unreadableLines,
      )
    },
  }
}

/** Returns the text after the last line ending of a file; empty if the file ends with one. */
export const textAfterLastLine = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1)).toString('utf8')
