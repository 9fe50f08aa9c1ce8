import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from '@uwdata/flechette'
import { expect, it } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { run } from '../../../electron/cli/run.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'

/** Runs `perpscope sql` on a folder, with a pipe or a terminal as output. */
async function sql(dataDir: string, args: readonly string[], isTTY = false) {
  let [stdout, stderr] = ['', '']
  const status = await run(['sql', ...args, '--data-dir', dataDir, '--offline'], {
    stdout: { write: (data) => (stdout += typeof data === 'string' ? data : `[${data.length} bytes]`), isTTY },
    stderr: { write: (data) => (stderr += String(data)) },
    env: {},
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr }
}

function filledFolder(): string {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, flowSeries({ dataset: 'ohlcv', interval: '1h' }), '2026-08-01')
  store.close()
  return dataDir
}

const cells = `SELECT 'NaN'::DOUBLE AS a, '-Infinity'::DOUBLE AS b, -0.0::DOUBLE AS c, NULL AS d, 9007199254740993 AS e, 7 AS f,
  1.50 AS g, TIMESTAMP '2026-08-01 00:00:00.000001' AS h, [1, NULL] AS i, {'x': 'y'} AS j, true AS k, DATE '2026-08-01' AS l, '=1+1' AS m`

it('writes values as JSON and CSV that lose nothing', async () => {
  const dataDir = dataFolder()
  const json = await sql(dataDir, [cells, '--json'])
  expect(json.stdout).toBe(
    '[\n{"a":"NaN","b":"-Infinity","c":-0,"d":null,"e":"9007199254740993","f":7,"g":"1.50",' +
      '"h":"2026-08-01T00:00:00.000001Z","i":[1,null],"j":{"x":"y"},"k":true,"l":"2026-08-01","m":"=1+1"}\n]\n',
  )
  expect(JSON.parse(json.stdout)).toHaveLength(1)
  const csv = await sql(dataDir, [cells, '--format', 'csv'])
  expect(csv.stdout.split('\n')[1]).toBe(
    'NaN,-Infinity,-0,,9007199254740993,7,1.50,2026-08-01T00:00:00.000001Z,"[1,null]","{""x"":""y""}",true,2026-08-01,"\'=1+1"',
  )
  const limited = await sql(dataDir, ['SELECT i AS a, 2 AS a FROM range(9) t(i)', '--format', 'jsonl', '--limit', '1'])
  expect(limited.stdout).toBe('{"a":0,"a_1":2}\n')
})

it('keeps negative decimals and long integers numbers in CSV, and times in every part of a result exact', async () => {
  const dataDir = dataFolder()
  const numbers = `SELECT -0.5 AS a, -9007199254740993 AS b, INTERVAL '-1 hour' AS c, '-5' AS d, ['=1'] AS e`
  const csv = await sql(dataDir, [numbers, '--format', 'csv'])
  expect(csv.stdout.split('\n')[1]).toBe(`-0.5,-9007199254740993,-01:00:00,"'-5","[""=1""]"`)

  const times = `SELECT TIMESTAMP '9999-12-31 23:59:59.999999' AS a, TIMESTAMP '0001-01-01 00:00:00.000001' AS b,
    TIMESTAMP '9999-12-31 23:59:59.999' AS c, 'infinity'::DATE AS d, '-infinity'::TIMESTAMP AS e,
    [TIMESTAMP '2026-08-01 00:00:00.000001'] AS f, '1969-12-31 23:59:59.999999999'::TIMESTAMP_NS AS g, {'x': -0.0::DOUBLE} AS h`
  const json = await sql(dataDir, [times, '--format', 'jsonl'])
  expect(json.stdout).toBe(
    '{"a":"9999-12-31T23:59:59.999999Z","b":"0001-01-01T00:00:00.000001Z","c":"9999-12-31T23:59:59.999000Z",' +
      '"d":"infinity","e":"-infinity","f":["2026-08-01T00:00:00.000001Z"],"g":"1969-12-31T23:59:59.999999999Z","h":{"x":-0}}\n',
  )
  const markdown = await sql(dataDir, ['SELECT -0.0::DOUBLE AS a', '--format', 'markdown'])
  expect(markdown.stdout.split('\n')[2]).toBe('| -0 |')

  const out = join(dataDir, 'late.parquet')
  await sql(dataDir, [`SELECT TIMESTAMP '9999-12-31 23:59:59.999' AS a`, '--out', out])
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const read = await connection.runAndReadAll(`SELECT epoch_us(a) FROM '${out}'`)
  expect(read.getRowsJson()).toEqual([['253402300799999000']])
})

