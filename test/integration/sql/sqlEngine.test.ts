import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { GuardedProcess, StartProcess } from '#core/ports.ts'
import { SqlFailed, SqlStopped } from '#core/sql/sqlErrors.ts'
import { createSqlService, type SqlQuery, type SqlServiceDeps } from '#core/sql/sqlService.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { UNARRANGED } from '#shared/tables/arrangement.ts'
import { expect, it, onTestFinished } from 'vitest'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { addCachedFile, hourlyColumns } from '../../fakes/parquetCache.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { openSqlWorld } from '../../fakes/sqlWorld.ts'

const ENDLESS = 'SELECT count(*) FROM range(10000000000) a, range(100000) b'

function openEngine({
  mostTempBytes,
  start = startNodeProcess,
  validate = () => Promise.reject(new Error('there are no files')),
}: { mostTempBytes?: number; start?: StartProcess; validate?: SqlServiceDeps['validate'] } = {}) {
  const dataDir = dataFolder()
  const processes: GuardedProcess[] = []
  const startProcess: StartProcess = (entry, name) => {
    const process = start(entry, name)
    processes.push(process)
    return process
  }
  const store = openTestStore(dataDir)
  const sql = createSqlService({
    fundingOf: () => Promise.resolve([]),
    store,
    clock: fakeClock(),
    dataDir,
    ledger: () => {
      throw new Error('no query here reads the ledger')
    },
    startProcess,
    ...(mostTempBytes !== undefined && { mostTempBytes }),
    validate,
  })
  onTestFinished(() => sql.close())
  return { sql, processes, dataDir, store }
}

const query = (sql: string, over: Partial<SqlQuery> = {}): SqlQuery => ({
  sql,
  parameters: {},
  connectionId: '',
  ...over,
})

it('starts no process before the first query', async () => {
  const { sql, processes, dataDir } = openEngine()
  expect(processes).toEqual([])
  expect(readdirSync(dataDir)).not.toContain('sql-engine')
  await sql.run(query('SELECT 1'))
  expect(processes).toHaveLength(1)
})

it('cancels at once, and the next query is answered', async () => {
  const { sql } = openEngine()
  await sql.run(query('SELECT 1'))
  const stop = new AbortController()
  const running = sql.run(query(ENDLESS), { signal: stop.signal, onPlanned: () => setTimeout(() => stop.abort(), 20) })
  await expect(running).rejects.toMatchObject({ code: 'cancelled' })
  expect((await sql.run(query('SELECT 42 AS x'))).rows).toBe(1)
})

it('reads and sorts a result and checks a text while a query runs', async () => {
  const { sql, processes } = openEngine()
  const { id } = await sql.run(query('SELECT i FROM range(10) t(i)'))
  const stop = new AbortController()
  const { promise: hasBegun, resolve } = Promise.withResolvers<unknown>()
  const running = sql.run(query(ENDLESS), { signal: stop.signal, onPlanned: resolve })
  running.catch(() => {})
  await hasBegun
  expect((await sql.page(id, 8, 5)).rows).toBe(2)
  const arrangement = { sort: [{ key: 'c0', descending: true }], text: '', conditions: [] }
  const { frame } = await sql.arrangedPage(id, { from: 0, count: 2, arrangement })
  expect([...frame.columns[0].values]).toEqual([9, 8])
  expect(await sql.preflight(query('SELECT $1', { parameters: { 1: 'x' } }))).toMatchObject({ parameters: ['1'] })
  stop.abort()
  await expect(running).rejects.toMatchObject({ code: 'cancelled' })
  expect(processes).toHaveLength(1)
  expect((await sql.page(id, 0, 1)).rows).toBe(1)
})

it('replaces an engine that was killed, and says so', async () => {
  const { sql, processes } = openEngine()
  await sql.run(query('SELECT 1'))
  const running = sql.run(query(ENDLESS), { onPlanned: () => setTimeout(() => processes[0].kill(), 20) })
  await expect(running).rejects.toThrow(/The SQL engine crashed .* The next query starts a new engine/)
  expect((await sql.run(query('SELECT 42 AS x'))).rows).toBe(1)
  expect(processes).toHaveLength(2)
})

