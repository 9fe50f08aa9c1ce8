import type { ChartColours } from '../charts/chartColours.ts'
import { element, textElement } from './svgWriter.ts'

export interface Picture {
  title: string
  /** Where the numbers come from. */
  provenance: string
  widthPx: number
  heightPx: number
  colours: ChartColours
}

const MARGIN = 16
const LEFT_PX = 64
const HEAD_PX = 38
const FOOT_PX = 46
const FONT = "Inter, system-ui, 'Segoe UI', sans-serif"

/** Where the chart itself lies: below the title, above labels and provenance. */
export const plotBox = ({ widthPx, heightPx }: Picture) => ({
  left: LEFT_PX,
  top: HEAD_PX,
  width: widthPx - LEFT_PX - MARGIN,
  height: heightPx - HEAD_PX - FOOT_PX,
})

/** A picture that says what it shows and where it comes from, around what was drawn. */
export function pictureSvg({ title, provenance, widthPx, heightPx, colours }: Picture, inside: string): string {
  const size = { width: widthPx, height: heightPx, viewBox: `0 0 ${widthPx} ${heightPx}` }
  const root = { xmlns: 'http://www.w3.org/2000/svg', ...size, 'font-family': FONT, 'font-size': 11, role: 'img' }
  return element(
    'svg',
    root,
    element('rect', { width: widthPx, height: heightPx, fill: colours.canvas }) +
      textElement(title, { x: MARGIN, y: 22, fill: colours.text, 'font-size': 14, 'font-weight': 600 }) +
      inside +
      textElement(provenance, { x: MARGIN, y: heightPx - 9, fill: colours.textFaint, 'font-size': 10 }),
  )
}
