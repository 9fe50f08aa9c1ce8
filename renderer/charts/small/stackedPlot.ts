import { MS_PER_DAY } from '#shared/time.ts'
import { valueScale } from '../scales.ts'
import { timeTicks } from '../timeTicks.ts'
import { tickLabels, valueTicks } from '../valueTicks.ts'
import { stacked } from './histogram.ts'

export interface StackedLayer {
  label: string
  values: Float64Array
  colour: number
}

export interface PlotBox {
  left: number
  top: number
  width: number
  height: number
}

const VALUE_TICK_PX = 44
const TIME_TICK_PX = 96

/**
 * Layers on each other within a box: their edges, where times and values stand, and what the axes say (in per cent). One
 * row alone fills the box: it has `rows` 2, both its own.
 */
export function stackedPlot(times: Float64Array, layers: readonly StackedLayer[], box: PlotBox) {
  if (times.length === 1) {
    const twice = layers.map((layer) => ({ ...layer, values: Float64Array.of(layer.values[0], layer.values[0]) }))
    return plotOf(Float64Array.of(times[0], times[0] + MS_PER_DAY), twice, box)
  }
  return plotOf(times, layers, box)
}

function plotOf(times: Float64Array, layers: readonly StackedLayer[], box: PlotBox) {
  const { bottoms, tops } = stacked(layers.map(({ values }) => values))
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
    timeTicks: timeTicks({ startMs, endMs }, 'utc', Math.max(2, Math.floor(box.width / TIME_TICK_PX))).map(
      ({ timeMs, text, below }) => ({ x: xOf(timeMs), label: below ? `${text} ${below}` : text }),
    ),
  }
}
