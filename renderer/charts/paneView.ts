/** Prepares a pane for drawing: reduces and transforms its series and finds the bounds of its axes. */
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import {
  isAxisRange,
  type ScaleName,
  type SeriesStyle,
  type Side,
  usesEarlierRows,
} from '#shared/workspace/chartStyle.ts'
import {
  axisBounds,
  type AxisBounds,
  linearBelowOf,
  tickLabels,
  valueFormat,
  valueScale,
  type ValueScale,
  valueTicks,
} from './axes.ts'
import { chartsText } from '../text/charts.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import {
  type ChartSeries,
  type Pane,
  type Affine,
  affineOf,
  unscaledRows,
  chartStepMs,
  transformedUnit,
  transformLabels,
} from './model.ts'
import { intervalName } from '#shared/time.ts'
import { type Candles, type Points, reduceRows, reduceCandles } from './reduce.ts'

export interface AxisView {
  side: Side
  /** Units on the axis; usually one. */
  units: readonly string[]
  scale: ValueScale
  bounds: AxisBounds
  ticks: readonly number[]
  labels: readonly string[]
  /** Formats a value between the ticks. */
  format(value: number): string
  /** Reason why values may be off the axis; null for an axis that includes all values in view. */
  cut: 'locked' | 'robust' | null
}

/** A pane prepared for drawing, in values and times rather than pixels. */
export interface PaneView {
  pane: Pane
  series: readonly (SeriesView & { side: Side })[]
  axes: Readonly<Record<Side, AxisView | null>>
  /** Badges of every one of several series, which a legend says once. */
  shared: readonly string[]
  /** Labels such as the name of a non-linear scale. */
  badges: readonly string[]
  /** Warnings about values that are not shown. */
  warnings: readonly string[]
}

const TICK_PX = 28

/** Inputs of each view, to tell whether a pane has changed. */
const inputsByView = new WeakMap<PaneView, readonly unknown[]>()

/**
 * Prepares a pane, or returns the view from before if nothing that it shows has changed, so that it is not painted
 * again.
 */
export function renewedView(
  before: PaneView | undefined,
  pane: Pane,
  range: TimeRange,
  widthPx: number,
  heightPx: number,
): PaneView {
  const inputs = [pane, range, widthPx, mostTicksIn(heightPx)]
  if (before && sameContent(inputsByView.get(before), inputs)) return before
  const view = paneView(pane, range, widthPx, heightPx)
  inputsByView.set(view, inputs)
  return view
}

/**
 * Tells whether two values of a chart's model have the same content. Functions, maps and arrays of numbers must be
 * identical, because comparing the numbers would take as long as drawing them.
 */
export function sameContent(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (ArrayBuffer.isView(one) || ArrayBuffer.isView(other)) return false
  if (one instanceof Map || other instanceof Map) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  const others = other as Record<string, unknown>
  return keys.every((key) => key in others && sameContent((one as Record<string, unknown>)[key], others[key]))
}

const mostTicksIn = (heightPx: number) => Math.max(2, Math.floor(heightPx / TICK_PX))

export function paneView(pane: Pane, range: TimeRange, widthPx: number, heightPx: number): PaneView {
  const sides = sidesOf(pane.series)
  const series = pane.series.map((one) => ({
    ...seriesView(one, range, widthPx, pane.scale),
    side: sides.get(one.id)!,
  }))
  const mostTicks = mostTicksIn(heightPx)
  const axis = (side: Side) =>
    axisView(
      side,
      series.filter((one) => one.side === side),
      { pane, range, mostTicks },
    )
  const axes = { left: axis('left'), right: axis('right') }
  return {
    pane,
    series,
    axes,
    shared: sharedBadges(series),
    badges: scaleBadges(pane, axes),
    warnings: warningsOf(series, axes),
  }
}

