import { renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database as SqliteDatabase } from 'better-sqlite3'
import { MS_PER_DAY } from '#shared/time.ts'
import { userTables } from './backup/backupFile.ts'
import { createPrivateFile } from './createPrivateFile.ts'

const COPY_NAME = 'perpscope.daily.sqlite'

/** A copy of the user's tables beside the index, at most a day old, from which a damaged index is recovered. */
export interface DailyCopy {
  path: string
  /** Writes the copy if it is older than a day; if it is missing, only where `orMissing` is true. */
  keep(index: SqliteDatabase, orMissing: boolean): void
  /** Renames the copy, so that the next one does not replace it. */
  setAside(nowMs: number): void
}

export function createDailyCopy(dataDir: string, nowMs: () => number): DailyCopy {
  const path = join(dataDir, COPY_NAME)

  function isDue(orMissing: boolean): boolean {
    const facts = statSync(path, { throwIfNoEntry: false })
    return facts ? Math.abs(nowMs() - facts.mtimeMs) >= MS_PER_DAY : orMissing
  }

  return {
    path,
    keep(index, orMissing) {
      const part = `${path}.${process.pid}.part`
      try {
        if (!isDue(orMissing)) return
        rmSync(part, { force: true })
        createPrivateFile(part)
        copyTables(index, part)
        const seconds = nowMs() / 1000
        utimesSync(part, seconds, seconds)
        renameSync(part, path)
      } catch {
        // Without room, or while another process writes to the index, an older copy stays.
        rmSync(part, { force: true })
      }
    },
    setAside(stampMs) {
      const stamp = new Date(stampMs).toISOString().replaceAll(':', '-')
      if (statSync(path, { throwIfNoEntry: false })) renameSync(path, join(dataDir, `perpscope.daily.damaged-${stamp}`))
    },
  }
}

function copyTables(index: SqliteDatabase, path: string): void {
  const copy = new Sqlite(path)
  try {
    copy.pragma('journal_mode = OFF')
    copy.prepare('ATTACH ? AS source').run(index.name)
    copy.transaction(() => {
      for (const { name } of userTables(index))
        copy.exec(`CREATE TABLE main."${name}" AS SELECT * FROM source."${name}"`)
    })()
    copy.exec('DETACH source')
  } finally {
    copy.close()
  }
}
