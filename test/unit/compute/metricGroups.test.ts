import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { createComputePool } from '#core/compute/computePool.ts'
import { MetricFileWriter } from '#core/compute/metricFile.ts'
import { metricSchema } from '#core/compute/metricGroups.ts'
import { numberCells } from '#core/parquet/negativeZero.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

/**
 * Functions of the row for kinds of columns: distinct values, repeated values, some values missing, a constant, −0
 * among other values, and no values.
 */
const kinds: ((row: number) => number)[] = [
  (row) => Math.sin(row),
  (row) => Math.floor(Math.abs(Math.sin(row)) * 40),
  (row) => (row % 7 === 0 ? NaN : row / 4),
  () => 1,
  (row) => (row % 3 === 0 ? -0 : row % 3),
  () => NaN,
]

const rowsOf = (dataset: MetricDatasetId, from: number, count: number): MetricRows => ({
  dataset,
  timeMs: Float64Array.from({ length: count }, (_, row) => (from + row) * 60_000),
  columns: metricDataset(dataset).columns.map((_, column) =>
    Float64Array.from({ length: count }, (__, row) => kinds[column % kinds.length](from + row)),
  ),
})

/** Writes a file with the library's own defaults, in one thread and with a new codec for each page. */
async function writePlainly(dataset: MetricDatasetId, groups: MetricRows[]): Promise<Uint8Array> {
  const writer = new ByteWriter()
  const schema = metricSchema(dataset)
  const file = new ParquetWriter({
    writer,
    codec: 'ZSTD',
    compressors: { ZSTD: (page) => zstdCompressSync(page, { chunkSize: page.length + 4096 }) },
    createdBy: 'perpscope',
    kvMetadata: [],
    schema: [{ name: 'schema', num_children: schema.length }, ...schema],
  })
  for (const { timeMs, columns } of groups) {
    const cells = columns.map((values) => Array.from(values, (value) => (Number.isNaN(value) ? null : value)))
    const columnData = [
      { name: 'time', data: BigInt64Array.from(timeMs, BigInt) },
      ...metricDataset(dataset).columns.map(({ name }, column) => numberCells(name, cells[column])),
    ]
    await file.write({ columnData, rowGroupSize: 50_000 })
  }
  await file.finish()
  return writer.getBytes()
}

/** Numbers of rows in the parts that a file receives; a row group is written once it has 50,000 rows. */
const parts = [30_000, 25_000, 1440, 1]

test('a file is the same bytes whoever encodes its row groups', async () => {
  const datasets: MetricDatasetId[] = ['ohlcv', 'range', 'vtwap']
  const folder = temporaryFolder()
  const pool = createComputePool(2)
  for (const encode of [pool.encode, undefined]) {
    const files = datasets.map((dataset) => new MetricFileWriter(join(folder, dataset), dataset))
    for (const [index, dataset] of datasets.entries()) {
      let from = 0
      for (const count of parts) {
        await files[index].add(rowsOf(dataset, from, count))
        from += count
      }
    }
    await MetricFileWriter.finishAll(files, encode)
    for (const dataset of datasets) {
      const expected = await writePlainly(dataset, [rowsOf(dataset, 0, 55_000), rowsOf(dataset, 55_000, 1441)])
      expect(readFileSync(join(folder, dataset)).equals(expected), dataset).toBe(true)
    }
    expect(files.map(({ rows }) => rows)).toEqual([56_441, 56_441, 56_441])
  }
  await pool.close()
})
