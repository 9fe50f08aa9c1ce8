import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../electron/core/ports.ts'
import { openStore, type Store } from '../../electron/core/store/store.ts'
import { metricDatasetIds } from '../../shared/catalog/metricDatasets.ts'
import { dayNumberOf } from '../../shared/time/periods.ts'

/** Number of days, and thus of files, per series. */
const DAYS = 1000

/** Inserts index rows of daily files with SQL, 1,000 per series; the files themselves do not exist. */
export function fillFiles({ database: { writes } }: Store, files: number): void {
  const series = Math.ceil(files / DAYS)
  writes.inTransaction(() => {
    writes.run(
      `INSERT INTO series (id, connection_id, kind, dataset, exchange, symbol, interval, timestamp)
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT i + 1, 'desk', 'metrics', 'd' || (i % 20), 'venuea-futures', 'perpetual-S' || (i / 20) || '-USDT:USDT', '1m', 'exchange' FROM n`,
      series - 1,
    )
    const stride = Math.max(1, Math.floor(series / 20))
    metricDatasetIds.forEach((dataset, index) =>
      writes.run(
        "UPDATE series SET dataset = ?, symbol = 'perpetual-BTC-USDT:USDT' WHERE id = ?",
        dataset,
        index * stride + 1,
      ),
    )
    writes.run(
      `INSERT INTO files (series_id, period, start_day, end_day, state, origin, size_bytes, sha256, fetched_at_ms, used_at_ms)
       WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${DAYS - 1})
       SELECT series.id, date((? + i) * 86400, 'unixepoch'), ? + i, ? + i + 1, 'final', 'service', 1000, x'00', 1, 1 FROM series, n`,
      ...[0, 0, 0].map(() => dayNumberOf('2026-11-20') - DAYS),
    )
  })
}

/** Fills the store with a coverage document of ten venues. */
export function fillCoverage({ coverage }: Store, symbols: number): void {
  const document = {
    connectionId: 'desk',
    name: 'raw-catalog',
    body: '{}',
    fetchedAtMs: 1,
    generatedAtMs: null,
    source: 'https://service.example',
  }
  const rows = Array.from({ length: symbols * 10 }, (_, i) => ({
    dataset: 'trades',
    exchange: `venue${i % 10}`,
    symbol: `perpetual-S${Math.floor(i / 10)}-USDT:USDT`,
    firstDay: 19_000,
    lastDay: 20_000,
    days: 1000,
    missing: null,
    sizeBytes: null,
  }))
  coverage.replaceCoverage(document, rows)
}

/** Opens a new data folder whose index lists `files` files, with coverage of 10,000 symbols. */
export function filledStore(files: number): { dataDir: string; store: Store } {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const store = openStore({ dataDir, clock: systemClock, log: { write: () => {} } })
  fillFiles(store, files)
  fillCoverage(store, 10_000)
  return { dataDir, store }
}
