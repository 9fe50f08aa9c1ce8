import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { openCacheFolder } from '#core/store/cacheFolder.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { periodDays, type Period } from '#shared/time/periods.ts'
import { cachedFile } from './cachedFiles.ts'

/** Returns columns with one row per hour of a period; `value` counts up from `first`. */
export function hourlyColumns(period: Period, first = 0): ColumnSource[] {
  const { start, end } = periodDays(period)!
  const hours = (end - start) * 24
  return [
    {
      name: 'time',
      type: 'INT64',
      data: BigInt64Array.from({ length: hours }, (_, i) => BigInt(start * MS_PER_DAY + i * 3_600_000)),
    },
    { name: 'value', type: 'DOUBLE', data: Float64Array.from({ length: hours }, (_, i) => first + i) },
  ]
}

/** Writes a Parquet file to its path in the cache folder. @returns the path */
export function writeCachedFile(
  dataDir: string,
  series: OwnedSeries,
  period: Period,
  columnData = hourlyColumns(period),
): string {
  const path = openCacheFolder(dataDir).pathOf(series, period)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })))
  return path
}

/** Adds a file of the cache folder to the index, as a download does, or as one of an older version did if not `deep`. */
export function indexFile(
  store: Store,
  dataDir: string,
  series: OwnedSeries,
  period: Period,
  { deep = true, ...row }: Partial<CachedFile> & { deep?: boolean } = {},
): void {
  const { sizeBytes, sha256, facts } = validateParquet(openCacheFolder(dataDir).pathOf(series, period), { deep })
  store.files.record([{ file: cachedFile(series, period, { sizeBytes, sha256, ...row }), facts }])
}

/** Writes a file and adds it to the index. @returns the file's path */
export function addCachedFile(
  store: Store,
  dataDir: string,
  series: OwnedSeries,
  period: Period,
  columnData?: ColumnSource[],
  row: Partial<CachedFile> = {},
): string {
  const path = writeCachedFile(dataDir, series, period, columnData)
  indexFile(store, dataDir, series, period, row)
  return path
}
