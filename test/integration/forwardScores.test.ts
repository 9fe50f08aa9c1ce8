import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dayNumberOf, dayFromNumber } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { AppError } from '#shared/contract/errors.ts'
import { createForwardRuns, isScored } from '#core/lab/forward/forwardRuns.ts'
import { registerStudy } from '#core/lab/forward/registerStudy.ts'
import { tellInbox } from '#core/lab/forward/tellInbox.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FIRST_DAY, forwardWorld, signalStudy, test } from '../fakes/forwardWorld.ts'

const RECORDED_TO = dayNumberOf('2026-07-10')
const HOUR_MS = 3_600_000

/** A machine on which a test was recorded at noon of 11 July, with data to the day before. */
async function recordedWorld() {
  const world = forwardWorld()
  onTestFinished(() => world.close())
  world.setClock('2026-07-11T06:00:00Z')
  for (let day = FIRST_DAY; day <= RECORDED_TO; day++) world.fetchDay(day)
  world.setClock('2026-07-11T12:00:00Z')
  await world.run()
  return world
}
type World = Awaited<ReturnType<typeof recordedWorld>>

/** Fetches days, each an hour after its end. */
function liveThrough(world: World, from: string, to: string): void {
  for (let day = dayNumberOf(from); day <= dayNumberOf(to); day++) {
    world.setClock((day + 1) * MS_PER_DAY + HOUR_MS)
    world.fetchDay(day)
  }
}

const scoredDays = (world: World, hash = world.scores()[0].hash) =>
  world.store.forwardScores.read(hash).days.map(({ day }) => dayFromNumber(day))

describe('a recorded test', () => {
  it('waits, then is scored on days that came after it, each once', async () => {
    const world = await recordedWorld()
    expect(world.scores()).toMatchObject([{ sequence: 1, days: 0, state: 'waiting', evidence: 1, recordedDays: 23 }])
    liveThrough(world, '2026-07-11', '2026-07-20')
    expect(await world.update()).toEqual({ runs: 1, days: 9 })
    const [score] = world.scores()
    expect(score).toMatchObject({ days: 9, firstDay: '2026-07-12', lastDay: '2026-07-20', state: 'running' })
    expect(score.warnings).toEqual([])
    expect(await world.update()).toEqual({ runs: 0, days: 0 })
    expect(world.scores()).toEqual([score])
  })

  it('keeps what was scored when the work is cancelled', async () => {
    const world = await recordedWorld()
    world.variants(9)
    liveThrough(world, '2026-07-11', '2026-07-14')
    // It looks once at each run for what is due, then once before each.
    let looks = 0
    const cancelled = world.update(() => {
      if (++looks > 10 + 4) throw new AppError('cancelled')
    })
    await expect(cancelled).rejects.toThrow(AppError)
    const scored = () => world.scores().filter(({ days }) => days > 0)
    expect(scored()).toHaveLength(4)
    expect(await world.update()).toEqual({ runs: 6, days: 18 })
    expect(scored()).toHaveLength(10)
  })

  it('has the returns of the same document run to the last day', async () => {
    const world = await recordedWorld()
    liveThrough(world, '2026-07-11', '2026-07-20')
    await world.update()
    const { hash } = world.scores()[0]
    await world.run({ ...test, end: '2026-07-20' })
    const [, later] = [...world.ledger.tables.entries()].map(({ entry }) => entry)
    if (later.event !== 'run') throw new Error('not a run')
    const bytes = world.ledger.tables.returns(later.returnsSha256!)!
    const net = world.store.forwardScores.read(hash).days.map((day) => day.net)
    const last = Array.from({ length: 9 }, (_, at) => bytes.readDoubleLE(bytes.length - 8 * (9 - at)))
    expect(net).toEqual(last)
  })

  it('keeps the score of a day that is published anew, and says so', async () => {
    const world = await recordedWorld()
    liveThrough(world, '2026-07-11', '2026-07-20')
    await world.update()
    const [before] = world.scores()
    world.fetchDay(dayNumberOf('2026-07-15'), { version: 1 })
    liveThrough(world, '2026-07-21', '2026-07-22')
    await world.update()
    const [after] = world.scores()
    expect(after).toMatchObject({ days: 11, warnings: [{ code: 'republished' }] })
    expect(scoredDays(world)).toHaveLength(11)
    const { days } = world.store.forwardScores.read(before.hash)
    expect(days.slice(0, 9).reduce((growth, { net }) => growth * (1 + net!), 1) - 1).toBeCloseTo(
      before.totalReturn!,
      12,
    )
  })

  it('stops before a day of which a file may still come, and passes over one that is too late', async () => {
    const world = await recordedWorld()
    liveThrough(world, '2026-07-11', '2026-07-14')
    world.fetchDay(dayNumberOf('2026-07-15'), { only: 1 })
    liveThrough(world, '2026-07-16', '2026-07-20')
    await world.update()
    expect(scoredDays(world).at(-1)).toBe('2026-07-14')
    liveThrough(world, '2026-07-21', '2026-07-23')
    await world.update()
    expect(scoredDays(world).at(-1)).toBe('2026-07-23')
    const passedOver = scoredDays(world)
    world.fetchDay(dayNumberOf('2026-07-15'))
    liveThrough(world, '2026-07-24', '2026-07-24')
    await world.update()
    expect(scoredDays(world)).toEqual([...passedOver, '2026-07-24'])
  })

  it('is not scored without a file that it was recorded with, and says so', async () => {
    const world = await recordedWorld()
    world.removeDay(FIRST_DAY + 3)
    liveThrough(world, '2026-07-11', '2026-07-14')
    await world.update()
    expect(world.scores()).toMatchObject([{ days: 0, warnings: [{ code: 'not-computed' }] }])
    world.fetchDay(FIRST_DAY + 3)
    await world.update()
    expect(world.scores()).toMatchObject([{ days: 3, warnings: [] }])
  })

  it('is not scored on what was removed and fetched again, nor on what was here when it was recorded', async () => {
    const world = forwardWorld()
    onTestFinished(() => world.close())
    world.setClock('2026-07-11T06:00:00Z')
    for (let day = FIRST_DAY; day <= RECORDED_TO + 5; day++) world.fetchDay(day)
    for (let day = RECORDED_TO + 1; day <= RECORDED_TO + 5; day++) world.removeDay(day)
    world.setClock('2026-07-11T12:00:00Z')
    await world.run()
    liveThrough(world, '2026-07-11', '2026-07-20')
    await world.update()
    expect(scoredDays(world)[0]).toBe('2026-07-16')
  })
})

