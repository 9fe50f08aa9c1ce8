import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { addDays, parseInterval } from '#shared/time.ts'
import { computeMetrics } from '#core/compute/compute.ts'
import { createComputePool } from '#core/compute/computePool.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { differences, readTable } from './compareMetrics.ts'

interface Case {
  id: string
  exchange: string
  symbol: string
  start: string
  end: string
  raw: string
  intervals: string[]
  timestamps: TimestampSource[]
}

const data = join(import.meta.dirname, 'data')
const cases: Case[] = JSON.parse(readFileSync(join(data, 'cases.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'perpscope-conformance-'))
const pool = createComputePool(2)

afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true })
})

/** Datasets that can be computed from raw events. */
const datasets = metricDatasetIds.filter((id) => !id.startsWith('l2_'))

describe.each(cases)('$id', ({ id, exchange, symbol, start, end, raw, intervals, timestamps }) => {
  const findFiles = rawFileFinder(join(data, raw), exchange, symbol)

  it.each(intervals.flatMap((interval) => timestamps.map((timestamp) => ({ interval, timestamp }))))(
    '$interval by $timestamp time: every column of every dataset as computed independently',
    async ({ interval, timestamp }) => {
      const nameOf = (dataset: string) => `${dataset}.${interval}.${timestamp}.parquet`
      const outputs = datasets.map((dataset) => ({ dataset, path: join(folder, id, nameOf(dataset)) }))
      await computeMetrics(
        {
          outputs,
          intervalSeconds: parseInterval(interval)!,
          timestamp,
          startDay: start,
          endDay: addDays(end, 1),
          findFiles,
        },
        { pool },
      )
      for (const { dataset, path } of outputs) {
        const expected = readTable(join(data, 'expected', id, nameOf(dataset)))
        expect(differences(expected, readTable(path)), dataset).toEqual([])
      }
    },
  )
})
