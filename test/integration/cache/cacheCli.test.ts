import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#core/ports.ts'
import { openStore } from '#core/store/store.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { compileCacheEnv } from '../../fakes/compileCacheEnv.ts'
import { hourlyColumns, addCachedFile, writeCachedFile } from '../../fakes/parquetCache.ts'
import { program } from '../../fakes/commandLine.ts'

const series = flowSeries({ interval: '1h', symbol: 'perpetual-龙ai-USDT:USDT' })
const seriesArgs = [
  '--dataset',
  'flow',
  '--exchange',
  'venuea-futures',
  '--symbol',
  series.symbol,
  '--timestamp',
  'exchange',
]
const hourly = [...seriesArgs, '--interval', '1h']

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

function perpscope(dataDir: string, ...args: string[]): Promise<Ended> {
  const env = {
    ...compileCacheEnv,
    PATH: process.env.PATH,
    HOME: dataDir,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, '--data-dir', dataDir, ...args],
      { env, maxBuffer: 1e9 },
      (error, stdout, stderr) => resolve({ status: error ? (error.code as unknown as number) : 0, stdout, stderr }),
    )
  })
}

/** Creates a data folder with two months and three days of rows; one of the days has missing values. */
function filledFolder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-cache-cli-'))
  const store = openStore({ dataDir, clock: systemClock, log: { write: () => {} } })
  for (const period of ['2026-06', '2026-07', '2026-08-01', '2026-08-03']) addCachedFile(store, dataDir, series, period)
  const [time] = hourlyColumns('2026-08-04')
  const value = Array.from({ length: 24 }, (_, i) => (i === 0 ? null : ([0, NaN, Infinity, -0.5][i] ?? i)))
  addCachedFile(store, dataDir, series, '2026-08-04', [time, { name: 'value', type: 'DOUBLE', data: value }])
  store.close()
  return dataDir
}

describe('reading', () => {
  let dataDir: string
  beforeAll(() => {
    dataDir = filledFolder()
  })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  it('lists files as a table and as lines of JSON', async () => {
    const table = await perpscope(dataDir, 'ls', '--start', '2026-07-31', '--end', '2026-08-03')
    expect(table.status).toBe(0)
    expect(
      table.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/)[5]),
    ).toEqual(['PERIOD', '2026-07', '2026-08-01', '2026-08-03'])
    expect(table.stderr).toMatch(/^3 files, \d/)
    const lines = (await perpscope(dataDir, 'ls', '--json', '--symbol', series.symbol, '--quiet')).stdout
      .trim()
      .split('\n')
    const files = lines.map(
      (line) => JSON.parse(line) as { period: string; path: string; bytes: number; state: string },
    )
    expect(files).toHaveLength(5)
    for (const { path, bytes, state } of files) expect([readFileSync(path).length, state]).toEqual([bytes, 'final'])
    expect((await perpscope(dataDir, 'ls', '--symbol', 'other')).stdout).toBe('')
  })

  it('prints rows as JSON: milliseconds, null where missing or without words', async () => {
    const { status, stdout } = await perpscope(
      dataDir,
      'read',
      ...hourly,
      '--columns',
      'value',
      '--start',
      '2026-08-04',
      '--end',
      '2026-08-04',
      '--format',
      'json',
    )
    expect(status).toBe(0)
    const rows = JSON.parse(stdout) as unknown[]
    expect(rows).toHaveLength(24)
    const ms = Date.UTC(2026, 7, 4)
    expect(rows.slice(0, 5)).toEqual(
      [null, null, null, -0.5, 4].map((value, i) => ({ time: ms + i * 3_600_000, value })),
    )
  })

  it('cuts to instants half-open, across files, and says what is not here', async () => {
    const range = ['--start', '2026-07-31T22:00', '--end', '2026-08-03T01:00:00Z']
    const { status, stdout, stderr } = await perpscope(
      dataDir,
      'read',
      ...hourly,
      '--columns',
      'value',
      ...range,
      '--format',
      'csv',
    )
    expect(status).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(1 + 2 + 24 + 1)
    expect(lines.slice(0, 3)).toEqual(['time,value', '2026-07-31T22:00:00.000Z,742', '2026-07-31T23:00:00.000Z,743'])
    expect(lines.at(-1)).toBe('2026-08-03T00:00:00.000Z,0')
    expect(stderr).toBe('Not in the cache: 2026-08-02T00:00:00.000Z to 2026-08-03T00:00:00.000Z.\n')
  })

  it('prints a table with words for values that are not numbers', async () => {
    const { stdout } = await perpscope(dataDir, 'read', ...hourly, '--start', '2026-08-04', '--end', '2026-08-04')
    expect(
      stdout
        .split('\n')
        .slice(0, 5)
        .map((line) => line.split(/\s{2,}/)),
    ).toEqual([
      ['TIME', 'value'],
      ['2026-08-04T00:00:00.000Z', '–'],
      ['2026-08-04T01:00:00.000Z', 'NaN'],
      ['2026-08-04T02:00:00.000Z', 'Infinity'],
      ['2026-08-04T03:00:00.000Z', '-0.5'],
    ])
  })

  it.each([
    [['--start', '2026-08-02', '--end', '2026-08-02'], 1, /has no rows of this series .*“perpscope fetch”/],
    [['--start', '2026-08-01', '--end', '2026-08-01', '--columns', 'nope'], 1, /has the column “nope”/],
    [['--start', '2026-08-03', '--end', '2026-08-01'], 2, /--end must be after --start/],
    [['--start', '2026-13-01', '--end', '2026-08-01'], 2, /--start must be a day or an instant/],
    [['--start', '2026-08-01', '--end', '2026-08-01', '--format', 'xml'], 2, /Unknown value for --format/],
  ])('says what is wrong: %j', async (args, status, message) => {
    const ended = await perpscope(dataDir, 'read', ...hourly, ...args)
    expect([ended.status, ended.stdout]).toEqual([status, ''])
    expect(ended.stderr).toMatch(message)
  })

  it('stops quietly where its reader stops', async () => {
    const child = spawn(process.execPath, [
      program,
      '--data-dir',
      dataDir,
      'read',
      ...hourly,
      '--start',
      '2026-06-01',
      '--end',
      '2026-08-04',
      '--format',
      'csv',
    ])
    onTestFinished(() => void child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.stdout.once('data', () => child.stdout.destroy())
    const status = await new Promise((resolve) => child.on('close', resolve))
    expect([status, stderr.replace(/^Not in the cache.*\n/, '')]).toEqual([0, ''])
  })
})