const sharedBadges = ([first, ...others]: readonly SeriesView[]): string[] =>
  others.length === 0 ? [] : first.badges.filter((badge) => others.every(({ badges }) => badges.includes(badge)))

/**
 * Assigns series to the sides that they specify; a series that specifies none goes to the side of its unit. A unit
 * whose side no series specifies goes to the left if no other unit is there yet, otherwise to the right.
 */
export function sidesOf(all: readonly ChartSeries[]): Map<string, Side> {
  const unitOf = shownUnitOf
  const byUnit = new Map<string, Side>()
  for (const one of all) if (one.axis !== 'auto' && !byUnit.has(unitOf(one))) byUnit.set(unitOf(one), one.axis)
  for (const one of all) {
    if (byUnit.has(unitOf(one))) continue
    byUnit.set(unitOf(one), [...byUnit.values()].includes('left') ? 'right' : 'left')
  }
  return new Map(all.map((one) => [one.id, one.axis === 'auto' ? byUnit.get(unitOf(one))! : one.axis]))
}

const startsAtZero = ({ style, series }: SeriesView) =>
  style === 'bar' || style === 'area' || series.fill?.to === 'zero'

function axisView(
  side: Side,
  series: readonly SeriesView[],
  { pane, range, mostTicks }: { pane: Pane; range: TimeRange; mostTicks: number },
): AxisView | null {
  if (series.length === 0) return null
  const dataBounds: AxisBounds = [
    Math.min(...series.map(({ bounds }) => bounds[0])),
    Math.max(...series.map(({ bounds }) => bounds[1])),
  ]
  const hasValues = dataBounds[0] <= dataBounds[1]
  const scale = valueScale(pane.scale, hasValues ? linearBelowOf(dataBounds) : 1)
  // Counts get ticks only at integers, means of counts also between them.
  const isWhole = series.every((one) => kindOf(one) === 'count') && dataBounds.every(Number.isInteger)
  const leastStep = isWhole ? 1 : 0
  const units = [...new Set(series.map(({ unit }) => unit))]
  const locked = lockedBounds(pane, side, units)
  const robustBounds = !locked && pane.robust && hasValues ? middleBounds(series, range) : null
  const { leastReach: reach = 0 } = pane
  const innerBounds = robustBounds ?? dataBounds
  const reachedBounds: AxisBounds =
    hasValues && reach > 0 ? [Math.min(innerBounds[0], -reach), Math.max(innerBounds[1], reach)] : innerBounds
  const bounds = locked ?? axisBounds(scale, reachedBounds, series.some(startsAtZero), leastStep)
  const ticks = hasValues || locked ? valueTicks(scale, bounds, mostTicks, leastStep) : []
  const kind = kindOf(series[0])
  const cut = locked ? 'locked' : robustBounds ? 'robust' : null
  return { side, units, scale, bounds, ticks, labels: tickLabels(ticks, kind), format: valueFormat(ticks, kind), cut }
}

/**
 * Returns the bounds of a locked axis; null if the axis now shows another unit, or the bounds are invalid for its
 * scale.
 */
function lockedBounds({ locked, scale }: Pane, side: Side, [unit]: readonly string[]): AxisBounds | null {
  const wanted = locked?.[side]
  if (!wanted || wanted.unit !== unit || !isAxisRange(wanted)) return null
  return scale === 'log' && !(wanted.low > 0) ? null : [wanted.low, wanted.high]
}

const ROBUST_SHARE = 0.01

/**
 * Finds the 1st and the 99th percentile of the drawn values in view; null if there are too few values for percentiles.
 */
function middleBounds(series: readonly SeriesView[], range: TimeRange): AxisBounds | null {
  const values = Float64Array.from(series.flatMap((one) => valuesInView(one, range))).sort()
  const last = values.length - 1
  const from = Math.floor(last * ROBUST_SHARE)
  return from > 0 ? [values[from], values[last - from]] : null
}

