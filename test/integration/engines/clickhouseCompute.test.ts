import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { createApp } from '#core/app.ts'
import { systemClock } from '#core/ports.ts'
import { differences, readTable, type Table } from '../../conformance/compareMetrics.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import {
  describedTrades,
  engineUser,
  enginePassword,
  type FakeClickHouse,
  fakeClickHouse,
  type FakeStatement,
  refuse,
  rowBinary,
} from '../../fakes/fakeClickHouse.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'

const expected = readTable(join(import.meta.dirname, '../../conformance/data/expected/v1/vtwap.1h.exchange.parquet'))
const days = ['2026-09-01', '2026-09-02']
const pair = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT' }

async function openWorld(password = enginePassword) {
  const engine = await fakeClickHouse(
    days.map((day) => `${day}.parquet`),
    expected,
  )
  const ports = { ...fakePorts(), clock: systemClock }
  const app = createApp(ports, { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const server = { url: engine.url, user: engineUser, cluster: '', plainHttp: false }
  await client.call('connections.setEngine', { id: 'sandbox', server })
  await client.call('keys.set', { connectionId: 'sandbox', service: 'engine', key: password })
  const compute = (
    change: Partial<CallInput<'raw.computeOnEngine'>> = {},
    options: { signal?: AbortSignal; onProgress?: (progress: { done: number }) => void } = {},
  ) =>
    client.call(
      'raw.computeOnEngine',
      {
        connectionId: 'sandbox',
        datasets: ['vtwap'],
        pairs: [pair],
        interval: '1h',
        timestamp: 'exchange',
        startDay: dayNumberOf(days[0]),
        endDay: dayNumberOf(days[1]) + 1,
        raw: { kind: 'folder', address: '/there' },
        out: null,
        parallel: 1,
        ...change,
      },
      options,
    )
  const cached = async () =>
    (await client.call('cache.list', { connectionId: computedOwner('sandbox') })).files.toSorted((a, b) =>
      a.period.localeCompare(b.period),
    )
  return { engine, client, compute, cached, ports }
}

/** Joins the rows of daily files into one table. */
function joinTables(paths: readonly string[]): Table {
  const tables = paths.map(readTable)
  const together = (pick: (table: Table) => Float64Array) =>
    Float64Array.from(tables.flatMap((table) => [...pick(table)]))
  const columns = [...tables[0].columns.keys()].map(
    (name) => [name, together((table) => table.columns.get(name)!)] as const,
  )
  return { time: together(({ time }) => time), columns: new Map(columns) }
}

describe('a computation on ClickHouse', () => {
  it('brings each day into the cache as a computed file that names engine, version, SQL and source', async () => {
    const { engine, compute, cached } = await openWorld()
    const done: number[] = []
    const result = await compute({}, { onProgress: (progress) => done.push(progress.done) })
    expect(result).toMatchObject({
      engine: 'clickhouse',
      version: '26.9.2.1',
      outputs: [{ dataset: 'vtwap', files: 2, kept: 0, rows: expected.time.length }],
      missing: [],
      notes: [],
    })
    expect(done).toEqual([1, 2])
    const files = await cached()
    expect(files.map(({ period, origin }) => [period, origin])).toEqual(days.map((day) => [day, 'computed']))
    expect(files.map(({ computedBy }) => computedBy)).toEqual(
      days.map((day) => ({
        engine: 'clickhouse',
        version: '26.9.2.1',
        sqlSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        source: [expect.stringContaining(`/${day}.parquet`)],
      })),
    )
    expect(differences(expected, joinTables(files.map(({ path }) => path)))).toEqual([])
    const text = readFileSync(files[0].path, 'latin1')
    expect(text).toContain('"engine":"clickhouse","version":"26.9.2.1","sqlSha256":"')
    expect(text).toContain('/2026-09-01.parquet"]')
    for (const { settings } of engine.statements)
      expect(Object.fromEntries(settings)).toMatchObject({ session_timezone: 'UTC', join_use_nulls: '1' })
  })

  it('computes each day with the first and last interval of the whole range', async () => {
    const { engine, compute } = await openWorld()
    const extents: string[] = []
    const [startUs, endUs] = [dayNumberOf(days[0]) * 86_400e6, (dayNumberOf(days[1]) + 1) * 86_400e6]
    engine.instead = ({ sql }, response) => {
      if (!/^SELECT count\(\), .*min\(exchange_timestamp\)/.test(sql)) return false
      extents.push(sql)
      response.end(`9\t${startUs + 3_600e6}\t${endUs - 1}\n`)
      return true
    }
    await compute()
    expect(extents.map((sql) => /\d{4}-\d\d-\d\d(?=\.parquet)/.exec(sql)?.[0])).toEqual(days)
    const bounds = engine.computed().map(({ sql }) => /SELECT (\S+) AS first_us, (\S+) AS last_us/.exec(sql)?.slice(1))
    expect(bounds).toEqual([
      ['min(interval_us)', String(startUs + 23 * 3_600e6)],
      [String(startUs + 86_400e6), 'max(interval_us)'],
    ])
    engine.statements.length = 0
    await compute({ endDay: dayNumberOf(days[0]) + 1 })
    expect(engine.computed()[0].sql).toContain('SELECT min(interval_us) AS first_us, max(interval_us) AS last_us')
  })

  it('keeps the days that are whole, and computes those again whose events changed or whose file is gone', async () => {
    const { engine, compute, cached } = await openWorld()
    await compute()
    engine.statements.length = 0
    expect((await compute()).outputs).toMatchObject([{ files: 0, kept: 2 }])
    expect(engine.computed()).toEqual([])
    engine.instead = ({ sql }, response) => {
      if (!sql.includes("'One'")) return false
      response.end(days.map((day, i) => `/there/${day}.parquet\t${100 + i}\t1700000000\n`).join(''))
      return true
    }
    expect((await compute()).outputs).toMatchObject([{ files: 1, kept: 1 }])
    expect(await cached()).toHaveLength(2)
  })

  it('ends the query there when it is cancelled, keeps what is whole, and goes on with the same order', async () => {
    const { engine, compute, cached } = await openWorld()
    const controller = new AbortController()
    engine.instead = ({ sql }) => {
      // The second day's query is running and receives no answer.
      const isLast = engine.computed().length === 2 && sql.endsWith('FORMAT RowBinary')
      if (isLast) controller.abort()
      return isLast
    }
    await expect(compute({}, { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' })
    const id = engine.computed()[1].settings.get('query_id')!
    await vi.waitFor(
      () => expect(engine.statements.at(-1)!.sql).toBe(`KILL QUERY WHERE query_id = '${id}' ASYNC`),
      30_000,
    )
    expect((await cached()).map(({ period }) => period)).toEqual([days[0]])
    engine.instead = () => false
    expect((await compute()).outputs).toMatchObject([{ files: 1, kept: 1 }])
  })

  it('leaves the results with the engine where a place there is named', async () => {
    const { engine, compute, cached } = await openWorld()
    engine.instead = ({ sql }, response) => {
      if (!sql.startsWith('SELECT count()')) return false
      response.end('24\n')
      return true
    }
    const { outputs } = await compute({ out: 's3://bucket/metrics' })
    const folder =
      's3://bucket/metrics/dataset=vtwap/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1h/timestamp=exchange'
    expect(outputs).toMatchObject([{ files: 2, places: days.map((day) => `${folder}/${day}.parquet`) }])
    expect(engine.statements.filter(({ sql }) => sql.startsWith('INSERT INTO FUNCTION s3('))).toHaveLength(2)
    const origins = engine.statements.filter(({ sql }) => sql.startsWith('INSERT INTO TABLE FUNCTION s3('))
    expect(origins.map(({ sql }) => /_(\S+)\.provenance\.json/.exec(sql)?.[1])).toEqual(days)
    expect(origins[0].sql).toMatch(/SELECT '\{"engine":"clickhouse","version":"26\.9\.2\.1","sqlSha256":"[0-9a-f]{64}"/)
    expect(await cached()).toEqual([])
  })

  it('notes a clock that is off, and names days without files', async () => {
    const { engine, compute } = await openWorld()
    engine.instead = ({ sql }, response) => {
      if (!sql.startsWith('SELECT version()')) return false
      response.end(`26.9.2.1\t${Date.now() + 10 * 60_000}\t1\n`)
      return true
    }
    const { notes, missing } = await compute({ startDay: dayNumberOf('2026-08-31') })
    expect(notes).toEqual(['the clock of the server is 10 min ahead; results do not depend on it'])
    expect(missing).toEqual(['perpetual-BTC-USDT:USDT on venuea-futures: trades: no file for 2026-08-31'])
  })
})

describe('what a ClickHouse server can do wrong', () => {
  type Instead = FakeClickHouse['instead']
  const when =
    (is: (sql: string) => boolean, answer: (response: ServerResponse, statement: FakeStatement) => void): Instead =>
    (statement, response) => {
      if (!is(statement.sql)) return false
      answer(response, statement)
      return true
    }
  const isComputation = (sql: string) => sql.endsWith('FORMAT RowBinary')
  const isDescription = (sql: string) => sql.startsWith('DESCRIBE')
  const wholeRows = ({ sql }: FakeStatement) => rowBinary(expected, 'vtwap', sql)
  const described = (from: string, to: string) => `${describedTrades.join('\n').replace(from, to)}\n`

  it.each<[what: string, instead: Instead, sentence: string]>([
    [
      'another program',
      when(
        (sql) => sql.includes('version()'),
        (response) => response.end('<html>'),
      ),
      'does not respond like ClickHouse',
    ],
    [
      'no such table',
      when(isDescription, (response) => refuse(response, 404, 60, 'Table raw.trades does not exist')),
      'there is no such table or database',
    ],
    [
      'a missing column',
      when(isDescription, (response) => response.end(described('price\tFloat64', 'px\tFloat64'))),
      'has no column “price”',
    ],
    [
      'times as whole numbers',
      when(isDescription, (response) => response.end(described("Nullable(DateTime64(6, \\'UTC\\'))", 'Int64'))),
      'column “exchange_timestamp” is Int64, not DateTime64',
    ],
    [
      'prices as text',
      when(isDescription, (response) => response.end(described('price\tFloat64', 'price\tString'))),
      'column “price” is String, not a number',
    ],
    [
      'a price that is no price',
      when(
        (sql) => sql.startsWith('SELECT countIf'),
        (response) => response.end('2\t0\t0\t0\n'),
      ),
      'column “price” contains a value that cannot be used',
    ],
    [
      'a used-up quota',
      when(isComputation, (response) =>
        refuse(response, 500, 201, 'Quota for user `quant` for 3600s has been exceeded'),
      ),
      'the quota of the user is used up',
    ],
    [
      'an unknown cluster',
      when(isComputation, (response) =>
        refuse(response, 500, 701, 'Code: 701. DB::Exception: Requested cluster not found. (VERY) (version 26.7.2.1)'),
      ),
      'it has no cluster of this name (code 701: Requested cluster not found. (VERY)',
    ],
    [
      'no memory',
      when(isComputation, (response) => refuse(response, 500, 241, 'Memory limit exceeded')),
      'it ran out of memory',
    ],
    [
      'a readonly user',
      when(isComputation, (response) => refuse(response, 500, 164, 'Cannot modify setting in readonly mode')),
      'may not change settings',
    ],
    [
      'a failure after a good beginning',
      when(isComputation, (response, statement) =>
        response.end(
          Buffer.concat([wholeRows(statement), Buffer.from('Code: 241. DB::Exception: Memory limit exceeded')]),
        ),
      ),
      'is incomplete (Code: 241. DB::Exception: Memory limit exceeded)',
    ],
    [
      'a failure after half an answer to a check of the events',
      when(
        (sql) => sql.startsWith('SELECT countIf'),
        (response) => response.end('0\t0\t3\nCode: 241. DB::Exception: Memory limit exceeded'),
      ),
      'it ran out of memory',
    ],
    [
      'an answer to a check that was cut off',
      when(
        (sql) => sql.startsWith('SELECT countIf'),
        (response) => response.end('0\t0'),
      ),
      'an answer was cut off',
    ],
    [
      'an answer without its last row',
      when(isComputation, (response, statement) => response.end(wholeRows(statement).subarray(0, -32))),
      'is incomplete',
    ],
    [
      'a connection that breaks',
      when(isComputation, (response) => response.destroy()),
      'the connection was interrupted',
    ],
    [
      'a redirect',
      when(isComputation, (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end()),
      'it redirects elsewhere',
    ],
  ])('is told in a sentence, and leaves nothing half taken: %s', async (_what, instead, sentence) => {
    const { engine, compute, cached } = await openWorld()
    engine.instead = instead
    await expect(compute()).rejects.toThrow(sentence)
    expect(await cached()).toEqual([])
  })

  it('names a wrong password without repeating it', async () => {
    const { compute, ports } = await openWorld('another-word-77aa')
    await expect(compute()).rejects.toThrow('the user name or the password is wrong')
    expect(JSON.stringify(ports.log.lines)).not.toContain('another-word-77aa')
  })

  it('names a server that cannot be reached, and a connection without one', async () => {
    const { client, compute } = await openWorld()
    const server = { url: 'http://127.0.0.1:9', user: engineUser, cluster: '', plainHttp: false }
    await client.call('connections.setEngine', { id: 'sandbox', server })
    await expect(compute()).rejects.toMatchObject({ code: 'network' })
    const fields = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation: '/c.json', tier: null }
    const { id } = await client.call('connections.add', fields)
    await expect(compute({ connectionId: id })).rejects.toThrow('“Desk” has no ClickHouse server')
  })
})
