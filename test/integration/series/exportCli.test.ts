import { DuckDBInstance } from '@duckdb/node-api'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { duckDbCache } from '../../fakes/duckDbCache.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { compileCacheEnv } from '../../fakes/compileCacheEnv.ts'
import { program } from '../../fakes/commandLine.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const minutes = flowSeries({ symbol: 'perpetual-龙ai-USDT:USDT' })
const hourly = { ...minutes, interval: '1h' }
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const rows = (from: string, count: number, stepMs: number, v = 'i / 3.0') =>
  `SELECT ${day(from)} + i * ${stepMs} AS time, ${v} AS v, CASE WHEN i % 7 = 0 THEN NULL ELSE -i * 1e-9 END AS w FROM range(${count}) t(i)`

const flags = ({ dataset, exchange, symbol, timestamp }: OwnedSeries, interval: string) => [
  '--dataset',
  dataset,
  '--exchange',
  exchange,
  '--symbol',
  symbol,
  '--timestamp',
  timestamp,
  '--interval',
  interval,
]

function setUp() {
  const world = duckDbCache(connection, minutes)
  const run = (...args: string[]) =>
    new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...compileCacheEnv, PATH: process.env.PATH, HOME: world.dataDir, TZ: 'UTC' }
      const all = [program, '--data-dir', world.dataDir, 'export', ...args]
      execFile(process.execPath, all, { env, maxBuffer: 1e9 }, (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
      )
    })
  return { ...world, run, out: (name: string) => join(world.dataDir, name) }
}

const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS()

