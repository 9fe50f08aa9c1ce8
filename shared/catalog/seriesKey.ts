/**
 * Identity of a series of files. Metric files have an interval and a timestamp source; raw-event files have neither.
 */
export interface SeriesKey {
  kind: 'metrics' | 'raw'
  dataset: string
  exchange: string
  symbol: string
  /** Interval such as `1h`; empty for raw events. */
  interval: string
  /** `exchange` or `true`; empty for raw events. */
  timestamp: string
}
