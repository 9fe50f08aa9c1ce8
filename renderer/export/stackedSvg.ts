import { formatNumber } from '#shared/units/numbers.ts'
import { seriesColour } from '../charts/chartColours.ts'
import { stacked } from '../charts/small/histogram.ts'
import { pictureSvg, plotBox, type Picture } from './pictureSvg.ts'
import { element, SvgPath, textElement } from './svgWriter.ts'

export interface StackedPicture extends Picture {
  times: Float64Array
  layers: readonly { label: string; values: Float64Array; colour: number }[]
  stretch: string
}

const LETTER_PX = 6.4

/** Layers on each other over time, with their names above and the reach of the piles, in per cent, at the left. */
export function stackedSvg(picture: StackedPicture): string {
  const { times, layers, stretch, colours } = picture
  const box = plotBox(picture)
  const { bottoms, tops } = stacked(layers.map(({ values }) => values))
  let [low, high] = [0, 0]
  for (const top of tops) for (const value of top) [low, high] = [Math.min(low, value), Math.max(high, value)]
  const [startMs, endMs] = [times.at(0) ?? 0, times.at(-1) ?? 1]
  const x = (row: number) => box.left + ((times[row] - startMs) / (endMs - startMs || 1)) * box.width
  const y = (value: number) => box.top + box.height - ((value - low) / (high - low || 1)) * box.height
  const shapes = layers.map(({ colour }, layer) => {
    const path = new SvgPath()
    times.forEach((_, row) => path[row === 0 ? 'moveTo' : 'lineTo'](x(row), y(tops[layer][row])))
    for (let row = times.length - 1; row >= 0; row -= 1) path.lineTo(x(row), y(bottoms[layer][row]))
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
  const percent = (value: number, place: number) =>
    textElement(`${formatNumber(value * 100, 0)} %`, {
      x: box.left - 6,
      y: place,
      fill: colours.textFaint,
      'text-anchor': 'end',
    })
  const below = textElement(stretch, { x: box.left, y: box.top + box.height + 15, fill: colours.textFaint })
  const ends = percent(high, box.top + 8) + (low < 0 ? percent(low, box.top + box.height) : '')
  return pictureSvg(picture, shapes.join('') + names.join('') + ends + below)
}
