import { h, type VNode } from 'vue'
import type { BoardContent } from '#shared/contract/areas/boards.ts'
import type { ReportChart } from '#shared/report/reportContent.ts'
import { partContentName } from '#shared/report/partName.ts'
import { renderMarkdown } from '#shared/report/markdown.ts'
import { labelWithUnit } from '../../charts/small/chartFigure.ts'
import { boardsText } from '../../text/boards.ts'

/** Returns the name of a part: that of its source, or else the name of its kind. */
export const partName = (content: BoardContent): string =>
  partContentName(content) || (content.kind === 'text' ? boardsText.part.note : boardsText.kinds[content.kind])

/** Returns the caption of a chart. It names a single series with its unit, because the chart then has no legend. */
export function chartCaption({ title, series }: ReportChart): string {
  if (series.length !== 1) return title
  const label = labelWithUnit(series[0])
  if (label.startsWith(title)) return label
  return title.includes(series[0].label) ? title : `${title} · ${label}`
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
