import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packBackup } from '#core/store/backup/backupFile.ts'
import { restoreBackup } from '#core/store/backup/restoreBackup.ts'
import { registerStudy } from '#core/lab/forward/registerStudy.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import { expect, it, onTestFinished } from 'vitest'
import { FIRST_DAY, forwardWorld, test } from '../fakes/forwardWorld.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

type World = ReturnType<typeof forwardWorld>
const HOUR_MS = 3_600_000
const RECORDED_TO = dayNumberOf('2026-07-10')

function liveThrough(world: World, from: string, to: string): void {
  for (let day = dayNumberOf(from); day <= dayNumberOf(to); day++) {
    world.setClock((day + 1) * MS_PER_DAY + HOUR_MS)
    world.fetchDay(day)
  }
}

/** A machine with a run that its criterion killed, one that was recorded when later days were here, and days to score. */
async function busyWorld(): Promise<World> {
  const world = forwardWorld()
  onTestFinished(() => world.close())
  world.setClock('2026-07-11T06:00:00Z')
  for (let day = FIRST_DAY; day <= RECORDED_TO; day++) world.fetchDay(day)
  world.setClock('2026-07-11T12:00:00Z')
  const registration = { onPanel: false, expect: 'up', kill: 'totalReturn < 9 after 3d', note: null }
  registerStudy(world.ledger, { document: test, ...registration }, 'cli')
  await world.run()
  liveThrough(world, '2026-07-11', '2026-07-16')
  await world.update()
  world.fetchDay(dayNumberOf('2026-07-14'), { version: 1 })
  // This one uses rows to 5 July only, but later ones were here.
  await world.run({ ...test, end: '2026-07-05' })
  liveThrough(world, '2026-07-17', '2026-07-18')
  return world
}

/** Restores a backup of a machine on an empty one. */
async function restored(world: World): Promise<World> {
  const path = join(temporaryFolder(), 'backup')
  writeFileSync(path, packBackup(world.dataDir, '0.0.0', world.now()).bytes)
  const dataDir = join(temporaryFolder(), 'empty')
  await restoreBackup(path, { dataDir, clock: { nowMs: world.now } }, false, new AbortController().signal)
  const other = forwardWorld(dataDir)
  onTestFinished(() => other.close())
  other.setClock(world.now())
  return other
}

const statesOf = (world: World) =>
  world.scores().map(({ sequence, days, lastDay, state, killed, evidence, totalReturn, expect: expected }) => ({
    ...{ sequence, days, lastDay, state, killed, evidence, totalReturn, expected },
  }))
const daysOf = (world: World, sequence: number) => {
  const { hash } = world.scores().find((score) => score.sequence === sequence)!
  return world.store.forwardScores.read(hash).days.map(({ day }) => dayFromNumber(day))
}

it('an empty machine has the scores of its backup, and takes no day for new that the old one had', async () => {
  const old = await busyWorld()
  const world = await restored(old)
  expect(statesOf(world)).toEqual(statesOf(old))
  expect(statesOf(world)).toMatchObject([
    { sequence: 2, days: 5, state: 'killed' },
    { sequence: 3, days: 0, state: 'waiting' },
  ])
  // Without its files nothing can be scored.
  expect(await world.update()).toMatchObject({ days: 0 })
  expect(world.store.checks.inbox()).toHaveLength(1)

  // All files are fetched again, weeks later.
  world.setClock('2026-08-01T12:00:00Z')
  for (let day = FIRST_DAY; day < dayNumberOf('2026-08-01'); day++) world.fetchDay(day)
  await world.update()
  await old.update()
  // Days that came after the runs stay forward, however late they came here; the others never become it.
  expect(daysOf(world, 2).slice(0, 7)).toEqual(daysOf(old, 2))
  expect(daysOf(world, 3).slice(0, 1)).toEqual(daysOf(old, 3))
  expect(daysOf(world, 3)[0]).toBe('2026-07-18')
  expect(daysOf(world, 3).at(-1)).toBe('2026-07-31')
  expect(world.store.checks.inbox()).toHaveLength(1)
})

it('a merged ledger is scored on days after the merge only, and never twice', async () => {
  const old = await busyWorld()
  const world = forwardWorld()
  onTestFinished(() => world.close())
  world.setClock('2026-07-20T12:00:00Z')
  for (let day = FIRST_DAY; day < dayNumberOf('2026-07-20'); day++) world.fetchDay(day)
  world.ledger.merge(join(old.dataDir, 'ledger.jsonl'))
  await world.update()
  expect(statesOf(world).map(({ days, state }) => [days, state])).toEqual([
    [0, 'waiting'],
    [0, 'waiting'],
  ])
  liveThrough(world, '2026-07-20', '2026-07-22')
  await world.update()
  expect(daysOf(world, 2)).toEqual(['2026-07-21', '2026-07-22'])
  expect(world.ledger.merge(join(old.dataDir, 'ledger.jsonl')).added).toBe(0)
  expect(await world.update()).toEqual({ runs: 0, days: 0 })
  // The registration came before the run on the machine where both were made.
  expect(world.scores()[0]).toMatchObject({ registered: true, expect: 'up' })
})

it('a clock that jumps makes no day forward that is none', async () => {
  const world = forwardWorld()
  onTestFinished(() => world.close())
  world.setClock('2026-07-11T06:00:00Z')
  for (let day = FIRST_DAY; day <= RECORDED_TO; day++) world.fetchDay(day)
  // The clock runs ahead while files come that were here before the run.
  world.setClock('2026-09-01T00:00:00Z')
  for (let day = RECORDED_TO + 1; day <= RECORDED_TO + 4; day++) world.fetchDay(day)
  world.setClock('2026-07-11T12:00:00Z')
  await world.run({ ...test, end: '2026-07-10' })
  world.setClock('2026-07-18T12:00:00Z')
  expect(await world.update()).toMatchObject({ days: 0 })
  // It is set back while a file comes that is new: a time before the run never becomes later.
  world.setClock('2026-07-01T00:00:00Z')
  world.fetchDay(RECORDED_TO + 5)
  for (const day of [RECORDED_TO + 6, RECORDED_TO + 7]) {
    world.setClock((day + 1) * MS_PER_DAY + HOUR_MS)
    world.fetchDay(day)
  }
  await world.update()
  expect(daysOf(world, 1)).toEqual(['2026-07-16', '2026-07-17'])
})
