import { constants, existsSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** A folder that stands for a data folder that may only be read. */
export interface ReadOnlyCopy {
  dataDir: string
  remove(): Promise<void>
}

/** Folders and files that each process of a data folder writes for itself. */
const ownOfProcesses = new Set(['logs', 'validating', 'sql-engine', 'schedule', 'spare-room', 'perpscope.daily.sqlite'])

/**
 * Makes a temporary data folder with copies of the index and the ledger and links to everything else, so that a folder
 * can be read without being changed, also beside a process that writes to it. What is written goes with the copy.
 */
export async function openReadOnlyCopy(dataDir: string): Promise<ReadOnlyCopy> {
  const copy = await mkdtemp(join(tmpdir(), 'perpscope-read-'))
  const remove = () => rm(copy, { recursive: true, force: true })
  try {
    const names = existsSync(dataDir) ? readdirSync(dataDir) : []
    for (const name of names.filter((each) => !ownOfProcesses.has(each))) {
      const [from, to] = [join(dataDir, name), join(copy, name)]
      const stats = statSync(from, { throwIfNoEntry: false })
      if (stats?.isDirectory()) symlinkSync(from, to, 'junction')
      else if (name.endsWith('.sqlite')) await copyDatabase(from, to)
      else if (stats?.isFile() && !/\.sqlite-(wal|shm)$/.test(name))
        await copyFile(from, to, constants.COPYFILE_FICLONE)
    }
  } catch (thrown) {
    await remove()
    throw thrown
  }
  return { dataDir: copy, remove }
}

/** Copies a database as it is at one moment, also while another process writes to it. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const wal = `${from}-wal`
  if (existsSync(wal)) {
    try {
      const database = new Sqlite(from, { readonly: true })
      try {
        await database.backup(to)
      } finally {
        database.close()
      }
      return
    } catch {
      // The log of a process that crashed cannot be opened without writing; its copy can.
      await copyFile(wal, `${to}-wal`)
    }
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE)
}