describe('looking after', () => {
  it('verifies with 0 and 3, repairs, and makes room', async () => {
    const dataDir = filledFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const clean = await perpscope(dataDir, 'verify', '--quiet')
    expect([clean.status, clean.stdout]).toEqual([0, expect.stringMatching(/^5 files, .*No problems found\.\n$/)])

    const damagedPath = writeCachedFile(dataDir, series, '2026-08-01')
    writeFileSync(damagedPath, 'overwritten')
    writeCachedFile(dataDir, series, '2026-08-09')
    const broken = await perpscope(dataDir, 'verify', '--json', '--quiet')
    expect(broken.status).toBe(3)
    const report = JSON.parse(broken.stdout) as { broken: number; takenIn: number; problems: { kind: string }[] }
    expect([report.broken, report.takenIn]).toEqual([1, 1])
    expect(report.problems.map(({ kind }) => kind)).toEqual(['damaged', 'unlisted'])
    const reading = await perpscope(
      dataDir,
      'read',
      ...hourly,
      '--start',
      '2026-07-31',
      '--end',
      '2026-08-01',
      '--format',
      'json',
    )
    expect([reading.status, (JSON.parse(reading.stdout) as unknown[]).length]).toEqual([3, 24])
    expect(reading.stderr).toContain('2026-08-01.parquet: this is not a Parquet file')

    expect((await perpscope(dataDir, 'verify')).stdout).not.toContain('unlisted')
    writeCachedFile(dataDir, series, '2026-08-10')
    const taken = await perpscope(dataDir, 'verify')
    expect(taken.stdout).toContain('This whole file was not in the index. It was added to the index.\n')
    const repaired = await perpscope(dataDir, 'verify', '--repair')
    expect([repaired.status, repaired.stdout]).toEqual([
      0,
      expect.stringMatching(/It was moved to the quarantine folder and removed from the index\.\n/),
    ])
    expect((await perpscope(dataDir, 'verify')).status).toBe(0)

    const preview = await perpscope(dataDir, 'prune', '--max-size', '0', '--dry-run', '--json')
    expect(JSON.parse(preview.stdout)).toMatchObject({ files: 6 })
    const pruned = await perpscope(dataDir, 'prune', '--max-size', '10KB', '--json')
    const { kept } = JSON.parse(pruned.stdout) as { kept: { files: number; bytes: number } }
    expect(kept.bytes).toBeLessThanOrEqual(10_000)
    expect((await perpscope(dataDir, 'ls', '--json', '--quiet')).stdout.trim().split('\n')).toHaveLength(kept.files)
    expect((await perpscope(dataDir, 'verify')).status).toBe(0)
    expect((await perpscope(dataDir, 'prune', '--max-size', 'lots')).status).toBe(2)
  })
})
