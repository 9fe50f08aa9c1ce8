import { seriesColour } from '../charts/chartColours.ts'
import type { StackedLayer } from '../charts/small/plots.ts'
import { layerAlpha, STACK_PX, stackedMarks } from '../charts/small/smallMarks.ts'
import { marksSvg, pictureSvg, plotBox, type Picture, element, plotRoom, textElement } from './svgWriter.ts'

interface StackedPicture extends Picture {
  times: Float64Array
  layers: readonly StackedLayer[]
}

const LETTER_PX = 6.4

/** Writes stacked layers as SVG as they are on screen, with the names of the layers above. */
export function stackedSvg(picture: StackedPicture): string {
  const { times, layers, colours } = picture
  const { top } = plotBox(picture)
  let left = STACK_PX.left
  const names = layers.map(({ label, colour }, at) => {
    // Names that do not fit are left out; the data export has all of them.
    if (left > 0 && at > 0 && left + label.length * LETTER_PX + 13 > picture.widthPx) return ''
    const fill = seriesColour(colours, colour)
    const opacity = layerAlpha(colour)
    const mark = element('rect', { x: left, y: top - 12, width: 9, height: 9, fill, opacity })
    const text = textElement(label, { x: left + 13, y: top - 4, fill: colours.textSoft })
    left += label.length * LETTER_PX + 26
    return mark + text
  })
  return pictureSvg(picture, marksSvg(stackedMarks(times, layers, plotRoom(picture), colours)) + names.join(''))
}
