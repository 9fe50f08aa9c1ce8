import { formatNumber } from '#shared/units/numbers.ts'
import { seriesColour, type ChartColours } from '../charts/chartColours.ts'
import { pictureSvg, plotBox, type Picture } from './pictureSvg.ts'
import { element, textElement } from './svgWriter.ts'

const LABEL_PX = 70

/** Bars beside each other, from 0 up or down, with the largest value at the left. */
export function barsSvg(
  picture: Picture & { bars: readonly { label: string; value: number | null }[]; colours: ChartColours },
): string {
  const { bars, colours } = picture
  const box = plotBox(picture)
  const values = bars.map(({ value }) => value ?? 0)
  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values)
  const y = (value: number) => box.top + box.height - ((value - low) / (high - low || 1)) * box.height
  const step = box.width / Math.max(1, bars.length)
  const every = Math.max(1, Math.ceil(LABEL_PX / step))
  const fill = seriesColour(colours, 0)
  const drawn = bars.map(({ label, value }, at) => {
    const x = box.left + at * step
    const below = { x: x + step / 2, y: box.top + box.height + 15, fill: colours.textFaint, 'text-anchor': 'middle' }
    const text = at % every === 0 ? textElement(label, below) : ''
    if (value === null) return text
    const top = Math.min(y(value), y(0))
    return element('rect', { x, y: top, width: Math.max(1, step - 1), height: Math.abs(y(value) - y(0)), fill }) + text
  })
  const most = textElement(formatNumber(high, Number.isInteger(high) ? 0 : 4), {
    x: box.left - 6,
    y: box.top + 8,
    fill: colours.textFaint,
    'text-anchor': 'end',
  })
  const ground = element('path', { d: `M${box.left} ${y(0).toFixed(1)}h${box.width}`, stroke: colours.lineStrong })
  return pictureSvg(picture, drawn.join('') + ground + most)
}
