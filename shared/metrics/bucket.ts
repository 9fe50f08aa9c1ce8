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
  /** The events inside the interval, preceded by the last event before it if there is one. */
  asOf<S extends EventSource>(source: S): EventsOf[S]
}

/**
 * Computes the values of one interval that has driving events and writes them to `row` in the catalog's order; a value
 * left NaN (or not finite) is null. Called with intervals in time order.
 */
export type IntervalFunction = (interval: IntervalView, row: Float64Array) => void

export interface Bucket {
  dataset: MetricDatasetId
  /** The fields of the events that it looks at, besides their times: nothing else needs to be read. */
  reads: Partial<{ [S in EventSource]: readonly Exclude<keyof EventsOf[S], 'timeUs'>[] }>
  /** True if an interval depends on earlier ones of its day, so that a day cannot be computed in pieces. */
  needsWholeDay?: boolean
  /** Makes the function again for every computation, so that state of one never reaches another. */
  create(): IntervalFunction
}
