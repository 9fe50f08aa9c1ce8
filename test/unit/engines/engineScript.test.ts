import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { metricDataset, metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { sourcesRead } from '#shared/engines/metricQuery.ts'
import { hasMetricPlan, metricPlans } from '#shared/metrics/datasetComputations.ts'
import type { PlannedDatasetId } from '#shared/metrics/plan.ts'
import { engineScript, type ScriptRequest } from '#shared/engines/script.ts'
import { engineDialects } from '#shared/engines/dialects/dialect.ts'

const datasets = Object.keys(metricPlans) as PlannedDatasetId[]
const dayUs = (day: string) => Date.parse(day) * 1000

const request: ScriptRequest = {
  datasets,
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1m',
  intervalSeconds: 60,
  timestamp: 'exchange',
  startUs: dayUs('2026-09-01'),
  endUs: dayUs('2026-09-03'),
  raw: { kind: 'folder', address: '/data/raw' },
  out: '/data/metrics',
}

describe('metric plans', () => {
  it('describe every column of the datasets that raw events allow, by name and in order', () => {
    expect(metricDatasets.filter(({ id }) => hasMetricPlan(id)).map(({ id }) => id)).toEqual(datasets)
    for (const id of datasets) {
      const catalogued = metricDataset(id).columns.map(({ name }) => name)
      expect(Object.keys(metricPlans[id].columns).sort(), id).toEqual(catalogued.toSorted())
    }
  })

  it('read the sources that the catalog names', () => {
    for (const id of datasets) {
      const { drivingSource, asOf } = metricDataset(id)
      expect(sourcesRead(id).sort(), id).toEqual([drivingSource, ...asOf].sort())
    }
  })

  it('name no aggregate like a column of the result, because ClickHouse would read the column instead', () => {
    for (const id of datasets) {
      const names = metricPlans[id].parts.flatMap(({ values }) => Object.keys(values))
      expect(
        names.filter((name) => Object.hasOwn(metricPlans[id].columns, name)),
        id,
      ).toEqual([])
      expect(new Set(names).size, id).toBe(names.length)
    }
  })

  it('hold no SQL', () => {
    expect(JSON.stringify(metricPlans)).not.toMatch(/\b(SELECT|OVER|CASE|argMax|max_by)\b/)
  })
})

it('names objects of a bucket as they are called, which ClickHouse decodes once', () => {
  const place = { raw: { kind: 'folder' as const, address: 's3://research/team data/raw' }, out: 's3://research/out' }
  const script = (dialect: (typeof engineDialects)[number]) =>
    engineScript(dialect, { ...request, datasets: ['vtwap'], ...place })
  const symbol = 'perpetual-BTC-USDT%253AUSDT'
  expect(script('clickhouse')).toContain(
    `s3('s3://research/team%20data/raw/dataset=trades/exchange=venuea-futures/symbol=${symbol}/*.parquet', 'Parquet')`,
  )
  expect(script('clickhouse')).toContain(
    `INSERT INTO FUNCTION s3('s3://research/out/dataset=vtwap/exchange=venuea-futures/symbol=${symbol}/interval=1m/timestamp=exchange/part.parquet', 'Parquet')`,
  )
  expect(script('spark')).toContain(
    's3a://research/team data/raw/dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/*.parquet',
  )
})

describe.each(engineDialects)('the script for %s', (dialect) => {
  it('is the one that was reviewed', async () => {
    await expect(engineScript(dialect, request)).toMatchFileSnapshot(join(import.meta.dirname, `golden/${dialect}.sql`))
  })

  it('reads tables by exchange and symbol in the order of their ordinal', () => {
    const script = engineScript(dialect, { ...request, datasets: ['slippage'], raw: { kind: 'database', name: 'raw' } })
    expect(script).toContain('FROM raw.trades WHERE')
    expect(script).toContain("symbol = 'perpetual-BTC-USDT:USDT'")
    expect(script).toContain('ordinal AS row_ordinal')
  })

  it('cannot be ended by a quote or a line break in a symbol', () => {
    const symbol = "a'; DROP TABLE x; --\nb"
    const script = engineScript(dialect, {
      ...request,
      datasets: ['vtwap'],
      symbol,
      raw: { kind: 'database', name: 'raw' },
    })
    expect(script.split('\n')[2]).toBe("-- Instrument: venuea-futures a'; DROP TABLE x; -- b")
    expect(script).toMatch(dialect === 'duckdb' ? /'a''; DROP/ : /'a\\'; DROP/)
  })
})
