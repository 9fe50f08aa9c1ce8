import { expect, test } from 'vitest'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const key = { connectionId: 'c', endpoint: 'returns', query: 'portfolio=p' }
const fetched = { fetchedAtMs: 5, source: 'https://service.example', problems: ['odd'] }
const oneDay = (day: number, value: number) => ({
  days: Int32Array.of(day),
  columns: ['returns'],
  values: Float64Array.of(value),
})

test('what was saved is there again after a restart, to the last bit', async () => {
  const dataDir = temporaryFolder()
  const value = 0.1 + 0.2
  openTestStore(dataDir).portfolio.saveDays(key, { start: 10, end: 20 }, oneDay(12, value), fetched)
  const { portfolio } = openTestStore(dataDir)
  const known = portfolio.find(key)
  expect(known).toMatchObject({ ...fetched, range: { start: 10, end: 20 } })
  expect(await portfolio.days(known?.id ?? 0, { start: 0, end: 100 }, [])).toEqual(oneDay(12, value))
  expect(portfolio.find({ ...key, connectionId: 'other' })).toBeUndefined()
})

test('a long history comes whole, though a slice at a time', async () => {
  const { portfolio } = openTestStore()
  const days = Int32Array.from({ length: 1000 }, (_, day) => day + 10)
  const columns = ['a', 'b']
  const values = Float64Array.from({ length: 2000 }, (_, at) => at / 7)
  portfolio.saveDays(key, { start: 10, end: 1010 }, { days, columns, values }, fetched)
  portfolio.saveDays(key, { start: 1010, end: 1011 }, { ...oneDay(1010, 1), columns: ['b'] }, fetched)
  let turns = 0
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  let isOver = false
  setImmediate(count)
  const read = await portfolio.days(portfolio.find(key)?.id ?? 0, { start: 0, end: 2000 }, ['b'])
  isOver = true
  expect(turns).toBeGreaterThan(2)
  expect(read.columns).toEqual(['b', 'a'])
  expect([...read.days]).toEqual([...days, 1010])
  expect([...read.values.subarray(2 * 500, 2 * 500 + 2)]).toEqual([values[1001], values[1000]])
  expect([...read.values.subarray(-2)]).toEqual([1, NaN])
})

test('ranges that do not touch are never joined over the days between them', () => {
  const { portfolio } = openTestStore()
  portfolio.saveDays(key, { start: 10, end: 20 }, oneDay(12, 1), fetched)
  portfolio.saveDays(key, { start: 20, end: 25 }, oneDay(22, 2), fetched)
  expect(portfolio.find(key)?.range).toEqual({ start: 10, end: 25 })
  portfolio.saveDays(key, { start: 40, end: 50 }, oneDay(42, 3), fetched)
  expect(portfolio.find(key)?.range).toEqual({ start: 40, end: 50 })
  // The later range is dropped together with its freshness.
  portfolio.saveDays(key, { start: 1, end: 5 }, oneDay(2, 4), { ...fetched, fetchedAtMs: 9, problems: [] })
  expect(portfolio.find(key)).toMatchObject({ range: { start: 1, end: 5 }, fetchedAtMs: 9, problems: [] })
})

test('an answer that cannot be saved whole leaves everything as it was', () => {
  const { portfolio } = openTestStore()
  portfolio.saveDays(key, { start: 10, end: 20 }, oneDay(12, 1), fetched)
  const broken = { ...oneDay(12, 2), days: Int32Array.of(12, 13), values: null as unknown as Float64Array }
  expect(() => portfolio.saveDays(key, { start: 10, end: 30 }, broken, { ...fetched, fetchedAtMs: 9 })).toThrow()
  expect(portfolio.find(key)).toMatchObject({ fetchedAtMs: 5, range: { start: 10, end: 20 } })
  expect(portfolio.revisions(1, 10)).toEqual([])
})

test('columns that come and go stand each in its own place', async () => {
  const { portfolio } = openTestStore()
  const range = { start: 0, end: 10 }
  const row = (day: number, columns: string[], ...values: number[]) => ({
    days: Int32Array.of(day),
    columns,
    values: Float64Array.from(values),
  })
  portfolio.saveDays(key, range, row(1, ['B', 'A'], 2, 1), fetched)
  portfolio.saveDays(key, range, row(2, ['C', 'A'], 3, 1), fetched)
  const id = portfolio.find(key)?.id ?? 0
  expect(await portfolio.days(id, range, [])).toMatchObject({
    columns: ['A', 'B', 'C'],
    values: Float64Array.of(1, 2, NaN, 1, NaN, 3),
  })
  expect((await portfolio.days(id, range, ['C', 'nobody', 'B'])).columns).toEqual(['C', 'B', 'A'])
})
