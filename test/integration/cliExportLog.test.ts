import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { openStore } from '#core/store/store.ts'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { addCachedFile } from '../fakes/parquetCache.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const sink = { write: () => true }
const perpscope = (...args: string[]) =>
  run(args, { stdout: sink, stderr: sink, env: {}, signal: new AbortController().signal })

const series = flowSeries({ dataset: 'ohlcv', interval: '1h' })
const { exchange, symbol } = series
const choice = ['--exchange', exchange, '--symbol', symbol, '--interval', '1h', '--timestamp', 'exchange']
const days = ['--start', '2026-08-01', '--end', '2026-08-01']

test.each([
  ['sql', ['sql', 'SELECT 1 AS one'], 'one.csv'],
  ['export', ['export', '--dataset', 'ohlcv', ...choice, ...days, '--format', 'csv'], 'two.csv'],
])('the log of the data folder names the file that %s wrote, once', async (_, command, name) => {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, series, '2026-08-01')
  store.close()
  const path = join(temporaryFolder(), name)
  expect(await perpscope(...command, '--out', path, '--data-dir', dataDir, '--offline')).toBe(0)
  const lines = readFileSync(join(dataDir, 'logs', 'perpscope.log'), 'utf8').split('\n')
  expect(existsSync(path)).toBe(true)
  expect(lines.filter((line) => line.includes(path))).toEqual([
    expect.stringContaining(`exported ${name} to ${path}`) as string,
  ])
})

test('a command that failed is not named as an export', async () => {
  const dataDir = dataFolder()
  const path = join(temporaryFolder(), 'one.csv')
  expect(await perpscope('sql', 'SELECT nope', '--out', path, '--data-dir', dataDir, '--offline')).toBe(1)
  const log = join(dataDir, 'logs', 'perpscope.log')
  expect(existsSync(log) ? readFileSync(log, 'utf8') : '').not.toContain('exported')
})
