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

export const NEWLINE = 10
const CHUNK_BYTES = 2 ** 20

/** The plain copy of the ledger: one line an entry, only ever added to. */
export interface LedgerLog {
  path: string
  bytes(): number
  /** Adds lines behind `from` and syncs them; returns the new size. What lies behind `from` is cut. */
  append(lines: string, from: number): number
  /** Cuts the file to this size. */
  cut(bytes: number): void
  /** Visits the complete lines from an offset on; returns the offset after the last of them. */
  readLines(from: number, visit: (text: string) => void): number
  /** Moves the file out of the way, under a name that says why. */
  setAside(suffix: string): string | null
}

export function openLedgerLog(path: string): LedgerLog {
  const bytes = () => (existsSync(path) ? withFile(path, 'r', (file) => sizeOf(file, path)) : 0)
  return {
    path,
    bytes,
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
      const aside = `${path}.${suffix}`
      renameSync(path, aside)
      return aside
    },
  }
}

/** Returns the size of a file; a folder in its place is named, because reading it would fail without its path. */
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

/** Syncs the folder of a new file, so that its name survives a crash too; Windows cannot and need not. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  withFile(dirname(path), 'r', fsyncSync)
}

function readLines(file: number, from: number, visit: (text: string) => void): number {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const gathered = gatherLines(visit)
  for (let place = from; ;) {
    const count = readSync(file, chunk, 0, chunk.length, place)
    if (count === 0) return from + gathered.wholeBytes()
    place += count
    gathered.add(chunk.subarray(0, count))
  }
}

/** Visits the complete lines of bytes; a torn last one is left out. */
export function visitLines(bytes: Uint8Array, visit: (text: string) => void): void {
  gatherLines(visit).add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

/** Longest line of an entry, with the list of its files and its returns. */
const MOST_LINE_BYTES = 64 * 2 ** 20

/** Cuts pieces of a file into lines. A line that is longer than any entry is visited as an empty one, so that it is never in memory. */
function gatherLines(visit: (text: string) => void) {
  let pieces: Buffer[] = []
  let waiting = 0
  let whole = 0
  const keep = (piece: Buffer) => {
    waiting += piece.length
    if (waiting > MOST_LINE_BYTES) pieces = []
    else pieces.push(piece)
  }
  return {
    wholeBytes: () => whole,
    add(bytes: Buffer): void {
      let start = 0
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
        keep(bytes.subarray(start, at))
        visit(waiting > MOST_LINE_BYTES ? '' : Buffer.concat(pieces).toString('utf8'))
        whole += waiting + 1
        pieces = []
        waiting = 0
        start = at + 1
      }
      // A copy, because the next piece of the file comes into the same bytes.
      keep(Buffer.from(bytes.subarray(start)))
    },
  }
}

const HASH_BYTES = 64
const hashShape = new RegExp(`"hash":"([0-9a-f]{${HASH_BYTES}})"`, 'g')
/** Bytes that two pieces of a file share, so that no hash is cut. */
const SHARED_BYTES = HASH_BYTES + 16

/** Visits the hashes of entries whose text stands anywhere in a file, whatever else it holds; a hash may come twice. */
export function visitHashes(path: string, visit: (hash: string) => void): void {
  if (!existsSync(path)) return
  withFile(path, 'r', (file) => {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let place = 0; ;) {
      const count = readSync(file, chunk, 0, chunk.length, place)
      for (const [, hash] of chunk.toString('latin1', 0, count).matchAll(hashShape)) visit(hash)
      if (count <= SHARED_BYTES) return
      place += count - SHARED_BYTES
    }
  })
}

/** Counts the entries that a copy lacks: numbers up to the newest that no line has, and lines that are no longer entries. */
export function countMissing(newest: number) {
  const chains = new Map<string, { first: number; last: number; entries: number }>()
  let unreadable = 0
  let unreadableAtEnd = 0
  return {
    unreadable(): void {
      unreadable++
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
    /** A line in the middle that cannot be read is a number that is missing too. */
    missing(): number {
      const between = [...chains.values()].map(({ first, last, entries }) => last - first + 1 - entries)
      const atEnd = Math.max(unreadableAtEnd, newest - (chains.get('')?.last ?? 0))
      return Math.max(
        between.reduce((sum, each) => sum + each, atEnd),
        unreadable,
      )
    },
  }
}
