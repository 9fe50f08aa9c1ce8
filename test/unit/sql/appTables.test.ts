import { appTable, type AppTableDeps, emptyAppTable } from '#core/sql/appTables.ts'
import { SqlStopped } from '#core/sql/sqlErrors.ts'
import { findTable } from '#core/sql/tableCatalog.ts'
import type { StoredPortfolioDay } from '#core/store/queryRows.ts'
import { expect, test, vi } from 'vitest'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { openSqlWorld } from '../../fakes/sqlWorld.ts'

const connection = { id: 'desk', name: 'Desk' }
const weights = findTable('portfolio', 'weights')!

/** Yields days without end. */
function* endlessDays(): Generator<StoredPortfolioDay> {
  const columns = Array.from({ length: 1000 }, (_, at) => `T${at}`)
  for (let day = 0; ; day++) yield { query: 'portfolio=p', day, columns, values: new Float64Array(1000).fill(0.5) }
}
const deps = { store: { queryRows: { days: endlessDays } } } as unknown as AppTableDeps

test('a history that does not fit into the memory of a query is refused with a sentence', () => {
  const memory = { bytes: 2 ** 20 }
  expect(() => appTable(deps, connection, weights, { columnNames: null, memory })).toThrow(
    expect.objectContaining({
      code: 'too-large',
      detail: expect.stringMatching(
        /^The query reads more of portfolio\.weights than fits into memory\. Select only/,
      ) as string,
    }) as Error,
  )
})

test('more cached files than fit into the memory of a query are refused before they are read', () => {
  const { store, dataDir } = openSqlWorld()
  addCachedFile(store, dataDir, flowSeries({ dataset: 'ohlcv' }), '2026-08-01')
  const queryRows = { ...store.queryRows, cachedFiles: vi.fn(store.queryRows.cachedFiles) }
  const few = { store: { ...store, queryRows } } as unknown as AppTableDeps
  const files = findTable('cache', 'files')!
  const sandbox = { id: 'sandbox', name: 'Sandbox' }
  const memory = { bytes: 130 }
  const read = () => appTable(few, sandbox, files, { columnNames: ['sha256'], memory })
  expect(read().frame.rows).toBe(1)
  expect(memory.bytes).toBe(130 - 16 - 64)
  expect(read).toThrow(
    expect.objectContaining({
      code: 'too-large',
      detail: expect.stringContaining('more of cache.files than fits into memory') as string,
    }) as Error,
  )
  expect(queryRows.cachedFiles).toHaveBeenCalledTimes(1)
})

test('all tables of a query share its memory', () => {
  const days = function* (): Generator<StoredPortfolioDay> {
    yield { query: 'portfolio=p', day: 1, columns: ['A', 'B'], values: Float64Array.of(1, 2) }
  }
  const small = { store: { queryRows: { days } } } as unknown as AppTableDeps
  const memory = { bytes: 100 }
  const read = () => appTable(small, connection, weights, { columnNames: ['value'], memory })
  expect(read().frame.rows).toBe(2)
  expect(read().frame.rows).toBe(2)
  expect(read().frame.rows).toBe(2)
  expect(read).toThrow(SqlStopped)
})

test('a query that lists the tables gets them without their rows', () => {
  expect(emptyAppTable(weights)).toMatchObject({ schema: 'portfolio', name: 'weights', frame: { rows: 0 } })
  expect(emptyAppTable(weights).columns).toHaveLength(weights.columns.length)
})
