import type { ScaleName, SeriesStyle } from '#shared/workspace/chartStyle.ts'
import type { ChartSeries, TimeRange } from './model.ts'
import { reduced, type Points } from './reduce.ts'
import { intervalWords, reducedCandles, type Candles } from './reduceCandles.ts'
import { stepMsOf } from './rows.ts'
import type { Bounds } from './scales.ts'
import { affineOf, rowwise, transformedUnit, transformWords, type Affine } from './transform.ts'

/** A series as it stands in view: reduced, transformed, with what must be said of it. */
export interface SeriesView {
  series: ChartSeries
  style: SeriesStyle
  unit: string
  points: Points
  candles: Candles | null
  /** How long a bar, step or candle lasts. */
  stepMs: number | null
  affine: Affine
  badges: readonly string[]
  bounds: Bounds
  /** Whether values in view have no place on a log axis. */
  hasRefused: boolean
}

const NOTHING: Points = { times: new Float64Array(0), values: new Float64Array(0), hasRefused: false }

const isRowwise = ({ transform }: ChartSeries) => transform === 'difference' || transform === 'cumulative'

export function seriesView(series: ChartSeries, range: TimeRange, widthPx: number, scale: ScaleName): SeriesView {
  const rows = rowwise(series)
  const stepMs = stepMsOf(series)
  const affine = affineOf(series.transform, rows, range, series.moments)
  const unit = transformedUnit(series.transform, series.unit)
  const asCandles = series.style === 'candles' && series.candles && !isRowwise(series) && stepMs !== null
  // What has no candles is drawn by its close.
  const style = series.style === 'candles' && !asCandles ? 'line' : series.style
  const badges = [...(series.badges ?? [])]
  if (series.transform !== 'none') badges.push(transformWords[series.transform])
  if (!affine) badges.push('not defined here')
  const candles =
    asCandles && affine
      ? movedCandles(reducedCandles({ ...series, candles: series.candles! }, range, stepMs!, widthPx), affine)
      : null
  if (candles && candles.widthMs !== stepMs) badges.push(`candles of ${intervalWords(candles.widthMs)}`)
  const points =
    affine && !candles ? moved(reduced(rows, range, stepMs, widthPx, leastOf(scale, affine)), affine) : NOTHING
  const width = candles?.widthMs ?? stepMs
  const seen = candles
    ? candleBounds(candles, scale === 'log')
    : { bounds: boundsOf(points, range, width ?? 0), hasRefused: points.hasRefused }
  return { series, style, unit, points, candles, stepMs: width, affine: affine ?? SAME, badges, ...seen }
}

const SAME: Affine = { factor: 1, offset: 0 }

/** What a value must be above so that it is above 0 on a log axis, before it is shifted and stretched. */
const leastOf = (scale: ScaleName, { factor, offset }: Affine) => (scale === 'log' ? -offset / factor : -Infinity)

function moved(points: Points, { factor, offset }: Affine): Points {
  if (factor === 1 && offset === 0) return points
  return { ...points, values: points.values.map((value) => value * factor + offset) }
}

function movedCandles(candles: Candles, { factor, offset }: Affine): Candles {
  if (factor === 1 && offset === 0) return candles
  const move = (values: Float64Array) => values.map((value) => value * factor + offset)
  const { open, high, low, close } = candles
  return { ...candles, open: move(open), high: move(high), low: move(low), close: move(close) }
}

function boundsOf({ times, values }: Points, { startMs, endMs }: TimeRange, stepMs: number): Bounds {
  let low = Infinity
  let high = -Infinity
  for (let at = 0; at < times.length; at += 1) {
    // A row before the view reaches into it with its bar or step.
    if (times[at] + stepMs < startMs || times[at] > endMs) continue
    if (values[at] < low) low = values[at]
    if (values[at] > high) high = values[at]
  }
  return [low, high]
}

function candleBounds({ count, low, high }: Candles, isLog: boolean): { bounds: Bounds; hasRefused: boolean } {
  let least = Infinity
  let most = -Infinity
  let hasRefused = false
  for (let at = 0; at < count; at += 1) {
    if (isLog && !(low[at] > 0)) {
      hasRefused = true
      continue
    }
    least = Math.min(least, low[at])
    most = Math.max(most, high[at])
  }
  return { bounds: [least, most], hasRefused }
}
