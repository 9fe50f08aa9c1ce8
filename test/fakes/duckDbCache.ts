import type { DuckDBConnection } from '@duckdb/node-api'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { indexFile } from './parquetCache.ts'
import { openTestSeries } from './openTestSeries.ts'
import { openTestStore } from './openTestStore.ts'
import { dataFolder } from './dataFolder.ts'

/** Opens a cache whose files DuckDB writes, each from a query, and its series. */
export function duckDbCache(connection: DuckDBConnection, series: OwnedSeries) {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const desk = openTestSeries(store)
  const put = async (period: string, select: string, options = 'COMPRESSION zstd', owner: OwnedSeries = series) => {
    const path = store.folder.pathOf(owner, period)
    mkdirSync(dirname(path), { recursive: true })
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, ${options})`)
    indexFile(store, dataDir, owner, period)
    return path
  }
  return { dataDir, store, desk, put }
}
