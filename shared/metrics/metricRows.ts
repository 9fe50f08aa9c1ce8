import type { MetricDatasetId } from '../catalog/metricDatasets.ts'

/** Rows of one metric dataset in time order. NaN stands for null, because no column has NaN or Infinity as a value. */
export interface MetricRows {
  dataset: MetricDatasetId
  /** Interval starts, milliseconds since the epoch. */
  timeMs: Float64Array
  /** One array per column of the dataset, in the catalog's order. */
  columns: Float64Array[]
}