function valuesInView({ points, candles, hasSkippedValues }: SeriesView, { startMs, endMs }: TimeRange): number[] {
  const values: number[] = []
  const times = candles ? candles.times : points.times
  const count = candles ? candles.count : times.length
  const addShownValue = (value: number) =>
    Number.isFinite(value) && (!hasSkippedValues || value > 0) && values.push(value)
  for (let at = 0; at < count; at += 1) {
    if (times[at] < startMs || times[at] > endMs) continue
    if (!candles) addShownValue(points.values[at])
    else {
      addShownValue(candles.low[at])
      addShownValue(candles.high[at])
    }
  }
  return values
}

const kindOf = ({ kind }: SeriesView): NumberKind => kind

/** Tells whether a series shows its own quantity, in whatever unit, and not a transform of it such as an index. */
const isOwnQuantity = ({ transform }: Pick<ChartSeries, 'transform'>) =>
  transform === 'none' || usesEarlierRows({ transform })

/** Returns the unit of the values as shown. */
export const shownUnitOf = (series: Pick<ChartSeries, 'transform' | 'unit' | 'display'>): string =>
  (isOwnQuantity(series) && series.display?.unit) || transformedUnit(series.transform, series.unit)

function scaleBadges(pane: Pane, axes: PaneView['axes']): string[] {
  const shownAxes = (['left', 'right'] as const).flatMap((side) => axes[side] ?? [])
  const badges: string[] = []
  if (pane.scale === 'log') badges.push(chartsText.badges.log)
  if (pane.scale === 'symlog')
    badges.push(chartsText.badges.symlog([...new Set(shownAxes.map(({ scale }) => powerText(scale.linearBelow)))]))
  if (shownAxes.some(({ cut }) => cut === 'robust')) badges.push(chartsText.badges.robust)
  const locked = shownAxes.filter(({ cut }) => cut === 'locked')
  if (locked.length > 0) badges.push(chartsText.badges.locked(locked.map(({ side }) => side)))
  return badges
}

const powerText = (power: number) => formatNumber(power, Math.max(0, -Math.floor(Math.log10(power) + 1e-9)))

function warningsOf(series: readonly SeriesView[], axes: PaneView['axes']): string[] {
  const warnings: string[] = []
  const withSkippedValues = series.filter(({ hasSkippedValues }) => hasSkippedValues)
  if (withSkippedValues.length > 0)
    warnings.push(chartsText.notOnLogAxis(withSkippedValues.map((one) => one.series.label)))
  for (const side of ['left', 'right'] as const) {
    const units = axes[side]?.units ?? []
    if (units.length > 1) warnings.push(chartsText.severalUnits(side, units))
  }
  const loadedSeries = series.filter((one) => !one.series.isPending && !one.series.flags)
  const emptySeries = loadedSeries.filter(({ points, candles }) => points.times.length === 0 && !candles?.count)
  if (loadedSeries.length > 0 && emptySeries.length === loadedSeries.length) warnings.push(chartsText.noValueInView)
  else for (const { series: one } of emptySeries) warnings.push(chartsText.noValueOf(one.label))
  return warnings
}

/** A series prepared for the range in view: reduced and transformed, with its labels and bounds. */
export interface SeriesView {
  series: ChartSeries
  style: SeriesStyle
  unit: string
  points: Points
  candles: Candles | null
  /** Duration of a bar, step or candle in ms. */
  stepMs: number | null
  affine: Affine
  /** True if the values are the quantity of the data, in whatever unit, and not a transform of it such as an index. */
  showsOwnQuantity: boolean
  /** Number kind of the values as shown. */
  kind: NumberKind
  badges: readonly string[]
  bounds: AxisBounds
  /** True if a log axis cannot show some values in view. */
  hasSkippedValues: boolean
}

const NO_POINTS: Points = { times: new Float64Array(0), values: new Float64Array(0), hasSkippedValues: false }

