import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { run } from '../../electron/cli/run.ts'
import { folderSaverTo, saverTo } from '../../electron/cli/environment.ts'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { program } from '../fakes/commandLine.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { addCachedFile } from '../fakes/parquetCache.ts'
import { smallDisk } from '../fakes/smallDisk.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

function cacheOfOneDay(): string {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, flowSeries({ dataset: 'ohlcv', interval: '1h' }), '2026-08-01')
  store.close()
  return dataDir
}

const { exchange, symbol } = flowSeries()
const series = ['--exchange', exchange, '--symbol', symbol, '--interval', '1h', '--timestamp', 'exchange']
const exportTo = (format: string) => ['export', '--dataset', 'ohlcv', ...series, '--format', format, '--out']
const [probe, ...probeArgs] = smallDisk(tmpdir(), '1m')
const isPossible = process.platform === 'linux' && spawnSync(probe, [...probeArgs, 'true']).status === 0

test.skipIf(!isPossible).each([
  ['export to CSV', exportTo('csv')],
  ['export to Parquet', exportTo('parquet')],
  ['sql', ['sql', 'SELECT 1 AS one', '--format', 'csv', '--out']],
  ['report', ['report', 'sql', 'SELECT 1 AS one', '--out']],
  ['backup', ['backup']],
])(
  `%s to a full disk names the file and leaves nothing behind${isPossible ? '' : ' (skipped: this machine lets nobody mount a small disk)'}`,
  (_, command) => {
    const disk = temporaryFolder()
    const path = join(disk, 'out')
    const [mount, ...args] = smallDisk(disk, '4k')
    const fill = `head -c 4096 /dev/zero > '${disk}/filling'; "$@"; echo "status $?"; ls '${disk}'`
    const argv = [process.execPath, program, ...command, path, '--data-dir', cacheOfOneDay(), '--offline']
    const { stdout, stderr } = spawnSync(mount, [...args, 'sh', '-c', fill, 'sh', ...argv], { encoding: 'utf8' })
    expect(stderr).toContain(
      `There is no space left on the disk. ${path} was not written. Free up space, then try again.`,
    )
    expect(stdout).toBe('status 1\nfilling\n')
  },
  60_000,
)

const saved = (name: string) => join(temporaryFolder(), name)

test.skipIf(process.platform === 'win32').each([
  ['export to CSV', exportTo('csv'), 'out.csv'],
  ['export to Parquet', exportTo('parquet'), 'out.parquet'],
  ['sql', ['sql', 'SELECT 1 AS one', '--format', 'csv', '--out'], 'out.csv'],
  ['report', ['report', 'sql', 'SELECT 1 AS one', '--out'], 'out.html'],
])('%s gives its file the permissions of the user’s umask, and lines that end in LF', async (_, command, name) => {
  const before = process.umask(0o027)
  onTestFinished(() => void process.umask(before))
  const path = saved(name)
  const sink = { write: () => true }
  const argv = [...command, path, '--data-dir', cacheOfOneDay(), '--offline']
  expect(await run(argv, { stdout: sink, stderr: sink, env: {}, signal: new AbortController().signal })).toBe(0)
  expect(statSync(path).mode & 0o777).toBe(0o640)
  const companion = `${path}.provenance.json`
  if (existsSync(companion)) expect(statSync(companion).mode & 0o777).toBe(0o640)
  if (name.endsWith('.csv')) expect(readFileSync(path, 'utf8')).toMatch(/^[^\r]*\n[^\r]*\n$/)
})

test.each([
  ['export', exportTo('parquet'), 'out.csv', 'csv', 'parquet'],
  ['export of a folder', exportTo('hive'), 'out.csv', 'csv', 'hive'],
  ['sql', ['sql', 'SELECT 1 AS one', '--format', 'parquet', '--out'], 'out.CSV', 'csv', 'parquet'],
  ['sql', ['sql', 'SELECT 1 AS one', '--json', '--out'], 'out.arrow', 'arrow', 'json'],
])('%s refuses a name that contradicts its format', async (_, command, name, named, format) => {
  let stderr = ''
  const sink = { write: (text: string | Uint8Array) => void (stderr += String(text)) }
  const path = saved(name)
  const argv = [...command, path, '--data-dir', cacheOfOneDay(), '--offline']
  expect(await run(argv, { stdout: sink, stderr: sink, env: {}, signal: new AbortController().signal })).toBe(2)
  expect(stderr).toContain(`stands for ${named}, but --format is ${format}`)
  expect(existsSync(path)).toBe(false)
})

