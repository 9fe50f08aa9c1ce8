/** The model of a chart: its panes, series, bands, notes and measured ranges, and the transforms of series. */
import { lowerBound } from '#shared/search.ts'
import { indexPerValue, percentPerDistance } from '#shared/statistics/fromStart.ts'
import type { Flags } from '#shared/overview/flags.ts'
import type { Shade } from '#shared/overview/shade.ts'
import type { ReportChart } from '#shared/report/reportContent.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { Zone } from '#shared/units/instants.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import type { DisplayUnit } from '#shared/workspace/displayUnit.ts'
import type { AxisChoice, LockedAxis, ScaleName, SeriesStyle, Side, Transform } from '#shared/workspace/chartStyle.ts'
import type { Drawing, Fill } from '#shared/workspace/workspaceSchema.ts'
import type { SeriesColour } from './chartColours.ts'

/**
 * Columns of a candle besides the close, which is the value of the series. Where the close is missing, these are
 * missing too.
 */
export interface CandleColumns {
  open: Float64Array
  high: Float64Array
  low: Float64Array
  volume: Float64Array | null
}

/** Count, mean and summed squared deviations of the values in bins of rows. */
export interface BinMoments {
  /** Start times of the bins, ascending. */
  times: Float64Array
  count: Float64Array
  mean: Float64Array
  m2: Float64Array
}

/** Appearance of individual points; kinds of points differ in shape as well as in colour. */
export interface PointMark {
  shape: 'square' | 'up' | 'down'
  sizePx: number
}

export interface ChartSeries {
  id: string
  label: string
  unit: string
  kind: NumberKind
  /** Ascending times. */
  times: Float64Array
  values: Float64Array
  /**
   * Validity of each row: 0 if its value is missing, else 1; null if none is missing. NaN and infinities always count
   * as missing.
   */
  valid: Uint8Array | null
  candles?: CandleColumns
  /**
   * Milliseconds between rows; longer steps are gaps. Null if rows are irregular; if omitted, it is found from the
   * rows.
   */
  stepMs?: number | null
  style: SeriesStyle
  /** Appearance of points in style `points`; small squares if omitted. */
  mark?: PointMark
  /** Axis of the series; `auto` chooses it by unit. */
  axis: AxisChoice
  transform: Transform
  /** Alternative unit in which the values are shown, unless the transform has a unit of its own, such as per cent. */
  display?: DisplayUnit | null
  /** True while the rows are loading, so that they do not count as missing. */
  isPending?: boolean
  /**
   * Labels of the transforms that the rows have gone through already; they are shown like those of the chart's own
   * transforms.
   */
  badges?: readonly string[]
  /** Moments of all rows, for the z-score, if the series has only a selection of them. */
  moments?: BinMoments
  /** What the area between the line and this is filled to. */
  fill?: Fill | undefined
  /** Events that are drawn as flags, in place of values. */
  flags?: Flags | null
  /** Index in the series palette, from 0. */
  colour: SeriesColour
  /** True if the rows are a selection of many more, so that most instants have no row here. */
  isReduced?: boolean
}

/** Rows of a series, with the step of their data. */
export type RowsWithStep = Pick<ChartSeries, 'times' | 'values' | 'valid'> & { stepMs: number | null }

/** Last full rows up to the time of the cursor, for each reduced series by its id. */
export interface RowsAtCursor {
  timeMs: number
  rows: ReadonlyMap<string, RowsWithStep>
}

export type HiddenSeries = Pick<ChartSeries, 'id' | 'label' | 'colour'> & { place: number }

export interface Pane {
  id: string
  title: string
  series: readonly ChartSeries[]
  /** Charts of how values are distributed, which the pane shows in place of lines; it then has no series. */
  figures?: readonly ReportChart[] | undefined
  scale: ScaleName
  /** Hidden series, with their positions among all series of the pane. */
  hidden?: readonly HiddenSeries[]
  /** Minimum distance that axes reach on both sides of 0, so that small noise does not fill the pane. */
  leastReach?: number
  /** Bounds of axes that the user locked, each in the unit that the axis showed when it was locked. */
  locked?: Partial<Record<Side, LockedAxis>>
  /** True if axes span the 1st to the 99th percentile of the drawn values. */
  robust?: boolean
}

/** A time range that is shaded behind the series. The data of `missing` ranges can be downloaded. */
export interface Band extends TimeRange {
  id: string
  kind: 'regime' | 'overlay' | 'missing'
  label: string
  /** True if a file in the range is damaged. */
  isUnreadable?: boolean
  /** True if the download queue has the files of the range already. */
  isQueued?: boolean
  /** Pane that shows the band; all panes if omitted. */
  paneId?: string
  /** Index in the palette; `missing` bands are hatched instead. */
  colour: number
}

export interface Note {
  id: string
  timeMs: number
  text: string
}