describe('funding periods', () => {
  it('are those of the record until its last day, those known now after it', async () => {
    const funded = async (retype: (world: World) => void) => {
      const world = forwardWorld()
      onTestFinished(() => world.close())
      world.setClock('2026-07-11T06:00:00Z')
      for (let day = FIRST_DAY; day <= RECORDED_TO; day++) {
        world.fetchDay(day)
        world.fetchRates(day)
      }
      world.typeFunding('24h')
      world.setClock('2026-07-11T12:00:00Z')
      const { funding: _none, ...paying } = test
      await world.run(paying)
      retype(world)
      for (let day = RECORDED_TO + 1; day <= RECORDED_TO + 5; day++) {
        world.setClock((day + 1) * MS_PER_DAY + HOUR_MS)
        world.fetchDay(day)
        world.fetchRates(day)
      }
      await world.update()
      const [score] = world.scores()
      return { score, net: world.store.forwardScores.read(score.hash).days.map((day) => day.net) }
    }
    const same = await funded(() => undefined)
    expect(same.score).toMatchObject({ days: 4, warnings: [] })
    // A correction of what was paid before the run changes nothing.
    const corrected = await funded((world) => world.typeFunding('24h', '2026-07-11'))
    expect(corrected).toEqual(same)
    const changed = await funded((world) => world.typeFunding('48h'))
    expect(changed.score).toMatchObject({ days: 4, warnings: [] })
    expect(changed.net).not.toEqual(same.net)
  })
})

