import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PendingRestore } from '#shared/contract/areas/app.ts'
import { toAppError } from '#shared/contract/errors.ts'
import type { BackupItems } from './backupFile.ts'
import { carryRecord } from '../carryRecord.ts'
import { buildInThread } from './backupThread.ts'
import { refuseWhileOpen, type RestoreDeps } from './restoreBackup.ts'

/**
 * Returns the folder of a restore requested by a window. The restore is built next to the files in use and waits for
 * the next start, because the running program has those files open. A note (restore.json) is written last and removed
 * last, so that the next start continues an interrupted restore. The cache, the keys and the window's own files stay
 * where they are.
 */
const restoreFolder = (dataDir: string) => join(dataDir, 'restore')
const notePath = (dataDir: string) => join(dataDir, 'restore.json')

/** Files that a restore replaces, each together with the companion files that SQLite or the app puts next to it. */
const replacedFiles = ['perpscope.sqlite', 'ledger.sqlite', 'ledger.jsonl'] as const
const companionSuffixes = ['-wal', '-shm', '.suspect'] as const

interface RestoreNote extends PendingRestore {
  /** Name of the folder, inside the data folder, that keeps the previous content. */
  kept: string
}

export interface StagedRestores {
  /**
   * Builds a restore for the next start. If the data folder contains a user's data and `replace` is false, nothing is
   * built and the state is `in-use`.
   */
  stage(
    path: string,
    name: string,
    replace: boolean,
    signal: AbortSignal,
  ): Promise<{ state: 'in-use' | 'ready'; items: BackupItems }>
  pending(): PendingRestore | null
  cancel(): void
}

export function createStagedRestores(deps: RestoreDeps): StagedRestores {
  const { dataDir, clock } = deps
  function cancel(): void {
    rmSync(notePath(dataDir), { force: true })
    rmSync(restoreFolder(dataDir), { recursive: true, force: true })
  }
  return {
    async stage(path, name, replace, signal) {
      const nowMs = clock.nowMs()
      const folder = `${restoreFolder(dataDir)}-${randomUUID()}`
      try {
        const task = { path, name, dataDir, replace, folder, alwaysLedger: true, nowMs }
        const { state, items } = await buildInThread(task, signal)
        if (state === 'in-use') return { state, items }
        cancel()
        renameSync(folder, restoreFolder(dataDir))
        writeNote(dataDir, { name, items, kept: `before-${new Date(nowMs).toISOString().replaceAll(':', '-')}` })
        return { state: 'ready', items }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    pending() {
      const note = readNote(dataDir)
      return note && { name: note.name, items: note.items }
    },
    cancel,
  }
}

function writeNote(dataDir: string, note: RestoreNote): void {
  const part = `${notePath(dataDir)}.part`
  writeFileSync(part, JSON.stringify(note), { mode: 0o600, flush: true })
  renameSync(part, notePath(dataDir))
}

function readNote(dataDir: string): RestoreNote | null {
  try {
    const note = JSON.parse(readFileSync(notePath(dataDir), 'utf8')) as Partial<RestoreNote>
    if (!note.items || !/^before-[\w.-]+$/.test(note.kept ?? '')) return null
    return { name: String(note.name), items: note.items, kept: note.kept! }
  } catch {
    return null
  }
}

/**
 * Finishes a restore that waits for this start, before anything in the data folder is open.
 * @returns what to tell the user; null if no restore is waiting
 */
export function finishStagedRestore({ dataDir, log }: Pick<RestoreDeps, 'dataDir' | 'log'>): string | null {
  const note = readNote(dataDir)
  if (!note) return null
  const keptFolder = join(dataDir, note.kept)
  try {
    if (!existsSync(keptFolder)) {
      for (const name of replacedFiles.slice(0, 2)) refuseWhileOpen(join(dataDir, name), dataDir)
      mkdirSync(keptFolder, { mode: 0o700 })
    }
    carryRecord(dataDir, restoreFolder(dataDir))
    for (const name of replacedFiles) exchangeFile(dataDir, keptFolder, name)
    rmSync(notePath(dataDir), { force: true })
    rmSync(restoreFolder(dataDir), { recursive: true, force: true })
  } catch (thrown) {
    log.write('warn', `restore of ${note.name} waits: ${String(thrown)}`)
    const { detail, message } = toAppError(thrown)
    return `${note.name} is not restored yet: ${detail ?? message} The next start tries again.`
  }
  return (
    `${note.name} was restored. What was there before is kept in ${keptFolder}. Downloaded files stay in the cache: ` +
    'check files in Settings → Cache to list them again. Enter the API keys of restored connections again.'
  )
}

/**
 * Moves one file in use to the kept folder and the restored one into its place; does nothing if an earlier start has
 * already done so.
 */
function exchangeFile(dataDir: string, keptFolder: string, name: string): void {
  const restoredPath = join(restoreFolder(dataDir), name)
  if (!existsSync(restoredPath)) return
  for (const each of [...companionSuffixes.map((suffix) => name + suffix), name]) {
    if (existsSync(join(dataDir, each)) && !existsSync(join(keptFolder, each))) {
      renameSync(join(dataDir, each), join(keptFolder, each))
    }
  }
  renameSync(restoredPath, join(dataDir, name))
}
