import type { MadeFile, MetricFileJob } from './fileJob.ts'
export function makeMetricFiles(job: MetricFileJob, folder: string): MadeFile[] {
  throw new Error(`not yet ${job.bucket} ${folder}`)
}
