import type { NumberKind } from '#shared/units/numberKinds.ts'
import type { Zone } from '#shared/units/instants.ts'
import type { AxisChoice, ScaleName, SeriesStyle, Transform } from '#shared/workspace/chartStyle.ts'

/** UTC milliseconds, half-open. */
export interface TimeRange {
  startMs: number
  endMs: number
}

/** What a candle has besides its close, which is the series' value. Missing where the close is. */
export interface CandleColumns {
  open: Float64Array
  high: Float64Array
  low: Float64Array
  volume: Float64Array | null
}

/** Of stretches of rows: how many values, their mean, and their squared distances from it, summed. */
export interface Moments {
  /** Starts of the stretches, ascending. */
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
  /** 0: missing. Null where every row is there; NaN and infinities are missing in any case. */
  valid: Uint8Array | null
  candles?: CandleColumns
  /** Milliseconds from row to row: a longer step is a gap. Null: rows come as they come. Left out: found from the rows. */
  stepMs?: number | null
  style: SeriesStyle
  /** `auto`: by unit. */
  axis: AxisChoice
  transform: Transform
  /** Its rows are on their way: nothing is missing yet. */
  isPending?: boolean
  /** What was done to the rows before they came here: shown like a transform. */
  badges?: readonly string[]
  /** Where the rows stand for many more: what a z-score needs to know of all of them. */
  moments?: Moments
  /** Place in the palette of series, from 0. */
  colour: number
}

export interface Pane {
  id: string
  title: string
  series: readonly ChartSeries[]
  scale: ScaleName
  /** Axes reach at least this far to both sides of 0, so that noise looks like nothing. */
  leastReach?: number
}

/** A stretch of time behind the panes. `absent` ones can be downloaded. */
export interface Band extends TimeRange {
  id: string
  kind: 'regime' | 'overlay' | 'absent'
  label: string
  /** A file is here, and damaged. */
  isUnreadable?: boolean
  /** Only in this pane; in all without. */
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

/** How much of a stretch is here. */
export interface Coverage extends TimeRange {
  state: 'cached' | 'available' | 'absent'
}

export interface ChartModel {
  label: string
  panes: readonly Pane[]
  /** What is in view; null: all of it. */
  range: TimeRange | null
  /** All there is, where the series hold only a part of it. */
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