/** Last rows of a pane's first series up to each end of a measured range, from its full data. */
export interface MeasureEnds {
  start: RowsWithStep
  end: RowsWithStep
}

export interface Measure extends TimeRange {
  id: string
  paneId: string
  /** Full rows at both ends, by pane. Until they are loaded, drawn points are used and marked as approximate. */
  ends?: ReadonlyMap<string, MeasureEnds>
}

/** A measured range, possibly still being dragged. */
export type MeasuredRange = TimeRange & { ends?: MeasureEnds }

export type DrawingKind = Drawing['kind']

/** A range of time with its coverage. */
export interface CoveragePart extends TimeRange {
  state: 'cached' | 'available' | 'absent'
}

export interface ChartModel {
  label: string
  panes: readonly Pane[]
  /** Range in view; null for all of the data. */
  range: TimeRange | null
  /** Extent of all data, if the series contain only part of it. */
  extent?: TimeRange | null
  bands: readonly Band[]
  /** States that shade all panes while they are on. */
  shades?: readonly Shade[]
  notes: readonly Note[]
  measures: readonly Measure[]
  /** Levels, lines and ranges that the user drew. */
  drawings?: readonly Drawing[]
  coverage: readonly CoveragePart[]
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

/** Returns the first row at or after the time; the number of rows when there is none. */
export const rowAtOrAfter = (times: Float64Array, timeMs: number): number => lowerBound(times, timeMs)

/** Returns the last row at or before the time; -1 when there is none. */
export function rowAtOrBefore(times: Float64Array, timeMs: number): number {
  const row = rowAtOrAfter(times, timeMs)
  return times[row] === timeMs ? row : row - 1
}

/** Returns the half-open range of rows inside a time range. */
export function rowsOf(times: Float64Array, range: TimeRange): { from: number; to: number } {
  return { from: rowAtOrAfter(times, range.startMs), to: rowAtOrAfter(times, range.endMs) }
}

export type Rows = Pick<ChartSeries, 'times' | 'values' | 'valid'>

/** Tells whether a row has a finite value; missing, NaN and infinity cannot be drawn. */
export const hasValue = ({ values, valid }: Rows, row: number): boolean =>
  (valid === null || valid[row] !== 0) && Number.isFinite(values[row])

const SAMPLED_ROWS = 2000

/** Finds the most common step; null if fewer than half of the sampled rows have it. */
export function foundStepMs(times: Float64Array): number | null {
  const counts = new Map<number, number>()
  const rowStep = Math.max(1, Math.floor((times.length - 1) / SAMPLED_ROWS))
  let sampledSteps = 0
  for (let row = 1; row < times.length; row += rowStep) {
    const step = times[row] - times[row - 1]
    counts.set(step, (counts.get(step) ?? 0) + 1)
    sampledSteps += 1
  }
  const [stepMs, count] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0])
  return stepMs > 0 && count * 2 >= sampledSteps ? stepMs : null
}

const stepCache = new WeakMap<Float64Array, number | null>()

/** Returns the step of a series, cached for the same rows. */
export function chartStepMs(series: Pick<ChartSeries, 'times' | 'stepMs'>): number | null {
  if (series.stepMs !== undefined) return series.stepMs
  const { times } = series
  const known = stepCache.get(times)
  if (known !== undefined) return known
  const stepMs = foundStepMs(times)
  stepCache.set(times, stepMs)
  return stepMs
}

/** Returns the longest step that is not a gap: 1.5 intervals, because rounded times make some steps a little longer. */
export const longestStepMs = (stepMs: number | null): number => (stepMs === null ? Infinity : stepMs * 1.5)

/**
 * Returns the time range from the first row to the end of the last row of all series; null if there are no rows. A
 * range that is a single instant is widened by a minute on both sides.
 */
export function extentOf(series: readonly ChartSeries[]): TimeRange | null {
  let startMs = Infinity
  let endMs = -Infinity
  for (const one of series) {
    const { times } = one
    if (times.length === 0) continue
    startMs = Math.min(startMs, times[0])
    endMs = Math.max(endMs, times[times.length - 1] + (chartStepMs(one) ?? 0))
  }
  if (startMs > endMs) return null
  const SINGLE_POINT_MARGIN_MS = 60_000
  return startMs === endMs
    ? { startMs: startMs - SINGLE_POINT_MARGIN_MS, endMs: endMs + SINGLE_POINT_MARGIN_MS }
    : { startMs, endMs }
}

/** Badge text of each transform. */
export const transformLabels: Record<Transform, string> = {
  none: '',
  percentFromStart: '% from start of view',
  indexed: 'start of view = 100',
  zscore: 'z-score of view',
  difference: 'difference',
  cumulative: 'running sum',
  settled: 'funding paid',
  settledSum: 'running sum of funding paid',
}

