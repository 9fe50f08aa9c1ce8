import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#core/store/database.ts'
import { openDataFolder } from '#core/store/dataFolder.ts'
import { fakeClock } from './fakeClock.ts'
import { fakeLog } from './fakeLog.ts'
import { type Ending, endOfTest } from './sharedByTests.ts'
import { temporaryFolder } from './temporaryFolder.ts'

let empty: Buffer | null = null

/** Returns the bytes of the index that a first start creates. */
function emptyIndex(): Buffer {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-empty-'))
  openDatabase({ dataDir, clock: fakeClock(), log: fakeLog() }).close()
  const bytes = readFileSync(openDataFolder(dataDir).indexPath)
  rmSync(dataDir, { recursive: true })
  return bytes
}

/** Creates a data folder like that of a first start, but ten times faster; it is removed when the test ends. */
export function dataFolder(ending: Ending = endOfTest): string {
  const folder = temporaryFolder(ending)
  writeFileSync(openDataFolder(folder).indexPath, (empty ??= emptyIndex()))
  return folder
}
