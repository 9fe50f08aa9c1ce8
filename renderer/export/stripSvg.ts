import { dayFromNumber } from '#shared/time/periods.ts'
import type { RowRange } from '#shared/portfolio/universeHistory.ts'
import { pictureSvg, plotBox, type Picture, element, textElement } from './svgWriter.ts'

/** Space for the names on the left. */
const NAME_PX = 90
const MOST_DAY_LABELS = 6

interface Strip {
  names: readonly string[]
  days: Int32Array
  /** Ranges of each name, as indexes into `days`. */
  ranges: readonly (readonly RowRange[])[]
}

/** Writes a strip for each name, with one rectangle for each range. */
export function stripSvg(picture: Picture & Strip): string {
  const { names, days, ranges, colours } = picture
  const box = plotBox(picture)
  const left = box.left + NAME_PX - 48
  const width = box.left + box.width - left
  const dayPx = width / Math.max(1, days.length)
  const rowPx = box.height / Math.max(1, names.length)
  const rows = names.map((name, row) => {
    const y = box.top + row * rowPx
    const bars = ranges[row].map(({ from, to }) =>
      element('rect', {
        x: left + from * dayPx,
        y,
        width: Math.max(0.5, (to - from) * dayPx),
        height: Math.max(0.5, rowPx - 1),
        fill: colours.accent,
      }),
    )
    const label = { x: left - 6, y: y + rowPx / 2 + 4, 'text-anchor': 'end', fill: colours.textSoft }
    return bars.join('') + textElement(name, { ...label, 'font-size': Math.max(4, Math.min(11, rowPx)) })
  })
  const dayLabels = Array.from({ length: Math.min(MOST_DAY_LABELS, days.length) }, (_, at) => {
    const row = Math.round((at * (days.length - 1)) / Math.max(1, MOST_DAY_LABELS - 1))
    const place = { x: left + (row + 0.5) * dayPx, y: box.top + box.height + 15, 'text-anchor': 'middle' }
    return textElement(dayFromNumber(days[row]), { ...place, fill: colours.textFaint })
  })
  return pictureSvg(picture, [...rows, ...dayLabels].join(''))
}