it.each([
  [1, false, 'The only file that it read is sandbox/'],
  [3, false, 'while it ran this query. The next query'],
  [3, true, 'is damaged: sandbox/'],
])(
  'names after a crash the file that may be the cause, of %i files (one damaged: %s)',
  async (files, isOneDamaged, told) => {
    const days = ['2026-08-01', '2026-08-02', '2026-08-03'].slice(0, files) as Period[]
    const { sql, processes, dataDir, store } = openEngine({
      validate: (path) =>
        isOneDamaged && path.includes(days[1])
          ? Promise.reject(new AppError('corrupt-file', 'the page of “value” claims more rows than it has.'))
          : Promise.resolve({} as Awaited<ReturnType<SqlServiceDeps['validate']>>),
    })
    for (const day of days) addCachedFile(store, dataDir, flowSeries({ interval: '1h' }), day, hourlyColumns(day))
    const reading = 'SELECT count(*) FROM metrics.flow, range(10000000000) a, range(100000) b'
    const running = sql.run(query(reading), { onPlanned: () => setTimeout(() => processes[0].kill(), 20) })
    const message = await running.then(
      () => 'the query ended',
      (thrown: unknown) => String(thrown),
    )
    expect(message).toContain(told)
    expect(message.includes(days.at(1) ?? 'none')).toBe(isOneDamaged)
    expect((await sql.run(query('SELECT 42 AS x'))).rows).toBe(1)
  },
)

it('never shows the rows of a query as those of an earlier one, when the engine ended between them', async () => {
  const { sql, processes } = openEngine()
  const { id } = await sql.run(query('SELECT i FROM range(600) t(i)'))
  const hasEnded = new Promise<void>((resolve) => processes[0].onEnd(resolve))
  processes[0].kill()
  await hasEnded
  await sql.run(query('SELECT i + 1000 FROM range(600) t(i)'))
  expect(processes).toHaveLength(2)
  await expect(sql.page(id, 550, 5)).rejects.toMatchObject({ code: 'not-found' })
  const first = await sql.page(id, 0, 1).then(
    ({ columns: [column] }) => cellOf(column, 0),
    () => null,
  )
  expect([0, null]).toContain(first)
})

it('stops a query after its time, and one that takes more memory than it may', async () => {
  const { sql } = openEngine()
  await expect(sql.run(query(ENDLESS, { timeoutMs: 300 }))).rejects.toThrow(SqlStopped)
  const greedy = "SELECT length(repeat('x', 4000000000))"
  await expect(sql.run(query(greedy, { memoryBytes: 100e6 }))).rejects.toThrow(/exceeded its memory limit/)
  expect((await sql.run(query('SELECT 1'))).rows).toBe(1)
})

/** Starts engines, and lets those checks wait for ever whose text begins with “-- wait”. */
const startWithoutSomeChecks: StartProcess = (entry, name) => {
  const process = startNodeProcess(entry, name)
  return {
    ...process,
    send(message) {
      const { task } = message as { task?: { do: string; sql: string } }
      if (task?.do !== 'check' || !task.sql.startsWith('-- wait')) process.send(message)
    },
  }
}

it('counts the time of a query from its text on: a check that takes too long ends, and so does a wait', async () => {
  const { sql } = openEngine({ start: startWithoutSomeChecks })
  const late = 'The query took longer than 0.3 s'
  await expect(sql.run(query('-- wait\nSELECT 1', { timeoutMs: 300 }))).rejects.toThrow(late)
  await expect(sql.explain(query('-- wait\nSELECT 1', { timeoutMs: 300 }))).rejects.toThrow(late)
  expect((await sql.run(query('SELECT 1'))).rows).toBe(1)
  const stop = new AbortController()
  const { promise: hasBegun, resolve } = Promise.withResolvers<unknown>()
  const running = sql.run(query(ENDLESS), { signal: stop.signal, onPlanned: resolve })
  running.catch(() => {})
  await hasBegun
  // These wait, one for its check and one for its turn, while a query runs that goes on.
  await expect(sql.run(query('-- wait\nSELECT 1', { timeoutMs: 300 }))).rejects.toThrow(late)
  await expect(sql.run(query('SELECT 2', { timeoutMs: 300 }))).rejects.toThrow(late)
  stop.abort()
  await expect(running).rejects.toMatchObject({ code: 'cancelled' })
})

