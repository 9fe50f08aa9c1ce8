import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { differences, readTable } from '../conformance/compareMetrics.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { engineUser, enginePassword, fakeClickHouse } from '../fakes/fakeClickHouse.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const conformance = join(import.meta.dirname, '../conformance/data')

async function perpscope(args: Record<string, string>, flags: string[] = []) {
  let stdout = ''
  let stderr = ''
  const status = await run(
    ['compute', ...Object.entries(args).flatMap(([name, value]) => [`--${name}`, value]), ...flags],
    {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      env: { PERPSCOPE_DATA_DIR: dataFolder() },
      signal: new AbortController().signal,
    },
  )
  return { status, stdout, stderr }
}

const requestArgs = (out: string) => ({
  dataset: 'ohlcv',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'true',
  start: '2026-09-01',
  end: '2026-09-02',
  raw: join(conformance, 'raw/v1'),
  out,
})

describe('perpscope compute', () => {
  it('writes one dataset to the file that it names, with progress on stderr alone', async () => {
    const out = join(temporaryFolder(), 'deep', 'ohlcv.parquet')
    const { status, stdout, stderr } = await perpscope(requestArgs(out), ['--json'])
    expect({ status, result: JSON.parse(stdout) }).toEqual({
      status: 0,
      result: { outputs: [{ dataset: 'ohlcv', path: out, rows: 48 }], missing: [], modelledTimes: [], notes: [] },
    })
    expect(stderr).toContain('100 %')
    expect(differences(readTable(join(conformance, 'expected/v1/ohlcv.1h.true.parquet')), readTable(out))).toEqual([])
  })

  it('writes several datasets into a folder, at an interval that no service has, and names missing days', async () => {
    const out = join(temporaryFolder(), 'metrics')
    const { status, stdout, stderr } = await perpscope({
      ...requestArgs(out),
      dataset: 'flow,slippage',
      interval: '90m',
      start: '2026-08-30',
    })
    expect(status).toBe(0)
    expect(readdirSync(out).toSorted()).toEqual(['flow.parquet', 'slippage.parquet'])
    expect(stdout).toMatch(/^DATASET +ROWS +PATH\nflow +32 /)
    expect(stderr).toContain('flow_toxicity_score compares each row with the earlier rows of its UTC day')
    expect(stderr).toContain('trades: no file for 2026-08-30 to 2026-08-31.')
    expect(stderr).toMatch(/Computed in part: .*\n$/)
    const { time } = readTable(join(out, 'flow.parquet'))
    expect(time[1] - time[0]).toBe(90 * 60_000)
  })

  it.each([
    ['an interval that does not divide a day', { interval: '7h' }, '--interval must be'],
    ['a symbol that the venue does not list', { symbol: 'nonsense' }, 'lists no symbol “nonsense”'],
    ['a day that is none', { start: '2026-02-30' }, '--start must be a day'],
    ['an end before the start', { end: '2026-08-01' }, '--end must not be before --start'],
    ['a dataset that is none', { dataset: 'flows' }, 'Did you mean “flow”?'],
  ])('calls %s a mistake in the arguments', async (_what, wrong, message) => {
    const out = join(temporaryFolder(), 'x.parquet')
    const { status, stderr } = await perpscope({ ...requestArgs(out), ...wrong })
    expect(status).toBe(2)
    expect(stderr).toContain(message)
    expect(existsSync(out)).toBe(false)
  })

  it.each([
    ['order-book datasets', { dataset: 'l2_imbalance' }, 'needs order-book snapshots'],
    ['a venue without files', { exchange: 'venuec-perps' }, 'there are no raw events of trades'],
  ])('fails with a reason for %s, and keeps what was there before', async (_what, other, message) => {
    const out = join(temporaryFolder(), 'x.parquet')
    writeFileSync(out, 'kept')
    const { status, stdout, stderr } = await perpscope({ ...requestArgs(out), ...other })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(readdirSync(join(out, '..'))).toEqual(['x.parquet'])
  })
})

it('says that --out is a file when several datasets need a folder, before it computes', async () => {
  const out = join(temporaryFolder(), 'x.parquet')
  writeFileSync(out, 'kept')
  const { status, stderr } = await perpscope({ ...requestArgs(out), dataset: 'flow,slippage' })
  expect({ status, stderr }).toEqual({ status: 1, stderr: `--out: ${out} is not a folder.\n` })
  expect(readFileSync(out, 'utf8')).toBe('kept')
})

it('a folder without the events is named, not the cache', async () => {
  const args = requestArgs(join(temporaryFolder(), 'x.parquet'))
  const { status, stderr } = await perpscope({ ...args, start: '2026-10-01', end: '2026-10-01' })
  expect(status).toBe(1)
  expect(stderr).toContain('no file for 2026-10-01')
  expect(stderr).toContain(`Check what ${args.raw} contains.`)
  expect(stderr).not.toContain('cache')
})

