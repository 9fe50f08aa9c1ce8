import { join } from 'node:path'
import { MS_PER_DAY } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { expect, it, onTestFinished } from 'vitest'
import { FIRST_DAY, forwardWorld, symbols, test } from '../fakes/forwardWorld.ts'
import { randomOf } from '../fakes/panelWorld.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

type World = ReturnType<typeof forwardWorld>

/** A machine of which the test notes, by itself, when each file first came. */
function watchedWorld(world: World, random: () => number) {
  const firstFetch = new Map<string, number>()
  const scored = new Map<string, string>()
  let realMs = (FIRST_DAY + 20) * MS_PER_DAY
  let jumpMs = 0
  const below = (count: number) => Math.floor(random() * count)
  const syncClock = () => world.setClock(realMs + jumpMs)

  function fetch(day: DayNumber, version: number, only?: number): void {
    world.fetchDay(day, { version, ...(only !== undefined && { only }) })
    for (const symbol of symbols.keys()) {
      const key = `${day}/${symbol}`
      if (only === undefined || only === symbol)
        firstFetch.set(key, Math.min(firstFetch.get(key) ?? Infinity, world.now()))
    }
  }
  const anyDay = () => FIRST_DAY + 20 + below(Math.max(1, Math.floor(realMs / MS_PER_DAY) - FIRST_DAY - 20))

  return {
    fetchHistory: () => {
      syncClock()
      for (let day = FIRST_DAY; day < FIRST_DAY + 20; day++) fetch(day, 0)
    },
    /** Lives on for a day or two, of which one may be missed. */
    live() {
      const days = 1 + below(2)
      for (let at = 0; at < days; at++) {
        const day = Math.floor(realMs / MS_PER_DAY)
        realMs = (day + 1) * MS_PER_DAY + 3_600_000
        syncClock()
        if (random() < 0.85) fetch(day, 0)
      }
    },
    /** Sets the clock right and fetches everything that is not here. */
    settle() {
      jumpMs = 0
      syncClock()
      for (let day = FIRST_DAY; (day + 1) * MS_PER_DAY < realMs; day++) fetch(day, 0)
    },
    refetch: () => fetch(anyDay(), below(3), random() < 0.3 ? below(symbols.length) : undefined),
    remove: () => world.removeDay(anyDay()),
    jump() {
      jumpMs = random() < 0.5 ? 0 : (below(21) - 10) * MS_PER_DAY
      syncClock()
    },
    record: () => world.run({ ...test, costs: { feeBps: below(40) } }),
    /** Scores, and checks every day that was scored now against what the test noted. */
    async score() {
      await world.update()
      for (const { entry, mergedAtMs } of world.ledger.tables.entries()) {
        if (entry.event !== 'run') continue
        const { days } = world.store.forwardScores.read(entry.hash)
        const before = JSON.parse(scored.get(entry.hash) ?? '[]') as unknown[]
        expect(days.slice(0, before.length)).toEqual(before)
        const recordedMs = Math.max(entry.time, mergedAtMs ?? -Infinity)
        for (const { day } of days.slice(before.length)) {
          expect(day * MS_PER_DAY).toBeGreaterThanOrEqual(recordedMs)
          for (const symbol of symbols.keys()) {
            const arrived = Math.min(firstFetch.get(`${day}/${symbol}`) ?? Infinity, world.now())
            expect(arrived).toBeGreaterThan(recordedMs)
          }
        }
        scored.set(entry.hash, JSON.stringify(days))
      }
      return [...scored.values()].reduce((sum, text) => sum + (JSON.parse(text) as unknown[]).length, 0)
    },
  }
}

it.each([11, 12, 13])(
  'no day that was here before a run was recorded is ever scored for it (seed %i)',
  async (seed) => {
    const random = randomOf(seed)
    const world = forwardWorld()
    onTestFinished(() => world.close())
    const watched = watchedWorld(world, random)
    watched.fetchHistory()
    await watched.record()

    const other = forwardWorld()
    other.setClock((FIRST_DAY + 20) * MS_PER_DAY)
    for (let day = FIRST_DAY; day < FIRST_DAY + 8; day++) other.fetchDay(day)
    await other.run({ ...test, costs: { feeBps: 77 } })
    other.close()

    const ops: readonly (() => unknown)[] = [
      watched.live,
      watched.live,
      watched.refetch,
      watched.remove,
      watched.jump,
      watched.record,
      watched.score,
    ]
    let restore: (() => Promise<void>) | null = null
    for (let step = 0; step < 24; step++) {
      await ops[Math.floor(random() * ops.length)]()
      if (step === 6) restore = world.backUp(join(temporaryFolder(), 'backup'))
      if (step === 9) world.ledger.merge(join(other.dataDir, 'ledger.jsonl'))
      if (step === 15) await restore?.()
    }
    watched.settle()
    await watched.record()
    for (let day = 0; day < 8; day++) watched.live()
    expect(await watched.score()).toBeGreaterThan(0)
    world.reopen()
    const again = await watched.score()
    expect(await watched.score()).toBe(again)
  },
)
