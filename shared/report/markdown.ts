import { escapeHtml } from './escapeHtml.ts'

/**
 * Renders a user's note in a small subset of Markdown: headings, paragraphs, lists, quotations, code, tables, emphasis
 * and links to web pages. Everything else is plain text, including raw HTML and images, so that a note can add neither
 * a script nor a request to a report.
 */
export function renderMarkdown(markdown: string): string {
  return blocksHtml(markdown.replace(/\r\n?/g, '\n').split('\n')).join('\n')
}

/** Maximum nesting depth of quotations; deeper ones are plain text. */
const MOST_QUOTE_DEPTH = 4

function blocksHtml(lines: readonly string[], depth = 0): string[] {
  const html: string[] = []
  let at = 0
  while (at < lines.length) {
    const next =
      fencedBlock(lines, at) ??
      quotationBlock(lines, at, depth) ??
      listBlock(lines, at) ??
      tableBlock(lines, at) ??
      simpleBlock(lines, at)
    if (next.html !== '') html.push(next.html)
    at = next.end
  }
  return html
}

interface Block {
  html: string
  /** Index of the line after the block. */
  end: number
}

/**
 * Start of a code block. In this expression and all others of this file, repetitions are bounded or can match in only
 * one way, so that no hostile note can make matching slow.
 */
const FENCE = /^\s{0,3}(`{3,20}|~{3,20})/

function fencedBlock(lines: readonly string[], start: number): Block | null {
  const open = FENCE.exec(lines[start])
  if (!open) return null
  let end = start + 1
  while (end < lines.length && !lines[end].trimStart().startsWith(open[1])) end += 1
  const code = lines.slice(start + 1, end).join('\n')
  return { html: `<pre><code>${escapeHtml(code)}</code></pre>`, end: end + 1 }
}

const QUOTE = /^\s{0,3}>\s?/

function quotationBlock(lines: readonly string[], start: number, depth: number): Block | null {
  if (depth >= MOST_QUOTE_DEPTH || !QUOTE.test(lines[start])) return null
  let end = start
  while (end < lines.length && QUOTE.test(lines[end])) end += 1
  const inside = lines.slice(start, end).map((line) => line.replace(QUOTE, ''))
  return { html: `<blockquote>${blocksHtml(inside, depth + 1).join('\n')}</blockquote>`, end }
}

const BULLET = /^\s{0,3}[-*+]\s+/
const NUMBERED = /^\s{0,3}\d{1,9}[.)]\s+/

function listBlock(lines: readonly string[], start: number): Block | null {
  const mark = [BULLET, NUMBERED].find((each) => each.test(lines[start]))
  if (!mark || isRule(lines[start])) return null
  const items: string[] = []
  let end = start
  while (end < lines.length && (mark.test(lines[end]) || /^\s{2,}\S/.test(lines[end]))) {
    if (mark.test(lines[end])) items.push(lines[end].replace(mark, ''))
    else items[items.length - 1] += ` ${lines[end].trim()}`
    end += 1
  }
  const name = mark === BULLET ? 'ul' : 'ol'
  return { html: `<${name}>${items.map((item) => `<li>${inlineHtml(item)}</li>`).join('')}</${name}>`, end }
}

/** Maximum number of columns of a table; a wider one is plain text. */
const MOST_COLUMNS = 50

function tableBlock(lines: readonly string[], start: number): Block | null {
  const head = cellsOf(lines[start])
  const marks = cellsOf(lines[start + 1] ?? '')
  const isTable = head.length > 0 && head.length === marks.length && head.length <= MOST_COLUMNS
  if (!isTable || !marks.every((mark) => /^:?-+:?$/.test(mark))) return null
  let end = start + 2
  while (end < lines.length && cellsOf(lines[end]).length > 0) end += 1
  const row = (name: 'th' | 'td', cells: readonly string[]) =>
    `<tr>${marks.map((mark, at) => `<${name}${/^-+:$/.test(mark) ? ' class="number"' : ''}>${inlineHtml(cells.at(at) ?? '')}</${name}>`).join('')}</tr>`
  const rows = lines.slice(start + 2, end).map((line) => row('td', cellsOf(line)))
  return { html: `<table><thead>${row('th', head)}</thead><tbody>${rows.join('')}</tbody></table>`, end }
}

/** Splits a table row at its bars; a line without bars has no cells. */
function cellsOf(line: string): string[] {
  if (!line.includes('|')) return []
  const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|')
  return cells.map((cell) => cell.trim())
}

const isRule = (line: string): boolean => /^\s{0,3}([-*_])(?:\s*\1){2,80}\s*$/.test(line)

/** Renders an empty line, a horizontal rule, a heading or a paragraph. */
function simpleBlock(lines: readonly string[], start: number): Block {
  const line = lines[start]
  if (line.trim() === '') return { html: '', end: start + 1 }
  if (isRule(line)) return { html: '<hr>', end: start + 1 }
  const heading = /^\s{0,3}(#{1,6})\s/.exec(line)
  if (heading) {
    // Headings of a note are two levels lower, because the page and its sections have the first two.
    const name = `h${Math.min(6, heading[1].length + 2)}`
    const text = line.slice(heading[0].length).trimStart()
    // The look-behind lets only the start of a run of spaces match, because trying every space of a long run is slow.
    return { html: `<${name}>${inlineHtml(text.replace(/(?<!\s)\s+#{1,6}\s*$/, ''))}</${name}>`, end: start + 1 }
  }
  let end = start + 1
  while (end < lines.length && lines[end].trim() !== '' && !startsBlock(lines[end]) && !tableBlock(lines, end)) end += 1
  return { html: `<p>${inlineHtml(lines.slice(start, end).join('\n'))}</p>`, end }
}

const startsBlock = (line: string): boolean =>
  [FENCE, QUOTE, BULLET, NUMBERED, /^\s{0,3}#{1,6}\s/].some((each) => each.test(line)) || isRule(line)

const INLINE =
  /`([^`\n]{1,2000})`|\[([^\][\n]{1,500})\]\(([^()\s]{1,2000})\)|\*\*(?=\S)([^*\n]{1,2000})\*\*|\*(?=\S)([^*\n]{1,2000})\*|(?<![\p{L}\p{N}])_(?=\S)([^_\n]{1,2000})_(?![\p{L}\p{N}])/gu

/** Renders emphasis, code and links of one block; everything else is escaped text. */
function inlineHtml(text: string): string {
  let html = ''
  let last = 0
  for (const match of text.matchAll(INLINE)) {
    const [wholeMatch, code, label, address, strong, emphasis, underlined] = match as (string | undefined)[]
    html += escapeHtml(text.slice(last, match.index))
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`
    else if (label !== undefined) html += linkHtml(label, address ?? '')
    else if (strong !== undefined) html += `<strong>${escapeHtml(strong)}</strong>`
    else html += `<em>${escapeHtml(emphasis ?? underlined ?? '')}</em>`
    last = match.index + (wholeMatch ?? '').length
  }
  return html + escapeHtml(text.slice(last))
}

/** Links may lead only to web pages; any other address is shown as text. */
function linkHtml(label: string, address: string): string {
  const href = webAddress(address)
  if (href === null) return `${escapeHtml(label)} (${escapeHtml(address)})`
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${escapeHtml(label)}</a>`
}

function webAddress(text: string): string | null {
  const match = /^(https?):\/\/[^\s"'<>\\]+$/i.exec(text)
  return match && URL.canParse(text) ? text : null
}