export function seriesView(series: ChartSeries, range: TimeRange, widthPx: number, scale: ScaleName): SeriesView {
  const rows = unscaledRows(series)
  const stepMs = chartStepMs(series)
  const showsOwnQuantity = isOwnQuantity(series)
  const { display } = series
  const affine = showsOwnQuantity
    ? { factor: display?.factor ?? 1, offset: 0 }
    : affineOf(series.transform, rows, range, series.moments)
  const unit = shownUnitOf(series)
  const kind = showsOwnQuantity ? (display?.kind ?? series.kind) : 'ratio'
  const canDrawCandles = series.style === 'candles' && series.candles && !usesEarlierRows(series) && stepMs !== null
  // A series that cannot be drawn as candles is drawn as a line.
  const style = series.style === 'candles' && !canDrawCandles ? 'line' : series.style
  const badges = [...(series.badges ?? [])]
  if (series.transform !== 'none') badges.push(transformLabels[series.transform])
  if (!affine) badges.push(chartsText.badges.undefined)
  const candles =
    canDrawCandles && affine
      ? transformedCandles(reduceCandles({ ...series, candles: series.candles! }, range, stepMs!, widthPx), affine)
      : null
  if (candles && candles.widthMs !== stepMs) badges.push(chartsText.badges.candlesOf(intervalName(candles.widthMs)))
  const points =
    affine && !candles
      ? transformedPoints(reduceRows(rows, range, stepMs, widthPx, lowerBoundOf(scale, affine)), affine)
      : NO_POINTS
  const widthMs = candles?.widthMs ?? stepMs
  const boundsInView = candles
    ? candleBounds(candles, scale === 'log')
    : { bounds: boundsOf(points, range, widthMs ?? 0), hasSkippedValues: points.hasSkippedValues }
  return {
    series,
    style,
    unit,
    points,
    candles,
    stepMs: widthMs,
    affine: affine ?? IDENTITY,
    showsOwnQuantity,
    kind,
    badges,
    ...boundsInView,
  }
}

const IDENTITY: Affine = { factor: 1, offset: 0 }

/** Computes the value that data must exceed so that a log axis can show it after the affine map; −∞ on other axes. */
const lowerBoundOf = (scale: ScaleName, { factor, offset }: Affine) => (scale === 'log' ? -offset / factor : -Infinity)

function transformedPoints(points: Points, { factor, offset }: Affine): Points {
  if (factor === 1 && offset === 0) return points
  return { ...points, values: points.values.map((value) => value * factor + offset) }
}

function transformedCandles(candles: Candles, { factor, offset }: Affine): Candles {
  if (factor === 1 && offset === 0) return candles
  const applyAffine = (values: Float64Array) => values.map((value) => value * factor + offset)
  const { open, high, low, close } = candles
  return {
    ...candles,
    open: applyAffine(open),
    high: applyAffine(high),
    low: applyAffine(low),
    close: applyAffine(close),
  }
}

function boundsOf({ times, values }: Points, { startMs, endMs }: TimeRange, stepMs: number): AxisBounds {
  let low = Infinity
  let high = -Infinity
  for (let at = 0; at < times.length; at += 1) {
    // The bar or step of a row before the view may extend into it.
    if (times[at] + stepMs < startMs || times[at] > endMs) continue
    if (values[at] < low) low = values[at]
    if (values[at] > high) high = values[at]
  }
  return [low, high]
}

function candleBounds(
  { count, low, high }: Candles,
  isLog: boolean,
): { bounds: AxisBounds; hasSkippedValues: boolean } {
  let lowest = Infinity
  let highest = -Infinity
  let hasSkippedValues = false
  for (let at = 0; at < count; at += 1) {
    if (isLog && !(low[at] > 0)) {
      hasSkippedValues = true
      continue
    }
    lowest = Math.min(lowest, low[at])
    highest = Math.max(highest, high[at])
  }
  return { bounds: [lowest, highest], hasSkippedValues }
}