it('writes a Parquet file whole, with its provenance', async () => {
  const dataDir = filledFolder()
  const out = join(dataDir, 'out.parquet')
  const query = 'SELECT time, "value", count(*) OVER () AS n FROM metrics.ohlcv ORDER BY time'
  expect(await sql(dataDir, [query, '--out', out])).toMatchObject({ status: 0, stdout: '' })
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const read = await connection.runAndReadAll(`SELECT count(*), sum("value"), max(n) FROM '${out}'`)
  expect(read.getRowsJson()).toEqual([['24', 276, '24']])
  const found = await connection.runAndReadAll(`SELECT decode(value) FROM parquet_kv_metadata('${out}')`)
  const provenance = JSON.parse(String(found.getRowsJson()[0][0])) as { sql: string; files: { sha256: string }[] }
  expect(provenance).toMatchObject({
    sql: query,
    files: [{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
  })
})

it('writes an Arrow file that another reader understands, cell by cell, with units and provenance', async () => {
  const dataDir = filledFolder()
  const out = join(dataDir, 'out.arrow')
  const query = `SELECT *, -n AS n, CASE WHEN n % 3 > 0 THEN 'é' || n END AS text, n % 2 = 0 AS even,
    (SELECT max("value") FROM metrics.ohlcv) AS top FROM range(45000) t(n), (${cells}) ORDER BY t.n`
  expect(await sql(dataDir, [query, '--out', out])).toMatchObject({ status: 0, stdout: '' })
  const read = tableFromIPC(readFileSync(out), { useBigInt: true })
  expect(read.numRows).toBe(45_000)
  expect(read.names.slice(-4)).toEqual(['n_1', 'text', 'even', 'top'])
  const row = read.get(44_999)
  // The missing text of row 44,997, on the third page of rows, differs from an empty text.
  expect([row.n_1, row.text, row.even, read.get(44_997).text]).toEqual([-44_999n, 'é44999', false, null])
  expect([row.a, row.b, row.d, row.e, row.f, row.g]).toEqual([NaN, -Infinity, null, 9007199254740993n, 7, 1.5])
  expect(Object.is(row.c, -0)).toBe(true)
  expect([row.h, row.k, row.l, row.m]).toEqual([1_785_542_400_000.001, true, Date.UTC(2026, 7, 1), '=1+1'])
  const { metadata, fields } = read.schema
  expect(JSON.parse(metadata!.get('perpscope.provenance')!)).toMatchObject({ sql: query, files: [{}] })
  expect(fields.find(({ name }) => name === 'e')?.metadata?.get('perpscope.type')).toBe('BIGINT')
})

it('leaves no file where the query fails', async () => {
  const dataDir = dataFolder()
  const out = join(dataDir, 'out.csv')
  const failing = "SELECT CASE WHEN i = 50000 THEN error('here') ELSE 'x' END FROM range(60000) t(i)"
  expect(await sql(dataDir, [failing, '--out', out])).toMatchObject({ status: 1 })
  expect(existsSync(out)).toBe(false)
  expect(readdirSync(dataDir).filter((name) => name.includes('.part'))).toEqual([])
})

it('shows 100 rows on a terminal and all of them in a pipe', async () => {
  const dataDir = dataFolder()
  const many = 'SELECT i FROM range(250) t(i)'
  const terminal = await sql(dataDir, [many], true)
  expect([terminal.stdout.trim().split('\n').length, terminal.stderr]).toEqual([
    101,
    expect.stringContaining('First 100 rows'),
  ])
  expect((await sql(dataDir, [many])).stdout.trim().split('\n')).toHaveLength(251)
})

it.each([
  [['SELEC 1'], 1, /Parser Error: syntax error at or near "SELEC"\nLine 1, column 1\./],
  // The engine's parser counts characters, everything else in it bytes; both have two places of three bytes before them.
  [["SELECT '龙😀' FRM x"], 1, /Line 1, column 17\./],
  [["SELECT '龙😀', nope FROM range(1)"], 1, /Line 1, column 14\./],
  [['SELECT nope FROM range(1)', '--explain', '--json'], 1, /Line 1, column 8\./],
  [["COPY (SELECT 1) TO '/tmp/x'"], 2, /COPY is refused/],
  [['SELECT $day'], 2, /--param day=…/],
  [['SELECT $__proto__', '--param', 'constructor=1'], 2, /--param __proto__=…/],
  [['SELECT 1', '--param', 'x'], 2, /--param must be NAME=VALUE/],
  [['SELECT 1', '--file', 'x.sql'], 2, /either a query or --file/],
  [[], 2, /QUERY is missing/],
  [['--file', '/nonexistent/x.sql'], 1, /There is no file/],
  [['--file', '/dev/zero'], 1, /is a device, not a file/],
  [['SELECT 1', '--memory', 'much'], 2, /--memory must be a size/],
  [['SELECT count(*) FROM range(1000000000000) a', '--timeout', '1'], 1, /longer than 1 s/],
])('%j ends with %i and a sentence', async (args, status, sentence) => {
  const ended = await sql(dataFolder(), args)
  expect(ended).toMatchObject({ status, stdout: '' })
  expect(ended.stderr).toMatch(sentence)
})

it('reads a query from a file, and values with commas', async () => {
  const dataDir = dataFolder()
  writeFileSync(join(dataDir, 'q.sql'), 'SELECT $a || $b AS x')
  const { stdout } = await sql(dataDir, [
    '--file',
    join(dataDir, 'q.sql'),
    '--param',
    'a=x,y',
    '--param',
    'b==',
    '--json',
  ])
  expect(JSON.parse(stdout)).toEqual([{ x: 'x,y=' }])
})

it('names the place of an error in a long line, in characters', async () => {
  const long = `'${'龙'.repeat(3000)}'`
  const [bound, parsed] = [`SELECT\r\n ${long}, nope FROM range(1)`, `SELECT\r\n ${long} a b`]
  expect((await sql(dataFolder(), [bound])).stderr).toMatch(/Line 2, column 3006\./)
  expect((await sql(dataFolder(), [parsed])).stderr).toMatch(/Line 2, column 3007\./)
})

it('warns on stderr, and gives 3 where a file is gone, also with --explain', async () => {
  const dataDir = filledFolder()
  const missing = "SELECT instrument('venuea-futures', 'BTC-USD') AS x"
  const warned = await sql(dataDir, [missing, '--json'])
  expect(warned).toMatchObject({ status: 0, stdout: '[\n{"x":null}\n]\n' })
  expect(warned.stderr).toContain('it has perpetual-BTC-USDT:USDT')
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  rmSync(store.folder.pathOf(flowSeries({ dataset: 'ohlcv', interval: '1h' }), '2026-08-01'))
  store.close()
  for (const options of [[], ['--explain'], ['--explain', '--json']]) {
    const { status, stderr } = await sql(dataDir, ['SELECT count(*) AS n FROM metrics.ohlcv', ...options])
    expect([status, stderr]).toEqual([3, expect.stringContaining('no longer exists')])
  }
})

it('explains what would be read, without reading it', async () => {
  const dataDir = filledFolder()
  const query = `FROM metrics.ohlcv WHERE exchange = 'venuea-futures' AND symbol = 'perpetual-BTC-USDT:USDT'
    AND interval = '1h' AND clock = 'exchange' AND time BETWEEN '2026-08-01' AND '2026-08-02'`
  const { stdout, status } = await sql(dataDir, [query, '--explain', '--json'])
  const answer = JSON.parse(stdout) as { files: number; bytes: number; missing: { command: string }[]; plan: string }
  expect(Object.keys(answer)).toEqual(['files', 'bytes', 'missing', 'plan'])
  expect([status, answer.files]).toEqual([0, 1])
  expect(answer.missing[0].command).toMatch(/^perpscope fetch --dataset ohlcv .* --start 2026-08-01 --end 2026-08-02$/)
  expect(answer.plan).toContain('READ_PARQUET')
})
