import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { Venue } from '#shared/catalog/venues.ts'
import type { FileFaults } from '../faults/faults.ts'

interface FileOrigin {
  seed: number
  venue: Venue
  symbol: string
  /** `YYYY-MM` or `YYYY-MM-DD`. */
  period: string
  /** Events at or after this instant are not in the file. */
  untilMs: number
  /** 0, or the number of times the file was published again. */
  revision: number
}

export interface MetricFileJob extends FileOrigin {
  kind: 'metrics'
  bucket: string
  interval: string
  timestamp: TimestampSource
  shape: FileFaults
}

export interface RawFileJob extends FileOrigin {
  kind: 'raw'
  dataset: RawDatasetId
}

/** All that decides a file's content: equal jobs give equal bytes. */
export type FileJob = MetricFileJob | RawFileJob

export const jobKey = (job: FileJob) => JSON.stringify(Object.entries(job).sort(([a], [b]) => (a < b ? -1 : 1)))

export interface MadeFile {
  job: FileJob
  path: string
  sizeBytes: number
  sha256: string
}
