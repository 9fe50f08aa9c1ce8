import { h, type VNode } from 'vue'
import type { BoardContent } from '#shared/contract/areas/boards.ts'
import { shadeText } from '#shared/overview/shade.ts'
import { startsAtZero } from '#shared/report/chartHtml.ts'
import type { ReportChart, ReportSeries } from '#shared/report/reportContent.ts'
import { partContentName } from '#shared/report/partName.ts'
import { renderMarkdown } from '#shared/report/markdown.ts'
import type { Figure, FigureMark } from '../../charts/small/figure.ts'
import { boardsText } from '../../text/boards.ts'

/** Returns the name of a part: that of its source, or else the name of its kind. */
export const partName = (content: BoardContent): string =>
  partContentName(content) || (content.kind === 'text' ? boardsText.part.note : boardsText.kinds[content.kind])

const labelWithUnit = ({ label, unit }: ReportSeries): string =>
  unit === undefined || unit === 'none' ? label : `${label} (${unit})`

/** Returns the caption of a chart. It names a single series with its unit, because the chart then has no legend. */
export function chartCaption({ title, series }: ReportChart): string {
  if (series.length !== 1) return title
  const label = labelWithUnit(series[0])
  return label.startsWith(title) ? label : `${title} · ${label}`
}

/** Converts a report's chart to a figure for the window. A logarithmic axis drops values that are not positive. */
export function chartFigure({ style, names, series, isLog = false, flags = [], shades = [] }: ReportChart): Figure {
  const firstShade = series.length + flags.length
  return {
    shades: shades.map((shade, at) => ({
      spans: shade.spans,
      label: [shade.label, shadeText(shade)].filter(Boolean).join(', '),
      colour: firstShade + at,
    })),
    flags: flags.map((each, at) => ({ ...each, colour: series.length + at })),
    isLog: isLog && style === 'line',
    axis: names ? { kind: 'names', labels: names } : { kind: 'times' },
    kind: series.at(0)?.numberKind ?? 'figure',
    marks: series.map((one, colour): FigureMark => {
      const label = labelWithUnit(one)
      const shown = (values: Float64Array) => (isLog ? values.map((value) => (value > 0 ? value : NaN)) : values)
      if (one.candles) {
        const { x, widthMs, open, high, low, close } = one.candles
        const prices = { open: shown(open), high: shown(high), low: shown(low), y: shown(close) }
        return { kind: 'candles', label, colour, x, widthMs, ...prices }
      }
      const y = shown(one.values)
      if (style === 'bars') return { kind: 'bars', label, colour, x: one.x, y }
      const { style: shape, stepMs, fill } = one
      const look = { ...(shape && { style: shape }), ...(stepMs && { stepMs }), ...(fill && { fill }) }
      return { kind: 'line', label, colour, x: one.x, y, ...look }
    }),
    baseline: startsAtZero({ series, style, isLog }) ? 0 : null,
  }
}

/** HTML elements allowed in a note; others are replaced by their text. */
const allowedElements = new Set(
  'h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre code em strong br hr a table thead tbody tr th td'.split(' '),
)

/** Converts a note to elements. Its HTML is parsed in a document that runs no scripts and loads nothing. */
export function markdownNodes(markdown: string): (VNode | string)[] {
  return nodesOf(new DOMParser().parseFromString(renderMarkdown(markdown), 'text/html').body)
}

const nodesOf = (parent: Node): (VNode | string)[] =>
  [...parent.childNodes].flatMap((node) => {
    if (!(node instanceof Element)) return node.textContent ?? ''
    const name = node.localName
    return allowedElements.has(name) ? h(name, linkAttributes(node), nodesOf(node)) : nodesOf(node)
  })

function linkAttributes(node: Element): Record<string, string> {
  const href = node.getAttribute('href') ?? ''
  return node.localName === 'a' && /^https?:/.test(href) ? { href, target: '_blank', rel: 'noreferrer noopener' } : {}
}
