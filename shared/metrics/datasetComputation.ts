import type { EventSource, MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { EventsOf } from './events.ts'
import type { MetricPlan } from './plan.ts'
import type { TradeInterval } from './tradeInterval.ts'

/** Events of one interval, as the function of a dataset receives them. */
export interface IntervalView {
  startUs: number
  endUs: number
  /** Trades of the interval with derived values that several datasets of trades share, computed once. */
  trades: TradeInterval
  /** Returns the events inside the interval. */
  inside<S extends EventSource>(source: S): EventsOf[S]
  /** Returns the events inside the interval, preceded by the last earlier event if there is one. */
  asOf<S extends EventSource>(source: S): EventsOf[S]
}

/**
 * Computes the values of one interval with driving events, and writes them to `row` in the catalog's order; NaN and
 * infinite values stand for null. The function is called for the intervals in time order.
 */
export type IntervalFunction = (interval: IntervalView, row: Float64Array) => void

export interface DatasetComputation {
  dataset: MetricDatasetId
  /** Fields of the events that the computation needs, besides their times; no others are read. */
  reads: Partial<{ [S in EventSource]: readonly Exclude<keyof EventsOf[S], 'timeUs'>[] }>
  /** True if an interval depends on earlier ones of its day, so that a day cannot be computed in pieces. */
  needsWholeDay?: boolean
  /**
   * The same computation as data, from which the queries for other engines are made; null if its events are no raw
   * dataset.
   */
  plan: MetricPlan | null
  /** Creates the function for one computation, so that computations never share state. */
  create(): IntervalFunction
}