describe('a walk-forward', () => {
  it('goes on with the combination that it chose last, and its recorded days stay', async () => {
    const world = await recordedWorld()
    const grid = { ...test, signal: 'pct(ohlcv.close, {n})', parameters: { n: [1, 2, 3] } }
    await world.run({ ...grid, walkForward: { folds: 3, train: 'past', embargoDays: 0 } })
    liveThrough(world, '2026-07-11', '2026-07-30')
    await world.update()
    const [, ...scores] = world.scores()
    const walkForward = scores.at(-1)!
    expect(walkForward).toMatchObject({
      role: 'walk-forward',
      isTrial: false,
      days: 19,
      state: 'running',
      warnings: [],
    })
    expect(walkForward.expected).not.toBeNull()
    // Traded every day, the last choice has the returns of its combination.
    const netOf = (hash: string) =>
      world.store.forwardScores
        .read(hash)
        .days.slice(1)
        .map(({ net }) => net!.toFixed(9))
    const combinations = scores.slice(0, -1).map(({ hash }) => netOf(hash))
    expect(combinations).toHaveLength(3)
    expect(combinations).toContainEqual(netOf(walkForward.hash))
  })
})

describe('a blend', () => {
  it('of histories of the service is scored on days that came after it', async () => {
    const world = forwardWorld()
    onTestFinished(() => world.close())
    world.setClock('2026-07-11T06:00:00Z')
    for (let day = FIRST_DAY; day <= RECORDED_TO; day++) world.fetchHistories(day)
    world.setClock('2026-07-11T12:00:00Z')
    await world.blend()
    expect(world.scores()).toMatchObject([{ kind: 'blend', state: 'waiting', never: null, recordedDays: 24 }])
    for (let day = RECORDED_TO + 1; day <= RECORDED_TO + 4; day++) {
      world.setClock((day + 1) * MS_PER_DAY + HOUR_MS)
      world.fetchHistories(day)
      await world.update()
    }
    expect(scoredDays(world)).toEqual(['2026-07-12', '2026-07-13', '2026-07-14'])
    expect(world.scores()).toMatchObject([{ days: 3, state: 'running', warnings: [] }])
    world.fetchHistories(RECORDED_TO + 3, { version: 1 })
    expect(world.scores()).toMatchObject([{ days: 3, warnings: [{ code: 'republished' }] }])
    expect(await world.update()).toEqual({ runs: 0, days: 0 })
  })
})

describe('own data', () => {
  /** One value a day for each base, to a day. */
  const levels = (to: string, changed?: string) =>
    ['time,symbol,level']
      .concat(
        Array.from({ length: dayNumberOf(to) - FIRST_DAY + 1 }, (_, at) =>
          ['BTC', 'ETH', 'SOL'].map((base, place) => {
            const day = dayFromNumber(FIRST_DAY + at)
            return `${day},${base},${((at * 7 + place * 5) % 11) + (day === changed ? 100 : 0)}`
          }),
        ).flat(),
      )
      .join('\n')

  it('is scored once its rows came after the run, and told where they came with other content', async () => {
    const world = forwardWorld()
    onTestFinished(() => world.close())
    world.setClock('2026-07-11T06:00:00Z')
    for (let day = FIRST_DAY; day <= RECORDED_TO; day++) world.fetchDay(day)
    // Two days more than the run uses were here before it.
    await world.own('levels', levels('2026-07-12'))
    world.setClock('2026-07-11T12:00:00Z')
    await world.run({ ...test, signal: 'own_levels.level' })
    expect(world.scores()).toMatchObject([{ state: 'waiting', never: null }])
    liveThrough(world, '2026-07-11', '2026-07-16')
    await world.update()
    // Of the day after the last row one may still come.
    expect(scoredDays(world)).toEqual([])
    await world.own('levels', levels('2026-07-16'))
    await world.update()
    expect(scoredDays(world)).toEqual(['2026-07-13', '2026-07-14', '2026-07-15', '2026-07-16'])
    expect(world.scores()).toMatchObject([{ days: 4, warnings: [] }])
    await world.own('levels', levels('2026-07-17', '2026-07-14'))
    expect(world.scores()).toMatchObject([{ days: 4, warnings: [{ code: 'republished' }] }])
  })
})

