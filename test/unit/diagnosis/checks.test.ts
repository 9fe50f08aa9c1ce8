import { expect, onTestFinished, test } from 'vitest'
import { join } from 'node:path'
import { createSelfChecks } from '#core/diagnosis/checks.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import { openStore } from '#core/store/store.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'

/**
 * Runs the check of path lengths on a folder with one file. @param more number of characters by which the folder's path
 * is longer
 */
async function checkPathLengths(platform: NodeJS.Platform, more: number) {
  const dataDir = join(dataFolder(), 'x'.repeat(more))
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  onTestFinished(() => store.close())
  const path = addCachedFile(store, dataDir, flowSeries({ interval: '1h' }), '2026-08-01')
  const checks = createSelfChecks(dataDir, store, {} as Keyring, undefined, platform)
  const check = checks.find(({ name }) => name === 'Path lengths')
  return { path, outcome: await check?.run(new AbortController().signal) }
}

test('a folder whose files have longer paths than Windows opens is named, with what to do', async () => {
  const { path, outcome } = await checkPathLengths('win32', 150)
  expect(path.length).toBeGreaterThan(259)
  expect(outcome).toMatchObject({ ok: false })
  expect(outcome?.message).toContain(`up to ${path.length} characters`)
  expect(outcome?.message).toContain('LongPathsEnabled')
})

test('shorter paths are no problem, and other systems have no such limit', async () => {
  const { path, outcome } = await checkPathLengths('win32', 5)
  expect(outcome).toEqual({ ok: true, message: `Paths of cached files have up to ${path.length} characters.` })
  expect((await checkPathLengths('linux', 150)).outcome).toBeUndefined()
})
