import { DuckDBInstance } from '@duckdb/node-api'
import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { OverviewRequest } from '#core/series/overview.ts'
import { createCache } from '#core/cache/cache.ts'
import { createValidationPool } from '#core/downloads/validationPool.ts'
import { duckDbCache } from '../../fakes/duckDbCache.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const series = flowSeries({ interval: '1m' })
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const minutes = (from: string, days: number) =>
  `SELECT ${day(from)} + i * 60000 AS time, CASE WHEN i % 9 = 0 THEN NULL ELSE sin(i * 1.3) * 1e5 END AS v, i::DOUBLE AS w, 'x' AS word
   FROM range(${days * 1440}) t(i) WHERE i // 1440 <> 3`

async function setUp() {
  const world = duckDbCache(connection, series)
  await world.put('2026-06', minutes('2026-06-01', 30))
  await world.put('2026-07', minutes('2026-07-01', 31))
  // The file of a day takes precedence over the file of its month.
  await world.put('2026-07-20', minutes('2026-07-20', 1))
  const ask = (question: Partial<OverviewRequest> = {}) =>
    world.desk.overview(
      { series, timestamp: 'exchange', columns: ['v', 'w'], startMs: null, endMs: null, points: 400, ...question },
      new AbortController().signal,
    )
  const summaryOf = (period: string) =>
    world.store.folder.summaryPathOf(world.store.files.find(series, period)!.sha256, 'exchange')
  return { ...world, ask, summaryOf }
}

describe('the summary of a file', () => {
  it('contains what the rows give: every bin is the same without the rows', async () => {
    const { ask, desk, summaryOf, store } = await setUp()
    const first = await ask()
    expect(first.points.kind).toBe('bins')
    await desk.deps.summaries.waitUntilIdle()
    for (const period of ['2026-06', '2026-07', '2026-07-20']) expect(existsSync(summaryOf(period)), period).toBe(true)
    // The rows are cut off, so that only the summaries can still be read.
    for (const period of ['2026-06', '2026-07', '2026-07-20']) truncateSync(store.folder.pathOf(series, period), 100)
    const again = await ask()
    expect(again.unread).toEqual([])
    for (const [at, column] of again.points.frame.columns.entries()) {
      const before = first.points.frame.columns[at]
      expect([column.name, column.valid]).toEqual([before.name, before.valid])
      column.values.forEach((value, row) => {
        const size = Math.max(1, Math.abs(before.values[row]))
        expect(Math.abs(value - before.values[row]) <= 1e-9 * size, `${column.name} in ${row}`).toBe(true)
      })
    }
    // The same summaries give half of the history and longer bins.
    const half = await ask({ startMs: day('2026-06-16'), points: 50, columns: ['w'] })
    expect([half.unread, half.points.binMs]).toEqual([[], 86_400_000])
  })

  it.each([
    ['cut off', (path: string) => truncateSync(path, statSync(path).size - 8)],
    ['not one', (path: string) => writeFileSync(path, 'nonsense')],
  ])('is ignored where it is %s', async (_, spoil) => {
    const { ask, desk, summaryOf } = await setUp()
    const first = await ask()
    await desk.deps.summaries.waitUntilIdle()
    spoil(summaryOf('2026-06'))
    const again = await ask()
    expect(again.points.frame.columns.find(({ name }) => name === 'v.max')).toEqual(
      first.points.frame.columns.find(({ name }) => name === 'v.max'),
    )
    expect(again.unread).toEqual([])
  })

  it('is made as files arrive, before anybody looks', async () => {
    const { desk, summaryOf, store, ask } = await setUp()
    await desk.deps.summaries.waitUntilIdle()
    for (const period of ['2026-06', '2026-07', '2026-07-20']) {
      expect(existsSync(summaryOf(period)), period).toBe(true)
      truncateSync(store.folder.pathOf(series, period), 100)
    }
    expect((await ask()).unread).toEqual([])
  })

  type World = Awaited<ReturnType<typeof setUp>>
  const signal = new AbortController().signal
  const cacheOf = ({ store, dataDir }: World) => {
    const pool = createValidationPool(1)
    onTestFinished(pool.close)
    return createCache({ store, dataDir, clock: fakeClock(), validation: pool })
  }

  it.each<[string, (world: World) => Promise<unknown>]>([
    ['is pruned', (world) => cacheOf(world).makeRoom(0, { signal })],
    ['goes with its connection', (world) => cacheOf(world).removeConnection(series.connectionId, { signal })],
    ['is put aside for damage', (world) => cacheOf(world).verify({ signal, onProgress: () => {}, repair: true })],
    ['was changed upstream', (world) => world.put('2026-06', minutes('2026-06-01', 29))],
  ])('goes when its file %s', async (_, happens) => {
    const world = await setUp()
    await world.ask()
    await world.desk.deps.summaries.waitUntilIdle()
    const path = world.summaryOf('2026-06')
    expect(existsSync(path)).toBe(true)
    writeFileSync(world.store.folder.pathOf(series, '2026-06'), 'nonsense')
    await happens(world)
    await world.desk.deps.summaries.waitUntilIdle()
    expect(existsSync(path)).toBe(false)
  })
})