/** Returns the unit of transformed values. */
export const transformedUnit = (transform: Transform, unit: string): string =>
  ({ percentFromStart: '%', indexed: 'index', zscore: 'σ' } as Partial<Record<Transform, string>>)[transform] ?? unit

/** Affine map `value · factor + offset`. It maps extremes to extremes, so it can be applied after the reduction. */
export interface Affine {
  factor: number
  offset: number
}

/**
 * Computes the affine map of a transform over the rows in view; null when undefined (no value, a start of 0, no
 * spread).
 */
export function affineOf(transform: Transform, rows: Rows, range: TimeRange, moments?: BinMoments): Affine | null {
  if (transform === 'percentFromStart') return percentMap(rows, range)
  if (transform === 'indexed') return indexMap(rows, range)
  if (transform === 'zscore') return moments ? scoreMapOfBins(moments, range) : scoreMap(rows, range)
  return { factor: 1, offset: 0 }
}

function firstValue(rows: Rows, range: TimeRange): number | null {
  const { from, to } = rowsOf(rows.times, range)
  for (let row = from; row < to; row += 1) if (hasValue(rows, row)) return rows.values[row]
  return null
}

function percentMap(rows: Rows, range: TimeRange): Affine | null {
  const start = firstValue(rows, range)
  const factor = start === null ? null : percentPerDistance(start)
  return start === null || factor === null ? null : { factor, offset: -start * factor }
}

function indexMap(rows: Rows, range: TimeRange): Affine | null {
  const start = firstValue(rows, range)
  const factor = start === null ? null : indexPerValue(start)
  return factor === null ? null : { factor, offset: 0 }
}

function scoreMap(rows: Rows, range: TimeRange): Affine | null {
  const { from, to } = rowsOf(rows.times, range)
  let count = 0
  let mean = 0
  let squares = 0
  for (let row = from; row < to; row += 1) {
    if (!hasValue(rows, row)) continue
    count += 1
    const delta = rows.values[row] - mean
    mean += delta / count
    squares += delta * (rows.values[row] - mean)
  }
  const deviation = Math.sqrt(squares / (count - 1))
  return scoreOf(mean, deviation)
}

/** Standardises by the moments of the bins that start in the range; each bin counts in full. */
function scoreMapOfBins({ times, count, mean, m2 }: BinMoments, range: TimeRange): Affine | null {
  const { from, to } = rowsOf(times, range)
  let rowCount = 0
  let runningMean = 0
  let squares = 0
  for (let at = from; at < to; at += 1) {
    if (!(count[at] > 0)) continue
    const delta = mean[at] - runningMean
    const countBefore = rowCount
    rowCount += count[at]
    runningMean += (delta * count[at]) / rowCount
    squares += m2[at] + (delta * delta * countBefore * count[at]) / rowCount
  }
  const deviation = Math.sqrt(squares / (rowCount - 1))
  return scoreOf(runningMean, deviation)
}

const scoreOf = (mean: number, deviation: number): Affine | null =>
  deviation > 0 && Number.isFinite(deviation) ? { factor: 1 / deviation, offset: -mean / deviation } : null

const transformedRows = new WeakMap<Float64Array, Map<string, Rows>>()

/** Returns the rows before they are scaled and reduced: differences, cumulative sums, or the rows as they are. */
export function unscaledRows(series: ChartSeries): Rows {
  const { transform, values } = series
  // What a long pays is computed before, by the funding periods.
  if (transform !== 'difference' && transform !== 'cumulative') return series
  const byTransform = transformedRows.get(values) ?? new Map<string, Rows>()
  transformedRows.set(values, byTransform)
  const known = byTransform.get(transform)
  if (known) return known
  const rows = transform === 'difference' ? differences(series) : cumulativeSums(series)
  byTransform.set(transform, rows)
  return rows
}

/** Computes differences, which are missing if either row is missing or across a gap. */
function differences(series: ChartSeries): Rows {
  const { times, values } = series
  const longestMs = longestStepMs(chartStepMs(series))
  const differencesPerRow = new Float64Array(values.length).fill(NaN)
  for (let row = 1; row < values.length; row += 1) {
    const isNext = times[row] - times[row - 1] <= longestMs
    if (isNext && hasValue(series, row) && hasValue(series, row - 1))
      differencesPerRow[row] = values[row] - values[row - 1]
  }
  return { times, values: differencesPerRow, valid: null }
}

/** Computes cumulative sums; missing rows are skipped and stay missing. */
function cumulativeSums(series: ChartSeries): Rows {
  const { times, values } = series
  const sums = new Float64Array(values.length).fill(NaN)
  let sum = 0
  for (let row = 0; row < values.length; row += 1) {
    if (!hasValue(series, row)) continue
    sum += values[row]
    sums[row] = sum
  }
  return { times, values: sums, valid: null }
}
