import { DuckDBInstance } from '@duckdb/node-api'
import { truncateSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import type { OverviewRequest } from '#core/series/overview.ts'
import { drawnCandles, drawnRows } from '#shared/overview/drawn.ts'
import { reduceRows } from '../../../renderer/charts/reduce.ts'
import { seededRandom } from '../../fuzz/target.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { duckDbCache } from '../../fakes/duckDbCache.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const series = flowSeries({ interval: '1m' })
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
/** SQL for a month of minutes: `v` is missing on the 3rd and infinite once a day, and the 10th has no rows. */
const july = `SELECT time::BIGINT AS time, CASE WHEN time BETWEEN ${day('2026-07-03')} AND ${day('2026-07-04')} - 1 THEN NULL
  WHEN time % 86400000 = 0 THEN 'Infinity'::DOUBLE ELSE round(1000 * sin(i * 1.7) + i / 100, 6) END AS v
  FROM (SELECT i, ${day('2026-07-01')} + i * 60000 AS time FROM range(44640) t(i))
  WHERE NOT time BETWEEN ${day('2026-07-10')} AND ${day('2026-07-11')} - 1`

function setUp() {
  const world = duckDbCache(connection, series)
  const ask = (question: Partial<OverviewRequest> = {}) =>
    world.desk.overview(
      { series, timestamp: 'exchange', columns: ['v'], startMs: null, endMs: null, points: 500, ...question },
      new AbortController().signal,
    )
  return { ...world, ask }
}

const cells = ({ frame }: OverviewPoints, name: string) =>
  Array.from({ length: frame.rows }, (_, row) => cellOf(columnOf(frame, name)!, row))

describe('the overview of a series', () => {
  it('knows of every bin what a database says of its rows', async () => {
    const { put, ask } = setUp()
    const path = await put('2026-07', july)
    const { points, range } = await ask()
    expect(points).toMatchObject({ kind: 'bins', binMs: 7_200_000, stepMs: 60_000 })
    expect(range).toEqual({ startMs: day('2026-07-01'), endMs: day('2026-08-01') })
    const result = await connection.runAndReadAll(
      `SELECT start, count(v)::INTEGER AS count, min(v) AS min, max(v) AS max, arg_min(v, time) AS first, arg_max(v, time) AS last,
         avg(v) AS mean, var_samp(v) AS variance, min(time)::DOUBLE AS "firstAt", max(time)::DOUBLE AS "lastAt",
         arg_min(time, v)::DOUBLE AS "minAt", arg_max(time, v)::DOUBLE AS "maxAt"
       FROM (SELECT time // 7200000 * 7200000 AS start, time, v FROM '${path}' WHERE isfinite(v)) GROUP BY start ORDER BY start`,
    )
    const expected = new Map(result.getRowObjectsJS().map((row) => [Number(row.start), row]))
    const times = cells(points, 'time')
    expect(times).toEqual(Array.from({ length: 31 * 12 }, (_, at) => day('2026-07-01') + at * 7_200_000))
    const counts = cells(points, 'v.count')
    for (const part of ['min', 'max', 'first', 'last', 'firstAt', 'lastAt', 'minAt', 'maxAt'] as const)
      expect(cells(points, `v.${part}`), part).toEqual(times.map((time) => expected.get(Number(time))?.[part] ?? null))
    expect(counts).toEqual(times.map((time) => expected.get(Number(time))?.count ?? 0))
    expect(counts.filter((count) => count === 0)).toHaveLength(24)
    cells(points, 'v.mean').forEach((mean, at) => {
      const row = expected.get(Number(times[at]))
      if (row) expect(mean).toBeCloseTo(Number(row.mean), 9)
    })
    cells(points, 'v.m2').forEach((m2, at) => {
      const row = expected.get(Number(times[at]))
      if (row) expect(Number(m2) / (Number(row.count) - 1)).toBeCloseTo(Number(row.variance), 5)
    })
  })

  it('gives rows as they are, with gaps and infinities, where there are no more of them than points', async () => {
    const { put, ask } = setUp()
    await put('2026-07', july)
    const { points } = await ask({ startMs: day('2026-07-02'), endMs: day('2026-07-02') + 3 * 60_000 })
    expect(points).toMatchObject({ kind: 'rows', binMs: null, frame: { rows: 3 } })
    expect(cells(points, 'v')[0]).toBe(Infinity)
    expect(drawnRows(points, 'v').stepMs).toBe(60_000)
  })

  it('says what is here, what could be and what there is not, and names a damaged file', async () => {
    const { put, ask, store } = setUp()
    await put('2026-07-01', july.replace('range(44640)', 'range(1440)'))
    truncateSync(await put('2026-07-02', july.replace('range(44640)', 'range(1440)')), 300)
    store.unavailable.recordAbsent(series, ['2026-05'], 1)
    const answer = await ask({ startMs: day('2026-04-30'), endMs: day('2026-07-05'), columns: ['v', 'nope'] })
    expect(answer.coverage.map(({ startMs, state }) => [new Date(startMs).toISOString().slice(0, 10), state])).toEqual([
      ['2026-04-30', 'available'],
      ['2026-05-01', 'absent'],
      ['2026-06-01', 'available'],
      ['2026-07-01', 'cached'],
      ['2026-07-03', 'available'],
    ])
    expect(answer.absentColumns).toEqual(['nope'])
    expect(answer.unread).toMatchObject([{ startMs: day('2026-07-02') }])
    expect(answer.unread[0].message).toMatch(
      /^sandbox\/metrics\/dataset=flow\/.*2026-07-02\.parquet: the file is cut off/,
    )
    expect(answer.files.map(({ period, sha256 }) => [period, sha256.length])).toEqual([
      ['2026-07-01', 64],
      ['2026-07-02', 64],
    ])
    expect(drawnRows(answer.points, 'v').times.at(-1)).toBe(day('2026-07-02') - 60_000)
  })

  it('tells what the download queue is about to bring from what nobody asked for', async () => {
    const { ask, store } = setUp()
    const wanted = ['2026-05', '2026-07'].map((period) => ({ series, period, refresh: false }))
    store.jobs.add(store.jobs.newBatch('b', 1), wanted, { priority: 0, nowMs: 1 })
    const { coverage } = await ask({ startMs: day('2026-04-15'), endMs: day('2026-07-15') })
    expect(coverage.map(({ startMs, isQueued }) => [new Date(startMs).toISOString().slice(0, 10), isQueued])).toEqual([
      ['2026-04-15', false],
      ['2026-05-01', true],
      ['2026-06-01', false],
      ['2026-07-01', true],
    ])
  })

  it('answers for a series that is not here', async () => {
    const { ask } = setUp()
    const { points, range, coverage, files } = await ask()
    expect([points.frame.rows, range, coverage, files]).toEqual([0, { startMs: 0, endMs: 0 }, [], []])
  })

  it('makes candles whose extremes and sums are those of the rows', async () => {
    const { put, ask } = setUp()
    await put(
      '2026-07',
      `SELECT time, i::DOUBLE AS open, i + 2.0 AS high, i - 1.0 AS low, i + 1.0 AS close, 0.5 AS volume
       FROM (SELECT i, ${day('2026-07-01')} + i * 60000 AS time FROM range(44640) t(i))`,
    )
    const columns = ['open', 'high', 'low', 'close', 'volume']
    const { points } = await ask({ columns })
    const { times, values, candles, stepMs } = drawnCandles(points)
    expect([times.length, stepMs]).toEqual([31 * 12, 7_200_000])
    expect([candles.open[1], candles.high[1], candles.low[1], values[1], candles.volume?.[1]]).toEqual([
      120, 241, 119, 240, 60,
    ])
  })
})

describe('the overview of raw events by arrival', () => {
  const raw = flowSeries({ kind: 'raw', dataset: 'quotes', interval: '', timestamp: '' })
  /**
   * Returns SQL for one event per second of a day; the events of the last minute arrive in the first seconds after
   * midnight.
   */
  const events = (from: string, first: number) => `SELECT
    make_timestamp((${day(from)} + i * 1000) * 1000) AS exchange_timestamp,
    make_timestamp((${day(from)} + CASE WHEN i >= 86340 THEN 86400000 + (i - 86340) * 50 ELSE i * 1000 + 20 END) * 1000) AS local_timestamp,
    (${first} + i)::DOUBLE AS bid_price FROM range(86400) t(i)`

  it('counts what arrives after midnight where it arrives, from rows and from summaries', async () => {
    const world = duckDbCache(connection, raw)
    await world.put('2026-08-01', events('2026-08-01', 0))
    await world.put('2026-08-02', events('2026-08-02', 1e6))
    const range = { startMs: day('2026-08-01'), endMs: day('2026-08-03') }
    const ask = async (question: Partial<OverviewRequest> = {}) => {
      const wanted = {
        series: raw,
        timestamp: 'true' as const,
        columns: ['bid_price'],
        ...range,
        points: 48,
        ...question,
      }
      const { points, unread } = await world.desk.overview(wanted, new AbortController().signal)
      expect(unread).toEqual([])
      return { points, cell: (part: string, at: number) => cells(points, `bid_price.${part}`)[at] }
    }
    for (const from of ['rows', 'summaries made on a thread', 'kept summaries']) {
      const { points, cell } = await ask()
      expect(points, from).toMatchObject({ kind: 'bins', binMs: 3_600_000, frame: { rows: 48 } })
      // The events of the first day's last minute belong to the hour in which they arrive, before the first event of
      // the second day.
      expect([cell('count', 23), cell('last', 23)], from).toEqual([3540, 86_339])
      expect([cell('count', 24), cell('min', 24), cell('first', 24)], from).toEqual([3660, 86_340, 86_340])
      expect([cell('last', 24), cell('max', 24)], from).toEqual([1e6 + 3599, 1e6 + 3599])
      expect(cell('count', 47), from).toBe(3540)
      await world.desk.deps.summaries.waitUntilIdle()
    }
    const second = await ask({ startMs: day('2026-08-02'), endMs: day('2026-08-03'), points: 24 })
    expect([second.cell('count', 0), second.cell('first', 0)]).toEqual([3660, 86_340])
  })
})

describe('the edges of a view', () => {
  it('split the bins they cut, so that what is drawn has the extremes of the rows in view', async () => {
    const { put, ask, desk } = setUp()
    const path = await put('2026-07', july)
    const result = await connection.runAndReadAll(
      `SELECT time::DOUBLE AS time, v FROM '${path}' WHERE isfinite(v) ORDER BY time`,
    )
    const raw = result.getRowObjectsJS().map(({ time, v }) => [Number(time), Number(v)] as const)
    const draw = seededRandom(4)
    for (let round = 0; round < 40; round++) {
      // The first answers read rows; later ones use the summaries that the first ones have left.
      const lengthMs = (1 + Math.floor(draw() * 12)) * 86_400_000 + draw() * 7_000_000
      const startMs = day('2026-07-02') + draw() * 15 * 86_400_000
      const view = { startMs, endMs: startMs + lengthMs }
      const around = { startMs: Math.floor(startMs - lengthMs / 2), endMs: Math.ceil(view.endMs + lengthMs / 2) }
      const inView = raw.filter(([time]) => time >= view.startMs && time < view.endMs).map(([, value]) => value)
      const edges = [view.startMs, view.endMs]
      const overview = await ask({ ...around, points: 100, edges })
      const formula = await desk.evaluate(
        {
          formula: 'a + 0',
          inputs: { a: { series, timestamp: 'exchange', column: 'v' } },
          originMs: null,
          ...around,
          points: 100,
          edges,
        },
        new AbortController().signal,
      )
      for (const [points, name] of [
        [overview.points, 'v'],
        [formula.points, 'value'],
      ] as const) {
        expect(points.kind).toBe('bins')
        const { times, values, valid } = drawnRows(points, name)
        const drawn = reduceRows({ times, values, valid }, view, null, 800)
        const shown = [...drawn.values].filter(
          (value, at) => !Number.isNaN(value) && drawn.times[at] >= view.startMs && drawn.times[at] < view.endMs,
        )
        expect([Math.min(...shown), Math.max(...shown)]).toEqual([Math.min(...inView), Math.max(...inView)])
        expect([shown[0], shown.at(-1)]).toEqual([inView[0], inView.at(-1)])
        const starts = cells(points, 'time')
        expect(starts).toEqual([...starts].sort((a, b) => Number(a) - Number(b)))
        const counted = cells(points, `${name}.count`).filter(
          (_, at) => Number(starts[at]) >= view.startMs && Number(starts[at]) < view.endMs,
        )
        expect(counted.reduce((sum: number, count) => sum + Number(count), 0)).toBe(inView.length)
      }
    }
  })

  it('are those of the range where none are named, so that 20 bins of a range between bars lose no extreme', async () => {
    const { put, ask, desk } = setUp()
    const path = await put('2026-07', july)
    const result = await connection.runAndReadAll(
      `SELECT time::DOUBLE AS time, v FROM '${path}' WHERE isfinite(v) ORDER BY time`,
    )
    const raw = result.getRowObjectsJS().map(({ time, v }) => [Number(time), Number(v)] as const)
    const draw = seededRandom(7)
    for (let round = 0; round < 20; round++) {
      const startMs = Math.floor(day('2026-07-02') + draw() * 15 * 86_400_000) + 0.5
      const view = { startMs, endMs: startMs + Math.floor((1 + draw() * 12) * 86_400_000) }
      const inView = raw.filter(([time]) => time >= view.startMs && time < view.endMs).map(([, value]) => value)
      const overview = await ask({ ...view, points: 20 })
      const formula = await desk.evaluate(
        {
          formula: 'a + 0',
          inputs: { a: { series, timestamp: 'exchange', column: 'v' } },
          originMs: null,
          ...view,
          points: 20,
        },
        new AbortController().signal,
      )
      for (const [points, name] of [
        [overview.points, 'v'],
        [formula.points, 'value'],
      ] as const) {
        const { times, values } = drawnRows(points, name)
        const shown = [...values].filter((_, at) => times[at] >= view.startMs && times[at] < view.endMs)
        expect([Math.min(...shown), Math.max(...shown)], name).toEqual([Math.min(...inView), Math.max(...inView)])
      }
    }
  })
})
