import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#core/store/database.ts'
import { openDataFolder } from '#core/store/dataFolder.ts'
import { fakeClock } from './fakeClock.ts'
import { fakeLog } from './fakeLog.ts'
import { temporaryFolder } from './temporaryFolder.ts'

let empty: Buffer | null = null

/** The index as a first start makes it. */
function emptyIndex(): Buffer {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-empty-'))
  openDatabase({ dataDir, clock: fakeClock(), log: fakeLog() }).close()
  const bytes = readFileSync(openDataFolder(dataDir).indexPath)
  rmSync(dataDir, { recursive: true })
  return bytes
}

/** A data folder that an app was started on before, and that goes away when the test ends: a first start takes ten times longer. */
export function dataFolder(): string {
  const folder = temporaryFolder()
  writeFileSync(openDataFolder(folder).indexPath, (empty ??= emptyIndex()))
  return folder
}
