import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { metricPlans } from '#shared/metrics/datasetComputations.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { differences, readTable, type Table } from './compareMetrics.ts'
import { computeMetrics } from '#core/compute/compute.ts'
import { createComputePool } from '#core/compute/computePool.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { type Events, randomEvents } from '../unit/metrics/randomEvents.ts'
import { folderQuery, type FolderQuery } from './engineQueries.ts'
import { atSizeBounds, writeRawFiles } from './randomRawFiles.ts'

interface Case extends Pick<FolderQuery, 'exchange' | 'symbol' | 'start' | 'end' | 'raw'> {
  id: string
  intervals: string[]
  timestamps: FolderQuery['timestamp'][]
}

const data = join(import.meta.dirname, 'data')
const cases: Case[] = JSON.parse(readFileSync(join(data, 'cases.json'), 'utf8'))
const datasets = Object.keys(metricPlans) as FolderQuery['dataset'][]
let connection: DuckDBConnection

beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
})

afterAll(() => connection.closeSync())

async function tableOf(sql: string): Promise<Table> {
  const rows = await (await connection.run(sql)).getColumnsObject()
  const numbers = (cells: unknown[]) => Float64Array.from(cells, (cell) => (cell === null ? NaN : Number(cell)))
  const columns = new Map(Object.entries(rows).map(([name, cells]) => [name, numbers(cells)]))
  const time = columns.get('time')!
  columns.delete('time')
  return { time, columns }
}

// Three of the six cases keep the daily run short: both timestamps, and a day whose look-back is in another file.
const daily = ['v1 1m exchange', 'v1 1m true', 'v1-day2 1h exchange']

describe.each(cases)('the DuckDB SQL of $id', ({ id, raw, intervals, timestamps, ...selection }) => {
  it.each(
    intervals
      .flatMap((interval) => timestamps.map((timestamp) => ({ interval, timestamp })))
      .filter((each) => daily.includes(`${id} ${each.interval} ${each.timestamp}`)),
  )(
    'equals the independent values of every column at $interval by $timestamp time',
    async ({ interval, timestamp }) => {
      for (const dataset of datasets) {
        const query = { ...selection, raw: join(data, raw), dataset, interval, timestamp }
        const expected = readTable(join(data, 'expected', id, `${dataset}.${interval}.${timestamp}.parquet`))
        expect(differences(expected, await tableOf(folderQuery('duckdb', query))), dataset).toEqual([])
      }
    },
  )
})

/** Rounds all times to ten seconds, so that many are equal. */
function tied(events: Events): Events {
  for (const { timeUs } of Object.values(events)) timeUs.forEach((time, i) => (timeUs[i] = time - (time % 10_000_000)))
  return events
}

describe('the DuckDB SQL of random events', () => {
  it.each([11])(
    'equals the built-in engine in every column: ties, gaps, unknown sides, empty quotes (%i)',
    async (seed) => {
      const raw = temporaryFolder()
      const selection = {
        exchange: 'venuea-futures',
        symbol: 'perpetual-龙-USDT:USDT',
        start: '2026-09-01',
        end: '2026-09-02',
      }
      await writeRawFiles(connection, atSizeBounds(tied(randomEvents(seed))), raw, selection.exchange, selection.symbol)
      const outputs = datasets.map((dataset) => ({ dataset, path: join(raw, 'computed', `${dataset}.parquet`) }))
      const pool = createComputePool(1)
      const request = {
        intervalSeconds: 900,
        timestamp: 'exchange',
        startDay: '2026-09-01',
        endDay: '2026-09-03',
      } as const
      await computeMetrics(
        { ...request, outputs, findFiles: rawFileFinder(raw, selection.exchange, selection.symbol) },
        { pool },
      )
      await pool.close()
      for (const { dataset, path } of outputs) {
        const query = { ...selection, raw, dataset, interval: '15m', timestamp: 'exchange' as const }
        expect(differences(readTable(path), await tableOf(folderQuery('duckdb', query))), dataset).toEqual([])
      }
    },
  )
})
