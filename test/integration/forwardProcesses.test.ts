import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createForwardService } from '#core/lab/forward/forwardService.ts'
import { registerStudy } from '#core/lab/forward/registerStudy.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { expect, it, onTestFinished } from 'vitest'
import { compileCacheEnv } from '../fakes/compileCacheEnv.ts'
import { FIRST_DAY, forwardWorld, test } from '../fakes/forwardWorld.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const VARIANTS = 240
const END = dayNumberOf('2026-07-16')
const NOW_MS = (END + 1) * MS_PER_DAY + 3_600_000

/** A folder with recorded runs, one of them killed by its criterion, and the days that came after them. */
async function recordedFolder(): Promise<string> {
  const world = forwardWorld()
  world.setClock('2026-07-11T06:00:00Z')
  const today = dayNumberOf('2026-07-11')
  for (let day = FIRST_DAY; day < today; day++) world.fetchDay(day)
  world.setClock('2026-07-11T12:00:00Z')
  const expected = { onPanel: false, expect: 'up', kill: 'totalReturn < 9 after 3d', note: null }
  registerStudy(world.ledger, { document: test, ...expected }, 'cli')
  await world.run()
  world.variants(VARIANTS)
  for (let day = today; day <= END; day++) {
    world.setClock((day + 1) * MS_PER_DAY + 3_600_000)
    world.fetchDay(day)
  }
  world.close()
  return world.dataDir
}

/** Scores in a process of its own, which may kill itself; returns what it printed. */
async function score(dataDir: string, killAfter?: number): Promise<string> {
  const program = join(import.meta.dirname, '..', 'fakes', 'scoreProcess.ts')
  const args = [program, dataDir, String(NOW_MS), ...(killAfter === undefined ? [] : [String(killAfter)])]
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...compileCacheEnv },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect([status, signal]).toEqual(killAfter === undefined ? [0, null] : [null, 'SIGKILL'])
  return stdout
}

/** The scores of a folder, and what its inbox says. */
function scoredIn(dataDir: string) {
  const { store, ledger, close } = forwardWorld(dataDir)
  const hashes = [...ledger.tables.entries()].map(({ entry }) => entry.hash)
  const scores = hashes.map((hash) => store.forwardScores.read(hash)).filter(({ days }) => days.length > 0)
  const inbox = store.checks.inbox().map(({ check, why }) => [check, why])
  close()
  return { scores, inbox }
}

it('goes on after kill −9 without a lost or a double score, and tells the inbox once', async () => {
  const dataDir = await recordedFolder()
  const undisturbed = join(temporaryFolder(), 'undisturbed')
  cpSync(dataDir, undisturbed, { recursive: true })
  expect(JSON.parse(await score(undisturbed))).toMatchObject({ runs: VARIANTS + 1, days: (VARIANTS + 1) * 5 })
  const expected = scoredIn(undisturbed)
  expect(expected.inbox).toEqual([['entry 2', 'killed on 2026-07-14']])

  await score(dataDir, 140)
  const { scores: half } = scoredIn(dataDir)
  expect(half.length).toBeGreaterThan(0)
  expect(half.length).toBeLessThan(VARIANTS)
  await score(dataDir, 20)
  await score(dataDir)
  expect(scoredIn(dataDir)).toEqual(expected)
  expect(JSON.parse(await score(dataDir))).toMatchObject({ runs: 0, days: 0 })
  expect(scoredIn(dataDir)).toEqual(expected)
})

it('goes on after it was cancelled', async () => {
  const dataDir = await recordedFolder()
  const service = createForwardService({ dataDir, clock: { nowMs: () => NOW_MS }, openPortfolio: null })
  onTestFinished(() => service.close())
  const controller = new AbortController()
  await expect(service.update(controller.signal, () => controller.abort())).rejects.toThrow('aborted')
  const { runs, days } = await service.update(new AbortController().signal)
  expect(days).toBe(runs * 5)
  expect(scoredIn(dataDir).scores).toHaveLength(VARIANTS + 1)
})
