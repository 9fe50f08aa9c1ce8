import { DuckDBInstance } from '@duckdb/node-api'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { columnLabels } from '#shared/export/columnLabels.ts'
import { snippetsOf, type SnippetSeries } from '#shared/export/snippets.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const startMs = Date.UTC(2026, 7, 1)

describe('a snippet', () => {
  it.each([
    ['milliseconds', `${startMs} + i * 60000`],
    ['timestamp', `make_timestamp(${startMs * 1000} + i * 60000000)`],
  ] as const)('for DuckDB reads the range, its times being %s', async (timeType, time) => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    onTestFinished(() => {
      connection.closeSync()
      instance.closeSync()
    })
    const folder = join(temporaryFolder(), "it's")
    const quoted = folder.replaceAll("'", "''")
    await connection.run(
      `COPY (SELECT ${time} AS time, i AS "a ""b""", i % 2 AS part FROM range(100) t(i)) TO '${quoted}' (FORMAT parquet, PER_THREAD_OUTPUT)`,
    )
    const read = async (more: Partial<SnippetSeries>) => {
      const [duck] = snippetsOf({
        folder,
        timeColumn: 'time',
        timeType,
        columns: [],
        startMs: null,
        endMs: null,
        ...more,
      })
      return (await connection.runAndReadAll(duck.text)).getRowObjectsJS()
    }
    const some = await read({ columns: ['a "b"'], startMs: startMs + 60_000, endMs: startMs + 180_000 })
    expect(some.map((row) => Number(row['a "b"']))).toEqual([1, 2])
    expect(some.map(({ time }) => time)).toEqual([new Date(startMs + 60_000), new Date(startMs + 120_000)])
    expect(Object.keys(some[0])).toEqual(['time', 'a "b"'])
    expect(await read({})).toHaveLength(100)
  })

  it('for DuckDB means the same instants wherever its session is at home', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    onTestFinished(() => {
      connection.closeSync()
      instance.closeSync()
    })
    const folder = temporaryFolder()
    const hours = `to_timestamp(${startMs / 1000} + i * 3600)`
    await connection.run(
      `COPY (SELECT ${hours} AS time, i AS v FROM range(48) t(i)) TO '${folder}/a.parquet' (FORMAT parquet)`,
    )
    await connection.run("SET TimeZone = 'Asia/Kolkata'")
    const range = { startMs: startMs + 3_600_000, endMs: startMs + 3 * 3_600_000 }
    const [duck] = snippetsOf({ folder, timeColumn: 'time', timeType: 'timestamp', columns: ['v'], ...range })
    const rows = (await connection.runAndReadAll(duck.text)).getRowObjectsJS()
    expect(rows.map(({ v }) => Number(v))).toEqual([1, 2])
    expect(rows[0].time).toEqual(new Date(range.startMs))
  })

  it('exists for five engines, in balanced brackets and quotes', () => {
    const all = snippetsOf({
      folder: '/data/files/sandbox/metrics/dataset=flow',
      timeColumn: 'time',
      timeType: 'milliseconds',
      columns: ['volume_delta'],
      startMs,
      endMs: startMs + 1,
      variable: 'df_a',
    })
    for (const { text } of all.filter(({ language }) => language === 'python')) {
      expect(text).toMatch(/^df_a = /m)
      expect(text).not.toMatch(/\bdf\b/)
    }
    expect(all.map(({ name, language }) => `${name}: ${language}`)).toEqual([
      'DuckDB: sql',
      'pandas: python',
      'Polars: python',
      'Spark: python',
      'ClickHouse: sql',
    ])
    for (const { name, text } of all) {
      for (const [open, close] of ['()', '[]']) expect(text.split(open).length, name).toBe(text.split(close).length)
      for (const quote of ['"', "'"]) expect(text.split(quote).length % 2, name).toBe(1)
      expect(text, name).toContain('volume_delta')
    }
  })
})

describe('labels of columns', () => {
  const series = {
    dataset: 'flow',
    exchange: 'a',
    symbol: 'X',
    interval: '1m',
    timestamp: 'exchange',
    origin: 'served',
  }
  const column = { ...series, column: 'v' }

  it('are as short as they can be and each another', () => {
    expect(columnLabels([column, { ...column, column: 'w' }])).toEqual(['v', 'w'])
    expect(columnLabels([column, { ...column, symbol: 'Y' }])).toEqual(['X.v', 'Y.v'])
    expect(columnLabels([column, { ...column, symbol: 'Y', interval: '1h' }])).toEqual(['X.1m.v', 'Y.1h.v'])
    expect(columnLabels([column, { ...column, origin: 'computed' }])).toEqual(['served.v', 'computed.v'])
    expect(columnLabels([{ ...column, column: 'time' }, column, column])).toEqual(['time_2', 'v', 'v_2'])
  })
})
