import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { multiply } from '#shared/metrics/expressions.ts'
import { metricPlans } from '#shared/metrics/datasetComputations.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { createApp } from '#core/app.ts'
import { spreadSymbolDays } from '#core/engines/compareEngines.ts'
import { systemClock } from '#core/ports.ts'
import { run } from '../../../electron/cli/run.ts'
import { readTable } from '../../conformance/compareMetrics.ts'
import { computedFolder, hoursFrom, partColumns, writePart } from '../../fakes/computedParts.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { engineUser, enginePassword, fakeClickHouse, refuse } from '../../fakes/fakeClickHouse.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const data = join(import.meta.dirname, '../../conformance/data')
const raw = join(data, 'raw/v1')
const pair = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT' }
const days = ['2026-09-01', '2026-09-02']

interface PrintedComparison {
  reference: string
  symbolDays: number
  columns: { dataset: string; column: string; engine: string; largest: number; agrees: boolean; rows: number }[]
  notes: string[]
}

function commandLine() {
  const dataDir = dataFolder()
  async function perpscope(verb: string, options: Record<string, string>, flags: string[] = []) {
    let stdout = ''
    let stderr = ''
    const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    const status = await run([verb, ...given, ...flags, '--data-dir', dataDir], {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      env: { PERPSCOPE_ENGINE_PASSWORD: enginePassword },
      signal: new AbortController().signal,
    })
    return { status, stdout, stderr }
  }
  const selection = {
    dataset: 'vtwap',
    ...pair,
    interval: '1h',
    timestamp: 'exchange',
    start: days[0],
    end: days[1],
    raw,
  }
  const reconcile = (change: Record<string, string> = {}) =>
    perpscope('reconcile', { engines: 'local,duckdb', ...selection, ...change }, ['--json'])
  return { dataDir, perpscope, selection, reconcile }
}

/** Makes the SQL formula of a vtwap column wrong until the test ends or the returned function is called. */
function breakFormula(): () => void {
  const { columns } = metricPlans.vtwap
  const correctFormula = columns.vwap
  const restore = () => void (columns.vwap = correctFormula)
  columns.vwap = multiply(correctFormula, 1.000001)
  onTestFinished(restore)
  return restore
}

