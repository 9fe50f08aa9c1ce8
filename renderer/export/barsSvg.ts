import { barMarks, type BarsToDraw } from '../charts/small/smallMarks.ts'
import { marksSvg, pictureSvg, type Picture, plotRoom } from './svgWriter.ts'

/** Estimated width of a letter; the font of the program that shows the SVG decides the actual width. */
const LETTER_PX = 6.6

/** Writes a bar chart as SVG, as it is on screen. */
export function barsSvg(picture: Picture & Pick<BarsToDraw, 'bars'> & Partial<BarsToDraw>): string {
  const { bars, kind = 'ratio', edgeAt = null, colour = 0, colours } = picture
  const marks = barMarks({ bars, kind, edgeAt, colour }, plotRoom(picture), colours, (text) => text.length * LETTER_PX)
  return pictureSvg(picture, marksSvg(marks))
}
