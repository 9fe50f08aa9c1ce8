import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { checkOldFiles } from '#core/cache/verifyCache.ts'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { doubleBytes, longBytes, parquetBytes, plainChunk, statisticsOf } from '../../fakes/parquetBytes.ts'
import { indexFile, writeCachedFile } from '../../fakes/parquetCache.ts'

const series: OwnedSeries = {
  connectionId: 'sandbox',
  kind: 'metrics',
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
}

/** Returns a file of two rows whose values lie within the bounds or not. */
function fileOf(day: string, values: [number, number], [low, high]: [number, number]): Uint8Array {
  const start = Date.parse(day)
  const statistics = statisticsOf(doubleBytes(low), doubleBytes(high))
  return parquetBytes([
    { name: 'time', type: 'INT64', chunks: [plainChunk(2, longBytes(start, start + 3_600_000))] },
    { name: 'x', type: 'DOUBLE', chunks: [{ ...plainChunk(2, doubleBytes(...values)), statistics }] },
  ])
}

function openCache() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const damaged: string[] = []
  const validated: string[] = []
  const put = (day: string, bytes: Uint8Array, deep = false) => {
    const path = writeCachedFile(dataDir, series, day)
    writeFileSync(path, bytes)
    indexFile(store, dataDir, series, day, { deep })
    return path
  }
  const check = (signal = new AbortController().signal) => {
    const validate = (path: string, _: AbortSignal, deep: boolean) =>
      Promise.resolve().then(() => {
        validated.push(path)
        return validateParquet(path, { deep })
      })
    const onDamaged = (_: string, message: string) => void damaged.push(message)
    return checkOldFiles({ files: store.files, folder: store.folder, validate, onDamaged }, signal)
  }
  const doubtful = () =>
    Object.fromEntries(
      store.queryRows
        .files({ connectionIds: ['sandbox'] })
        .map(({ period, doubtfulColumns }) => [period, doubtfulColumns]),
    )
  return { store, put, check, doubtful, damaged, validated }
}

it('compares each file that came in before with its statistics, once', async () => {
  const { put, check, doubtful, damaged, validated } = openCache()
  put('2026-08-01', fileOf('2026-08-01', [1, 2], [1, 2]))
  put('2026-08-02', fileOf('2026-08-02', [1, NaN], [1, 1]))
  put('2026-08-03', fileOf('2026-08-03', [1, 5], [1, 2]))
  put('2026-08-04', fileOf('2026-08-04', [1, 2], [1, 2]), true)
  expect(doubtful()).toEqual({ '2026-08-01': null, '2026-08-02': null, '2026-08-03': null, '2026-08-04': '' })
  await check()
  expect(doubtful()).toEqual({ '2026-08-01': '', '2026-08-02': '1', '2026-08-03': '0,1', '2026-08-04': '' })
  expect(damaged).toHaveLength(1)
  expect(damaged[0]).toContain('column x cannot be read (its values do not match the file’s statistics)')
  expect(validated).toHaveLength(3)
  await check()
  expect(validated).toHaveLength(3)
})

it('leaves a file that is missing or was replaced as it was, and goes on', async () => {
  const { put, check, doubtful } = openCache()
  const path = put('2026-08-01', fileOf('2026-08-01', [1, 2], [1, 2]))
  put('2026-08-02', fileOf('2026-08-02', [1, 2], [1, 2]))
  const { atime, mtime } = statSync(path)
  writeFileSync(path, fileOf('2026-08-01', [3, 4], [3, 4]))
  utimesSync(path, atime, mtime)
  await check()
  expect(doubtful()).toEqual({ '2026-08-01': null, '2026-08-02': '' })
})

it('stops between two files', async () => {
  const { put, check, doubtful, validated } = openCache()
  put('2026-08-01', fileOf('2026-08-01', [1, 2], [1, 2]))
  await check(AbortSignal.abort())
  expect(validated).toEqual([])
  expect(doubtful()).toEqual({ '2026-08-01': null })
})
