import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { CachedFile } from '#core/store/fileTable.ts'
import { addDays, type Day } from '#shared/time.ts'
import type { Period } from '#shared/time/periods.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestCache } from '../../fakes/openTestCache.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { writeCachedFile } from '../../fakes/parquetCache.ts'

const DAYS = 150
const days: Day[] = Array.from({ length: DAYS }, (_, day) => addDays('2026-01-01', day))
const allSeries = ['BTC', 'ETH', 'SOL', 'XRP'].map((base) => flowSeries({ symbol: `perpetual-${base}-USDT:USDT` }))
const owned = { ...allSeries[0], connectionId: 'other' }

/** A cache with more files than are inspected at a time, all of which the index lacks. */
function manyFiles() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const cache = openTestCache(store, dataDir)
  for (const series of [...allSeries, owned]) for (const day of days) writeCachedFile(dataDir, series, day)
  const seen: number[] = []
  const look = (repair: boolean) =>
    cache.verify({
      repair,
      signal: new AbortController().signal,
      onProgress: ({ done, total }) => seen.push(done / Math.max(1, total ?? 1)),
    })
  return { store, look, seen, files: DAYS * 5 }
}

it('takes in all files of several folders, and finds each broken one among them', async () => {
  const { store, look, seen, files } = manyFiles()
  expect(await look(false)).toMatchObject({ files, takenIn: files, broken: 0 })
  expect(store.files.totals({}).files).toBe(files)
  expect(Math.max(...seen)).toBe(1)

  const pathOf = (series: number, day: number) => store.folder.pathOf(allSeries[series], days[day])
  rmSync(pathOf(0, 3))
  truncateSync(pathOf(1, 149), 60)
  writeFileSync(pathOf(3, 0), Buffer.alloc(readFileSync(pathOf(3, 0)).length, 7))
  const other = readFileSync(pathOf(2, 7))
  writeFileSync(pathOf(2, 8), other)
  const report = await look(false)
  expect(report).toMatchObject({ files, broken: 4, repaired: 0, takenIn: 0 })
  expect(report.problems.map(({ kind, path }) => [kind, path.slice(path.indexOf('symbol='))]).sort()).toEqual(
    [
      ['damaged', 1, 149],
      ['damaged', 2, 8],
      ['damaged', 3, 0],
      ['gone', 0, 3],
    ].map(([kind, series, day]) => [kind, pathOf(Number(series), Number(day)).split('/exchange=venuea-futures/')[1]]),
  )
  expect(await look(true)).toMatchObject({ broken: 4, repaired: 4 })
  expect(await look(false)).toMatchObject({ files: files - 4, broken: 0 })
})

it('lists all files of a filter in pages, each once and in order', async () => {
  const { store, look } = manyFiles()
  await look(false)
  const pagesOf = (filter: Parameters<typeof store.files.page>[0], limit: number) => {
    const listed: CachedFile[] = []
    for (;;) {
      const page = store.files.page(filter, listed.at(-1) ?? null, limit)
      listed.push(...page)
      if (page.length < limit) return listed
    }
  }
  const named = ({ series, period }: { series: { connectionId: string; symbol: string }; period: Period }) =>
    `${series.connectionId} ${series.symbol} ${period}`
  const all = pagesOf({}, 7)
  expect(new Set(all.map(named)).size).toBe(DAYS * 5)
  expect(all.map(named)).toEqual(pagesOf({}, 5000).map(named))
  const ofOne = all.filter(({ series }) => series.connectionId === 'other')
  expect(pagesOf({ connectionId: 'other' }, DAYS)).toEqual(ofOne)
  const some = {
    symbols: [allSeries[1].symbol, allSeries[3].symbol],
    startDay: all[5].startDay,
    endDay: all[40].endDay,
  }
  expect(pagesOf(some, 11)).toEqual(
    all.filter(
      ({ series, startDay, endDay }) =>
        some.symbols.includes(series.symbol) && endDay > some.startDay && startDay < some.endDay,
    ),
  )
  for (const series of allSeries)
    expect(all.filter((file) => file.series.symbol === series.symbol).length % DAYS).toBe(0)
})