describe('perpscope reconcile', () => {
  it('compares every column of two engines on the same symbol-days, and writes nothing into the cache', async () => {
    const { perpscope, reconcile, selection } = commandLine()
    const { status, stdout, stderr } = await reconcile({ dataset: 'vtwap,slippage' })
    const printed = JSON.parse(stdout) as PrintedComparison
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(printed).toMatchObject({ reference: 'local', symbolDays: 2, notes: [] })
    expect(printed.columns.filter(({ agrees }) => !agrees)).toEqual([])
    expect(new Set(printed.columns.map(({ dataset, engine }) => `${dataset} ${engine}`))).toEqual(
      new Set(['vtwap duckdb', 'slippage duckdb']),
    )
    const vtwap = readTable(join(data, 'expected/v1/vtwap.1h.exchange.parquet'))
    expect(printed.columns.filter(({ dataset }) => dataset === 'vtwap')).toEqual(
      [...vtwap.columns.keys()].map((column) =>
        expect.objectContaining({ column, engine: 'duckdb', agrees: true, rows: vtwap.time.length }),
      ),
    )
    const { stdout: listed } = await perpscope('ls', {}, ['--json'])
    expect(listed).toBe('')
    const text = await perpscope('reconcile', { engines: 'duckdb,local', ...selection })
    expect(text.stdout).toContain('Compared with local on 2 symbol-days: ')
  })

  it('names a column with a wrong formula, and that engine refuses its dataset until the day agrees', async () => {
    const { perpscope, reconcile, selection } = commandLine()
    const out = join(temporaryFolder(), 'vtwap.parquet')
    const compute = (change: Record<string, string> = {}) =>
      perpscope('compute', { ...selection, engine: 'duckdb', out, ...change })
    const restore = breakFormula()
    const wrong = await reconcile({ sample: '1' })
    expect(wrong.status).toBe(1)
    const { columns } = JSON.parse(wrong.stdout) as PrintedComparison
    const differing = columns.filter(({ agrees }) => !agrees)
    expect(differing).toEqual([
      expect.objectContaining({ dataset: 'vtwap', column: 'vwap', engine: 'duckdb', agrees: false }),
    ])
    expect(differing[0].largest).toBeGreaterThan(0.9e-6)
    expect(differing[0].largest).toBeLessThan(1.1e-6)

    const refused = await compute()
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(
      /DuckDB is not used for vtwap, because its column vwap differed by 0.000001.* for perpetual-BTC-USDT:USDT on venuea-futures on 2026-09-0[12] \(1h, exchange time\)/,
    )
    expect((await compute({ dataset: 'slippage' })).status).toBe(0)
    expect((await compute({ engine: 'local' })).status).toBe(0)

    restore()
    const [found] = /2026-09-0[12](?= \(1h)/.exec(refused.stderr)!
    const other = days.find((day) => day !== found)!
    const elsewhere = await reconcile({ start: other, end: other })
    expect(elsewhere.status).toBe(0)
    expect((JSON.parse(elsewhere.stdout) as PrintedComparison).notes).toEqual([
      expect.stringContaining(
        `duckdb: vtwap vwap was found to differ on ${pair.symbol} (${pair.exchange}) on ${found}`,
      ),
    ])
    expect((await compute()).status).toBe(1)

    expect((await reconcile({ sample: '1' })).status).toBe(0)
    expect((await compute()).status).toBe(0)
  })

  it('compares the files that Spark computed, and submits no job of a dataset that differs', async () => {
    const { perpscope, reconcile, selection } = commandLine()
    const none = await reconcile({ engines: 'local,spark' })
    expect(none.status).toBe(1)
    expect(none.stderr).toContain('No symbol-day of this selection has events on all engines')
    const folder = temporaryFolder()
    writePart(join(folder, computedFolder), 'part-00000.parquet', partColumns(hoursFrom(days[0], 48)))
    expect((await perpscope('import', { computed: folder })).status).toBe(0)
    const { status, stdout } = await reconcile({ engines: 'local,spark' })
    expect(status).toBe(1)
    const { columns, symbolDays } = JSON.parse(stdout) as PrintedComparison
    expect(symbolDays).toBe(2)
    expect(columns.every(({ agrees, engine }) => engine === 'spark' && !agrees)).toBe(true)
    const job = await perpscope('compute', { ...selection, engine: 'spark', submit: 'never-started' })
    expect(job.status).toBe(1)
    expect(job.stderr).toContain('Spark is not used for vtwap')
  })

  it.each([
    ['one engine', { engines: 'local' }, 2, '--engines must name two engines'],
    ['an engine twice', { engines: 'duckdb,duckdb' }, 2, '--engines must name two engines'],
    ['ClickHouse without a place of events', { engines: 'local,clickhouse', raw: '' }, 2, 'needs --raw'],
    ['ClickHouse that is not there', { engines: 'local,clickhouse' }, 1, 'has no ClickHouse server'],
    ['a dataset of the order book', { dataset: 'l2_imbalance' }, 1, 'needs order-book snapshots'],
    ['a day without events', { start: '2026-08-01', end: '2026-08-02' }, 1, 'No symbol-day of this selection'],
  ])('refuses %s', async (_what, change, status, sentence) => {
    const { perpscope, selection } = commandLine()
    const options = Object.entries({ engines: 'local,duckdb', ...selection, ...change }).filter(([, value]) => value)
    const refused = await perpscope('reconcile', Object.fromEntries(options))
    expect({ status: refused.status, says: refused.stderr.includes(sentence) || refused.stderr }).toEqual({
      status,
      says: true,
    })
  })
})

describe('a comparison with ClickHouse', () => {
  async function openWorld() {
    const rows = readTable(join(data, 'expected/v1/vtwap.1h.exchange.parquet'))
    const files = days.map((day) => `${day}.parquet`)
    const engine = await fakeClickHouse(files, rows)
    const app = createApp({ ...fakePorts(), clock: systemClock }, { version: '0', dataDir: dataFolder() })
    onTestFinished(() => app.close())
    const client = app.clientFor(fakeHost())
    const server = { url: engine.url, user: engineUser, cluster: '', plainHttp: false }
    await client.call('connections.setEngine', { id: 'sandbox', server })
    await client.call('keys.set', { connectionId: 'sandbox', service: 'engine', key: enginePassword })
    const order: CallInput<'raw.reconcileEngines'> = {
      connectionId: 'sandbox',
      engines: ['local', 'clickhouse'],
      datasets: ['vtwap'],
      pairs: [pair],
      interval: '1h',
      timestamp: 'exchange',
      startDay: dayNumberOf(days[0]),
      endDay: dayNumberOf(days[1]) + 1,
      raw: { kind: 'folder', address: raw },
      sample: 20,
    }
    const { engines: _, sample: __, ...selection } = order
    const compute = () => client.call('raw.computeOnEngine', { ...selection, raw: order.raw!, out: null, parallel: 1 })
    const cached = async () => (await client.call('cache.list', { connectionId: computedOwner('sandbox') })).files
    return { engine, rows, client, order, compute, cached, server }
  }

  it('brings rows home without writing a file, and finds that they agree', async () => {
    const { engine, client, order, cached } = await openWorld()
    const done: number[] = []
    const options = { onProgress: ({ done: count }: { done: number }) => done.push(count) }
    const comparison = await client.call('raw.reconcileEngines', order, options)
    expect(comparison).toMatchObject({
      reference: 'local',
      engines: [
        { engine: 'local', version: null },
        { engine: 'clickhouse', version: '26.9.2.1' },
      ],
      symbolDays: 2,
      notes: [],
    })
    expect(comparison.columns.every(({ agrees }) => agrees)).toBe(true)
    expect(done).toEqual([0, 1])
    expect(engine.statements.filter(({ sql }) => sql.includes('INSERT'))).toEqual([])
    expect(await cached()).toEqual([])
    const { checks } = await client.call('raw.engineChecks', { connectionId: 'sandbox' })
    expect(checks).toEqual([
      expect.objectContaining({
        engine: 'clickhouse',
        dataset: 'vtwap',
        version: '26.9.2.1',
        differing: [],
        refusal: null,
      }),
    ])
  })

  it.each<[what: string, change: (values: Float64Array, row: number) => void, worst: object]>([
    [
      'another value',
      (values, row) => (values[row] *= 1.5),
      { found: expect.any(Number), expected: expect.any(Number) },
    ],
    ['no value', (values, row) => (values[row] = NaN), { found: null, expected: expect.any(Number) }],
    ['a value in the ninth digit', (values, row) => (values[row] *= 1 + 3e-9), { found: expect.any(Number) }],
  ])(
    'names the column with %s, refuses its dataset from then on, and forgets that for another server',
    async (_what, change, worst) => {
      const { engine, rows, client, order, compute, cached, server } = await openWorld()
      const values = rows.columns.get('vwap')!
      change(values, 30)
      const comparison = await client.call('raw.reconcileEngines', order)
      const differing = comparison.columns.filter(({ agrees }) => !agrees)
      expect(differing).toMatchObject([
        { dataset: 'vtwap', column: 'vwap', engine: 'clickhouse', worst: { ...pair, time: rows.time[30], ...worst } },
      ])
      engine.statements.length = 0
      await expect(compute()).rejects.toThrow('ClickHouse is not used for vtwap, because its column vwap differed by')
      expect(engine.statements).toEqual([])
      expect(await cached()).toEqual([])
      const another = { ...server, url: `${engine.url}/other` }
      await client.call('connections.setEngine', { id: 'sandbox', server: another })
      expect((await client.call('raw.engineChecks', { connectionId: 'sandbox' })).checks).toEqual([])
    },
  )

  it('treats rows that one engine lacks as a difference', async () => {
    const { rows, client, order } = await openWorld()
    rows.time = rows.time.slice(0, -1)
    const { columns } = await client.call('raw.reconcileEngines', order)
    expect(columns.map(({ agrees, largest }) => [agrees, largest])).toEqual(columns.map(() => [false, 1]))
  })

  it('notes nothing where the server fails in the middle, and tells it in a sentence', async () => {
    const { engine, client, order } = await openWorld()
    engine.instead = ({ sql }, response) => {
      if (!sql.endsWith('FORMAT RowBinary')) return false
      refuse(response, 500, 241, 'Memory limit exceeded')
      return true
    }
    await expect(client.call('raw.reconcileEngines', order)).rejects.toThrow('it ran out of memory')
    expect((await client.call('raw.engineChecks', { connectionId: 'sandbox' })).checks).toEqual([])
  })
})

describe('the sample of a comparison', () => {
  it.each([
    [1, 1],
    [3, 8],
    [450, 30],
  ])('has each symbol-day of %i symbols and %i days once, the first ones spread over both', (symbols, dayCount) => {
    const pairs = Array.from({ length: symbols }, (_, i) => ({ exchange: 'venuea-futures', symbol: `S${i}` }))
    const units = [...spreadSymbolDays({ pairs, startDay: 100, endDay: 100 + dayCount })]
    expect(new Set(units.map(({ symbol, day }) => `${symbol} ${day}`)).size).toBe(symbols * dayCount)
    const first = units.slice(0, Math.min(symbols, 20))
    expect(new Set(first.map(({ symbol }) => symbol)).size).toBe(first.length)
  })
})