it('removes the temporary files of an engine that was killed, because a cancelled query did not end', async () => {
  const { sql, processes, dataDir } = openEngine()
  await sql.run(query('SELECT 1'))
  const [engine] = readdirSync(join(dataDir, 'sql-engine'))
  const left = join(dataDir, 'sql-engine', engine, 'temp', 'duckdb_temp_storage_DEFAULT-0.tmp')
  writeFileSync(left, 'x')
  const hasEnded = new Promise<void>((resolve) => processes[0].onEnd(resolve))
  const deaf = "SELECT levenshtein(repeat('a', 400_000), repeat('b' || x, 200_000)) FROM range(9) t(x)"
  await expect(sql.run(query(deaf, { timeoutMs: 1000 }))).rejects.toThrow(SqlStopped)
  await hasEnded
  expect(existsSync(left)).toBe(false)
  expect((await sql.run(query('SELECT 1'))).rows).toBe(1)
})

it('stops a query that writes more to the disk than it may, and runs it where it may', async () => {
  const sorted = query('SELECT repeat(md5(range::VARCHAR), 4) AS x FROM range(1500000) ORDER BY x', {
    memoryBytes: 70e6,
    threads: 1,
  })
  await expect(openEngine({ mostTempBytes: 5e6 }).sql.run(sorted)).rejects.toThrow(
    'The query exceeded its limit on temporary disk space',
  )
  expect((await openEngine().sql.run(sorted)).rows).toBe(1_500_000)
  const listed = query('SELECT list(repeat(md5(range::VARCHAR), 4)) FROM range(1500000)', { memoryBytes: 70e6 })
  // DuckDB's own advice names settings, which are locked in this engine.
  await expect(openEngine().sql.run(listed)).rejects.toThrow(/exceeded its memory limit\. Read less .*\.$/)
})

it.each([
  [0, 3],
  [0, 500],
  [0, 501],
  [499, 1],
  [499, 2],
  [500, 50],
  [590, 50],
  [601, 5],
])('gives the rows from %i on, %i of them, wherever they are kept', async (from, count) => {
  const { sql } = openEngine()
  const text =
    "SELECT i, CASE WHEN i % 3 > 0 THEN 'r' || (i % 5) END AS t, nullif(i % 2, 0) AS odd FROM range(600) n(i)"
  const { id } = await sql.run(query(text))
  const rows = Array.from({ length: Math.max(0, Math.min(600, from + count) - from) }, (_, at) => from + at)
  const cells = rows.map((i) => [i, i % 3 > 0 ? `r${i % 5}` : null, i % 2 || null])
  const cellsOf = (frame: Frame) => rows.map((_, row) => frame.columns.map((column) => cellOf(column, row)))
  const page = await sql.page(id, from, count)
  expect([page.rows, cellsOf(page)]).toEqual([rows.length, cells])
  const { frame, count: all } = await sql.arrangedPage(id, { from, count, arrangement: UNARRANGED })
  expect([all, frame.rows, cellsOf(frame)]).toEqual([600, rows.length, cells])
  expect(frame.columns.map(({ name }) => name)).toEqual(['c0', 'c1', 'c2'])
})

it('leaves long texts in the engine until they are asked for', async () => {
  const { sql, processes } = openEngine()
  const bytes: number[] = []
  await sql.run(query('SELECT 1'))
  processes[0].onMessage((message) => bytes.push(JSON.stringify(message).length))
  const { id } = await sql.run(query("SELECT repeat('x', 100_000) || i AS t FROM range(400) n(i)"))
  expect(Math.max(...bytes)).toBeLessThan(100_000)
  const page = await sql.page(id, 399, 1)
  expect(cellOf(page.columns[0], 0)).toBe(`${'x'.repeat(100_000)}399`)
})

