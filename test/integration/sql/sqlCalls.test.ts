import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createApp } from '#core/app.ts'
import type { WindowHost } from '#core/ports.ts'
import { openStore } from '#core/store/store.ts'
import type { OpenedSql } from '#shared/contract/areas/sql.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { expect, it, onTestFinished } from 'vitest'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'

/** Opens a core over a folder with one day of hourly rows, and a window's client. */
function openWindow() {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, flowSeries({ dataset: 'ohlcv', interval: '1h' }), '2026-08-01')
  store.close()
  const app = createApp(fakePorts(), { version: '1.0.0', dataDir })
  onTestFinished(() => app.close())
  const saved: { name: string; content: string; companion: string | null }[] = []
  const save: WindowHost['save'] = async ({ name, companion }, open) => {
    const content = await text(open() as Readable)
    saved.push({ name, content, companion: companion ? await text(companion.open()) : null })
    return { name, path: join(dataDir, name) }
  }
  const client = app.clientFor({ ...fakeHost(), save })
  return {
    app,
    client,
    saved,
    dataDir,
    async open(sql: string, parameters: Record<string, string> = {}, options?: CallOptions): Promise<OpenedSql> {
      const ran = await client.call('sql.run', { sql, parameters }, options)
      if ('problem' in ran) throw new Error(ran.problem.message)
      return ran.opened
    },
  }
}

const cells = ({ rows, columns }: Frame, at = 0) => Array.from({ length: rows }, (_, row) => cellOf(columns[at], row))

it('pages, sorts and filters a result in the engine', async () => {
  const { client, open } = openWindow()
  const { id: result, rows } = await open("SELECT i AS x, 'n' || i % 7 AS x FROM range(3000) t(i)")
  expect(rows).toBe(3000)
  const plain = await client.call('sql.rows', { result, from: 2998, to: 3100 })
  expect([plain.count, cells(plain.frame), plain.frame.columns.map(({ name }) => name)]).toEqual([
    3000,
    [2998, 2999],
    ['c0', 'c1'],
  ])
  const arrangement = {
    sort: [{ key: 'c0', descending: true }],
    text: '',
    conditions: [
      { key: 'c1', oneOf: ['n3'] },
      { key: 'c0', to: 100 },
    ],
  }
  const arranged = await client.call('sql.rows', { result, from: 0, to: 3, arrangement })
  expect([arranged.count, cells(arranged.frame), cells(arranged.frame, 1)]).toEqual([
    14,
    [94, 87, 80],
    ['n3', 'n3', 'n3'],
  ])
  await client.call('sql.close', { result })
  await expect(client.call('sql.rows', { result, from: 0, to: 3 })).rejects.toMatchObject({ code: 'not-found' })
})

it('names a problem by line and column, and keeps a history of runs', async () => {
  const { client, open } = openWindow()
  expect(await client.call('sql.run', { sql: 'SELECT 1,\n nope', parameters: {} })).toMatchObject({
    problem: { line: 2, column: 2 },
  })
  expect(await client.call('sql.run', { sql: "COPY (SELECT 1) TO 'x'", parameters: {} })).toMatchObject({
    problem: { message: expect.stringMatching(/^COPY is refused/) as string, line: null },
  })
  await open('SELECT $a AS a', { a: 'b' })
  const history = await client.call('sql.history', {})
  expect(history.map(({ sql, rows }) => [sql, rows])).toEqual([
    ['SELECT $a AS a', 1],
    ["COPY (SELECT 1) TO 'x'", null],
    ['SELECT 1,\n nope', null],
  ])
  expect([history[0].problem, history[0].parameters]).toEqual([null, { a: 'b' }])
  await client.call('sql.clearHistory', {})
  expect(await client.call('sql.history', {})).toEqual([])
})

it('checks a query before it runs: parameters, files, what is missing and the requests that fetch it', async () => {
  const { client } = openWindow()
  const sql = `FROM metrics.ohlcv WHERE exchange = 'venuea-futures' AND symbol = $symbol AND interval = '1h'
    AND clock = 'exchange' AND time BETWEEN '2026-08-01' AND '2026-08-02'`
  expect(await client.call('sql.check', { sql, parameters: {} })).toMatchObject({
    parameters: ['symbol'],
    preflight: null,
    problem: null,
  })
  const checked = await client.call('sql.check', { sql, parameters: { symbol: 'perpetual-BTC-USDT:USDT' } })
  expect(checked).toMatchObject({
    preflight: { files: 1, missing: [{ periods: 1, of: 2 }] },
    requests: [{ datasets: ['ohlcv'], startDay: '2026-08-01', endDay: '2026-08-02' }],
  })
  expect(await client.call('sql.check', { sql: 'SELECT (', parameters: {} })).toMatchObject({
    parameters: null,
    problem: { line: 1 },
  })
  expect(await client.call('sql.check', { sql: ' ', parameters: {} })).toMatchObject({ parameters: [], problem: null })
})

