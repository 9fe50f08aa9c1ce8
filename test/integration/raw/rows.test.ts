import { expect, test } from 'vitest'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { stampsAt } from '../rawFolder.ts'
import { day, eventsOf, rawWorld, symbol, venue } from './rawWorld.ts'

const startDay = Date.parse(day) / MS_PER_DAY
const trades = { dataset: 'trades', exchange: venue, symbol, startDay, endDay: startDay + 2 }
const cells = (frame: Frame, name: string) =>
  Array.from({ length: frame.rows }, (_, row) => cellOf(columnOf(frame, name)!, row))

const smallGroups = 'COMPRESSION zstd, ROW_GROUP_SIZE 2048'
const nextDay = '2026-09-02'

async function twoDays() {
  const world = await rawWorld()
  const first = await world.raw.write('trades', day, eventsOf.trades(10_000), smallGroups)
  const second = await world.raw.write('trades', nextDay, eventsOf.trades(100).replaceAll(day, nextDay))
  await world.take(first, second)
  return world
}

test('rows of several files are one table, page by page', async () => {
  const { client } = await twoDays()
  const page = await client.call('raw.rows', { ...trades, offset: 9998, limit: 4 })
  expect([page.count, page.total]).toEqual([10_100, 10_100])
  expect(cells(page.rows, 'row')).toEqual([9999, 10_000, 10_001, 10_002])
  expect(cells(page.rows, 'id')).toEqual(['9998', '9999', '0', '1'])
  expect(cells(page.rows, 'price')).toEqual([102, 103, 100, 101])
  expect(cells(page.rows, 'exchange_timestamp')).toEqual([
    Date.parse(day) + 9_998_000,
    Date.parse(day) + 9_999_000,
    Date.parse(nextDay),
    Date.parse(nextDay) + 1000,
  ])
  expect((await client.call('raw.rows', { ...trades, offset: 20_000, limit: 4 })).rows.rows).toBe(0)
})

test.each(['BIGINT', 'UBIGINT'])(
  'ids of type %s beyond 2^53 are shown with all digits, and neighbours are not the same event',
  async (type) => {
    const { client, raw, take } = await rawWorld()
    const select = `SELECT t.* REPLACE ((9007199254740992 + range)::${type} AS id) FROM (${eventsOf.trades(1)}) t, range(2)`
    await take(await raw.write('trades', day, select))
    const page = await client.call('raw.rows', { ...trades, offset: 0, limit: 2 })
    expect(cells(page.rows, 'id')).toEqual(['9007199254740992', '9007199254740993'])
    const { files } = await client.call('raw.files', { exchange: venue, symbol })
    expect(files[0].conditions?.duplicates).toBe(0)
  },
)

test('a filter keeps what satisfies all of it, wherever the rows lie', async () => {
  const { client } = await twoDays()
  const filters = [
    { key: 'side', oneOf: ['buy'] },
    { key: 'price', from: 106, to: 106 },
    { key: 'amount', from: 4 },
  ]
  const expected = Array.from({ length: 10_000 }, (_, i) => i).filter((i) => i % 3 === 0 && i % 7 === 6 && i % 5 === 4)
  const page = await client.call('raw.rows', { ...trades, filters, offset: 0, limit: 1000 })
  expect(page.total).toBe(10_100)
  expect(cells(page.rows, 'id').slice(0, expected.length)).toEqual(expected.map(String))
  const later = await client.call('raw.rows', { ...trades, filters, offset: 50, limit: 2 })
  expect(cells(later.rows, 'id')).toEqual(expected.slice(50, 52).map(String))
  const { row } = await client.call('raw.seek', {
    ...trades,
    filters,
    timestamp: 'exchange',
    timeMs: Date.parse(day) + 5_000_000,
  })
  expect(row).toBe(expected.findIndex((i) => i >= 5000))
})