it('gives all of a large result by pages, and does not fetch more of one than was asked for', async () => {
  const { sql } = openEngine()
  const { id, rows } = await sql.run(query('SELECT i, i * 2 AS j FROM range(100_000) t(i)'))
  expect(rows).toBe(100_000)
  const page = await sql.page(id, 99_990, 20)
  expect(page.rows).toBe(10)
  expect([...(page.columns[0].values as Float64Array)]).toEqual(Array.from({ length: 10 }, (_, at) => 99_990 + at))
  expect([...((await sql.page(id, 3, 2)).columns[1].values as Float64Array)]).toEqual([6, 8])
  const cut = await sql.run(query('SELECT i FROM range(1_000_000_000_000) t(i)'), { limit: 5 })
  expect([cut.rows, cut.isCut]).toEqual([5, true])
  await sql.closeResult(id)
  await expect(sql.page(id, 0, 1)).rejects.toMatchObject({ code: 'not-found' })
})

it('never mistakes the beginning of a result that fails for all of it', async () => {
  const { sql } = openEngine()
  const failing = "SELECT CASE WHEN i = 500000 THEN error('row 500000') ELSE 'x' END FROM range(1000000) t(i)"
  await expect(sql.run(query(failing))).rejects.toThrow(/row 500000/)
  await expect(sql.run(query(failing), { limit: 600_000 })).rejects.toThrow(/row 500000/)
})

it('names the place of an error in characters', async () => {
  const { sql } = openEngine()
  const thrown = await sql.run(query("SELECT '龙é',\n  '龙', nope")).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(SqlFailed)
  expect((thrown as SqlFailed).failure).toMatchObject({ line: 2, column: 8 })
})

it('offers its own tables for a name that no table has', async () => {
  const { sql } = openEngine()
  const offered = 'There is no table open_interest. Did you mean metrics.open_interest or raw.open_interest?'
  await expect(sql.run(query('FROM open_interest'))).rejects.toThrow(offered)
  await expect(sql.run(query('FROM nobody'))).rejects.toThrow('no table nobody. List the tables with SHOW ALL TABLES.')
})

it('names parameters that have no value, and accepts values with any text', async () => {
  const { sql } = openEngine()
  await expect(sql.run(query('SELECT $a, $b', { parameters: { a: '1' } }))).rejects.toMatchObject({ names: ['b'] })
  const value = "'; COPY (SELECT 1) TO '/tmp/x' --"
  const { id } = await sql.run(query('SELECT $a AS a', { parameters: { a: value } }))
  expect((await sql.page(id, 0, 1)).columns[0]).toMatchObject({ dictionary: [value] })
})

it('leaves nothing of its engines behind', async () => {
  const { sql, dataDir } = openEngine()
  await sql.run(query('SELECT 1'))
  expect(readdirSync(join(dataDir, 'sql-engine'))).toHaveLength(1)
  await sql.close()
  expect(readdirSync(join(dataDir, 'sql-engine'))).toEqual([])
})

it('counts, buckets, ranks and annualises as the helpers promise', async () => {
  const { query: ask } = openSqlWorld()
  const [row] = await ask(`SELECT instrument('a', 'BTC-USDT:USDT') AS symbol, annualised(0.1, 30) AS year,
    bucket(TIMESTAMP '1970-01-01 13:59:59', INTERVAL '7 hours') AS bucket`)
  expect(row).toEqual({ symbol: 'perpetual-BTC-USDT:USDT', year: 1.1 ** (365 / 30) - 1, bucket: 7 * 3_600_000 })
  const losses = `SELECT annualised(-1.5, 365) AS whole, annualised(-1.5, 100) AS broken, annualised(-1, 100) AS lost`
  expect(await ask(losses)).toEqual([{ whole: null, broken: null, lost: -1 }])
  const [ranks] = await ask(`SELECT rank_ic(x, y) AS ic, rank_ic(x, 1) AS flat
    FROM (VALUES (1, 2.0), (2, 2), (3, 5), (4, NULL), (5, 'NaN'::DOUBLE), (6, 9)) t(x, y)`)
  // The ranks are 1, 2, 3, 4 and 1.5, 1.5, 3, 4.
  expect(ranks.ic).toBeCloseTo(0.9486832980505138, 12)
  expect(ranks.flat).toBeNull()
  expect(await ask('SELECT rank_ic(x, y) AS few FROM (VALUES (1, 1), (2, 2)) t(x, y)')).toEqual([{ few: null }])
})
