import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, expect, it } from 'vitest'
import { columnOf, type Frame } from '#shared/contract/frame.ts'
import type { RelationshipsRequest } from '#core/series/relationships.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { duckDbCache } from '../../fakes/duckDbCache.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const { signal } = new AbortController()
const startMs = Date.parse('2026-08-01T00:00:00Z')
const minutes = flowSeries({ interval: '1m', dataset: 'ohlcv' })
const hours = flowSeries({ interval: '1h', dataset: 'ohlcv' })
/**
 * SQL for an hourly series with missing rows and missing values; `byMinute` is a minute series that follows it two
 * hours later.
 */
const hourly = `SELECT ${startMs} + i * 3600000 AS time,
  CASE WHEN i % 13 <> 4 THEN 100 + sin(i / 5.0) * 10 + (hash(i) % 100) / 20.0 END AS close
  FROM range(24) t(i) WHERE i % 11 <> 7`
const byMinute = `SELECT ${startMs} + i * 60000 AS time,
  50 + 3 * sin((i // 60 - 2) / 5.0) + (hash(i + 1) % 1000) / 500.0 AS close, 1.0 AS volume
  FROM range(1440) t(i) WHERE i % 17 <> 3`

async function setUp() {
  const { put, desk } = duckDbCache(connection, minutes)
  await put('2026-08-01', hourly, undefined, hours)
  await put('2026-08-01', byMinute)
  const input = (series: OwnedSeries) => ({ series, timestamp: 'exchange', column: 'close' }) as const
  const formulas = [
    { name: 'a', formula: 'a' },
    { name: 'b', formula: 'b' },
  ]
  const all = { startMs: null, endMs: null, originMs: null, x: 0, y: 1, compare: 'values' as const }
  const sizes = { windowRows: 5, lags: 4, pairs: 1000, points: 500 }
  return (question: Partial<RelationshipsRequest> = {}) =>
    desk.relationships(
      { inputs: { a: input(hours), b: input(minutes) }, formulas, ...all, ...sizes, ...question },
      signal,
    )
}

const column = (frame: Frame, name: string) => {
  const found = columnOf(frame, name)
  return found && found.kind !== 'text' ? [...found.values] : []
}

/** Computes the same pairs with DuckDB: the last value of each hour beside the hourly row. */
const pairsQuery = (lag = 0) => `WITH a AS (${hourly}),
  b AS (SELECT time // 3600000 * 3600000 AS time, arg_max(close, time) AS close FROM (${byMinute}) GROUP BY 1)
  SELECT regr_slope(b.close, a.close) AS slope, regr_intercept(b.close, a.close) AS intercept,
    regr_r2(b.close, a.close) AS r2, corr(a.close, b.close) AS r, count(*) AS n,
    regr_syy(b.close, a.close) AS yy, regr_sxx(b.close, a.close) AS xx
  FROM a JOIN b ON b.time = a.time + ${lag} * 3600000 WHERE a.close IS NOT NULL`
async function byDuckDb(lag = 0): Promise<Record<string, number>> {
  const [row] = (await connection.runAndReadAll(pairsQuery(lag))).getRowObjectsJS()
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))
}

it('gives the line, its t and the correlations that DuckDB gives for the same pairs', async () => {
  const ask = await setUp()
  const answer = await ask()
  const expected = await byDuckDb()
  expect(answer.problem).toBeNull()
  expect(answer.intervalMs).toBe(3_600_000)
  // The shorter series is resampled to the longer interval, so that no value counts more than once.
  expect(answer.series.map(({ formula, resampled }) => [formula, resampled])).toEqual([
    ['a', null],
    ["resample(b, '1h')", 'Last row'],
  ])
  const line = answer.line!
  expect(line.n).toBe(expected.n)
  expect(line.n).toBeLessThan(24)
  expect(line.slope).toBeCloseTo(expected.slope, 10)
  expect(line.intercept).toBeCloseTo(expected.intercept, 8)
  expect(line.r2).toBeCloseTo(expected.r2, 10)
  const error = Math.sqrt(((1 - expected.r2) * expected.yy) / (expected.n - 2) / expected.xx)
  expect(line.t).toBeCloseTo(expected.slope / error, 8)
  expect(answer.matrix.r[0][1]).toBeCloseTo(expected.r, 10)
  expect(answer.matrix.n[0][1]).toBe(expected.n)
  expect(answer.matrix.r[0][0]).toBe(1)
  for (const lag of [-3, 2, 4]) {
    const at = column(answer.lags, 'lag').indexOf(lag)
    const later = await byDuckDb(lag)
    expect(column(answer.lags, 'r')[at]).toBeCloseTo(later.r, 10)
    expect(column(answer.lags, 'n')[at]).toBe(later.n)
  }
})

it('shows residuals that are y less the line, at the times of the pairs', async () => {
  const ask = await setUp()
  const { line, residuals, pairs } = await ask()
  const { frame } = residuals
  const byTime = new Map(column(frame, 'time').map((time, row) => [time, column(frame, 'value')[row]]))
  const [times, xs, ys] = ['time', 'x', 'y'].map((name) => column(pairs.frame, name))
  expect(pairs.every).toBe(1)
  expect(times).toHaveLength(line!.n)
  times.forEach((time, at) => expect(byTime.get(time)).toBeCloseTo(ys[at] - line!.intercept - line!.slope * xs[at], 9))
})

it('rolls by the functions that a chart would use, and reads before the range what they look back on', async () => {
  const ask = await setUp()
  const whole = await ask({ windowRows: 4 })
  const late = await ask({ windowRows: 4, startMs: startMs + 12 * 3_600_000, endMs: startMs + 20 * 3_600_000 })
  const valueAt = (frame: Frame, time: number) => column(frame, 'value')[column(frame, 'time').indexOf(time)]
  const times = column(late.rollingCorrelation.frame, 'time')
  expect(times.length).toBe(8)
  for (const time of times) {
    for (const name of ['rollingCorrelation', 'rollingResidual'] as const)
      expect(valueAt(late[name].frame, time)).toBeCloseTo(valueAt(whole[name].frame, time), 9)
  }
})

it('compares changes instead of values, and names the unit of the slope', async () => {
  const ask = await setUp()
  const values = await ask()
  const changes = await ask({ compare: 'logReturns' })
  expect(changes.series.map(({ formula }) => formula)).toEqual(['logret(a)', "logret(resample(b, '1h'))"])
  expect(changes.line!.n).toBeLessThan(values.line!.n)
  expect(changes.line!.slope).not.toBeCloseTo(values.line!.slope, 3)
})

it('draws few of many pairs and says how many, while the figures are of all', async () => {
  const ask = await setUp()
  const few = await ask({ pairs: 6 })
  const all = await ask()
  expect(few.line).toEqual(all.line)
  expect(few.pairs.frame.rows).toBeLessThanOrEqual(6)
  expect(few.pairs.every).toBe(Math.ceil(all.line!.n / 6))
})

it('names the formula with an error, and intervals that do not divide each other', async () => {
  const ask = await setUp()
  const wrong = await ask({
    formulas: [
      { name: 'first', formula: 'a' },
      { name: 'second', formula: 'sma(b' },
    ],
  })
  expect(wrong.problem).toMatchObject({ name: 'second' })
  expect(wrong.line).toBeNull()
  const uneven = await ask({
    formulas: [
      { name: 'first', formula: "resample(b, '15m', 'last')" },
      { name: 'second', formula: "resample(b, '20m', 'last')" },
    ],
  })
  expect(uneven.problem?.message).toContain('15m does not divide 20m')
})
