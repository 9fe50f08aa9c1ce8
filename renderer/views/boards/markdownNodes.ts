import { h, type VNode } from 'vue'
import { renderMarkdown } from '#shared/report/markdown.ts'

/** Elements that a note may consist of; the text of every other one is shown without it. */
const allowed = new Set('h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre code em strong br hr a'.split(' '))

/** Turns a note into elements. Its HTML is parsed in a document that neither runs nor loads anything. */
export function markdownNodes(markdown: string): (VNode | string)[] {
  return nodesOf(new DOMParser().parseFromString(renderMarkdown(markdown), 'text/html').body)
}

const nodesOf = (parent: Node): (VNode | string)[] =>
  [...parent.childNodes].flatMap((node) => {
    if (!(node instanceof Element)) return node.textContent ?? ''
    const name = node.localName
    return allowed.has(name) ? h(name, linkOf(node), nodesOf(node)) : nodesOf(node)
  })

function linkOf(node: Element): Record<string, string> {
  const href = node.getAttribute('href') ?? ''
  return node.localName === 'a' && /^https?:/.test(href) ? { href, target: '_blank', rel: 'noreferrer noopener' } : {}
}
