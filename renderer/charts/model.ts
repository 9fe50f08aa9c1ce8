import type { NumberKind } from '#shared/units/numberKinds.ts'
import type { Zone } from '#shared/units/instants.ts'
import type { AxisChoice, ScaleName, SeriesStyle, Transform } from '#shared/workspace/chartStyle.ts'

/** UTC milliseconds, half-open. */
export interface TimeRange {
  startMs: number
  endMs: number
}

/** Columns of a candle besides its close, which is the series' value. They are missing where the close is. */
export interface CandleColumns {
  open: Float64Array
  high: Float64Array
  low: Float64Array
  volume: Float64Array | null
}

/** Count, mean and summed squared deviations of the values in buckets of rows. */
export interface Moments {
  /** Start times of the buckets, ascending. */
  times: Float64Array
  count: Float64Array
  mean: Float64Array
  m2: Float64Array
}

export interface ChartSeries {
  id: string
  label: string
  unit: string
  kind: NumberKind
  /** Ascending. */
  times: Float64Array
  values: Float64Array
  /** Validity by row, 0 for missing; null when every row is present. NaN and infinities are missing in any case. */
  valid: Uint8Array | null
  candles?: CandleColumns
  /** Milliseconds between rows; a longer step is a gap. Null for irregular rows; derived from the rows when left out. */
  stepMs?: number | null
  style: SeriesStyle
  /** Axis of the series; `auto` chooses by unit. */
  axis: AxisChoice
  transform: Transform
  /** True while the rows are loading, so that none counts as missing. */
  isPending?: boolean
  /** Transforms applied before the chart, shown like its own. */
  badges?: readonly string[]
  /** Moments for the z-score when the rows are a reduced form of many more. */
  moments?: Moments
  /** Place in the palette of series, from 0. */
  colour: number
}

export interface Pane {
  id: string
  title: string
  series: readonly ChartSeries[]
  scale: ScaleName
  /** Least distance that axes reach on both sides of 0, so that noise stays small. */
  leastReach?: number
}

/** A range marked behind the panes. The data of `absent` ranges can be downloaded. */
export interface Band extends TimeRange {
  id: string
  kind: 'regime' | 'overlay' | 'absent'
  label: string
  /** True when the range has a file that is damaged. */
  isUnreadable?: boolean
  /** The pane that shows the band; all panes when left out. */
  paneId?: string
  /** Place in the palette; `absent` bands are hatched instead. */
  colour: number
}

export interface Note {
  id: string
  timeMs: number
  text: string
}

export interface Measure extends TimeRange {
  id: string
  paneId: string
}

/** Coverage state of a range. */
export interface Coverage extends TimeRange {
  state: 'cached' | 'available' | 'absent'
}

export interface ChartModel {
  label: string
  panes: readonly Pane[]
  /** Range in view; null for all of the data. */
  range: TimeRange | null
  /** Extent of all data, when the series hold only a part of it. */
  extent?: TimeRange | null
  bands: readonly Band[]
  notes: readonly Note[]
  measures: readonly Measure[]
  coverage: readonly Coverage[]
  zone: Zone
}

export const emptyModel = (label: string): ChartModel => ({
  label,
  panes: [],
  range: null,
  bands: [],
  notes: [],
  measures: [],
  coverage: [],
  zone: 'utc',
})

export const lengthMs = ({ startMs, endMs }: TimeRange): number => endMs - startMs

export const sameRange = (a: TimeRange | null, b: TimeRange | null): boolean =>
  a === b || (a !== null && b !== null && a.startMs === b.startMs && a.endMs === b.endMs)
