import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, expect, it } from 'vitest'
import { snippetsFor } from '#core/export/seriesSnippets.ts'
import { duckDbCache } from '../../fakes/duckDbCache.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

it('for DuckDB reads the cache where it lies, months and days together, as the app does', async () => {
  const series = flowSeries({ symbol: 'perpetual-龙ai-USDT:USDT', interval: '1h' })
  const { store, desk, put } = duckDbCache(connection, series)
  const hours = (from: string, days: number) =>
    `SELECT ${day(from)} + i * 3600000 AS time, i / 3.0 AS v, CASE WHEN i % 5 = 0 THEN NULL ELSE i END AS w FROM range(${days * 24}) t(i)`
  await put('2026-07', hours('2026-07-01', 31))
  await put('2026-08-01', hours('2026-08-01', 1))
  const question = { series, timestamp: 'exchange' as const, columns: ['v', 'w'] }
  const range = { startMs: day('2026-07-30'), endMs: day('2026-08-02') }
  const [duck] = snippetsFor(store, { ...question, ...range })
  const found = (await connection.runAndReadAll(duck.text)).getRowObjectsJS()
  const { frame } = await desk.read({ ...question, ...range, limitRows: 1e6 }, new AbortController().signal)
  expect(found).toHaveLength(72)
  const [times, v, w] = frame.columns
  expect(found.map(({ time }) => Number(time))).toEqual([...times.values])
  expect(found.map((row) => row.v)).toEqual([...v.values])
  expect(found.map((row) => (row.w === null ? null : Number(row.w)))).toEqual(
    Array.from(w.values, (value, row) => (w.valid?.[row] === 0 ? null : value)),
  )
})
