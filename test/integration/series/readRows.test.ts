import { DuckDBInstance } from '@duckdb/node-api'
import { truncateSync, rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import type { SeriesAnswer, SeriesRowsRequest } from '#core/series/readRows.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { duckDbCache } from '../../fakes/duckDbCache.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const series = flowSeries({ symbol: 'perpetual-龙ai-USDT:USDT' })
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

function setUp() {
  const world = duckDbCache(connection, series)
  const read = (question: Partial<SeriesRowsRequest> = {}) =>
    world.desk.read(
      {
        series,
        columns: [],
        timestamp: 'exchange',
        startMs: day('2026-07-01'),
        endMs: day('2026-09-01'),
        limitRows: 1e6,
        ...question,
      },
      new AbortController().signal,
    )
  return { ...world, read }
}

/** Returns SQL for hourly rows from a day on, with `time` and `v` by the given expressions. */
const hours = (from: string, count: number, time = 'ms', v = 'i::DOUBLE') =>
  `SELECT ${time} AS time, ${v} AS v FROM (SELECT i, ${day(from)} + i * 3600000 AS ms FROM range(${count}) t(i))`

function cells({ frame }: SeriesAnswer, name: string) {
  const column = columnOf(frame, name)
  return column ? Array.from({ length: frame.rows }, (_, row) => cellOf(column, row)) : null
}

const hourlyTimes = (from: string, count: number) => Array.from({ length: count }, (_, i) => day(from) + i * 3_600_000)

describe('reading raw events by arrival', () => {
  const events = { ...series, kind: 'raw', dataset: 'trades', interval: '', timestamp: '' } as const
  /**
   * Returns SQL for events by their exchange time in seconds after a midnight and their delay until arrival in seconds.
   */
  const trades = (midnight: string, rows: [atS: number, lateS: number, id: string][]) =>
    rows
      .map(([atS, lateS, id]) => {
        const at = (seconds: number) => `make_timestamp_ms(${day(midnight) + Math.round(seconds * 1000)})`
        return `SELECT ${at(atS)} AS exchange_timestamp, ${at(atS + lateS)} AS local_timestamp, '${id}' AS id`
      })
      .join(' UNION ALL ')

  it('finds events that arrive after midnight or before it in the files of the neighbouring days, in order', async () => {
    const { put, read } = setUp()
    await put(
      '2026-08-01',
      trades('2026-08-01', [
        [10, 0.1, 'a'],
        [86_399.9, 0.5, 'late'],
        [86_399.95, 0.01, 'b'],
      ]),
      undefined,
      events,
    )
    await put(
      '2026-08-02',
      trades('2026-08-02', [
        [0.05, -0.2, 'early'],
        [0.1, 0.1, 'c'],
        [0.6, 0.1, 'd'],
        [86_399, 9, 'last'],
      ]),
      undefined,
      events,
    )
    const ask = async (startMs: number, endMs: number, limitRows = 1e6) =>
      cells(await read({ series: events, timestamp: 'true', startMs, endMs, limitRows }), 'id')
    const [first, second, third] = ['2026-08-01', '2026-08-02', '2026-08-03'].map(day)
    expect(await ask(first, second)).toEqual(['a', 'early', 'b'])
    expect(await ask(second, third)).toEqual(['c', 'late', 'd'])
    expect(await ask(first, third + 60_000)).toEqual(['a', 'early', 'b', 'c', 'late', 'd', 'last'])
    expect(await ask(second + 300, second + 500)).toEqual(['late'])

    const pages: unknown[] = []
    let from: number | null = first
    for (let page = 0; from !== null && page < 50; page++) {
      const answer = await read({
        series: events,
        timestamp: 'true',
        startMs: from,
        endMs: third + 60_000,
        limitRows: 1,
      })
      pages.push(...cells(answer, 'id')!)
      from = answer.nextMs
    }
    expect(pages).toEqual(['a', 'early', 'b', 'c', 'late', 'd', 'last'])
  })
})

describe('reading a cached series', () => {
  it.each([
    ['whole milliseconds', 'ms::BIGINT'],
    ['milliseconds, naive', 'make_timestamp_ms(ms)::TIMESTAMP_MS'],
    ['microseconds, naive', 'make_timestamp_ms(ms)'],
    ['microseconds in UTC', "(make_timestamp_ms(ms) AT TIME ZONE 'UTC')"],
    ['nanoseconds', 'make_timestamp_ns(ms * 1000000)'],
    ['doubles', 'ms::DOUBLE'],
  ])('understands times as %s', async (_, time) => {
    const { put, read } = setUp()
    await put('2026-08-01', hours('2026-08-01', 24, time), 'ROW_GROUP_SIZE 2048')
    const answer = await read()
    expect(cells(answer, 'time')).toEqual(hourlyTimes('2026-08-01', 24))
    expect(cells(answer, 'v')).toEqual(Array.from({ length: 24 }, (_, i) => i))
    expect(answer.missing).toEqual([
      { startMs: day('2026-07-01'), endMs: day('2026-08-01') },
      { startMs: day('2026-08-02'), endMs: day('2026-09-01') },
    ])
  })

  it.each(['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw'])('understands %s', async (codec) => {
    const { put, read } = setUp()
    await put('2026-07', hours('2026-07-01', 31 * 24), `COMPRESSION ${codec}, ROW_GROUP_SIZE 2048`)
    const answer = await read({ startMs: day('2026-07-10'), endMs: day('2026-07-12') })
    expect(cells(answer, 'time')).toEqual(hourlyTimes('2026-07-10', 48))
    expect(cells(answer, 'v')?.slice(0, 2)).toEqual([216, 217])
  })

  it('sorts, and lets the last of equal times stand', async () => {
    const { put, read } = setUp()
    const ms = day('2026-08-01')
    await put(
      '2026-08-01',
      `SELECT * FROM (VALUES (${ms + 2000}, 1.0, 'x'), (${ms}, 2.0, 'y'), (${ms + 2000}, 3.0, NULL), (NULL, 4.0, 'w'), (${ms + 1000}, NULL, 'z')) t(time, v, word)`,
    )
    const answer = await read()
    expect(cells(answer, 'time')).toEqual([ms, ms + 1000, ms + 2000])
    expect(cells(answer, 'v')).toEqual([2, null, 3])
    expect(cells(answer, 'word')).toEqual(['y', 'z', null])
    expect(answer).toMatchObject({ duplicates: 1, withoutTime: 1, unread: [] })
  })

  it('keeps every event of an instant, by either clock', async () => {
    const { put, read } = setUp()
    const trades: OwnedSeries = { ...series, kind: 'raw', dataset: 'trades', interval: '', timestamp: '' }
    const us = day('2026-08-01') * 1000
    await put(
      '2026-08-01',
      `SELECT make_timestamp(e) AS exchange_timestamp, make_timestamp(l) AS local_timestamp, side FROM (VALUES (${us + 500}, ${us + 9000}, 'buy'), (${us + 500}, ${us + 8000}, 'sell')) t(e, l, side)`,
      'COMPRESSION zstd',
      trades,
    )
    const byExchange = await read({ series: trades })
    expect(cells(byExchange, 'time')).toEqual([us / 1000 + 0.5, us / 1000 + 0.5])
    expect(cells(byExchange, 'side')).toEqual(['buy', 'sell'])
    expect(cells(await read({ series: trades, timestamp: 'true', columns: ['side'] }), 'side')).toEqual(['sell', 'buy'])
  })

  it('prefers a day’s own file to that of its month, and reads no file for days outside its period', async () => {
    const { put, read } = setUp()
    await put('2026-07', hours('2026-06-30', 33 * 24, 'ms', '1.0'))
    await put('2026-07-15', hours('2026-07-14', 72, 'ms', '2.0'))
    const answer = await read()
    expect(cells(answer, 'time')).toEqual(hourlyTimes('2026-07-01', 31 * 24))
    const values = cells(answer, 'v') ?? []
    expect(values.slice(14 * 24, 15 * 24)).toEqual(Array.from({ length: 24 }, () => 2))
    expect(values.filter((value) => value === 1)).toHaveLength(30 * 24)
    expect(answer.slices.map(({ file }) => file.period)).toEqual(['2026-07', '2026-07-15', '2026-07'])
  })

  it('unites columns by name; null is missing, NaN and infinities are what they are', async () => {
    const { put, read } = setUp()
    await put(
      '2026-08-01',
      hours(
        '2026-08-01',
        24,
        'ms',
        "CASE i WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN 'Infinity'::DOUBLE WHEN 3 THEN '-Infinity'::DOUBLE ELSE 0.5 END",
      ),
    )
    await put(
      '2026-08-02',
      `SELECT ms AS time, i::INTEGER AS n, 0.25::FLOAT AS ratio, i % 2 = 0 AS flag, i::DECIMAL(9, 2) AS fixed FROM (SELECT i, ${day('2026-08-02')} + i * 3600000 AS ms FROM range(2) t(i))`,
    )
    const answer = await read()
    expect(answer.frame.columns.map(({ name }) => name)).toEqual(['time', 'v', 'n', 'ratio', 'flag', 'fixed'])
    expect(cells(answer, 'v')?.slice(0, 5)).toEqual([null, NaN, Infinity, -Infinity, 0.5])
    expect(cells(answer, 'v')?.slice(24)).toEqual([null, null])
    expect(cells(answer, 'n')?.slice(22)).toEqual([null, null, 0, 1])
    expect(['ratio', 'flag', 'fixed'].map((name) => cells(answer, name)?.slice(24))).toEqual([
      [0.25, 0.25],
      [1, 0],
      [0, 1],
    ])
    expect((await read({ columns: ['n', 'nope'] })).absentColumns).toEqual(['nope'])
  })

  it('names a file that cannot be read and leaves a gap', async () => {
    const { put, read } = setUp()
    await put('2026-08-01', hours('2026-08-01', 24))
    truncateSync(await put('2026-08-02', hours('2026-08-02', 24)), 300)
    rmSync(await put('2026-08-03', hours('2026-08-03', 24)))
    await put('2026-08-04', hours('2026-08-04', 24, 'ms', "'text'"))
    const answer = await read()
    expect(cells(answer, 'time')).toEqual([...hourlyTimes('2026-08-01', 24), ...hourlyTimes('2026-08-04', 24)])
    expect(cells(answer, 'v')?.slice(24)).toEqual(Array.from({ length: 24 }, () => null))
    expect(answer.unread.map(({ startMs }) => startMs)).toEqual(['2026-08-02', '2026-08-03', '2026-08-04'].map(day))
    expect(answer.unread.map(({ message }) => message.split('/').at(-1))).toEqual([
      '2026-08-02.parquet: the file is cut off: its end is missing.',
      '2026-08-03.parquet.',
      '2026-08-04.parquet: column v has a different type than in earlier files.',
    ])
  })

  it('gives long ranges in parts that fit together', async () => {
    const { put, read } = setUp()
    await put('2026-07', hours('2026-07-01', 31 * 24))
    await put('2026-08-01', hours('2026-08-01', 24))
    const times: unknown[] = []
    let parts = 0
    for (let startMs: number | null = day('2026-07-02'); startMs !== null; parts++) {
      const answer: SeriesAnswer = await read({ startMs, limitRows: 100 })
      expect(answer.frame.rows).toBeLessThanOrEqual(125)
      times.push(...(cells(answer, 'time') ?? []))
      startMs = answer.nextMs
    }
    expect(times).toEqual(hourlyTimes('2026-07-02', 31 * 24))
    expect(parts).toBeGreaterThan(5)
  })

  it('remembers what was used, so that it is removed last', async () => {
    const { store, put, read } = setUp()
    for (const date of ['2026-08-01', '2026-08-02']) await put(date, hours(date, 24))
    await read({ endMs: day('2026-08-02') })
    store.files.flushTouches()
    expect(store.files.leastRecentlyUsed(9).map(({ period }) => period)).toEqual(['2026-08-02', '2026-08-01'])
  })

  it('can be cancelled while a thread reads, and goes on with a new thread', async () => {
    const { desk, put, read } = setUp()
    await put('2026-07', hours('2026-07-01', 31 * 24))
    const controller = new AbortController()
    const question = {
      series,
      columns: [],
      timestamp: 'exchange',
      startMs: 0,
      endMs: day('2027-01-01'),
      limitRows: 1e6,
    } as const
    const running = desk.read(question, controller.signal)
    controller.abort()
    await expect(running).rejects.toThrow(/abort/)
    expect((await read()).frame.rows).toBe(31 * 24)
  })
})

describe('the folder of cached files', () => {
  it('is read by a database as it lies, symbols in any script and case', async () => {
    const { put, dataDir } = setUp()
    const symbols = [
      'perpetual-龙ai-USDT:USDT',
      'perpetual-kPEPE-USDC:USDC',
      'perpetual-BTC-USDT:USDT',
      'perpetual-1-A-USDT:USDT',
    ]
    for (const symbol of symbols) await put('2026-08-01', hours('2026-08-01', 24), undefined, { ...series, symbol })
    const result = await connection.runAndReadAll(
      `SELECT symbol, dataset, exchange, interval, "timestamp", count(*)::INTEGER AS n
       FROM read_parquet('${dataDir}/files/*/metrics/**/*.parquet', hive_partitioning = true) GROUP BY ALL ORDER BY symbol`,
    )
    expect(result.getRowObjectsJS()).toEqual(
      symbols.toSorted().map((symbol) => ({
        symbol,
        dataset: 'flow',
        exchange: 'venuea-futures',
        interval: '1m',
        timestamp: 'exchange',
        n: 24,
      })),
    )
  })
})