test('a jump finds the first row that is not before an instant, by either clock, in any file', async () => {
  const { client } = await twoDays()
  const seek = async (timeMs: number, timestamp: 'exchange' | 'true' = 'exchange') =>
    (await client.call('raw.seek', { ...trades, timestamp, timeMs })).row
  expect(await seek(0)).toBe(0)
  expect(await seek(Date.parse(day) + 7_000_500)).toBe(7001)
  expect(await seek(Date.parse(day) + 7_000_000.5, 'true')).toBe(7000)
  expect(await seek(Date.parse(nextDay) + 3000)).toBe(10_003)
  expect(await seek(Date.parse('2027-01-01'))).toBe(10_100)
})

test('latency is computed from measured events only, exactly', async () => {
  const { raw, client, take } = await rawWorld()
  await take(
    await raw.write(
      'quotes',
      day,
      `SELECT * REPLACE (CASE WHEN bid_price = 100 THEN 'modelled' ELSE 'measured' END AS local_timestamp_kind)
       FROM (SELECT ${stampsAt(day, 'i * 1000000', 'CASE WHEN i = 5 THEN -2000 WHEN i = 6 THEN 5000000 ELSE 1000 + i END')},
         100e0 + i % 2 AS bid_price, 1e0 AS bid_amount, 102e0 AS ask_price, 1e0 AS ask_amount FROM range(1000) t(i))`,
    ),
  )
  const found = await client.call('raw.latency', { dataset: 'quotes', exchange: venue, symbol, period: day })
  expect(found).toMatchObject({
    measured: 500,
    modelledArrivals: 500,
    modelledTimes: 0,
    negative: 1,
    minMs: -2,
    maxMs: 1.999,
  })
  expect(found.bars.reduce((sum, { count }) => sum + count, 0)).toBe(500)
  const odd = Array.from({ length: 500 }, (_, at) => (at === 2 ? -2 : 1 + (2 * at + 1) / 1000)).toSorted(
    (a, b) => a - b,
  )
  // The median of 500 values is the mean of the middle two, as everywhere else in the app.
  expect(found.quantilesMs[3]).toBeCloseTo((odd[249] + odd[250]) / 2, 9)
  expect(cells(found.overTime, 'count').reduce<number>((sum, count) => sum + Number(count), 0)).toBe(500)
  expect(cells(found.overTime, 'time')[0]).toBe(Date.parse(day))
})

test('a modelled venue time gives no latency at all', async () => {
  const { raw, client, inspect } = await rawWorld()
  const path = await raw.write(
    'mark_price',
    day,
    `SELECT exchange_timestamp, 'modelled' AS exchange_timestamp_kind, * EXCLUDE exchange_timestamp FROM (
       SELECT ${stampsAt(day, 'i * 1000000')}, 100e0 + i AS mark_price FROM range(10) t(i))`,
  )
  const [{ id, hasTimeKind }] = await inspect(path)
  expect(hasTimeKind).toBe(true)
  const named = { exchange: 'venuec-perps', symbol }
  const { files } = await client.call('raw.import', { files: [{ id, ...named }] })
  expect(files).toMatchObject([{ state: 'imported' }])
  const found = await client.call('raw.latency', { dataset: 'mark_price', ...named, period: day })
  expect(found).toMatchObject({ measured: 0, modelledTimes: 10, quantilesMs: [], bars: [], meanMs: null })
})

test('what a file is like is kept with it, and read once where nobody looked', async () => {
  const { client } = await twoDays()
  const { files } = await client.call('raw.files', { exchange: venue, symbol })
  expect(files.map(({ period, rows, conditions }) => [period, rows, conditions?.events])).toEqual([
    [day, 10_000, 10_000],
    [nextDay, 100, 100],
  ])
  const read: string[] = []
  const again = await client.call('raw.conditions', trades, { onProgress: ({ message }) => read.push(message) })
  expect([again.files.length, read]).toEqual([2, []])
})
