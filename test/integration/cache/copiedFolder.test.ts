import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Period } from '#shared/time/periods.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { systemClock } from '#core/ports.ts'
import { openStore } from '#core/store/store.ts'
import { run } from '../../../electron/cli/run.ts'
import { addMetricFiles, type MarketRow } from '../../fakes/cacheMarket.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { recordedProcesses } from '../../fakes/recordedProcesses.ts'

const exchange = 'heron-linear'
const symbols = ['AAA', 'BBB', 'CCC'].map((base) => `perpetual-${base}-USDT:USDT`)
const days: Period[] = ['2026-08-01', '2026-08-02', '2026-08-03']
const HOUR_MS = 3_600_000

/** Copies a data folder with cached files, which gives each file another time than the one in its index. */
function copiedFolder(): string {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: systemClock, log: fakeLog() })
  symbols.forEach((symbol, index) => {
    const rows = Array.from({ length: days.length * 24 }, (_, hour): MarketRow => ({
      time: dayNumberOf(days[0]) * MS_PER_DAY + hour * HOUR_MS,
      close: 100 + index + Math.sin(hour * (index + 1)),
    }))
    addMetricFiles(
      store,
      dataDir,
      { dataset: 'ohlcv', exchange, symbol, interval: '1h', columns: ['close'], rows },
      days,
    )
  })
  store.close()
  const copy = dataFolder()
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

const isFileToValidate = (task: unknown): boolean =>
  typeof task === 'object' && task !== null && 'path' in task && String(task.path).endsWith('.parquet')

/** Runs a command as a new process would. @returns the cached files that guarded processes validated for it */
async function validatedBy(dataDir: string, ...args: string[]): Promise<number> {
  const { start, tasks } = recordedProcesses()
  let messages = ''
  const status = await run([...args, '--data-dir', dataDir], {
    stdout: { write: () => {} },
    stderr: { write: (text) => void (messages += String(text)) },
    env: {},
    signal: new AbortController().signal,
    startProcess: start,
  })
  expect(status, messages).toBe(0)
  // A study may run in a process itself; lists of files are validated.
  return tasks.flatMap((task) => JSON.parse(task) as unknown).filter(isFileToValidate).length
}

function studyFile(dataDir: string): string {
  const path = join(dataDir, 'study.json')
  const source = { exchanges: [exchange], symbols, timestamp: 'exchange' }
  const range = { start: days[0], end: days[2], interval: '1h' }
  writeFileSync(
    path,
    JSON.stringify({
      version: 1,
      kind: 'signal',
      ...range,
      source,
      signal: 'ohlcv.close',
      horizons: [1],
      quantiles: 2,
    }),
  )
  return path
}

test('the files of a copied folder are validated by the first study, and by no later command', async () => {
  const dataDir = copiedFolder()
  const study = ['study', 'run', studyFile(dataDir)]
  expect(await validatedBy(dataDir, ...study)).toBeGreaterThan(0)
  expect(await validatedBy(dataDir, ...study)).toBe(0)
  expect(await validatedBy(dataDir, 'sql', 'SELECT count(*) FROM metrics.ohlcv')).toBe(0)
})

test.each([
  ['a query', ['sql', 'SELECT count(close) FROM metrics.ohlcv']],
  ['“verify”', ['verify']],
])('after %s over a copied folder, a study validates no file', async (_, command) => {
  const dataDir = copiedFolder()
  expect(await validatedBy(dataDir, ...command)).toBeGreaterThan(0)
  expect(await validatedBy(dataDir, 'study', 'run', studyFile(dataDir))).toBe(0)
})
