import { MS_PER_DAY } from '#shared/time.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { tickLabels, oneLineLabel, timeTicks, valueScale, valueTicks } from '../axes.ts'

/** Position of a label below the bars. */
interface BarLabel {
  /** Index of the bar. */
  at: number
  /** Centre of the label in pixels from the left of the first bar. */
  px: number
  /** Line of the label: 1 is one line lower, used if there is no room side by side. */
  line: 0 | 1
}

const steps = [1, 2, 5, 10, 20, 50, 100]

/**
 * Chooses the labels that fit.
 * @param edgeAt for a histogram, whose labels stand at the left edges of the bars: index of the bar whose label (often
 *   the value 0) is kept if not all labels fit. Null for bars labelled at their centres.
 */
export function barLabels(count: number, stepPx: number, widestPx: number, edgeAt: number | null): BarLabel[] {
  const fits = (every: number) => every * stepPx >= widestPx
  const all = Array.from({ length: count }, (_, at) => at)
  if (edgeAt === null) {
    const every = Math.max(1, Math.ceil(widestPx / stepPx / 2))
    const isTwoLines = !fits(every)
    const labels = all
      .filter((at) => at % every === 0)
      .map((at, place): BarLabel => ({
        at,
        px: (at + 0.5) * stepPx,
        line: isTwoLines && place % 2 === 1 ? 1 : 0,
      }))
    const widthPx = count * stepPx
    const whole = labels.filter(({ px }) => isInside(px, widestPx, widthPx))
    // A label beyond the end of the axis is moved inside if it meets no other there.
    const least = widestPx / 2 - OVERHANG_PX
    return labels.flatMap((label) => {
      if (whole.includes(label)) return [label]
      const px = Math.min(Math.max(label.px, least), widthPx - least)
      const isFree = whole.every((other) => other.line !== label.line || Math.abs(other.px - px) >= widestPx)
      return isFree && widthPx >= 2 * least ? [{ ...label, px }] : []
    })
  }
  const every = steps.find(fits) ?? Math.ceil(widestPx / stepPx)
  return all
    .filter((at) => (at - edgeAt) % every === 0)
    .map((at) => ({ at, px: at * stepPx, line: 0 as const }))
    .filter(({ px }) => isInside(px, widestPx, count * stepPx))
}

/** Distance by which a label may reach beyond the axis. */
const OVERHANG_PX = 8

const isInside = (px: number, widestPx: number, widthPx: number) =>
  px >= widestPx / 2 - OVERHANG_PX && px <= widthPx - widestPx / 2 + OVERHANG_PX

export interface Bar {
  label: string
  value: number | null
}

const TICK_PX = 36
/** Fraction of the axis left free beyond the longest bar, so that it does not look cut off. */
const MARGIN = 0.04

/** Maps values to pixels between 0 (the highest) and `heightPx`; null if no bar has a length. */
export function barPlot(bars: readonly Bar[], kind: NumberKind, heightPx: number) {
  const values = bars.map(({ value }) => value ?? 0)
  const lowest = values.reduce((low, value) => Math.min(low, value), 0)
  const highest = values.reduce((high, value) => Math.max(high, value), 0)
  if (highest === lowest) return null
  const margin = (highest - lowest) * MARGIN
  const [low, high] = [lowest < 0 ? lowest - margin : 0, highest > 0 ? highest + margin : 0]
  const ticks = valueTicks(valueScale('linear'), [low, high], Math.max(2, Math.floor(heightPx / TICK_PX)))
  const shownTicks = kind === 'count' ? ticks.filter(Number.isInteger) : ticks
  const labels = tickLabels(shownTicks, kind)
  return {
    y: (value: number) => ((high - value) / (high - low)) * heightPx,
    ticks: shownTicks.map((value, at) => ({ value, label: labels[at] })),
  }
}

