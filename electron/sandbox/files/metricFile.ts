import {
  isMetricDatasetId,
  metricDataset,
  metricDatasets,
  type MetricDatasetId,
} from '#shared/catalog/metricDatasets.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { unknownBucket } from '../access/buckets.ts'
import { hashOf } from '../market/random.ts'
import type { MadeFile, MetricFileJob } from './fileJob.ts'
import { metricColumns } from './metricColumns.ts'
import { computeMetricRows } from './metricRows.ts'
import { ParquetFile } from './parquetFile.ts'
import { spoiltRows } from './spoiltRows.ts'

const rowGroupSizes = [500, 5000, 100_000]

function writeRows(job: MetricFileJob, rows: MetricRows, folder: string): MadeFile {
  const habit = hashOf('metric file', rows.dataset, job.venue)
  const { schema, data } = metricColumns(job, spoiltRows(rows, job.shape))
  const file = new ParquetFile(job, folder, schema, habit % 3 === 0 ? 'SNAPPY' : 'ZSTD')
  if (rows.timeMs.length > 0) file.write(data, rowGroupSizes[habit % rowGroupSizes.length])
  return file.finish()
}

/**
 * The file of a job, and those of the datasets that come of the same events: one that reads `flow` reads `ohlcv` next,
 * and the events are the larger part of the work.
 */
export function makeMetricFiles(job: MetricFileJob, folder: string): MadeFile[] {
  if (!isMetricDatasetId(job.bucket)) {
    return [writeRows(job, computeMetricRows(job, [unknownBucket.columnsOf])[0], folder)]
  }
  const { driving } = metricDataset(job.bucket)
  const datasets: MetricDatasetId[] = metricDatasets.filter((other) => other.driving === driving).map(({ id }) => id)
  return computeMetricRows(job, datasets).map((rows) => writeRows({ ...job, bucket: rows.dataset }, rows, folder))
}
