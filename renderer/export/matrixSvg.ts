import { formatNumber } from '#shared/units/numbers.ts'
import { withAlpha } from '../charts/marks.ts'
import { pictureSvg, plotBox, type Picture, element, textElement } from './svgWriter.ts'

const NAME_PX = 90
const LEAST_NUMBER_PX = { width: 30, height: 12 }

/** Writes a square matrix of numbers between −1 and 1 as coloured cells, with the numbers if they fit. */
export function matrixSvg(
  picture: Picture & { names: readonly string[]; values: readonly (readonly (number | null)[])[] },
): string {
  const { names, values, colours } = picture
  const box = plotBox(picture)
  const left = box.left + NAME_PX - 48
  const width = (box.width - NAME_PX + 48) / Math.max(1, names.length)
  const height = box.height / Math.max(1, names.length)
  const hasNumbers = width >= LEAST_NUMBER_PX.width && height >= LEAST_NUMBER_PX.height
  const cells = values.flatMap((row, at) =>
    row.map((value, column) => {
      if (value === null) return ''
      const place = { x: left + column * width, y: box.top + at * height }
      const fill = withAlpha(value < 0 ? colours.negative : colours.positive, Math.abs(value) * 0.6)
      const middle = {
        x: place.x + width / 2,
        y: place.y + height / 2 + 4,
        'text-anchor': 'middle',
        fill: colours.text,
      }
      return (
        element('rect', { ...place, width: Math.max(0.5, width - 1), height: Math.max(0.5, height - 1), fill }) +
        (hasNumbers ? textElement(formatNumber(value, 2), middle) : '')
      )
    }),
  )
  const labels = names.map((name, at) => {
    const rowLabelPlace = {
      x: left - 6,
      y: box.top + (at + 0.5) * height + 4,
      'text-anchor': 'end',
      fill: colours.textSoft,
    }
    const columnLabelPlace = {
      x: left + (at + 0.5) * width,
      y: box.top + box.height + 14,
      'text-anchor': 'middle',
      fill: colours.textSoft,
    }
    const size = { 'font-size': Math.max(4, Math.min(11, height - 1)) }
    return (
      textElement(name, { ...rowLabelPlace, ...size }) +
      textElement(name, { ...columnLabelPlace, 'font-size': Math.max(4, Math.min(11, width / 6)) })
    )
  })
  return pictureSvg(picture, [...cells, ...labels].join(''))
}