test('what was missing stands in the provenance beside the file', async () => {
  const dataDir = cacheOfOneDay()
  const sink = { write: () => true }
  const provenanceOf = async (command: string[], status: number) => {
    const path = saved('out.csv')
    const argv = [...command, path, '--data-dir', dataDir, '--offline']
    const options = { stdout: sink, stderr: sink, env: {}, signal: new AbortController().signal }
    expect(await run(argv, options)).toBe(status)
    return JSON.parse(readFileSync(`${path}.provenance.json`, 'utf8')) as object
  }
  const range = ['--start', '2026-08-01', '--end', '2026-08-03']
  expect(await provenanceOf(['export', ...range, ...exportTo('csv').slice(1)], 0)).toMatchObject({
    series: [{ missing: [{ start: '2026-08-02T00:00:00.000Z', end: '2026-08-04T00:00:00.000Z' }] }],
  })
  const query = `SELECT close FROM metrics.ohlcv WHERE interval = '1h' AND exchange = '${exchange}' AND symbol = '${symbol}' AND time >= TIMESTAMP '2026-08-01' AND time < TIMESTAMP '2026-08-03'`
  expect(await provenanceOf(['sql', query, '--out'], 0)).toMatchObject({
    missing: [{ dataset: 'ohlcv', exchange, symbol, interval: '1h', periods: 1 }],
  })
})

test('what comes from a connection of previews says so in the provenance', async () => {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  const fields = { metricsUrl: 'https://metrics.example', portfolioUrl: '', catalogLocation: '', tier: null }
  const { id: connectionId } = store.connections.add({ name: 'demo', preview: true, ...fields })
  addCachedFile(store, dataDir, { ...flowSeries({ dataset: 'ohlcv', interval: '1h' }), connectionId }, '2026-08-01')
  store.close()
  const path = saved('out.csv')
  const command = ['export', '--start', '2026-08-01', '--end', '2026-08-01', ...exportTo('csv').slice(1), path]
  const sink = { write: () => true }
  const argv = [...command, '--connection', 'demo', '--data-dir', dataDir, '--offline']
  expect(await run(argv, { stdout: sink, stderr: sink, env: {}, signal: new AbortController().signal })).toBe(0)
  expect(JSON.parse(readFileSync(`${path}.provenance.json`, 'utf8'))).toMatchObject({
    series: [{ connection: 'demo', preview: true }],
  })
})

const failing = (code: string) => Promise.reject(Object.assign(new Error('no'), { code }))

test.each([
  ['EDQUOT', 'disk-full', 'was not written'],
  ['EROFS', 'unsupported', 'its disk is read-only'],
  ['EACCES', 'unsupported', 'permissions'],
])('%s is explained, whether a file or a folder is saved', async (code, expected, reason) => {
  const path = join(temporaryFolder(), 'out')
  const error = { code: expected, detail: expect.stringMatching(new RegExp(`${path} .*${reason}`)) as string }
  const content = (async function* () {
    yield 'a'
    await failing(code)
  })()
  await expect(saverTo(path)({ name: 'a.csv', type: 'text/csv' }, () => content)).rejects.toMatchObject(error)
  await expect(folderSaverTo(path)('hive', () => failing(code))).rejects.toMatchObject(error)
})

test('an error that a command did not expect is in the log', async () => {
  const dataDir = cacheOfOneDay()
  const sink = { write: () => true }
  const stdout = {
    write() {
      throw new TypeError('odd stream')
    },
  }
  const argv = ['where', '--data-dir', dataDir]
  expect(await run(argv, { stdout, stderr: sink, env: {}, signal: new AbortController().signal })).toBe(1)
  const log = join(dataDir, 'logs', 'perpscope.log')
  expect(existsSync(log) ? readFileSync(log, 'utf8') : '').toMatch(/error where failed: TypeError: odd stream\n\s+at /)
})