describe('a run of which nobody knows when its rows came', () => {
  it('says why no day is ever scored', async () => {
    const world = await recordedWorld()
    const path = join(world.dataDir, 'panel.csv')
    const rows = Array.from({ length: 40 }, (_, at) => `${(FIRST_DAY + at) * MS_PER_DAY},A,${100 + (at % 3)},${at % 2}`)
    writeFileSync(path, ['time,symbol,close,signal', ...rows].join('\n'))
    const { source: _source, ...onPanel } = test
    await world.run({ ...onPanel, signal: 'signal', price: 'close' }, { panelPath: path })
    liveThrough(world, '2026-07-11', '2026-07-14')
    await world.update()
    const [cached, panel] = world.scores()
    expect(cached).toMatchObject({ days: 3, never: null })
    expect(panel).toMatchObject({ days: 0, state: 'waiting' })
    expect(panel.never).toContain('panel file')
  })
})

describe('a signal study', () => {
  it('has the mean rank IC of the samples whose day and exit are forward', async () => {
    const world = await recordedWorld()
    await world.study()
    liveThrough(world, '2026-07-11', '2026-07-24')
    await world.update()
    const score = world.scores()[1]
    expect(score).toMatchObject({ kind: 'signal', days: 13, sharpe: null, evidence: null, expected: null })
    expect(score.ic).toBeGreaterThanOrEqual(-1)
    // The curve has the samples, over what those of the record expect.
    const curve = world.curve(score.hash)
    expect(curve.ics.flat().reduce((sum, ic) => sum + ic, 0) / curve.ics.flat().length).toBeCloseTo(score.ic!, 12)
    expect(curve).toMatchObject({ mean: expect.any(Number) as number, deviation: expect.any(Number) as number })
    await world.study({ ...signalStudy, end: '2026-07-24' })
    expect(world.scores()).toHaveLength(3)
  })

  it('says that its recorded days come out otherwise now', async () => {
    const world = await recordedWorld()
    await world.study()
    liveThrough(world, '2026-07-11', '2026-07-14')
    await world.update()
    expect(world.scores()[1]).toMatchObject({ kind: 'signal', warnings: [] })
    world.fetchDay(FIRST_DAY + 4, { version: 1 })
    liveThrough(world, '2026-07-15', '2026-07-16')
    await world.update()
    expect(world.scores()[1].warnings).toMatchObject([{ code: 'record-differs' }])
  })
})

describe('the inbox', () => {
  it('is told once that a run was killed', async () => {
    const world = forwardWorld()
    onTestFinished(() => world.close())
    world.setClock('2026-07-11T06:00:00Z')
    for (let day = FIRST_DAY; day <= RECORDED_TO; day++) world.fetchDay(day)
    world.setClock('2026-07-11T12:00:00Z')
    const registration = { document: test, onPanel: false, expect: 'up', kill: 'totalReturn < 9 after 3d', note: null }
    registerStudy(world.ledger, registration, 'cli')
    await world.run()
    liveThrough(world, '2026-07-11', '2026-07-16')
    await world.update()
    expect(world.scores()).toMatchObject([{ sequence: 2, registered: true, expect: 'up', killed: '2026-07-14' }])
    const [{ family }] = world.scores()
    expect(world.store.checks.inbox()).toMatchObject([
      { check: 'entry 2', state: 'hit', why: 'killed on 2026-07-14', family },
    ])
    liveThrough(world, '2026-07-17', '2026-07-18')
    await world.update()
    expect(world.store.checks.inbox()).toHaveLength(1)
  })

  it('is told once that the evidence of a run reached 20', async () => {
    const world = await recordedWorld()
    const [{ entry, ...stored }] = world.ledger.tables.entries()
    if (!isScored(entry)) throw new Error('not a run')
    const run = createForwardRuns(world.ledger.tables)({ ...stored, entry })
    const daysOf = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        ...{ day: RECORDED_TO + 2 + at, net: at % 2 === 0 ? 0.01 : 0.02 },
        ...{ ics: [], files: at, content: 0 },
      }))
    tellInbox(world, run, daysOf(1))
    expect(world.store.checks.inbox()).toEqual([])
    for (const count of [60, 120]) tellInbox(world, run, daysOf(count))
    expect(world.store.checks.inbox().map(({ check, why }) => `${check}: ${why}`)).toEqual([
      expect.stringMatching(/^entry 1: evidence reached 20 on 2026-0[78]-\d\d$/),
    ])
  })
})
