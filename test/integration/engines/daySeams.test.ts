import { afterAll, expect, it } from 'vitest'
import { computeMetrics } from '#core/compute/compute.ts'
import { createComputePool } from '#core/compute/computePool.ts'
import { findContinuations } from '#core/compute/continuation.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { computeOnDuckDb } from '#core/engines/duckdbCompute.ts'
import { metricQuery } from '#shared/engines/metricQuery.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import { RawFolder, stampsAt } from '../rawFolder.ts'

const pool = createComputePool(1)
afterAll(() => pool.close())

const first = dayNumberOf('2026-08-01')
/** First minute of the trades of each day; a day without trades has an empty file. */
const days = [600, 180, null, 1200, 0]
const datasets = ['flow', 'vtwap', 'trade_size'] as const
const intervalSeconds = 300

async function rawDays(): Promise<RawFolder> {
  const raw = await RawFolder.create()
  for (const [at, minute] of days.entries()) {
    const day = dayFromNumber(first + at)
    const rows = minute === null ? 0 : 25
    const times = stampsAt(day, `${minute ?? 0} * 60000000::BIGINT + i * 97000000::BIGINT`)
    await raw.write(
      'trades',
      day,
      `SELECT ${times}, i::VARCHAR AS id, CASE WHEN i % 3 = 0 THEN 'sell' ELSE 'buy' END AS side, 100.0 + i % 7 AS price, 1.0 + i AS amount FROM range(${rows}) AS t(i)`,
    )
  }
  return raw
}

type Compute = typeof computeMetrics | typeof computeOnDuckDb

/** Computes a range of days, each by itself or all at once, and returns the rows of each dataset. */
async function rowsOf(compute: Compute, raw: RawFolder, cutByDay: boolean): Promise<MetricRows[]> {
  const findFiles = rawFileFinder(raw.folder, 'venuea-futures', 'perpetual-BTC-USDT:USDT')
  const endDay = first + days.length
  const range = { intervalSeconds, timestamp: 'exchange' as const, findFiles }
  const input = { datasets: [...datasets], intervalSeconds, timestamp: 'exchange' as const, startDay: first, endDay }
  const continuationOf = await findContinuations(pool, input, findFiles)
  const parts = cutByDay ? days.map((_, at) => [first + at, first + at + 1]) : [[first, endDay]]
  const joined: MetricRows[] = []
  for (const dataset of datasets) {
    const rows: MetricRows[] = []
    for (const [from, to] of parts) {
      const path = raw.outputPath(`${compute.name}-${dataset}-${from}-${to}`)
      await compute(
        {
          ...range,
          outputs: [{ dataset, path }],
          startDay: dayFromNumber(from),
          endDay: dayFromNumber(to),
          ...(cutByDay && { continuationOf: () => continuationOf(from, dataset) }),
        },
        { pool },
      )
      const { version, runs } = await pool.checkPart({ path, dataset, stepMs: intervalSeconds * 1000 })
      const count = runs.reduce((sum, run) => sum + run.rows, 0)
      rows.push(await pool.readPart({ path, version, dataset, from: 0, to: count }))
    }
    const together = (pick: (each: MetricRows) => Float64Array) =>
      Float64Array.from(rows.flatMap((each) => [...pick(each)]))
    const columns = rows[0].columns.map((_, column) => together((each) => each.columns[column]))
    joined.push({ dataset, timeMs: together(({ timeMs }) => timeMs), columns })
  }
  return joined
}

it('gives days that are computed one by one the rows and values of the whole range', async () => {
  const raw = await rawDays()
  const whole = await rowsOf(computeMetrics, raw, false)
  const intervalsOfDay = 86_400 / intervalSeconds
  expect(whole[0].timeMs).toHaveLength(4 * intervalsOfDay - 600 / 5 + 8)
  expect(whole[0].columns[7].filter((score) => score !== 0 && !Number.isNaN(score)).length).toBeGreaterThan(20)
  expect(await rowsOf(computeMetrics, raw, true)).toEqual(whole)
  const closeTo = (rows: MetricRows[]) =>
    rows.map(({ timeMs, columns }) => [
      [...timeMs],
      columns.map((column) => [...column].map((value) => (Number.isNaN(value) ? NaN : Number(value.toFixed(9))))),
    ])
  expect(closeTo(await rowsOf(computeOnDuckDb, raw, true))).toEqual(closeTo(whole))
})

it('asks a server for a day with the bounds of the range', () => {
  const startUs = first * 86_400_000_000
  const place = { kind: 'files' as const, paths: ['/there/2026-08-01.parquet'] }
  const query = (before: boolean, after: boolean) =>
    metricQuery('clickhouse', {
      ...{ dataset: 'vtwap', intervalSeconds: 3600, timestamp: 'exchange', startUs, endUs: startUs + 86_400_000_000 },
      places: { trades: place },
      continuation: { before, after },
    })
  const lastUs = startUs + 23 * 3_600_000_000
  expect(query(true, false)).toContain(`SELECT ${startUs} AS first_us, max(interval_us) AS last_us FROM`)
  expect(query(false, true)).toContain(`SELECT min(interval_us) AS first_us, ${lastUs} AS last_us FROM`)
  expect(query(true, true)).toContain(`(SELECT ${startUs} AS first_us, ${lastUs} AS last_us) AS bounds`)
})
