import { metricDataset, type MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { MetricRows } from './metricRows.ts'
import { RowBuffer } from './rowBuffer.ts'
import { ToxicityPass } from './toxicity.ts'

/** Adds the rows of intervals without events between the first and the last row, fed in time order piece by piece. */
export class RowFiller {
  private readonly intervalMs: number
  private readonly empty: Float64Array
  private readonly row: Float64Array
  private readonly filled: RowBuffer
  private readonly toxicity: ToxicityPass | null
  private nextMs = Infinity

  constructor(dataset: MetricDatasetId, intervalSeconds: number) {
    const { columns } = metricDataset(dataset)
    this.intervalMs = intervalSeconds * 1000
    this.empty = Float64Array.from(columns, ({ zeroWhenEmpty }) => (zeroWhenEmpty ? 0 : NaN))
    this.row = new Float64Array(columns.length)
    this.filled = new RowBuffer(dataset)
    this.toxicity = dataset === 'flow' ? new ToxicityPass() : null
  }

  fill({ timeMs, columns }: MetricRows): MetricRows {
    for (let i = 0; i < timeMs.length; i++) {
      for (; this.nextMs < timeMs[i]; this.nextMs += this.intervalMs) this.filled.add(this.nextMs, this.empty)
      for (let j = 0; j < columns.length; j++) this.row[j] = columns[j][i]
      this.filled.add(timeMs[i], this.row)
      this.nextMs = timeMs[i] + this.intervalMs
    }
    const rows = this.filled.take()
    this.toxicity?.apply(rows)
    return rows
  }
}