describe('perpscope export', () => {
  it('writes rows that a database reads back digit by digit, with where they come from', async () => {
    const { put, run, out } = setUp()
    const july = await put('2026-07', rows('2026-07-01', 44_640, 60_000))
    await put('2026-08-01', rows('2026-08-01', 1440, 60_000))
    for (const format of ['csv', 'parquet']) {
      const path = out(`all.${format}`)
      const ended = await run(...flags(minutes, '1m'), '--format', format, '--out', path, '--json')
      expect(ended, ended.stderr).toMatchObject({ status: 0 })
      expect(JSON.parse(ended.stdout)).toMatchObject({ path, rows: 46_080, files: 2, unread: [] })
      const [same] = await query(
        `SELECT count(*)::INTEGER AS n, count(*) FILTER (a.v = b.v AND a.w IS NOT DISTINCT FROM b.w)::INTEGER AS same
         FROM '${july}' a JOIN '${path}' b ON make_timestamp(a.time * 1000) = b.time::TIMESTAMPTZ AT TIME ZONE 'UTC'`,
      )
      expect(same, format).toEqual({ n: 44_640, same: 44_640 })
    }
    const beside = JSON.parse(readFileSync(out('all.csv.provenance.json'), 'utf8')) as Record<string, unknown>
    const [inside] = await query(
      `SELECT decode(value) AS text FROM parquet_kv_metadata('${out('all.parquet')}') WHERE decode(key) = 'perpscope.provenance'`,
    )
    for (const provenance of [beside, JSON.parse(String(inside.text)) as Record<string, unknown>]) {
      expect(provenance).toMatchObject({ rows: 46_080, start: '2026-07-01T00:00:00.000Z', zone: 'UTC' })
      expect(provenance.series).toMatchObject([
        { dataset: 'flow', timestamp: 'exchange', files: [{ period: '2026-07' }, { period: '2026-08-01' }] },
      ])
    }
    expect(readdirSync(out('.')).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('says in --json and on stderr where a column has another unit on another venue', async () => {
    const { put, run, out } = setUp()
    const volumes = `SELECT ${day('2026-08-01')} + i * 60000 AS time, 1.0 AS taker_buy_volume FROM range(3) t(i)`
    const contracts = { ...minutes, exchange: 'venueb-perps' }
    await put('2026-08-01', volumes)
    await put('2026-08-01', volumes, undefined, contracts)
    const both = [...flags(minutes, '1m'), '--exchange', 'venueb-perps']
    const ended = await run(...both, '--format', 'csv', '--out', out('both.csv'), '--json')
    expect(ended, ended.stderr).toMatchObject({ status: 0 })
    expect(ended.stderr).toContain('mixed units: base asset and contracts')
    expect(JSON.parse(ended.stdout)).toMatchObject({
      columns: [{ unit: 'base asset' }, { unit: 'contracts' }],
      unitWarnings: ['mixed units: base asset and contracts'],
    })
  })

  it('joins series on their times, in the zone that was asked for', async () => {
    const { put, run, out } = setUp()
    await put('2026-10-25', rows('2026-10-25', 120, 60_000))
    await put('2026-10-25', rows('2026-10-25', 2, 3_600_000), undefined, hourly)
    const ended = await run(
      ...[...flags(minutes, '1m,1h'), '--columns', 'v', '--format', 'csv', '--zone', 'Europe/Paris'],
      ...['--start', '2026-10-25', '--end', '2026-10-25T01:02:00Z', '--out', out('joined.csv')],
    )
    expect(ended, ended.stderr).toMatchObject({ status: 0 })
    const lines = readFileSync(out('joined.csv'), 'utf8').split('\n')
    expect([lines[0], lines[1], lines[60], lines[61]]).toEqual([
      'time,1m.v,1h.v',
      '2026-10-25T02:00:00.000+02:00,0,0',
      `2026-10-25T02:59:00.000+02:00,${59 / 3},`,
      `2026-10-25T02:00:00.000+01:00,20,${1 / 3}`,
    ])
    expect(lines).toHaveLength(64)
  })

  it('writes folders that a database reads, with a README whose commands work', async () => {
    const { put, run, out } = setUp()
    await put('2026-08-01', rows('2026-08-01', 24, 3_600_000), undefined, hourly)
    await put('2026-08-02', rows('2026-08-02', 24, 3_600_000), undefined, hourly)
    const ended = await run('--dataset', 'flow', '--format', 'hive', '--out', out('hive'))
    expect(ended, ended.stderr).toMatchObject({ status: 0 })
    const readme = readFileSync(out('hive/README.md'), 'utf8')
    const sql = /```sql\n([^`]*read_parquet[^`]*)```/.exec(readme)?.[1].replace("'**", `'${out('hive')}/**`) ?? ''
    const found = await query(sql)
    expect([found.length, found[0].symbol, found[0].interval]).toEqual([48, minutes.symbol, '1h'])
    expect(found[1].at).toEqual(new Date(day('2026-08-01') + 3_600_000))
    expect(JSON.parse(readFileSync(out('hive/provenance.json'), 'utf8'))).toMatchObject({ files: 2 })
    expect((await run('--dataset', 'flow', '--format', 'hive', '--out', out('hive'))).stderr).toContain('is not empty')
  })

  it('names a damaged file, leaves it out and says so with its status', async () => {
    const { put, run, out } = setUp()
    await put('2026-08-01', rows('2026-08-01', 24, 3_600_000), undefined, hourly)
    truncateSync(await put('2026-08-02', rows('2026-08-02', 24, 3_600_000), undefined, hourly), 200)
    const ended = await run(...flags(minutes, '1h'), '--format', 'parquet', '--out', out('part.parquet'))
    expect([ended.status, ended.stderr]).toEqual([
      3,
      expect.stringContaining('2026-08-02.parquet: the file is cut off'),
    ])
    expect((await query(`FROM '${out('part.parquet')}'`)).length).toBe(24)
  })

  it.each([
    ['nothing here', ['--format', 'csv'], 1, 'has no rows of this series'],
    ['a column that does not exist', ['--format', 'csv', '--columns', 'nope'], 1, '“nope”'],
    ['half a range', ['--format', 'csv', '--start', '2026-08-01'], 2, '--start and --end go together'],
    ['a zone of nowhere', ['--format', 'csv', '--zone', 'Mars/Base'], 1, '“Mars/Base” is not a time zone'],
  ])('refuses %s and leaves nothing behind', async (what, more, status, message) => {
    const { put, run, out } = setUp()
    if (what !== 'nothing here') await put('2026-08-01', rows('2026-08-01', 24, 3_600_000), undefined, hourly)
    const ended = await run(...flags(minutes, '1h'), ...more, '--out', out('no.csv'))
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(message)])
    expect(readdirSync(out('.')).filter((name) => name.startsWith('no.csv'))).toEqual([])
    expect(existsSync(out('no.csv'))).toBe(false)
  })
})
