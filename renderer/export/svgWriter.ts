import type { ChartColours } from '../charts/chartColours.ts'
import type { PathSink } from '#shared/overview/marks.ts'
import type { Mark } from '../charts/small/smallMarks.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for XML and drops characters that XML does not allow (control characters, unpaired surrogates). */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffc\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (character) => escapes[character])

/** Writes a number rounded to hundredths of a pixel, which is exact enough for print. */
const roundedText = (value: number) => String(Math.round(value * 100) / 100)

type Attributes = Record<string, string | number | undefined>

export function element(name: string, attributes: Attributes, inside = ''): string {
  const attributesText = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? roundedText(value) : escapeXml(value!)}"`)
    .join('')
  return inside ? `<${name}${attributesText}>${inside}</${name}>` : `<${name}${attributesText}/>`
}

export const textElement = (text: string, attributes: Attributes): string =>
  element('text', attributes, escapeXml(text))

/** Collects drawing commands as the path data of an SVG path. */
export class SvgPath implements PathSink {
  #parts: string[] = []

  moveTo(x: number, y: number): void {
    this.#parts.push(`M${roundedText(x)} ${roundedText(y)}`)
  }

  lineTo(x: number, y: number): void {
    this.#parts.push(`L${roundedText(x)} ${roundedText(y)}`)
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#parts.push(
      `M${roundedText(x)} ${roundedText(y)}h${roundedText(width)}v${roundedText(height)}h${roundedText(-width)}z`,
    )
  }

  /** Returns the path element, or an empty text if nothing was drawn. */
  element(attributes: Attributes): string {
    return this.#parts.length === 0 ? '' : element('path', { ...attributes, d: this.#parts.join('') })
  }
}

export interface Picture {
  title: string
  /** Provenance of the numbers. */
  provenance: string
  widthPx: number
  heightPx: number
  colours: ChartColours
}

const MARGIN = 16
const LEFT_PX = 64
const HEAD_PX = 38
const FOOT_PX = 46
/** Height of the axis labels between a plot and the provenance. */
const AXIS_PX = 24
/** Distance from the middle of lower-case letters to their baseline. */
const MIDDLE_PX = 4
const FONT = "Inter, system-ui, 'Segoe UI', sans-serif"

/** Returns the box of the plot, which is below the title and above the axis labels and the provenance. */
export const plotBox = ({ widthPx, heightPx }: Picture) => ({
  left: LEFT_PX,
  top: HEAD_PX,
  width: widthPx - LEFT_PX - MARGIN,
  height: heightPx - HEAD_PX - FOOT_PX,
})

/** Returns the space for a chart with its own axes, inside the margins. */
export const plotRoom = ({ widthPx, heightPx }: Picture) => ({
  widthPx: widthPx - 2 * MARGIN,
  heightPx: heightPx - HEAD_PX - FOOT_PX + AXIS_PX,
})

const anchors = { left: 'start', center: 'middle', right: 'end' } as const

/** Writes the marks of a chart that fills `plotRoom`. */
export function marksSvg(marks: readonly Mark[]): string {
  const elements = marks.map((mark) => {
    if (mark.kind === 'rect') {
      const { kind: _kind, ...place } = mark
      return element('rect', place)
    }
    if (mark.kind === 'text') {
      const y = mark.baseline === 'middle' ? mark.y + MIDDLE_PX : mark.y
      return textElement(mark.text, { x: mark.x, y, fill: mark.fill, 'text-anchor': anchors[mark.align] })
    }
    const path = new SvgPath()
    mark.draw(path)
    const { fill, alpha, stroke, lineWidthPx } = mark
    return path.element({ fill, 'fill-opacity': alpha, stroke, 'stroke-width': lineWidthPx })
  })
  return element('g', { transform: `translate(${MARGIN} ${HEAD_PX})` }, elements.join(''))
}

/** Frames a drawing with its title and provenance. */
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
