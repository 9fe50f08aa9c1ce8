import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const never = new AbortController().signal

function open(dataDir: string) {
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  onTestFinished(() => store.close())
  return store
}

test('a whole index has no problem', async () => {
  expect(await open(temporaryFolder()).database.findProblem(never)).toBeNull()
})

test('damage in a large index is found on request, and the next start sets it aside', async () => {
  const dataDir = temporaryFolder()
  const first = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  first.database.writes.run('CREATE TABLE large (words TEXT)')
  first.database.writes.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
    INSERT INTO large SELECT printf('%0100d', i) FROM n`)
  first.close()
  const path = join(dataDir, 'perpscope.sqlite')
  writeFileSync(path, readFileSync(path).fill(0xa5, 4096 * 1000, 4096 * 1010))
  const second = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  expect(await second.database.findProblem(never)).toMatch(/btree|page|malformed/i)
  second.close()
  expect(open(dataDir).notices).toEqual([expect.stringContaining('was damaged')])
})

test('looking can be cancelled', async () => {
  const controller = new AbortController()
  const looking = open(temporaryFolder()).database.findProblem(controller.signal)
  controller.abort()
  await expect(looking).rejects.toMatchObject({ name: 'AbortError' })
})