describe('perpscope compute --print-sql', () => {
  const { out: _out, ...request } = requestArgs('')

  it('prints the same script each time, and computes nothing', async () => {
    const args = { ...request, engine: 'clickhouse', out: join(temporaryFolder(), 'metrics') }
    const printed = await perpscope(args, ['--print-sql'])
    expect(printed).toMatchObject({ status: 0, stderr: '' })
    expect(printed.stdout).toContain('INSERT INTO FUNCTION file(')
    expect(printed.stdout).toContain('SET join_use_nulls = 1;')
    expect(existsSync(args.out)).toBe(false)
    expect((await perpscope(args, ['--print-sql'])).stdout).toBe(printed.stdout)
    const json = JSON.parse((await perpscope(args, ['--print-sql', '--json'])).stdout)
    expect(json).toEqual({ engine: 'clickhouse', datasets: ['ohlcv'], sql: printed.stdout })
  })

  it.each([
    [{ engine: 'spark' }, [], '--engine spark needs --print-sql'],
    [{ engine: 'local' }, ['--print-sql'], '--print-sql needs --engine duckdb'],
    [{ engine: 'mysql' }, ['--print-sql'], '--engine'],
    [{ engine: 'duckdb', raw: 'table:raw; DROP' }, ['--print-sql'], 'name of a database'],
    [{ engine: 'duckdb', raw: "s3://bucket/it's" }, ['--print-sql'], '--raw must be'],
    [{}, [], 'out PATH'],
  ])('refuses %j %j with a sentence', async (options, flags, sentence) => {
    const { status, stdout, stderr } = await perpscope({ ...request, ...options }, flags)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(sentence)
  })

  it('says that raw events have no order-book snapshots', async () => {
    const args = { ...request, dataset: 'l2_imbalance', engine: 'duckdb' }
    const { status, stderr } = await perpscope(args, ['--print-sql'])
    expect(status).toBe(1)
    expect(stderr).toContain('needs order-book snapshots')
  })
})

describe('perpscope compute --engine clickhouse', () => {
  it('computes on the server of the connection, and prints what came into the cache', async () => {
    const dataDir = dataFolder()
    const expected = readTable(join(conformance, 'expected/v1/vtwap.1h.exchange.parquet'))
    const engine = await fakeClickHouse(['2026-09-01.parquet', '2026-09-02.parquet'], expected)
    const perpscopeHere = async (args: string[]) => {
      let stdout = ''
      let stderr = ''
      const status = await run([...args, '--data-dir', dataDir], {
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: (text) => (stderr += text) },
        env: { PERPSCOPE_ENGINE_PASSWORD: enginePassword },
        signal: new AbortController().signal,
      })
      return { status, stdout, stderr }
    }
    await perpscopeHere(['connection', 'add-engine', 'Sandbox', '--clickhouse', engine.url, '--user', engineUser])
    const { out: _out, ...named } = { ...requestArgs(''), dataset: 'vtwap', timestamp: 'exchange', raw: '/there' }
    const args = ['compute', ...Object.entries(named).flatMap(([name, value]) => [`--${name}`, value])]
    const { status, stdout, stderr } = await perpscopeHere([
      ...args,
      '--engine',
      'clickhouse',
      '--parallel',
      '4',
      '--json',
    ])
    expect({ status, result: JSON.parse(stdout) }).toMatchObject({
      status: 0,
      result: { engine: 'clickhouse', outputs: [{ dataset: 'vtwap', files: 2, kept: 0, rows: 48 }], missing: [] },
    })
    expect(stderr).toContain('days computed')
    expect(stdout + stderr).not.toContain(enginePassword)
    const { raw: _raw, ...without } = named
    const refused = await perpscope(without, ['--engine', 'clickhouse'])
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('needs --raw') as string })
  })
})

describe('perpscope compute --engine duckdb', () => {
  it('computes the file of the built-in engine, and says in it and in --json where it comes from', async () => {
    const out = join(temporaryFolder(), 'slippage.parquet')
    const args = { ...requestArgs(out), dataset: 'slippage', engine: 'duckdb' }
    const { status, stdout, stderr } = await perpscope(args, ['--json'])
    expect({ status, stderr }).toMatchObject({ status: 0 })
    const expected = join(conformance, 'expected/v1/slippage.1h.true.parquet')
    expect(differences(readTable(expected), readTable(out))).toEqual([])
    const [{ rows, origin }] = JSON.parse(stdout).outputs
    expect(rows).toBe(readTable(out).time.length)
    expect(origin).toMatchObject({ engine: 'duckdb', sqlSha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(origin.version).toMatch(/^v\d/)
    expect(origin.source).toHaveLength(4)
    expect(readFileSync(out, 'latin1')).toContain(`"sqlSha256":"${origin.sqlSha256}"`)
  })
})
