import type { EventSource, MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { EventsOf } from './events.ts'
import type { TradeInterval } from './tradeInterval.ts'

/** One interval as a bucket sees it. */
export interface IntervalView {
  startUs: number
  endUs: number
  /** Trades of the interval with what several trade buckets need of them, computed once. */
  trades: TradeInterval
  /** The events inside the interval. */
  inside<S extends EventSource>(source: S): EventsOf[S]
  /** The same, preceded by the last event before the interval where there is one. */
  asOf<S extends EventSource>(source: S): EventsOf[S]
}

/**
 * Computes the values of one interval that has driving events and writes them to `row` in the catalog's order; a value
 * left NaN (or not finite) is null. Called with intervals in time order.
 */
export type IntervalFunction = (interval: IntervalView, row: Float64Array) => void

export interface Bucket {
  dataset: MetricDatasetId
  /** Makes the function anew for every computation, so that state of one never reaches another. */
  create(): IntervalFunction
}
