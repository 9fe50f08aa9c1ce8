import { existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { createComputePool } from '#core/compute/computePool.ts'
import { readTable } from '../conformance/compareMetrics.ts'
import { RawFolder, stampsAt } from './rawFolder.ts'

const pool = createComputePool(2)
afterAll(() => pool.close())

const day = '2026-09-01'

interface Trades {
  count?: number
  price?: string
  amount?: string
  side?: string
  us?: string
}

const HOUR_US = 3.6e9

const trades = ({
  count = 100,
  price = '100 + i % 7',
  amount = '1 + i % 3',
  side,
  us = `i * ${HOUR_US / 10}`,
}: Trades = {}) =>
  `SELECT ${stampsAt(day, us)}, 'id' || i AS id, ${side ?? "CASE WHEN i % 2 = 0 THEN 'buy' ELSE 'sell' END"} AS side,
     (${price})::DOUBLE AS price, (${amount})::DOUBLE AS amount FROM range(${count}) t(i)`

/** Runs a computation over the day that must fail; returns its error message and checks that no file is left. */
async function failure(raw: RawFolder, datasets: MetricDatasetId[] = ['flow', 'ohlcv']): Promise<string> {
  const outcome = await raw.compute(datasets, { start: day }, { pool }).then(
    () => 'it succeeded',
    (error: Error) => error.message,
  )
  const folder = dirname(raw.outputPath('any'))
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  return outcome
}

describe('bad values are refused with the file’s and the column’s name, and nothing is written', () => {
  const oneIn = (bad: string, good: string) => `CASE WHEN i = 57 THEN ${bad} ELSE ${good} END`
  it.each<[string, string, Trades, string]>([
    ['a null price', 'price', { price: oneIn('NULL', '100') }, 'is empty in 1 row'],
    ['null prices', 'price', { price: 'CASE WHEN i % 10 = 3 THEN NULL ELSE 1 END' }, 'is empty in 10 rows'],
    ['a NaN price', 'price', { price: oneIn("'NaN'::DOUBLE", '100') }, 'holds NaN; it must be above 0'],
    ['an infinite price', 'price', { price: oneIn("'Infinity'::DOUBLE", '100') }, 'holds Infinity'],
    ['a negative price', 'price', { price: oneIn('-1', '100') }, 'holds -1; it must be above 0'],
    ['a price of zero', 'price', { price: oneIn('0', '100') }, 'holds 0; it must be above 0'],
    ['a negative amount', 'amount', { amount: oneIn('-2', '1') }, 'holds -2; it must be 0 or more'],
    ['an unknown side', 'side', { side: oneIn("'BUY!'", "'buy'") }, 'holds "BUY!", not buy, sell or unknown'],
    ['a null side', 'side', { side: oneIn('NULL', "'buy'") }, 'is empty in 1 row'],
    ['a null time', 'exchange_timestamp', { us: oneIn('NULL', 'i') }, 'is empty in 1 row'],
  ])('%s', async (_what, column, spec, message) => {
    const raw = await RawFolder.create()
    const path = await raw.write('trades', day, trades(spec))
    const said = await failure(raw)
    expect(said).toContain(`${path}: column ${column}`)
    expect(said).toContain(message)
  })

  it.each(['mark_price', 'index_price'])('a %s of zero', async (dataset) => {
    const raw = await RawFolder.create()
    await raw.write('trades', day, trades())
    for (const source of ['mark_price', 'index_price']) {
      await raw.write(
        source,
        day,
        `SELECT ${stampsAt(day, 'i * 1e6')}, ${source === dataset ? 0 : 100}::DOUBLE AS ${source} FROM range(9) t(i)`,
      )
    }
    expect(await failure(raw, ['basis'])).toContain(`column ${dataset} holds 0; it must be above 0`)
  })
})

describe('files that are not what they should be', () => {
  const textPrices = `SELECT * REPLACE (price::VARCHAR AS price) FROM (${trades()})`
  it.each<[string, string, string]>([
    ['a column is missing', `SELECT * EXCLUDE (amount) FROM (${trades()})`, 'column amount is missing'],
    [
      'the time is missing',
      `SELECT * EXCLUDE (exchange_timestamp) FROM (${trades()})`,
      'column exchange_timestamp is missing',
    ],
    ['a column is text', textPrices, 'column price is text, not numbers'],
    ['the side is a number', `SELECT * REPLACE (1 AS side) FROM (${trades()})`, 'column side is not text'],
    [
      'the time is a number',
      `SELECT * REPLACE (1.5 AS exchange_timestamp) FROM (${trades()})`,
      'column exchange_timestamp is not a timestamp',
    ],
  ])('%s', async (_what, select, message) => {
    const raw = await RawFolder.create()
    const path = await raw.write('trades', day, select)
    const said = await failure(raw)
    expect(said).toContain(path)
    expect(said).toContain(message)
  })

  it.each<[string, (path: string) => void, string]>([
    ['cut off', (path) => truncateSync(path, statSync(path).size >> 1), 'cut off'],
    ['empty', (path) => truncateSync(path, 0), 'the file is empty'],
    ['foreign', (path) => writeFileSync(path, 'id,price\n1,2\n'), 'this is not a Parquet file'],
  ])('a file that is %s', async (_what, spoil, message) => {
    const raw = await RawFolder.create()
    const path = await raw.write('trades', day, trades())
    spoil(path)
    const said = await failure(raw)
    expect(said).toContain(path)
    expect(said).toContain(message)
  })

  it('a month and a day that both contain the day', async () => {
    const raw = await RawFolder.create()
    await raw.write('trades', day, trades())
    await raw.write('trades', '2026-09', trades())
    expect(await failure(raw)).toContain(`both contain ${day}`)
  })

  it('no events at all: neither files nor rows', async () => {
    const raw = await RawFolder.create()
    expect(await failure(raw)).toContain(
      `flow: there are no raw events of trades in this range (trades: no file for ${day})`,
    )
    await raw.write('trades', day, trades({ count: 0 }))
    expect(await failure(raw)).toContain('there are no raw events of trades in this range')
  })

  it('a folder that cannot be written', async () => {
    const raw = await RawFolder.create()
    await raw.write('trades', day, trades())
    writeFileSync(dirname(raw.outputPath('flow')), 'a file where the folder should be')
    await expect(raw.compute(['flow'], { start: day }, { pool })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('could not be written'),
    })
  })
})

