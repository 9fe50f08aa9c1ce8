import type { NumberKind } from '#shared/units/numberKinds.ts'
import { seriesColour, type ChartColours } from '../charts/chartColours.ts'
import { barLabels, barPlot, type Bar } from '../charts/small/plots.ts'
import { pictureSvg, plotBox, type Picture, element, textElement } from './svgWriter.ts'

/** Estimated width of a letter, because nothing measures text here. */
const LETTER_PX = 6.6
const LINE_PX = 14

interface Bars {
  bars: readonly Bar[]
  kind?: NumberKind
  edgeAt?: number | null
  colours: ChartColours
}

/** Writes a bar chart as SVG, with its axis on the left. */
export function barsSvg(picture: Picture & Bars): string {
  const { bars, colours, kind = 'ratio', edgeAt = null } = picture
  const box = plotBox(picture)
  const plot = barPlot(bars, kind, box.height)
  const y = (value: number) => box.top + (plot ? plot.y(value) : box.height)
  const step = box.width / Math.max(1, bars.length)
  const fill = seriesColour(colours, 0)
  const rects = bars.map(({ value }, at) => {
    if (value === null) return ''
    const place = { x: box.left + at * step, y: Math.min(y(value), y(0)) }
    return element('rect', { ...place, width: Math.max(1, step - 1), height: Math.abs(y(value) - y(0)), fill })
  })
  const widest = LETTER_PX * Math.max(...bars.map(({ label }) => label.length), 0) + 8
  const names = barLabels(bars.length, step, widest, edgeAt).map(({ at, px, line }) =>
    textElement(bars[at].label, {
      x: box.left + px,
      y: box.top + box.height + 15 + line * LINE_PX,
      fill: colours.textFaint,
      'text-anchor': 'middle',
    }),
  )
  const axis = (plot?.ticks ?? []).map(
    ({ value, label }) =>
      element('path', { d: `M${box.left} ${y(value).toFixed(1)}h${box.width}`, stroke: colours.line }) +
      textElement(label, { x: box.left - 6, y: y(value) + 4, fill: colours.textFaint, 'text-anchor': 'end' }),
  )
  const ground = element('path', { d: `M${box.left} ${y(0).toFixed(1)}h${box.width}`, stroke: colours.lineStrong })
  return pictureSvg(picture, [...axis, ...rects, ground, ...names].join(''))
}
