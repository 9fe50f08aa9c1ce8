import { metricDataset, type MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { MetricRows } from './metricRows.ts'
import { RowBuffer } from './rowBuffer.ts'

/**
 * Presence of driving events before and after a part of a range, such as a day that is computed by itself. Its rows then
 * begin with its first interval and end with its last one, with or without events.
 */
export interface Continuation {
  before: boolean
  after: boolean
}

/** Part of a range, in milliseconds with an exclusive end, and whether the range continues on both sides. */
export interface RangePart extends Continuation {
  startMs: number
  endMs: number
}

/**
 * Adds rows for intervals without events between the first and the last row; input arrives in time order, in pieces.
 */
export class RowFiller {
  private readonly intervalMs: number
  private readonly empty: Float64Array
  private readonly row: Float64Array
  private readonly filled: RowBuffer
  private readonly toxicity: ToxicityPass | null
  private readonly endMs: number
  private nextMs: number

  /** @param part part of the range that the rows come from; null for the whole range */
  constructor(dataset: MetricDatasetId, intervalSeconds: number, part: RangePart | null = null) {
    this.nextMs = part?.before ? part.startMs : Infinity
    this.endMs = part?.after ? part.endMs : -Infinity

    const { columns } = metricDataset(dataset)
    this.intervalMs = intervalSeconds * 1000
    this.empty = Float64Array.from(columns, ({ zeroWhenEmpty }) => (zeroWhenEmpty ? 0 : NaN))
    this.row = new Float64Array(columns.length)
    this.filled = new RowBuffer(dataset)
    this.toxicity = dataset === 'flow' ? new ToxicityPass() : null
  }

  fill({ timeMs, columns }: MetricRows): MetricRows {
    for (let i = 0; i < timeMs.length; i++) {
      this.addEmptyUntil(timeMs[i])
      for (let j = 0; j < columns.length; j++) this.row[j] = columns[j][i]
      this.filled.add(timeMs[i], this.row)
      this.nextMs = timeMs[i] + this.intervalMs
    }
    return this.take()
  }

  /** Returns the rows that follow the last one in a part that the range continues after. */
  finish(): MetricRows {
    this.addEmptyUntil(this.endMs)
    return this.take()
  }

  private addEmptyUntil(endMs: number): void {
    for (; this.nextMs < endMs; this.nextMs += this.intervalMs) this.filled.add(this.nextMs, this.empty)
  }

  private take(): MetricRows {
    const rows = this.filled.take()
    this.toxicity?.apply(rows)
    return rows
  }
}

const msPerDay = 86_400_000
/** Indexes of the columns `volume_delta_notional` and `flow_toxicity_score` in the dataset `flow`. */
const deltaNotionalAt = 5
const toxicityAt = 7

/** z-score of the latest value against all values so far, including itself. */
class RunningScore {
  private count = 0
  private mean = 0
  private m2 = 0

  reset(): void {
    this.count = this.mean = this.m2 = 0
  }

  /** Adds a value and returns its score; NaN while all values are equal. */
  add(value: number): number {
    this.count++
    const distance = value - this.mean
    this.mean += distance / this.count
    this.m2 += distance * (value - this.mean)
    return this.m2 > 0 ? (value - this.mean) / Math.sqrt(this.m2 / (this.count - 1)) : NaN
  }
}

/**
 * Turns the realised volatility that `flow` left in `flow_toxicity_score` into the score. It runs over gap-filled rows:
 * an interval without trades counts as one with a flow and a volatility of 0, and has no score itself.
 */
class ToxicityPass {
  private readonly flow = new RunningScore()
  private readonly volatility = new RunningScore()
  private day = NaN

  apply({ timeMs, columns }: MetricRows): void {
    const volatilities = columns[toxicityAt]
    for (let i = 0; i < timeMs.length; i++) {
      const day = Math.floor(timeMs[i] / msPerDay)
      if (day !== this.day) {
        this.flow.reset()
        this.volatility.reset()
        this.day = day
      }
      const isEmpty = Number.isNaN(volatilities[i])
      const flowScore = this.flow.add(columns[deltaNotionalAt][i])
      const volatilityScore = this.volatility.add(isEmpty ? 0 : volatilities[i])
      volatilities[i] = isEmpty ? NaN : flowScore * volatilityScore
    }
  }
}