describe('input that is unusual but sound', () => {
  const datasets: MetricDatasetId[] = ['flow', 'ohlcv', 'returns', 'run_structure']

  async function tables(raw: RawFolder, timestamp: 'exchange' | 'true' = 'exchange') {
    await raw.compute(datasets, { start: day, timestamp }, { pool })
    return datasets.map((dataset) => readTable(raw.outputPath(dataset)))
  }

  it.each(['random()', 'i % 7', '-i'])('rows in another order than that of time (%s) change nothing', async (order) => {
    const distinct = trades({ count: 5000, us: 'i * 17000003', price: '100 + i % 13' })
    const sorted = await RawFolder.create()
    await sorted.write('trades', day, distinct, 'ROW_GROUP_SIZE 2048')
    const shuffled = await RawFolder.create()
    await shuffled.write(
      'trades',
      day,
      `SELECT * FROM (SELECT *, row_number() OVER () AS i FROM (${distinct})) ORDER BY ${order}`,
      'ROW_GROUP_SIZE 2048',
    )
    expect(await tables(shuffled)).toEqual(await tables(sorted))
  })

  it('equal times keep the order of the rows, and each row counts', async () => {
    const raw = await RawFolder.create()
    await raw.write('trades', day, trades({ count: 10, us: '5', price: '100 + i', amount: '1' }))
    const [, candles] = await tables(raw)
    const first = (name: string) => candles.columns.get(name)![0]
    expect([first('open'), first('close'), first('volume')]).toEqual([100, 109, 10])
  })

  it('a day without trades between two days is reported and filled with empty rows', async () => {
    const raw = await RawFolder.create()
    await raw.write('trades', '2026-09-01', trades())
    await raw.write('trades', '2026-09-03', trades().replaceAll(day, '2026-09-03'))
    const { missing } = await raw.compute(['ohlcv'], { start: day, end: '2026-09-04' }, { pool })
    expect(missing).toEqual(['trades: no file for 2026-09-02, 2026-09-04'])
    const { time, columns } = readTable(raw.outputPath('ohlcv'))
    expect(time).toHaveLength(2 * 24 + 10)
    const at = time.indexOf(Date.UTC(2026, 8, 2, 12))
    expect([columns.get('volume')![at], columns.get('open')![at]]).toEqual([0, NaN])
  })

  it('a monthly file is cut to the range', async () => {
    const raw = await RawFolder.create()
    await raw.write('trades', '2026-07', trades({ count: 400 }).replaceAll(day, '2026-07-10'))
    await raw.compute(['ohlcv'], { start: '2026-07-11' }, { pool })
    const { time } = readTable(raw.outputPath('ohlcv'))
    expect([time[0], time[time.length - 1]]).toEqual([Date.UTC(2026, 6, 11), Date.UTC(2026, 6, 11, 15)])
  })

  it('months of short intervals are written group by group, on one grid of times', async () => {
    const raw = await RawFolder.create()
    await raw.write('trades', '2026-07', trades({ count: 400, us: 'i * 6480000000' }).replaceAll(day, '2026-07-01'))
    await raw.compute(['ohlcv'], { start: '2026-07-01', end: '2026-07-31', intervalSeconds: 15 }, { pool })
    const summary = `SELECT count(*), count(DISTINCT time), max(time) - min(time), sum(volume)::INT FROM '${raw.outputPath('ohlcv')}'`
    const rows = (399 * 6480) / 15 + 1
    const [found] = (await raw.db.runAndReadAll(summary)).getRowsJS()
    expect(found.map(Number)).toEqual([rows, rows, (rows - 1) * 15_000, 799])
  })

  it('by arrival time an event may come from the file of the day before', async () => {
    const raw = await RawFolder.create()
    const late = (file: string, count: number) =>
      trades({ count, us: '86399000000 + i * 100000' }).replaceAll(day, file).replaceAll('+ 1000)', '+ 600000)')
    await raw.write('trades', '2026-08-31', late('2026-08-31', 10))
    await raw.write('trades', day, trades())
    const [, candles] = await tables(raw, 'true')
    expect(candles.columns.get('volume')![0]).toBe(19 + 12)
  })

  it('by arrival time the last price before the range may be in a file two days older', async () => {
    const raw = await RawFolder.create()
    const price = (dataset: string, file: string, value: number, [hour, hoursLate]: [number, number]) => {
      const stamps = stampsAt(file, String(hour * HOUR_US), String(hoursLate * HOUR_US))
      return raw.write(dataset, file, `SELECT ${stamps}, ${value}::DOUBLE AS ${dataset}`)
    }
    // The price in the older file arrives later than the one in the newer file: at 19:00 on the newer file's day.
    await price('index_price', '2026-08-30', 90, [23, 20])
    await price('index_price', '2026-08-31', 80, [3, 0])
    await price('mark_price', day, 100, [1, 0])
    await raw.compute(['basis'], { start: day, timestamp: 'true' }, { pool })
    expect([...readTable(raw.outputPath('basis')).columns.get('basis')!]).toEqual([10])
  })
})