it('exports a result with its provenance', async () => {
  const { client, open, saved } = openWindow()
  const { id: result } = await open('SELECT time, "value" AS "a|b" FROM metrics.ohlcv ORDER BY time LIMIT 2')
  await client.call('sql.export', { result, name: 'Two rows', format: 'markdown' })
  await client.call('sql.export', { result, name: 'Two rows', format: 'csv' })
  await client.call('sql.export', { result, name: 'Two rows', format: 'parquet' })
  expect(saved.map(({ name }) => name)).toEqual(['Two rows.md', 'Two rows.csv', 'Two rows.parquet'])
  expect(saved[0].content).toBe(
    '| time | a\\|b |\n| --- | ---: |\n| 2026-08-01T00:00:00.000000Z | 0 |\n| 2026-08-01T01:00:00.000000Z | 1 |\n',
  )
  expect(JSON.parse(saved[1].companion!)).toMatchObject({
    writtenBy: 'Perpscope 1.0.0',
    rows: 2,
    files: [{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
  })
  expect([saved[2].companion, saved[2].content.includes('perpscope.provenance')]).toEqual([null, true])
})

it('turns a result into a panel of the Lab, and says what a result lacks that cannot be one', async () => {
  const { client, open, dataDir } = openWindow()
  const { id: bad } = await open('SELECT 1 AS time')
  await expect(client.call('sql.toPanel', { result: bad, name: 'x' })).rejects.toThrow(/no symbol/)
  const { id: result } = await open('SELECT time, symbol, "value" FROM metrics.ohlcv')
  const { document } = await client.call('sql.toPanel', { result, name: 'Values' })
  expect(document.panel?.path.startsWith(join(dataDir, 'panels', 'Values-'))).toBe(true)
  expect(await client.call('lab.source', { document })).toMatchObject({
    rows: 24,
    symbols: ['perpetual-BTC-USDT:USDT'],
    columns: ['value'],
  })
  expect(JSON.parse(readFileSync(`${document.panel!.path}.provenance.json`, 'utf8'))).toMatchObject({
    sql: 'SELECT time, symbol, "value" FROM metrics.ohlcv',
  })
})

it('shares a query as a text that comes back as it was', async () => {
  const { app, client, saved, dataDir } = openWindow()
  const document = { version: 1 as const, sql: 'SELECT $day\n-- name: inside', parameters: { day: 'a "b"\n' } }
  const { id } = await client.call('documents.create', { kind: 'query', name: 'Funding', document })
  await client.call('documents.export', { kind: 'query', name: 'Funding', document })
  const path = join(dataDir, 'shared.sql')
  writeFileSync(path, saved[0].content)
  await app.receiveFiles([path])
  const [file] = await client.call('files.received', {})
  const made = await client.call('documents.import', { kind: 'query', file: file.id })
  expect(made).toMatchObject({ name: 'Funding 2', document })
  expect((await client.call('documents.list', { kind: 'query' })).map(({ name }) => name)).toEqual([
    'Funding',
    'Funding 2',
  ])
  const { revision } = await client.call('documents.save', {
    kind: 'query',
    id,
    document: { ...document, sql: 'SELECT 2' },
    revision: 1,
  })
  expect(revision).toBe(2)
  await expect(client.call('documents.save', { kind: 'query', id, document, revision: 1 })).rejects.toMatchObject({
    code: 'conflict',
  })
})

it.each([
  ['that is too long', `SELECT '${'x'.repeat(1_500_000)}'`],
  ['with too many values', Array.from({ length: 300 }, (_, at) => `-- $p${at} = "1"\n`).join('')],
])('refuses a received query %s, and keeps nothing of it', async (_what, text) => {
  const { app, client, dataDir } = openWindow()
  const path = join(dataDir, 'shared.sql')
  writeFileSync(path, text)
  await app.receiveFiles([path])
  const [file] = await client.call('files.received', {})
  await expect(client.call('documents.import', { kind: 'query', file: file.id })).rejects.toMatchObject({
    code: 'bad-input',
    detail: 'shared.sql: The query is too large.',
  })
  expect(await client.call('documents.list', { kind: 'query' })).toEqual([])
})

it('cancels a run that would take days, and answers the next one', async () => {
  const { client, open } = openWindow()
  await open('SELECT 1')
  const stop = new AbortController()
  const running = client.call(
    'sql.run',
    { sql: 'SELECT count(*) FROM range(10000000000) a, range(100000) b', parameters: {} },
    { signal: stop.signal },
  )
  setTimeout(() => stop.abort(), 150)
  await expect(running).rejects.toMatchObject({ code: 'cancelled' })
  expect((await open('SELECT 42 AS x')).rows).toBe(1)
})

it('measures the operators of a plan', async () => {
  const { client } = openWindow()
  const plan = await client.call('sql.plan', { sql: 'SELECT "value" FROM metrics.ohlcv ORDER BY 1', parameters: {} })
  if ('problem' in plan) throw new Error(plan.problem.message)
  expect(plan.operators.some(({ name, rows }) => name.includes('PARQUET') && rows === 24)).toBe(true)
  expect(plan.operators[0].depth).toBe(0)
})

it('names the same place of an error in a run and in a plan', async () => {
  const { client } = openWindow()
  const query = { sql: 'SELECT 1,\n nope', parameters: {} }
  expect(await client.call('sql.plan', query)).toMatchObject({ problem: { line: 2, column: 2 } })
})

it('makes series of a result that keep their unit and provenance, and follow the files of the query', async () => {
  const { client, open, saved, dataDir } = openWindow()
  const { id: bad } = await open('SELECT 1 AS x')
  await expect(client.call('sql.toSeries', { result: bad, name: 'x' })).rejects.toThrow(/needs a column of timestamps/)
  const { id: twice } = await open("SELECT TIMESTAMP '2026-08-01' AS t, x FROM range(2) r(x)")
  await expect(client.call('sql.toSeries', { result: twice, name: 'x' })).rejects.toThrow(/several rows at 2026-08-01/)
  const text = 'SELECT time, close, "value" * 2 AS twice, \'a\' || "value"::INT % 2 AS part FROM metrics.ohlcv'
  const { id: result } = await open(text)
  const series = await client.call('sql.toSeries', { result, name: 'Twice: 龙' })
  expect(series).toMatchObject({ dataset: 'sql_result', exchange: 'sql', interval: '1h', isSparse: false })
  expect(series.symbol).toMatch(/^Twice-龙-[0-9a-f]{6}$/)
  expect(series.columns).toEqual(['close [price]', 'twice'])

  const { exchange, symbol, interval, dataset } = series
  const named = { connectionId: '~computed', exchange, symbol, interval, timestamp: 'exchange' as const, dataset }
  const range = { startMs: null, endMs: null }
  const values = async () => {
    const { points } = await client.call('series.overview', { ...named, columns: ['twice'], ...range })
    return points.frame.columns.filter(({ name }) => name === 'twice').flatMap((column) => [...column.values])
  }
  expect(await values()).toEqual(Array.from({ length: 24 }, (_, at) => at * 2))
  const inputs = { a: { ...named, column: 'close [price]' } }
  expect(await client.call('series.evaluate', { formula: 'a * 2', inputs, ...range })).toMatchObject({
    problem: null,
    unit: 'price',
  })
  await client.call('series.export', { format: 'csv', series: [{ ...named, columns: ['twice'] }], ...range })
  const [provenance] = (JSON.parse(saved.at(-1)!.companion!) as { series: unknown[] }).series
  expect(provenance).toMatchObject({ origin: 'result of an SQL query', sql: text, read: [{}] })

  expect(await client.call('sql.refreshSeries', { symbols: [symbol] })).toEqual({ refreshed: [], problems: [] })
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, flowSeries({ dataset: 'ohlcv', interval: '1h' }), '2026-08-02')
  store.close()
  expect(await client.call('sql.refreshSeries', { symbols: [symbol] })).toEqual({ refreshed: [symbol], problems: [] })
  expect(await values()).toHaveLength(48)
})

it('gives a series the unit of its venue where each row says which venue it is of', async () => {
  const { client, open, dataDir } = openWindow()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  for (const exchange of ['venuea-futures', 'venueb-perps'])
    addCachedFile(store, dataDir, flowSeries({ dataset: 'trade_size', interval: '1h', exchange }), '2026-08-01', [
      { name: 'time', type: 'INT64', data: [BigInt(Date.UTC(2026, 7, 1))] },
      { name: 'volume', type: 'DOUBLE', data: [3] },
    ])
  store.close()
  const columnsOf = async (sql: string) => {
    const { id: result } = await open(sql)
    return (await client.call('sql.toSeries', { result, name: 'Volume' })).columns
  }
  const select = 'SELECT exchange, time, volume FROM metrics.trade_size'
  expect(await columnsOf(`${select} WHERE exchange LIKE 'venueb%'`)).toEqual(['volume [contracts]'])
  expect(await columnsOf(select)).toEqual(['volume · venuea-futures [base asset]', 'volume · venueb-perps [contracts]'])
  const mixed = 'volume [mixed units: base asset and contracts]'
  expect(await columnsOf(`SELECT time, volume FROM metrics.trade_size WHERE exchange LIKE 'venueb%'`)).toEqual([mixed])
  const other = "SELECT 'venueb-perps' AS exchange, time, volume FROM metrics.trade_size WHERE exchange LIKE 'venuea%'"
  expect(await columnsOf(other)).toEqual([mixed])
  const joined = `SELECT a.exchange, time, b.volume FROM metrics.trade_size a JOIN metrics.trade_size b USING (time)
    WHERE a.exchange < b.exchange`
  expect(await columnsOf(joined)).toEqual([mixed])

  const reopened = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  const computed = flowSeries({ dataset: 'trade_size', interval: '1h', exchange: 'venueb-perps' })
  addCachedFile(reopened, dataDir, { ...computed, connectionId: computedOwner(computed.connectionId) }, '2026-08-01', [
    { name: 'time', type: 'INT64', data: [BigInt(Date.UTC(2026, 7, 1))] },
    { name: 'volume', type: 'DOUBLE', data: [3] },
  ])
  reopened.close()
  const oneVenue = "SELECT exchange, time, sum(volume) AS volume FROM metrics.trade_size WHERE exchange LIKE 'venueb%'"
  expect(await columnsOf(`${oneVenue} GROUP BY ALL`)).toEqual(['volume [contracts]'])
})

it('takes decimals and long integers for the numbers that they are: in series, panels and the order of rows', async () => {
  const { client, open } = openWindow()
  const { id: result } = await open(`SELECT TIMESTAMP '2026-08-01' + to_hours(i) AS time, 'A' AS symbol,
    (i * 1.5 - 2)::DECIMAL(18,2) AS decimal, sum(i) OVER () AS total, i + 9007199254740993 AS long, [i] AS list
    FROM range(9) r(i)`)
  const { columns } = await client.call('sql.toSeries', { result, name: 'Numbers' })
  expect(columns).toEqual(['decimal', 'total', 'long'])
  const { document } = await client.call('sql.toPanel', { result, name: 'Numbers' })
  const source = await client.call('lab.source', { document })
  expect(source).toMatchObject({ rows: 9, symbols: ['A'] })
  expect(source).toMatchObject({ columns: expect.arrayContaining(['decimal', 'total', 'long']) as string[] })
  const arrangement = { sort: [{ key: 'c2', descending: false }], text: '', conditions: [] }
  const { frame } = await client.call('sql.rows', { result, from: 0, to: 9, arrangement })
  expect(cells(frame, 2)).toEqual(['-2.00', '-0.50', '1.00', '2.50', '4.00', '5.50', '7.00', '8.50', '10.00'])
})

it('lists the tables with how much is here of each, and own files with their units', async () => {
  const { client, dataDir } = openWindow()
  const file = join(dataDir, 'flows.csv')
  writeFileSync(file, 'when,coin,net flow\n2026-08-01T00:00:00Z,BTC,1\n2026-08-01T01:00:00Z,BTC,3\n')
  const choices = { time: 'when', symbol: 'coin', knownAfter: '20m', units: { 'net flow': 'quote' } }
  await client.call('data.add', { name: 'flows', paths: [file], ...choices })
  const { views } = await client.call('sql.dictionary', {})
  const table = (schema: string, name: string) => views.find((view) => view.schema === schema && view.name === name)
  expect(table('metrics', 'ohlcv')?.held).toEqual({ count: 1, of: 'series' })
  expect(table('metrics', 'funding')?.held).toEqual({ count: 0, of: 'series' })
  expect(table('lab', 'trials')?.held).toBeNull()
  expect(table('own', 'flows')).toMatchObject({ held: { count: 2, of: 'rows' } })
  expect(table('own', 'flows')?.columns.at(-1)).toMatchObject({ name: 'net flow', type: 'DOUBLE', units: 'quote' })
})
