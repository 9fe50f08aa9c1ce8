import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'

export const computedFolder =
  'dataset=vtwap/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1h/timestamp=exchange'

const HOUR_MS = 3_600_000

/** Lists the given number of hours, beginning with a time. */
export const hoursFrom = (from: string, count: number): number[] =>
  Array.from({ length: count }, (_, hour) => Date.parse(from) + hour * HOUR_MS)

/** Returns the columns of a metric file with one row per time, as Spark writes them: all of them may contain null. */
export function partColumns(times: readonly number[], dataset: MetricDatasetId = 'vtwap'): ColumnSource[] {
  return [
    { name: 'time', type: 'INT64', nullable: true, data: BigInt64Array.from(times, BigInt) },
    ...metricDataset(dataset).columns.map(({ name }, index): ColumnSource => ({
      name,
      type: 'DOUBLE',
      nullable: true,
      data: times.map((time, row) => (row % 7 === 3 ? null : time / HOUR_MS + index)),
    })),
  ]
}

/** Writes a part below a folder. @returns its path */
export function writePart(
  out: string,
  name: string,
  columnData: ColumnSource[],
  kvMetadata: { key: string; value: string }[] = [{ key: 'org.apache.spark.version', value: '4.3.0' }],
  createdBy?: string,
): string {
  const path = join(out, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, kvMetadata, createdBy })))
  return path
}
