import { afterAll, expect, it } from 'vitest'
import { computeMetrics } from '#core/compute/compute.ts'
import { createComputePool } from '#core/compute/computePool.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { computeOnDuckDb } from '#core/engines/duckdbCompute.ts'
import { metricDataset } from '#shared/catalog/metricDatasets.ts'
import { RawFolder, stampsAt } from '../rawFolder.ts'

const pool = createComputePool(1)
afterAll(() => pool.close())

const day = '2026-08-01'
const intervals = 90

it('takes a trade as large on DuckDB too where its notional is the quantile itself', async () => {
  const raw = await RawFolder.create()
  // Each interval has one more trade than the one before; powers of 2 keep the notional of its trades the same.
  await raw.write(
    'trades',
    day,
    `SELECT ${stampsAt(day, 'm * 60000000::BIGINT + i * 1000::BIGINT')}, i::VARCHAR AS id, 'buy' AS side,
     64.0 * (1 + i % 2) AS price, (0.1 + m * 997.531) / 64 / (1 + i % 2) AS amount
     FROM (SELECT unnest(range(${intervals})) AS m) AS minutes, LATERAL (SELECT unnest(range(m + 6)) AS i) AS trades ORDER BY m, i`,
  )
  const request = {
    intervalSeconds: 60,
    timestamp: 'exchange' as const,
    startDay: day,
    endDay: '2026-08-02',
    findFiles: rawFileFinder(raw.folder, 'venuea-futures', 'perpetual-BTC-USDT:USDT'),
  }
  const reversals = async (name: string, compute: typeof computeMetrics | typeof computeOnDuckDb) => {
    const path = raw.outputPath(name)
    await compute({ ...request, outputs: [{ dataset: 'impact', path }] }, { pool })
    const { version } = await pool.checkPart({ path, dataset: 'impact', stepMs: 60_000 })
    const { columns } = await pool.readPart({ path, version, dataset: 'impact', from: 0, to: intervals })
    const at = metricDataset('impact').columns.findIndex((column) => column.name === 'large_trade_reversal')
    return [...columns[at]].map((value) => (Number.isNaN(value) ? null : Number(value.toFixed(12))))
  }
  const expected = await reversals('local', computeMetrics)
  expect(expected.filter((value) => value !== null && value !== 0).length).toBeGreaterThan(20)
  expect(await reversals('duckdb', computeOnDuckDb)).toEqual(expected)
})
