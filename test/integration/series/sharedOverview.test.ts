import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, expect, test, vi } from 'vitest'
import { columnOf } from '#shared/contract/frame.ts'
import { binFields, binFieldName } from '#shared/overview/bins.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { duckDbCache } from '../../fakes/duckDbCache.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const series = flowSeries({ interval: '1m' })
const names = ['a', 'b', 'c', 'd']
const monthMs = (month: number) => Date.UTC(2025, month)

async function yearOfMinutes() {
  const world = duckDbCache(connection, series)
  for (let month = 0; month < 12; month++) {
    const rows = (monthMs(month + 1) - monthMs(month)) / 60_000
    const values = names.map((name, at) => `1000 * sin(i * ${at + 1}.7 + ${month}) + i / 100 AS ${name}`)
    const period = `2025-${String(month + 1).padStart(2, '0')}`
    await world.put(
      period,
      `SELECT ${monthMs(month)} + i * 60000 AS time, ${values.join(', ')} FROM range(${rows}) t(i)`,
    )
  }
  const reading = vi.spyOn(world.desk.deps.reader, 'run')
  const ask = async (columns: string[], points: number) => {
    reading.mockClear()
    const wanted = { series, timestamp: 'exchange' as const, columns, startMs: null, endMs: null, points }
    const { points: answer } = await world.desk.overview(wanted, new AbortController().signal)
    const taskCount = reading.mock.calls.filter(([name]) => name === 'overview').length
    const part = (name: string, of: (typeof binFields)[number]) => columnOf(answer.frame, binFieldName(name, of))!
    return { tasks: taskCount, binMs: answer.binMs, times: answer.frame.columns[0].values, part }
  }
  return { ...world, ask }
}

const exact = binFields.filter((part) => part !== 'mean' && part !== 'm2')

test('an overview that threads share equals that of one thread, also in bins that begin in one part and end in the next', async () => {
  const { ask, desk } = await yearOfMinutes()
  // Hourly bins never span two months, but bins of four weeks do.
  for (const [points, binMs] of [
    [9000, 3_600_000],
    [20, 28 * 86_400_000],
  ]) {
    const together = await ask(names, points)
    expect(together.binMs).toBe(binMs)
    expect(together.tasks).toBe(desk.deps.reader.threads)
    for (const name of names) {
      const alone = await ask([name], points)
      expect(alone.tasks).toBeLessThanOrEqual(1)
      expect(together.times).toEqual(alone.times)
      for (const part of exact) expect(together.part(name, part), `${name} ${part}`).toEqual(alone.part(name, part))
      for (const part of ['mean', 'm2'] as const)
        for (const [bin, value] of alone.part(name, part).values.entries())
          expect(Math.abs(Number(together.part(name, part).values[bin]) / Number(value) - 1)).toBeLessThan(1e-9)
    }
  }
})