it('stops when it is told to, and leaves nothing behind', async () => {
  const raw = await RawFolder.create()
  await raw.write('trades', day, trades({ count: 20_000, us: 'i * 4000000' }))
  const stop = new AbortController()
  const plan: typeof pool.plan = async (...rest) => pool.plan(...rest).finally(() => stop.abort())
  const stopped = { pool: { ...pool, plan }, signal: stop.signal }
  await expect(raw.compute(['flow'], { start: day }, stopped)).rejects.toMatchObject({ name: 'AbortError' })
  expect(readdirSync(dirname(raw.outputPath('flow')))).toEqual([])
})

it('a refused file changes no later result of its thread', async () => {
  const [refused, valid] = [await RawFolder.create(), await RawFolder.create()]
  await refused.write('trades', day, trades({ side: "CASE WHEN i % 2 = 0 THEN 'buy' ELSE 'BUY!' END" }))
  await valid.write('trades', day, trades({ amount: '2', us: 'i' }))
  const thread = createComputePool(1)
  onTestFinished(() => thread.close())
  await expect(refused.compute(['flow'], { start: day }, { pool: thread })).rejects.toThrow('column side holds "BUY!"')
  await valid.compute(['ohlcv', 'trade_size'], { start: day }, { pool: thread })
  const volumeOf = (dataset: string) => [...readTable(valid.outputPath(dataset)).columns.get('volume')!]
  expect([volumeOf('ohlcv'), volumeOf('trade_size')]).toEqual([[200], [200]])
})
