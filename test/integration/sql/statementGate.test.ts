import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { instrumentStatement } from '#core/sql/instruments.ts'
import type { CheckAnswer } from '#core/sql/sqlTask.ts'
import { QueryGate } from '../../../electron/sqlEngine/checkQuery.ts'

const folder = mkdtempSync(join(tmpdir(), 'perpscope-sql-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const gate = new QueryGate()
const settings = { memoryBytes: 200e6, threads: 1, tempBytes: 1e9, folder: join(folder, 'engine') }
const check = (sql: string, parameters: Record<string, string> = {}) =>
  gate.check(sql, parameters, settings, instrumentStatement([{ exchange: 'a', symbol: 'perpetual-BTC-USDT:USDT' }]))

const outcome = (answer: CheckAnswer) =>
  'refused' in answer ? answer.refused.reason : 'failed' in answer ? 'failed' : 'checked'

/** Statements that try to write, to read outside, to change the engine or to hide what they do. */
const attacks: readonly (readonly [sql: string, outcome: string])[] = [
  ["COPY (SELECT 1) TO '/tmp/x.csv'", 'statement'],
  ["COPY metrics.ohlcv FROM '/etc/passwd'", 'statement'],
  ["EXPORT DATABASE '/tmp/x'", 'statement'],
  ["IMPORT DATABASE '/tmp/x'", 'statement'],
  ["ATTACH '/tmp/x.db' AS x", 'statement'],
  ['DETACH memory', 'statement'],
  ['USE memory', 'statement'],
  ['INSTALL httpfs', 'statement'],
  ["INSTALL httpfs FROM 'http://127.0.0.1/x'", 'statement'],
  ['FORCE INSTALL httpfs', 'statement'],
  ['LOAD httpfs', 'statement'],
  ["LOAD '/tmp/x.duckdb_extension'", 'statement'],
  ['PRAGMA enable_profiling', 'statement'],
  ["PRAGMA profiling_output='/tmp/x'", 'statement'],
  ['PRAGMA version', 'statement'],
  ["PRAGMA import_database('/tmp/x')", 'statement'],
  ['SET enable_external_access = true', 'statement'],
  ["SET temp_directory = '/tmp'", 'statement'],
  ['SET VARIABLE x = 1', 'statement'],
  ['RESET memory_limit', 'statement'],
  ['CALL pragma_version()', 'statement'],
  ["CALL enable_logging(storage = 'file')", 'statement'],
  ['EXPLAIN SELECT 1', 'statement'],
  ["EXPLAIN ANALYZE COPY (SELECT 1) TO '/tmp/x'", 'statement'],
  ['CREATE TABLE x (a INT)', 'statement'],
  ['CREATE OR REPLACE VIEW metrics.ohlcv AS SELECT 1', 'statement'],
  ["CREATE SECRET (TYPE s3, KEY_ID 'a', SECRET 'b')", 'statement'],
  ['CREATE MACRO f() AS 1', 'statement'],
  ['DROP VIEW metrics.ohlcv', 'statement'],
  ['ALTER VIEW metrics.ohlcv RENAME TO x', 'statement'],
  ['INSERT INTO cache.files VALUES (1)', 'statement'],
  ['UPDATE cache.files SET bytes = 0', 'statement'],
  ['DELETE FROM cache.files', 'statement'],
  ['MERGE INTO cache.files USING cache.symbols ON true WHEN MATCHED THEN DELETE', 'statement'],
  ['TRUNCATE cache.files', 'statement'],
  ['BEGIN TRANSACTION', 'statement'],
  ['COMMIT', 'statement'],
  ['CHECKPOINT', 'statement'],
  ['VACUUM', 'statement'],
  ['ANALYZE', 'statement'],
  ["PREPARE p AS COPY (SELECT 1) TO '/tmp/x'", 'statement'],
  ['EXECUTE p', 'statement'],
  ['DEALLOCATE p', 'statement'],
  ["COMMENT ON VIEW metrics.ohlcv IS 'x'", 'statement'],
  ["/* SELECT */ COPY (SELECT 1) TO '/tmp/x'", 'statement'],
  ["-- SELECT\nCOPY (SELECT 1) TO '/tmp/x'", 'statement'],
  ["\u00a0COPY (SELECT 1) TO '/tmp/x'", 'statement'],
  ['PIVOT cache.files ON dataset USING count(*)', 'pivot'],
  ['FROM (PIVOT cache.files ON dataset USING count(*))', 'pivot'],
  ['WITH p AS (PIVOT cache.files ON dataset USING count(*)) SELECT * FROM p', 'pivot'],
  ['SELECT 1; PIVOT cache.files ON dataset USING count(*)', 'pivot'],
  ["PIVOT cache.files ON dataset USING count(*); COPY x TO 'y'", 'statement'],
  ['SELECT 1; SELECT 2', 'several'],
  ["SELECT 1; COPY (SELECT 1) TO '/tmp/x'", 'statement'],
  ['SELECT 1;;SELECT 2', 'several'],
  ['', 'empty'],
  [';', 'empty'],
  ['-- nothing', 'empty'],
  ["SELECT 1 \0; COPY (SELECT 1) TO '/tmp/x'", 'text'],
  ["SELECT '\ud800'", 'text'],
  [`SELECT '${'x'.repeat(100_000)}'`, 'size'],
  [`SELECT '${'é'.repeat(50_000)}'`, 'size'],
  [`SELECT 1 IN (1${', 1'.repeat(10_000)})`, 'size'],
  [`VALUES (1)${', (1)'.repeat(10_000)}`, 'size'],
  ['/*'.repeat(30_000), 'size'],
  ['/**/'.repeat(20_000), 'size'],
  [`SELECT ${'+-'.repeat(1500)}1`, 'size'],
  [`SELECT ${'@'.repeat(1000)}${'+'.repeat(1000)}1`, 'size'],
  ["FROM read_text('/etc/passwd')", 'table-function'],
  ["FROM read_blob('/etc/passwd')", 'table-function'],
  ["FROM read_csv('http://127.0.0.1:1/x.csv')", 'table-function'],
  ["FROM read_csv_auto('/etc/passwd')", 'table-function'],
  ["FROM read_json('/etc/passwd')", 'table-function'],
  ["FROM read_parquet('/**/*.parquet')", 'table-function'],
  ["FROM parquet_metadata('/tmp/x.parquet')", 'table-function'],
  ["FROM glob('/etc/*')", 'table-function'],
  ["FROM sniff_csv('/etc/passwd')", 'table-function'],
  ["FROM query('SELECT 1')", 'table-function'],
  ["FROM query_table('cache.files')", 'table-function'],
  ["FROM json_execute_serialized_sql('{}')", 'table-function'],
  ["FROM enable_logging(storage = 'file', storage_path = '/tmp/x')", 'table-function'],
  ["FROM enable_profiling(save_location = '/tmp/x')", 'table-function'],
  ['FROM force_checkpoint()', 'table-function'],
  ['FROM duckdb_settings()', 'table-function'],
  ['FROM duckdb_secrets()', 'table-function'],
  ['FROM duckdb_logs()', 'table-function'],
  ['FROM pragma_database_size()', 'table-function'],
  ['FROM test_all_types()', 'table-function'],
  ["FROM seq_scan('cache.files')", 'table-function'],
  ["SELECT (FROM read_text('/etc/passwd'))", 'table-function'],
  ["WITH x AS (FROM read_text('/etc/passwd')) FROM x", 'table-function'],
  ["SELECT 1 WHERE EXISTS (FROM glob('*'))", 'table-function'],
  ["SELECT * FROM range(1), LATERAL (FROM read_text('/etc/passwd'))", 'table-function'],
  ["SELECT 1 UNION ALL FROM read_text('/etc/passwd')", 'table-function'],
  ["SUMMARIZE FROM read_text('/etc/passwd')", 'table-function'],
  ["DESCRIBE FROM read_text('/etc/passwd')", 'table-function'],
  ["FROM '/etc/passwd'", 'file'],
  ["FROM 'x.parquet'", 'file'],
  ["SELECT * FROM 'http://127.0.0.1/x.csv'", 'file'],
  ["FROM '*.csv'", 'file'],
  ['FROM "C:\\x.parquet"', 'file'],
  ["UNPIVOT 'x.parquet' ON a INTO NAME n VALUE v", 'file'],
  ["SELECT * FROM cache.files JOIN 'x.json' ON true", 'file'],
  // A name is a common table expression only where that expression is visible; elsewhere it is a file.
  ['SELECT * FROM \'/etc/passwd\', (WITH "/etc/passwd" AS (SELECT 1) FROM "/etc/passwd")', 'file'],
  ['SELECT * FROM (WITH "x.csv" AS (SELECT 1) SELECT 1), "x.csv"', 'file'],
  ['SELECT (WITH "x.csv" AS (SELECT 1) FROM "x.csv"), (FROM "x.csv")', 'file'],
  ['WITH "x.csv" AS (FROM "x.csv") FROM "x.csv"', 'file'],
  ['WITH a AS (FROM "x.csv"), "x.csv" AS (SELECT 1) FROM a', 'file'],
  ['WITH a AS (WITH "x.csv" AS (SELECT 1) FROM "x.csv") FROM a, "x.csv"', 'file'],
  ['WITH RECURSIVE "x.csv" AS (FROM "x.csv" UNION ALL SELECT 1) FROM "x.csv"', 'file'],
  ['(WITH "x.csv" AS (SELECT 1) FROM "x.csv") UNION ALL FROM "x.csv"', 'file'],
  ['WITH "x.csv" AS (SELECT 1) FROM main."x.csv"', 'file'],
  ['WITH "x.csv" AS (SELECT 1) FROM memory."x.csv"', 'table'],
  ['WITH "/\u212a.csv" AS (SELECT 1) FROM "/k.csv"', 'file'],
  // DuckDB reads the table csv of a schema as a file of that name.
  ['FROM main.csv', 'file'],
  ['FROM metrics.parquet', 'table'],
  ['FROM recurring.t', 'table'],
  ['WITH t AS (SELECT 1) FROM recurring.t', 'table'],
  ['FROM other.main.t', 'table'],
  ['FROM pg_catalog.pg_settings', 'table'],
  ['FROM temp.t', 'table'],
  ['FROM pg_settings', 'table'],
  ['FROM main.PG_Class', 'table'],
  ['FROM duckdb_secrets', 'table'],
  ['FROM sqlite_master', 'table'],
  ['FROM memory.main.duckdb_settings', 'table'],
  ["FROM read_ndjson_objects('/etc/passwd')", 'table-function'],
  ["FROM parquet_kv_metadata('/tmp/x')", 'table-function'],
  ["FROM sqlite_scan('/tmp/x', 'y')", 'table-function'],
  ['FROM duckdb_extensions()', 'table-function'],
  ['FROM duckdb_temporary_files()', 'table-function'],
  ["FROM system.main.read_text('/etc/passwd')", 'table-function'],
  ["FROM READ_TEXT /* x */ ('/etc/passwd')", 'table-function'],
  ["SELECT 1 LIMIT (SELECT count(*) FROM glob('*'))", 'table-function'],
  ["SELECT sum(1) OVER (ORDER BY (SELECT count(*) FROM glob('*')))", 'table-function'],
  ["SELECT 1 QUALIFY (SELECT count(*) FROM glob('*')) > 0", 'table-function'],
  ["WITH RECURSIVE x AS (SELECT 1 UNION ALL FROM read_text('/x')) FROM x", 'table-function'],
  ["PIVOT (FROM glob('*')) ON file IN ('a') USING count(*)", 'table-function'],
  ["SELECT main.getenv('HOME')", 'function'],
  ["SELECT ('HOME').getenv()", 'function'],
  ['SELECT COLUMNS(x -> getenv(x)) FROM cache.files', 'function'],
  ["DESCRIBE '/etc/passwd'", 'file'],
  ["SHOW '/etc/passwd'", 'file'],
  ["FROM cache.files POSITIONAL JOIN '/etc/passwd'", 'file'],
  ["FROM 's3://a/b.parquet'", 'file'],
  ["FROM '/dev/stdin'", 'file'],
  ["SHOW ALL TABLES; COPY x TO 'y'", 'statement'],
  ["SELECT 1;\u0000COPY (SELECT 1) TO '/tmp/x'", 'text'],
  ["SELECT getenv('HOME')", 'function'],
  ["SELECT GetEnv('HOME')", 'function'],
  ["SELECT current_setting('temp_directory')", 'function'],
  ["SELECT getvariable('x')", 'function'],
  ["SELECT write_log('x')", 'function'],
  ['SELECT sleep_ms(10000)', 'function'],
  ["SELECT [write_log(x) FOR x IN ['a']]", 'function'],
  ["SELECT list_transform(['a'], lambda x: getenv(x))", 'function'],
  ['SELECT 1 ORDER BY sleep_ms(1000)', 'function'],
  ['WITH x AS (INSERT INTO cache.files VALUES (1) RETURNING *) FROM x', 'failed'],
  ['SELEC 1', 'failed'],
  ['SELECT (((', 'failed'],
  ["SELECT 'open", 'failed'],
]

it.each(attacks.map((attack) => ({ shown: JSON.stringify(attack[0].slice(0, 90)), attack })))(
  'refuses $shown',
  async ({ attack: [sql, expected] }) => {
    expect(outcome(await check(sql))).toBe(expected)
  },
)

it.each([
  ["time >= '2026-08-01'", true],
  ["time >= TIMESTAMP '2026-08-01' AND exchange = 'venuea-futures'", true],
  ['volume > 3', true],
  ['time >= $from', true],
  ["time >= 'now'", false],
  ["time >= 'today'::TIMESTAMP", false],
  ["time >= now() - INTERVAL '1 day'", false],
  // DuckDB reads `current_date` as a column here, so the condition narrows nothing.
  ['time >= current_date', true],
])('knows whether “%s” means the same tomorrow', async (condition, isTimeless) => {
  const answer = await check(`FROM metrics.ohlcv WHERE ${condition}`, { from: '2026-08-01' })
  expect(answer).toMatchObject({ checked: { isTimeless } })
})

it('names the statement that it refuses, behind comments and blanks', async () => {
  expect(await check("/* a */ -- b\n attach 'x'")).toMatchObject({ refused: { name: 'ATTACH' } })
})

it.each([
  ['SELECT 1; DROP TABLE x', 'DROP'],
  ["SELECT ';'; -- ;\n COPY x TO 'y'", 'COPY'],
  ['SHOW ALL TABLES; SELECT 2; delete FROM x; DROP TABLE x', 'DELETE'],
])('names of several statements in “%s” the first that is refused', async (sql, name) => {
  expect(await check(sql)).toMatchObject({ refused: { reason: 'statement', name } })
})

it.each([
  ['a constant of 500 parts', `symbol = ${Array(500).fill("'a'").join(' || ')}`, {}],
  ['calls within calls', `symbol = ${"instrument('a', ".repeat(20)}'b'${')'.repeat(20)}`, {}],
  ['constants that fail', `${'time > make_date(99999999, 1, 1) AND '.repeat(100)} exchange = 'a'`, { exchange: ['a'] }],
])('does not evaluate %s, which would take long, but checks the query', async (_what, condition, equals) => {
  expect(await narrowingOf(`FROM metrics.ohlcv WHERE ${condition}`)).toEqual([{ equals, times: {} }])
})

it('names a statement of many within a moment', async () => {
  expect(await check(`DROP TABLE x${';'.repeat(90_000)}`)).toMatchObject({ refused: { name: 'DROP' } })
})

it('takes no more than milliseconds for a query that nests deeply', async () => {
  const deep = `SELECT ${'('.repeat(5000)}1${')'.repeat(5000)}`
  expect(outcome(await check(deep))).toBe('checked')
  const joined = `SELECT 1 FROM ${Array.from({ length: 400 }, (_, at) => `range(1) t${at}`).join(', ')}`
  expect(outcome(await check(joined))).toBe('checked')
})

it.each([
  'SELECT 1',
  'WITH x AS (SELECT 1 AS a) SELECT * FROM x',
  'WITH RECURSIVE x(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM x WHERE a < 3) FROM x',
  'WITH RECURSIVE t(a, b) USING KEY (a) AS (SELECT 1, 1 UNION SELECT a, b + 1 FROM recurring.t, t WHERE b < 3) FROM t',
  'WITH "a.b" AS (SELECT 1), c AS (FROM "a.b") SELECT (FROM "A.B") FROM c, (FROM "a.b") UNION ALL FROM "a.b"',
  'WITH RECURSIVE "a.b"(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM "a.b" WHERE x < 3) FROM "a.b"',
  'WITH csv AS (SELECT 1) FROM csv',
  `SELECT 1 -- ${'-'.repeat(5000)}`,
  `SELECT 1 /* ${`+${'-'.repeat(78)}+\n`.repeat(100)} */`,
  'VALUES (1), (2)',
  'FROM metrics.ohlcv',
  'FROM METRICS.OHLCV',
  'DESCRIBE metrics.ohlcv',
  'SUMMARIZE metrics.ohlcv',
  'SHOW ALL TABLES',
  "PIVOT cache.files ON dataset IN ('ohlcv') USING count(*)",
  'UNPIVOT metrics.ohlcv ON open, close INTO NAME n VALUE v',
  'SELECT * FROM raw.trades ASOF JOIN raw.quotes USING (symbol, local_timestamp)',
  'SELECT unnest([1, 2]), x FROM range(3) t(x)',
  "SELECT * FROM json_each('[1]')",
  'FROM duckdb_columns()',
  'SELECT table_name FROM information_schema.tables',
])('lets pass %s', async (sql) => {
  expect(outcome(await check(sql))).toBe('checked')
})

it('writes nothing but its own folders', async () => {
  await check('SELECT 1')
  expect(readdirSync(folder)).toEqual(['engine'])
  expect(readdirSync(join(folder, 'engine')).sort()).toEqual(['extensions', 'home', 'secrets', 'temp'])
})

/** Returns how a query narrows the files of its tables. */
async function narrowingOf(sql: string, parameters: Record<string, string> = {}) {
  const answer = await check(sql, parameters)
  if (!('checked' in answer)) throw new Error(`not checked: ${JSON.stringify(answer)}`)
  return answer.checked.uses.map(({ equals, times }) => ({ equals, times }))
}

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

it('narrows by constants, lists, functions of constants and parameters', async () => {
  const sql = `FROM metrics.ohlcv WHERE exchange IN ('a', 'b') AND symbol = instrument('a', 'BTC-USDT') AND '1h' = interval
    AND clock = $clock AND time >= DATE '2026-08-01' + INTERVAL 1 DAY AND time < '2026-08-09'`
  expect(await narrowingOf(sql, { clock: 'true' })).toEqual([
    {
      equals: { exchange: ['a', 'b'], symbol: ['perpetual-BTC-USDT:USDT'], interval: ['1h'], clock: ['true'] },
      // The range ends one microsecond before the day.
      times: { time: { fromMs: day('2026-08-02'), toMs: day('2026-08-09') - 0.001 } },
    },
  ])
})

it.each([
  ['a choice', "FROM metrics.ohlcv WHERE exchange = 'a' OR symbol = 'b'"],
  ['a negation', "FROM metrics.ohlcv WHERE NOT (exchange = 'a')"],
  ['a column', 'FROM metrics.ohlcv WHERE exchange = base'],
  ['a subquery', "FROM metrics.ohlcv WHERE exchange = (SELECT 'a')"],
  ['a filter behind a window', "SELECT lag(open) OVER (ORDER BY time) FROM metrics.ohlcv QUALIFY exchange = 'a'"],
  ['the searched side of ASOF', "FROM range(1) r(x) ASOF JOIN metrics.ohlcv m ON r.x >= m.open WHERE m.exchange = 'a'"],
  [
    'the optional side of a join',
    "FROM range(1) r(x) LEFT JOIN metrics.ohlcv m ON r.x = m.open WHERE m.exchange = 'a'",
  ],
  ['a parameter without a value', 'FROM metrics.ohlcv WHERE exchange = $e'],
  ['a sample', "FROM metrics.ohlcv TABLESAMPLE 10 ROWS WHERE exchange = 'a'"],
])('does not narrow by %s', async (_, sql) => {
  expect(await narrowingOf(sql)).toEqual([{ equals: {}, times: {} }])
})

it('carries constants over the equalities of an ASOF join to the side that it searches', async () => {
  const sql = `FROM raw.trades t ASOF JOIN metrics.ohlcv m
    ON t.symbol = m.symbol AND t.exchange_timestamp >= m.time WHERE t.symbol = 'x' AND m.interval = '1m'`
  expect(await narrowingOf(sql)).toEqual([
    { equals: { symbol: ['x'] }, times: {} },
    { equals: { symbol: ['x'] }, times: {} },
  ])
})
