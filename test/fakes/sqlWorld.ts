import { onTestFinished } from 'vitest'
import { allFunding } from '#core/funding/instrumentFunding.ts'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { Store } from '#core/store/store.ts'
import { createSqlService, type SqlService } from '#core/sql/sqlService.ts'
import { cellOf } from '#shared/contract/frame.ts'
import { dataFolder } from './dataFolder.ts'
import { fakeClock } from './fakeClock.ts'
import { openTestSeries } from './openTestSeries.ts'
import { openTestStore } from './openTestStore.ts'

export type Row = Record<string, number | string | null>

/** SQL service on its own store, as an app has it. */
export interface SqlWorld {
  dataDir: string
  store: Store
  sql: SqlService
  query(sql: string, options?: QueryOptions): Promise<Row[]>
}

interface QueryOptions {
  parameters?: Record<string, string>
  connectionId?: string
  threads?: number
}

export function openSqlWorld(ledger?: () => Ledger): SqlWorld {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const series = openTestSeries(store)
  const sql = createSqlService({
    fundingOf: (connectionId, signal) => allFunding(series.deps, connectionId, signal),
    store,
    clock: fakeClock(),
    dataDir,
    ledger: ledger ?? (() => ({ tables: { entries: () => [] } }) as unknown as Ledger),
    validate: (path) => Promise.resolve().then(() => validateParquet(path, { deep: true })),
  })
  onTestFinished(() => sql.close())
  return {
    dataDir,
    store,
    sql,
    async query(text, { parameters = {}, connectionId = '', threads = 2 } = {}) {
      const result = await sql.run({ sql: text, parameters, connectionId, threads })
      const { columns } = await sql.page(result.id, 0, result.rows)
      await sql.closeResult(result.id)
      return Array.from({ length: result.rows }, (_, row) =>
        Object.fromEntries(columns.map((column) => [column.name, cellOf(column, row)])),
      )
    },
  }
}
