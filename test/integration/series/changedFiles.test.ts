import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createValidationPool } from '#core/downloads/validationPool.ts'
import { createChangedFiles } from '#core/series/changedFiles.ts'
import { createSeriesService, type SeriesService } from '#core/series/seriesService.ts'
import { openStore } from '#core/store/store.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { periodDays } from '#shared/time/periods.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { recordedProcesses } from '../../fakes/recordedProcesses.ts'
import { addCachedFile, hourlyColumns } from '../../fakes/parquetCache.ts'

const series = flowSeries({ interval: '1h' })
const periods = ['2026-08-01', '2026-08-02'] as const
const { signal } = new AbortController()

let path: string
let service: SeriesService
/** Returns the paths of the files that guarded processes were asked to read. */
let guardedReads: () => string[]

beforeEach(() => {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-changed-'))
  const clock = fakeClock()
  const store = openStore({ dataDir, clock, log: fakeLog() })
  const { start, tasks } = recordedProcesses()
  guardedReads = () => tasks.flatMap((task) => (JSON.parse(task) as { path: string }[]).map((file) => file.path))
  const pool = createValidationPool(1, { start })
  const changedFiles = createChangedFiles((file, deep) => pool.validate(file, undefined, deep))
  service = createSeriesService(store, clock, changedFiles)
  path = periods.map((period) => addCachedFile(store, dataDir, series, period))[0]
  onTestFinished(async () => {
    await service.close()
    await pool.close()
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
})

async function read() {
  const [start, end] = [periodDays(periods[0])!.start, periodDays(periods[1])!.end]
  const range = { startMs: start * MS_PER_DAY, endMs: end * MS_PER_DAY }
  const request = { series, timestamp: 'exchange' as const, ...range, columns: ['value'], limitRows: 1000 }
  const { frame, unread } = await service.read(request, signal)
  const [, values] = frame.columns
  return { values: [...(values.values as Float64Array)], messages: unread.map(({ message }) => message) }
}

test('a file that is as it was validated is read at once, without a process', async () => {
  expect((await read()).values).toHaveLength(48)
  expect(guardedReads()).toEqual([])
})

test('a file that somebody replaced is read by a guarded process before a chart shows it', async () => {
  const columnData = hourlyColumns(periods[0], 500)
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })))
  utimesSync(path, 1, 1)
  const { values, messages } = await read()
  expect([values[0], values.length, messages]).toEqual([500, 48, []])
  expect(new Set(guardedReads())).toEqual(new Set([path]))
  await read()
  expect(guardedReads()).toHaveLength(2)
})

test('a damaged file at its place leaves a gap with its reason, and the others are read', async () => {
  writeFileSync(path, new Uint8Array(100_000).fill(0xff))
  const { values, messages } = await read()
  expect(values).toHaveLength(24)
  expect(messages).toEqual([expect.stringContaining('this is not a Parquet file')])
  expect(guardedReads()).toEqual([path])
})

test('a copy of the same bytes with another time is compared, and read', async () => {
  utimesSync(path, 1, 1)
  expect((await read()).values).toHaveLength(48)
  expect(guardedReads()).toEqual([path])
})
