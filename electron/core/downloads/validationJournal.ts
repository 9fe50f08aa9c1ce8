import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Remembers which files are being validated, so that a file that ends the whole program is not tried for ever: one that was
 * being validated when the program ended twice is quarantined.
 */
export interface ValidationJournal {
  /** Notes the files before they are read. @returns a function that notes their end */
  begin(paths: readonly string[]): () => void
  /** Tells whether the program ended twice while it validated the file. The answer is given once: asking again tries again. */
  takePoisonous(path: string): boolean
  /** Removes the list of this process, which ends in order. */
  close(): void
}

/** A journal for tests and for folders without one. */
export const noJournal: ValidationJournal = { begin: () => () => {}, takePoisonous: () => false, close: () => {} }

const FOLDER = 'validating'
const DEATHS = 'ended.json'
const MOST_DEATHS = 2

/** Opens the journal of a data folder, which has one file per running process. */
export function openValidationJournal(dataDir: string, pid = process.pid): ValidationJournal {
  const folder = join(dataDir, FOLDER)
  const own = join(folder, `${pid}.json`)
  const deaths = readDeaths(folder)
  collectDeaths(folder, pid, deaths)
  const running = new Map<string, number>()
  const list = listFile(folder, own)

  function change(paths: readonly string[], by: number): void {
    for (const path of paths) {
      const count = (running.get(path) ?? 0) + by
      if (count > 0) running.set(path, count)
      else running.delete(path)
    }
    list.write(JSON.stringify([...running.keys()]))
  }

  return {
    begin(paths) {
      change(paths, 1)
      return () => change(paths, -1)
    },
    takePoisonous(path) {
      if ((deaths.get(path) ?? 0) < MOST_DEATHS) return false
      deaths.delete(path)
      writeDeaths(folder, deaths)
      return true
    },
    close: list.close,
  }
}

/**
 * Writes the list of a process. It stays open and is overwritten in place, with spaces where it was longer before, because
 * truncating a file makes file systems write out what it held, for which every batch of downloads would wait.
 */
function listFile(folder: string, path: string) {
  let descriptor: number | null = null
  let longest = 0
  let isClosed = false
  return {
    write(text: string): void {
      if (isClosed) return
      try {
        if (descriptor === null) {
          mkdirSync(folder, { recursive: true, mode: 0o700 })
          descriptor = openSync(path, 'w', 0o600)
        }
        const bytes = Buffer.from(text)
        longest = Math.max(longest, bytes.length)
        writeSync(descriptor, Buffer.concat([bytes, Buffer.alloc(longest - bytes.length, ' ')]), 0, longest, 0)
      } catch {
        // A folder that cannot be written fails the files themselves, with a better message.
      }
    },
    close(): void {
      isClosed = true
      if (descriptor === null) return
      closeSync(descriptor)
      rmSync(path, { force: true })
    },
  }
}

/** Counts one more death for every file that a process left in its journal when it ended. */
function collectDeaths(folder: string, ownPid: number, deaths: Map<string, number>): void {
  const left = namesIn(folder).filter((name) => /^\d+\.json$/.test(name))
  const ended = left.filter((name) => parseInt(name, 10) === ownPid || !isRunning(parseInt(name, 10)))
  const paths = ended.flatMap((name) => readList(join(folder, name)))
  if (paths.length > 0) {
    for (const path of paths) deaths.set(path, (deaths.get(path) ?? 0) + 1)
    writeDeaths(folder, deaths)
  }
  for (const name of ended) rmSync(join(folder, name), { force: true })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

function readList(path: string): string[] {
  const list = readJson(path)
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : []
}

function readDeaths(folder: string): Map<string, number> {
  const counts = readJson(join(folder, DEATHS))
  if (typeof counts !== 'object' || counts === null) return new Map()
  return new Map(Object.entries(counts).filter(([, count]) => typeof count === 'number'))
}

function writeDeaths(folder: string, deaths: ReadonlyMap<string, number>): void {
  try {
    writeFileSync(join(folder, DEATHS), JSON.stringify(Object.fromEntries(deaths)), { mode: 0o600 })
  } catch {
    // The count is lost, so the file is tried once more.
  }
}
