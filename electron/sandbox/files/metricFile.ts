import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { hashOf } from '../market/random.ts'
import type { MadeFile, MetricFileJob } from './fileJob.ts'
import { datasetOf, jointBuckets } from './jointDatasets.ts'
import { metricData, metricSchema } from './metricColumns.ts'
import { computeMetricRows } from './metricRows.ts'
import { finishTogether, ParquetFile } from './parquetFile.ts'
import { PendingRows } from './pendingRows.ts'
import { spoiltRows } from './spoiltRows.ts'

const rowGroupSizes = [500, 5000, 20_000]
/** Enough rows for a row group of any size, and few enough to hold those of ten datasets at once. */
const FLUSH_ROWS = 5000

/** One file on its way: rows come in pieces and go to the disk in row groups. */
class MetricFile {
  private readonly job: MetricFileJob
  private readonly dataset: MetricDatasetId
  readonly file: ParquetFile
  private readonly rowGroupSize: number
  private readonly pending = new PendingRows()

  constructor(job: MetricFileJob, folder: string) {
    this.job = job
    this.dataset = datasetOf(job.bucket)
    const habit = hashOf('metric file', this.dataset, job.venue)
    this.file = new ParquetFile(job, folder, metricSchema(job, this.dataset), habit % 3 === 0 ? 'SNAPPY' : 'ZSTD')
    this.rowGroupSize = rowGroupSizes[habit % rowGroupSizes.length]
  }

  async add(rows: MetricRows): Promise<void> {
    this.pending.add(rows)
    if (this.pending.count >= FLUSH_ROWS) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.pending.count === 0) return
    const rows = spoiltRows(this.pending.take(), this.job.shape)
    await this.file.write(metricData(this.job, this.dataset, rows), this.rowGroupSize)
  }
}

/** Generates the file of a job, and the files that come of the same work. */
export function makeMetricFiles(job: MetricFileJob, folder: string): Promise<MadeFile[]> {
  const buckets = jointBuckets(job)
  const files = buckets.map((bucket) => new MetricFile({ ...job, bucket }, folder))
  const write = async () => {
    for (const pieces of computeMetricRows(job, buckets.map(datasetOf))) {
      for (const [index, rows] of pieces.entries()) await files[index].add(rows)
    }
    for (const file of files) await file.flush()
  }
  return finishTogether(
    files.map(({ file }) => file),
    write,
  )
}
