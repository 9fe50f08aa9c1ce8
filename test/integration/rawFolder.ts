import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { encodeSymbol } from '#shared/catalog/symbols.ts'
import { addDays } from '#shared/time.ts'
import { computeMetrics, type ComputeOptions } from '#core/compute/compute.ts'
import type { ComputePool } from '#core/compute/computePool.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const exchange = 'venuea-futures'
const symbol = 'perpetual-BTC-USDT:USDT'

/** Returns SQL for the columns that every raw dataset has, for events at `us` microseconds after the start of a day. */
export const stampsAt = (day: string, us: string, delayUs = '1000') =>
  `make_timestamp(epoch_us(TIMESTAMP '${day}') + (${us})::BIGINT) AS exchange_timestamp,
   make_timestamp(epoch_us(TIMESTAMP '${day}') + (${us} + ${delayUs})::BIGINT) AS local_timestamp,
   'measured' AS local_timestamp_kind`

/** Folder of raw events that SQL creates, with the database that runs the SQL. */
export class RawFolder {
  readonly folder = temporaryFolder()
  readonly db: DuckDBConnection

  constructor(db: DuckDBConnection) {
    this.db = db
  }

  static async create(): Promise<RawFolder> {
    const instance = await DuckDBInstance.create(':memory:')
    const db = await instance.connect()
    onTestFinished(() => {
      db.closeSync()
      instance.closeSync()
    })
    return new RawFolder(db)
  }

  path(dataset: string, period: string): string {
    const series = join(this.folder, `dataset=${dataset}`, `exchange=${exchange}`, `symbol=${encodeSymbol(symbol)}`)
    mkdirSync(series, { recursive: true })
    return join(series, `${period}.parquet`)
  }

  /** Writes one file of raw events. @returns its path */
  async write(dataset: string, period: string, select: string, options = 'COMPRESSION zstd'): Promise<string> {
    const path = this.path(dataset, period)
    await this.db.run(`COPY (${select}) TO '${path}' (FORMAT parquet, ${options})`)
    return path
  }

  outputPath(dataset: string): string {
    return join(this.folder, 'out', `${dataset}.parquet`)
  }

  /** Computes datasets over the days from `start` to `end`, both included. */
  compute(datasets: MetricDatasetId[], run: ComputeRun, options: ComputeOptions & { pool: ComputePool }) {
    const { start, end = start, intervalSeconds = 3600, timestamp = 'exchange' } = run
    return computeMetrics(
      {
        outputs: datasets.map((dataset) => ({ dataset, path: this.outputPath(dataset) })),
        intervalSeconds,
        timestamp,
        startDay: start,
        endDay: addDays(end, 1),
        findFiles: rawFileFinder(this.folder, exchange, symbol),
      },
      options,
    )
  }
}

export interface ComputeRun {
  start: string
  end?: string
  intervalSeconds?: number
  timestamp?: 'exchange' | 'true'
}
