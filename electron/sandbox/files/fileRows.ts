/** Rows of a metric file of any dataset; NaN stands for null. */
export interface GeneratedRows {
  dataset: string
  timeMs: Float64Array
  columns: Float64Array[]
}
