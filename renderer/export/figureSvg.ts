import type { ChartColours } from '../charts/chartColours.ts'
import { colourOf, type Figure, type FigureTarget, legendOf, paintFigure } from '../charts/small/figure.ts'
import { element, type Picture, pictureSvg, plotBox, SvgPath, textElement } from './svgWriter.ts'

/** Estimated width of a letter; the font of the program that shows the SVG decides the actual width. */
const LETTER_PX = 6.4

/** Writes a figure as SVG with its title, its legend and its provenance. */
export function figureSvg(picture: Picture & { figure: Figure }): string {
  const { figure, colours } = picture
  const box = plotBox(picture)
  const parts: string[] = []
  const target = svgTarget(parts)
  const left = 16
  let right = picture.widthPx - 2 * left
  for (const mark of legendOf(figure).toReversed()) {
    const colour = colourOf(colours, mark)
    target.text(mark.label, { x: right, y: -16, colour: colours.textSoft, align: 'right' })
    right -= mark.label.length * LETTER_PX + 8
    target.fill(colour, (sink) => sink.rect(right - 12, -18, 12, mark.kind === 'line' ? 3 : 7))
    right -= 24
  }
  const size = { widthPx: picture.widthPx - 2 * left, heightPx: box.height + 30 }
  paintFigure(figure, size, colours, target)
  const inside = element('g', { transform: `translate(${left} ${box.top})` }, parts.join(''))
  return pictureSvg(picture, inside)
}

/** Paints a figure without its title and legend. */
export function paintedFigure(
  figure: Figure,
  size: { widthPx: number; heightPx: number },
  colours: ChartColours,
): string {
  const parts: string[] = []
  paintFigure(figure, size, colours, svgTarget(parts))
  return parts.join('')
}

/** Returns a target that adds what is painted to a list of elements. */
function svgTarget(parts: string[]): FigureTarget {
  const anchors = { left: 'start', center: 'middle', right: 'end' }
  return {
    fill(colour, draw) {
      const path = new SvgPath()
      draw(path)
      parts.push(path.element({ fill: colour }))
    },
    stroke({ colour, widthPx, dash = [] }, draw) {
      const path = new SvgPath()
      draw(path)
      const style = { fill: 'none', stroke: colour, 'stroke-width': widthPx, 'stroke-linejoin': 'round' }
      parts.push(path.element({ ...style, 'stroke-dasharray': dash.join(' ') }))
    },
    text: (text, { x, y, colour, align }) =>
      void parts.push(textElement(text, { x, y: y + 4, fill: colour, 'text-anchor': anchors[align] })),
  }
}
