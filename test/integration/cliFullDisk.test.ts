import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { run } from '../../electron/cli/run.ts'
import { folderSaverTo, saverTo } from '../../electron/cli/environment.ts'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { addCachedFile } from '../fakes/parquetCache.ts'
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
const ownPart = `.${process.pid}.part`

test.skipIf(process.platform !== 'linux').each([
  ['export to CSV', exportTo('csv'), '.part'],
  ['export to Parquet', exportTo('parquet'), '.part'],
  ['sql', ['sql', 'SELECT 1 AS one', '--format', 'csv', '--out'], ownPart],
  ['report', ['report', 'sql', 'SELECT 1 AS one', '--out'], ownPart],
  ['backup', ['backup'], '.part'],
])('%s to a full disk names the file and leaves nothing behind', async (_, command, suffix) => {
  const dataDir = cacheOfOneDay()
  const folder = temporaryFolder()
  const path = join(folder, 'out')
  symlinkSync('/dev/full', path + suffix)
  let stderr = ''
  const sink = { write: (text: string | Uint8Array) => void (stderr += String(text)) }
  const argv = [...command, path, '--data-dir', dataDir, '--offline']
  expect(await run(argv, { stdout: sink, stderr: sink, env: {}, signal: new AbortController().signal })).toBe(1)
  expect(stderr).toContain(
    `There is no space left on the disk. ${path} was not written. Free up space, then try again.`,
  )
  expect(readdirSync(folder)).toEqual([])
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
