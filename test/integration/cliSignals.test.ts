import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { isAlive, workingChild } from '../fakes/childProcess.ts'
import { cliSession, type CliSession, type StartedCommand } from '../fakes/cliSession.ts'

const place = ['--exchange', 'venuea-futures', '--symbol', 'perpetual-BTC-USDT:USDT']
const hourly = ['--interval', '1h', '--timestamp', 'exchange']
const days = ['--start', '2026-09-01', '--end', '2026-09-02']
const fetchDays = (end: string) => [
  'fetch',
  '--dataset',
  'vtwap',
  ...place,
  ...hourly,
  '--start',
  '2026-09-01',
  '--end',
  end,
]

/** Returns the unfinished files in the folder of cached files. */
const leftovers = (dataDir: string) =>
  readdirSync(join(dataDir, 'files'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'))

async function slowFetch({ start, sandbox }: CliSession): Promise<StartedCommand> {
  sandbox.setFaults({ rules: [{ on: 'storage', skip: 1, bytesPerSecond: 50 }] })
  const fetching = start(fetchDays('2026-09-08'))
  expect(await fetching.firstLine).toMatch(/^downloaded/)
  return fetching
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends a fetch: downloaded files stay, the remaining ones are reported',
  async (signal) => {
    const session = await cliSession()
    const fetching = await slowFetch(session)
    fetching.interrupt(signal)
    const { status, stdout, stderr } = await fetching.ended
    expect(status).toBe(130)
    expect(stderr).toMatch(/Interrupted with 7 files left\. Run the same command again/)
    expect(stdout).toMatch(/8 files: 1 downloaded, 7 not fetched/)
    session.sandbox.setFaults({})
    expect(leftovers(session.dataDir)).toEqual([])
    const checked = await session.runHere(['verify', '--json'])
    expect(checked.lines[0]).toMatchObject({ files: 1, broken: 0 })
    const again = await session.runHere([...fetchDays('2026-09-08'), '--json'])
    expect(again.lines.at(-1)).toMatchObject({ summary: { files: 8, cached: 1, downloaded: 7 } })
  },
)

test('a fetch ends when nobody reads its output any more, and says that not all files came', async () => {
  const session = await cliSession()
  session.sandbox.setFaults({ rules: [{ on: 'storage', skip: 1, bytesPerSecond: 500 }] })
  const fetching = session.start(fetchDays('2026-09-25'))
  await fetching.firstLine
  fetching.closeStdout()
  const { status, stderr } = await fetching.ended
  expect(status).toBe(3)
  expect(stderr).toContain('files left')
  expect(stderr).not.toMatch(/EPIPE|Error/)
})

test('a served app ends at once, at SIGTERM as it should and at SIGINT as interrupted', async () => {
  const { start } = await cliSession()
  for (const [signal, expected] of [
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const) {
    const serving = start(['serve'])
    expect(await serving.firstLine).toContain('Perpscope is ready at')
    serving.interrupt(signal)
    expect(await serving.ended).toMatchObject({ status: expected, stderr: '' })
  }
})

test('Ctrl-C ends a query that would take days: status 130, no file and no engine left', async () => {
  const { start, runHere, dataDir } = await cliSession()
  expect((await runHere(fetchDays('2026-09-01'))).status).toBe(0)
  const out = join(dataDir, 'out.csv')
  const endless = 'SELECT count(*) FROM metrics.vtwap, range(10000000000) a, range(100000) b'
  const querying = start(['sql', endless, '--out', out])
  await querying.printed(/Reading 1 file/)
  querying.interrupt('SIGINT')
  expect(await querying.ended).toMatchObject({
    status: 130,
    stderr: expect.stringContaining('Interrupted: ') as string,
  })
  expect(readdirSync(dataDir).filter((name) => name.startsWith('out.csv'))).toEqual([])
  expect(readdirSync(join(dataDir, 'sql-engine'))).toEqual([])
})

const ENDLESS = 'SELECT count(*) FROM range(10000000000) a, range(100000) b'

test.each(['SIGHUP', 'SIGKILL'] as const)('no engine outlives a query that %s ends', async (signal) => {
  const { start } = await cliSession()
  const { pid, interrupt } = start(['sql', ENDLESS])
  const engine = await workingChild(pid)
  interrupt(signal)
  await vi.waitFor(() => expect(isAlive(engine)).toBe(false))
})

test.each(['SIGHUP', 'SIGKILL', 'SIGTERM'] as const)('no engine outlives a local API that %s ends', async (signal) => {
  const { start } = await cliSession()
  const { pid, interrupt, firstLine, ended } = start(['serve', '--api', '--json'])
  const { url, tokenFile } = JSON.parse(await firstLine) as { url: string; tokenFile: string }
  const asked = fetch(`${url}/v1/sql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: ENDLESS }),
  }).catch(() => null)
  const engine = await workingChild(pid)
  interrupt(signal)
  await vi.waitFor(() => expect(isAlive(engine)).toBe(false))
  await asked
  await ended
})

test('work that is interrupted says so, and leaves nothing half done', async () => {
  const { runHere, dataDir } = await cliSession()
  expect((await runHere(fetchDays('2026-09-03'))).status).toBe(0)
  const out = join(dataDir, 'out.csv')
  for (const [args, message] of [
    [['verify'], 'run the same command again to start over'],
    [['export', '--dataset', 'vtwap', ...place, ...hourly, '--format', 'csv', '--out', out], 'nothing was written'],
    [
      ['export', '--dataset', 'vtwap', ...place, ...hourly, '--format', 'hive', '--out', 's3://research'],
      'files published so far stay',
    ],
    [
      ['compute', '--dataset', 'vtwap', ...place, ...hourly, ...days, '--engine', 'clickhouse', '--raw', '/raw'],
      'complete days are kept',
    ],
    [['import', dataDir], 'run the same command again to continue'],
  ] as const) {
    const { status, stderr } = await runHere(args, { signal: AbortSignal.abort() })
    expect([status, stderr]).toEqual([130, expect.stringContaining('Interrupted: ')])
    expect(stderr).toContain(message)
  }
  expect(existsSync(out)).toBe(false)
  expect(readdirSync(dataDir).filter((name) => name.includes('.part'))).toEqual([])
})
