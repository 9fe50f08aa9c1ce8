import type { DuckDBConnection } from '@duckdb/node-api'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { index } from './filledCache.ts'
import { openTestSeries } from './openTestSeries.ts'
import { openTestStore } from './openTestStore.ts'
import { dataFolder } from './dataFolder.ts'

/** A cache whose files DuckDB writes, from a query each, and the series in it. */
export function cacheByDuck(connection: DuckDBConnection, series: OwnedSeries) {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const desk = openTestSeries(store)
  const put = async (period: string, select: string, options = 'COMPRESSION zstd', owner: OwnedSeries = series) => {
    const path = store.folder.pathOf(owner, period)
    mkdirSync(dirname(path), { recursive: true })
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, ${options})`)
    index(store, dataDir, owner, period)
    return path
  }
  return { dataDir, store, desk, put }
}