/** Stacks layers; missing values add nothing, and positive and negative parts stack separately. */
export function stackLayers(layers: readonly Float64Array[]): { bottoms: Float64Array[]; tops: Float64Array[] } {
  const rows = layers[0]?.length ?? 0
  const positiveSums = new Float64Array(rows)
  const negativeSums = new Float64Array(rows)
  const bottoms: Float64Array[] = []
  const tops: Float64Array[] = []
  for (const layer of layers) {
    const bottom = new Float64Array(rows)
    const top = new Float64Array(rows)
    for (let row = 0; row < rows; row += 1) {
      const value = Number.isFinite(layer[row]) ? layer[row] : 0
      const sums = value < 0 ? negativeSums : positiveSums
      bottom[row] = sums[row]
      sums[row] += value
      top[row] = sums[row]
    }
    bottoms.push(bottom)
    tops.push(top)
  }
  return { bottoms, tops }
}

export interface StackedLayer {
  label: string
  values: Float64Array
  colour: number
}

interface PlotBox {
  left: number
  top: number
  width: number
  height: number
}

const VALUE_TICK_PX = 44
const TIME_TICK_PX = 96

/**
 * Lays out stacked layers in a box: their edges, the mapping of times and values to pixels, and the ticks (in per
 * cent). A single row is duplicated so that it fills the box; `rows` is then 2.
 */
export function stackedPlot(times: Float64Array, layers: readonly StackedLayer[], box: PlotBox) {
  if (times.length === 1) {
    const doubledLayers = layers.map((layer) => ({
      ...layer,
      values: Float64Array.of(layer.values[0], layer.values[0]),
    }))
    return plotOf(Float64Array.of(times[0], times[0] + MS_PER_DAY), doubledLayers, box)
  }
  const mostPoints = Math.max(2, Math.floor(box.width))
  return times.length > mostPoints ? plotOf(...meansOf(times, layers, mostPoints), box) : plotOf(times, layers, box)
}

/**
 * Replaces rows by the means of `groupCount` groups of neighbours, because several rows in one pixel look like their
 * mean but take far longer to paint. Missing values count as 0, as in the stack.
 */
function meansOf(
  times: Float64Array,
  layers: readonly StackedLayer[],
  groupCount: number,
): [Float64Array, StackedLayer[]] {
  const startOf = (group: number) => Math.floor((group * times.length) / groupCount)
  const groupTimes = Float64Array.from({ length: groupCount }, (_, group) => times[startOf(group)])
  groupTimes[groupCount - 1] = times[times.length - 1]
  const meanOf = (values: Float64Array, group: number) => {
    const [from, to] = [startOf(group), startOf(group + 1)]
    let sum = 0
    for (let row = from; row < to; row += 1) if (Number.isFinite(values[row])) sum += values[row]
    return sum / (to - from)
  }
  return [
    groupTimes,
    layers.map((layer) => ({
      ...layer,
      values: Float64Array.from(groupTimes, (_, group) => meanOf(layer.values, group)),
    })),
  ]
}

function plotOf(times: Float64Array, layers: readonly StackedLayer[], box: PlotBox) {
  const { bottoms, tops } = stackLayers(layers.map(({ values }) => values))
  let [low, high] = [0, 0]
  for (const top of tops)
    for (const value of top) {
      if (value < low) low = value
      if (value > high) high = value
    }
  const [startMs, endMs] = [times.at(0) ?? 0, times.at(-1) ?? 1]
  const xOf = (timeMs: number) => box.left + ((timeMs - startMs) / (endMs - startMs || 1)) * box.width
  const y = (value: number) => box.top + box.height - ((value - low) / (high - low || 1)) * box.height
  const values = valueTicks(
    valueScale('linear'),
    [low, high === low ? low + 1 : high],
    Math.max(2, box.height / VALUE_TICK_PX),
  )
  const labels = tickLabels(values, 'share')
  return {
    rows: times.length,
    bottoms,
    tops,
    x: (row: number) => xOf(times[row]),
    y,
    valueTicks: values.map((value, at) => ({ y: y(value), label: `${labels[at]} %` })),
    timeTicks: timeTicks({ startMs, endMs }, 'utc', Math.max(2, Math.floor(box.width / TIME_TICK_PX))).map((tick) => ({
      x: xOf(tick.timeMs),
      label: oneLineLabel(tick),
    })),
  }
}
