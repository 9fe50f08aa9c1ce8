import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const script = fileURLToPath(new URL('../fakes/openStoreProcess.ts', import.meta.url))
const NOBODY = 65_534

/** Opens the data folder without superuser rights, because the superuser may write anywhere. */
function openAsPerson(context: TestContext, dataDir: string): string {
  if (process.platform === 'win32') context.skip('folders have no such permissions on Windows')
  const who = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  try {
    return execFileSync(process.execPath, [script, dataDir], { ...who, encoding: 'utf8' }).trim()
  } catch (thrown) {
    return context.skip(`another account cannot run the project from here: ${String(thrown).slice(0, 200)}`)
  }
}

function openFolder(mode: number): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  chmodSync(dataDir, mode)
  onTestFinished(() => chmodSync(dataDir, 0o700))
  return dataDir
}

describe('a data folder', () => {
  test('that may be written opens', (context) => {
    expect(openAsPerson(context, openFolder(0o777))).toBe('opened')
  })

  test('that may only be read is reported, with a remedy', (context) => {
    const dataDir = openFolder(0o555)
    const message = openAsPerson(context, dataDir)
    expect(message).toMatch(/^read-only: The data folder is not writable\./)
    expect(message).toContain(dataDir)
  })

  test('below a folder that may only be read is reported', (context) => {
    expect(openAsPerson(context, join(openFolder(0o555), 'new'))).toMatch(/^read-only: /)
  })

  test('whose index belongs to someone else is reported', (context) => {
    const dataDir = openFolder(0o755)
    openStore({ dataDir, clock: fakeClock(), log: fakeLog() }).close()
    chmodSync(join(dataDir, 'perpscope.sqlite'), 0o444)
    chmodSync(dataDir, 0o555)
    expect(openAsPerson(context, dataDir)).toMatch(/^read-only: /)
  })
})
