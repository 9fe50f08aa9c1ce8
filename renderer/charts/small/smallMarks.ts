import { SERIES_COLOURS } from '#shared/workspace/chartStyle.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { type ChartColours, seriesColour } from '../chartColours.ts'
import type { PathSink } from '#shared/overview/marks.ts'
import { withAlpha } from '../marks.ts'
import { type Bar, barLabels, barPlot, stackedPlot, type StackedLayer } from './plots.ts'

/** One drawing element of a small chart. Canvas and SVG use the same elements, so both look the same. */
export type Mark =
  | { kind: 'rect'; x: number; y: number; width: number; height: number; fill: string }
  | {
      kind: 'shape'
      draw: (sink: PathSink) => void
      fill: string
      /** Opacity of the fill. */
      alpha: number
      stroke: string
      lineWidthPx: number
    }
  | {
      kind: 'text'
      text: string
      x: number
      y: number
      fill: string
      align: 'left' | 'center' | 'right'
      /** Part of the text that is placed at `y`. */
      baseline: 'middle' | 'alphabetic'
      /** Width to which a longer text is compressed. */
      mostPx?: number
    }

/** Size of the space for a chart, whose upper left corner is at (0, 0). */
interface ChartSize {
  widthPx: number
  heightPx: number
}

export const SMALL_FONT = '11px Inter, system-ui, sans-serif'
const LINE_PX = 14

export interface BarsToDraw {
  bars: readonly Bar[]
  kind: NumberKind
  /**
   * Bar whose label is kept if not all labels fit, by index. Null for bars labelled at their centres; those of a
   * histogram are labelled at their left edges.
   */
  edgeAt: number | null
  /** Index in the palette. */
  colour: number
}

/** Builds the elements of a bar chart: the axis on the left, bars up or down from 0, and labels below. */
export function barMarks(
  { bars, kind, edgeAt, colour }: BarsToDraw,
  { widthPx, heightPx }: ChartSize,
  colours: ChartColours,
  textPx: (text: string) => number,
): Mark[] {
  const plot = barPlot(bars, kind, heightPx)
  if (!plot) return []
  // Measuring text is slow, so only the label with the most letters is measured.
  const widestPx = (labels: readonly string[]) =>
    textPx(labels.reduce((most, label) => (label.length > most.length ? label : most), ''))
  const leftPx = widestPx(plot.ticks.map(({ label }) => label)) + 8
  const step = (widthPx - leftPx) / bars.length
  const labels = barLabels(bars.length, step, widestPx(bars.map(({ label }) => label)) + 8, edgeAt)
  const bottomPx = LINE_PX * (labels.some(({ line }) => line === 1) ? 2 : 1) + 2
  const heightScale = (heightPx - bottomPx) / heightPx
  const y = (value: number) => plot.y(value) * heightScale
  const lowestTextY = heightPx - bottomPx - 4
  const axis = plot.ticks.flatMap(({ value, label }): Mark[] => [
    { kind: 'rect', x: leftPx, y: Math.round(y(value)), width: widthPx - leftPx, height: 1, fill: colours.line },
    tickText(label, leftPx - 5, Math.max(6, Math.min(lowestTextY, y(value))), colours),
  ])
  const fill = seriesColour(colours, colour)
  const width = Math.max(1, step - (step > 4 ? 1 : 0))
  const barRects = bars.flatMap(({ value }, at): Mark[] => {
    if (value === null) return []
    const [top, height] = [Math.min(y(value), y(0)), Math.abs(y(value) - y(0))]
    return [{ kind: 'rect', x: leftPx + at * step, y: top, width, height, fill }]
  })
  const baseline: Mark = {
    kind: 'rect',
    x: leftPx,
    y: y(0),
    width: widthPx - leftPx,
    height: 1,
    fill: colours.lineStrong,
  }
  const labelMarks = labels.map(({ at, px, line }): Mark => ({
    kind: 'text',
    text: bars[at].label,
    x: leftPx + px,
    y: heightPx - bottomPx + LINE_PX * (line + 1) - 2,
    fill: colours.textFaint,
    align: 'center',
    baseline: 'alphabetic',
  }))
  return [...axis, ...barRects, baseline, ...labelMarks]
}

const tickText = (text: string, x: number, y: number, { textFaint }: ChartColours): Mark => ({
  kind: 'text',
  text,
  x,
  y,
  fill: textFaint,
  align: 'right',
  baseline: 'middle',
})

/** Padding around the plot of stacked layers. */
export const STACK_PX = { left: 56, top: 8, right: 8, bottom: 20 }

/**
 * Returns the opacity of a layer, which is lower when the palette repeats, so that two layers of one colour look
 * different.
 */
export const layerAlpha = (colour: number): number => (colour < SERIES_COLOURS ? 0.75 : 0.38)

/** Builds the elements of layers stacked over time, with per cent on the left and times below. */
export function stackedMarks(
  times: Float64Array,
  layers: readonly StackedLayer[],
  { widthPx, heightPx }: ChartSize,
  colours: ChartColours,
): Mark[] {
  if (times.length === 0 || layers.length === 0) return []
  const { left, top, right, bottom } = STACK_PX
  const box = { left, top, width: widthPx - left - right, height: heightPx - top - bottom }
  const { rows, bottoms, tops, x, y, valueTicks, timeTicks } = stackedPlot(times, layers, box)
  const areas = layers.map(({ colour }, layer): Mark => ({
    kind: 'shape',
    draw(sink) {
      for (let row = 0; row < rows; row += 1) sink[row === 0 ? 'moveTo' : 'lineTo'](x(row), y(tops[layer][row]))
      for (let row = rows - 1; row >= 0; row -= 1) sink.lineTo(x(row), y(bottoms[layer][row]))
    },
    fill: seriesColour(colours, colour),
    alpha: layerAlpha(colour),
    // A line in the background colour separates neighbouring layers of similar colours.
    stroke: colours.canvas,
    lineWidthPx: 0.75,
  }))
  const values = valueTicks.flatMap((tick): Mark[] => [
    { kind: 'rect', x: left, y: Math.round(tick.y), width: box.width, height: 1, fill: colours.line },
    tickText(tick.label, left - 6, tick.y, colours),
  ])
  const timeLabels = timeTicks.map(({ label, x: at }): Mark => ({
    ...(tickText(label, at, heightPx - bottom / 2, colours) as Mark & { kind: 'text' }),
    align: 'center',
    mostPx: 90,
  }))
  const baseline: Mark = { kind: 'rect', x: left, y: y(0), width: box.width, height: 1, fill: colours.lineStrong }
  return [...areas, ...values, ...timeLabels, baseline]
}

/** Paints marks on a canvas. */
export function paintMarks(context: CanvasRenderingContext2D, marks: readonly Mark[]): void {
  context.font = SMALL_FONT
  for (const mark of marks) {
    if (mark.kind === 'rect') {
      context.fillStyle = mark.fill
      context.fillRect(mark.x, mark.y, mark.width, mark.height)
    } else if (mark.kind === 'text') {
      context.fillStyle = mark.fill
      context.textAlign = mark.align
      context.textBaseline = mark.baseline
      context.fillText(mark.text, mark.x, mark.y, mark.mostPx)
    } else {
      context.beginPath()
      mark.draw(context)
      context.fillStyle = withAlpha(mark.fill, mark.alpha)
      context.fill()
      context.strokeStyle = mark.stroke
      context.lineWidth = mark.lineWidthPx
      context.stroke()
    }
  }
}
