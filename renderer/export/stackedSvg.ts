import { seriesColour } from '../charts/chartColours.ts'
import { stackedPlot, type StackedLayer } from '../charts/small/plots.ts'
import { pictureSvg, plotBox, type Picture, element, SvgPath, textElement } from './svgWriter.ts'

export interface StackedPicture extends Picture {
  times: Float64Array
  layers: readonly StackedLayer[]
}

const LETTER_PX = 6.4

/** Writes stacked layers as SVG, with names above, per cent on the left and days below. */
export function stackedSvg(picture: StackedPicture): string {
  const { times, layers, colours } = picture
  const box = plotBox(picture)
  const { rows, bottoms, tops, x, y, valueTicks, timeTicks } = stackedPlot(times, layers, box)
  const shapes = layers.map(({ colour }, layer) => {
    const path = new SvgPath()
    for (let row = 0; row < rows; row += 1) path[row === 0 ? 'moveTo' : 'lineTo'](x(row), y(tops[layer][row]))
    for (let row = rows - 1; row >= 0; row -= 1) path.lineTo(x(row), y(bottoms[layer][row]))
    return path.element({
      fill: seriesColour(colours, colour),
      'fill-opacity': 0.75,
      stroke: colours.canvas,
      'stroke-width': 0.5,
    })
  })
  let left = box.left
  const names = layers.map(({ label, colour }) => {
    const mark = element('rect', { x: left, y: box.top - 12, width: 9, height: 9, fill: seriesColour(colours, colour) })
    const text = textElement(label, { x: left + 13, y: box.top - 4, fill: colours.textSoft })
    left += label.length * LETTER_PX + 26
    return mark + text
  })
  const faint = { fill: colours.textFaint }
  const values = valueTicks.map(
    (tick) =>
      element('rect', { x: box.left, y: tick.y, width: box.width, height: 0.5, fill: colours.lineStrong }) +
      textElement(tick.label, { ...faint, x: box.left - 6, y: tick.y + 4, 'text-anchor': 'end' }),
  )
  const days = timeTicks.map((tick) =>
    textElement(tick.label, { ...faint, x: tick.x, y: box.top + box.height + 15, 'text-anchor': 'middle' }),
  )
  return pictureSvg(picture, [...shapes, ...values, ...days, ...names].join(''))
}
