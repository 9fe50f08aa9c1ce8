import { exactNumber } from '#shared/units/numbers.ts'
import { chartHtml, chartTable } from './chartHtml.ts'
import { escapeHtml, scriptJson } from './escapeHtml.ts'
import { hoverScript } from './hoverScript.ts'
import { renderMarkdown } from './markdown.ts'
import type { ReportCell, ReportContent, ReportPart, ReportQuery, ReportSource, ReportTable } from './reportContent.ts'
import { reportStyle } from './reportStyle.ts'

/** Format of the block that a report carries for `replay`. */
export const REPORT_FORMAT = 'perpscope-report'
export const REPORT_VERSION = 1
/** Last characters of every whole report; a file that was cut off lacks them. */
export const REPORT_END = '</body></html>\n'
export const REPORT_BLOCK = '<script type="application/json" id="perpscope-report">'

export interface ReportPage {
  kind: ReportQuery['kind']
  content: ReportContent
  query: ReportQuery
  /** Markdown of the person; empty for none. */
  note: string
  /** Version of Perpscope. */
  version: string
  /** Owner of the sources, so that a replay finds them again. */
  connection: { id: string; name: string }
  /** Hashes in base64 of the script and of the styles. */
  hashOf(text: string): string
}

/**
 * Writes a report as one HTML page. Equal inputs give equal bytes: neither the time nor a path of this machine stands in
 * the page. Its policy allows the one script and the one style of the page and no request.
 */
export function reportHtml({ kind, content, query, note, version, connection, hashOf }: ReportPage): string {
  const { title, subtitle, isSynthetic, parts, warnings, sources, definitions } = content
  const policy = `default-src 'none'; script-src 'sha256-${hashOf(hoverScript)}'; style-src 'sha256-${hashOf(reportStyle)}'; base-uri 'none'; form-action 'none'`
  const block = {
    format: REPORT_FORMAT,
    version: REPORT_VERSION,
    app: version,
    kind,
    connection,
    definitions,
    sources: sources.map(({ path, sha256 }) => ({ path, sha256 })),
    note,
    query,
  }
  return [
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">`,
    `<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta name="generator" content="${escapeHtml(`Perpscope ${version}`)}"><title>${escapeHtml(title)}</title>`,
    `<style>${reportStyle}</style></head><body>`,
    `<header><h1>${escapeHtml(title)}</h1><p class="subtitle">${escapeHtml(subtitle)}</p>${isSynthetic ? '<p class="synthetic">Sandbox: these data are made up</p>' : ''}${warnings.map((each) => `<p class="warning">${escapeHtml(each)}</p>`).join('')}</header><main>`,
    note.trim() === '' ? '' : section({ kind: 'note', title: 'Note', markdown: note }),
    ...parts.map(section),
    sourceSection(sources, version, connection.name),
    `</main>`,
    `${REPORT_BLOCK}${scriptJson(block)}</script>`,
    `<script>${hoverScript}</script>${REPORT_END}`,
  ].join('\n')
}

function section(part: ReportPart): string {
  return `<section aria-label="${escapeHtml(part.title)}" data-kind="${part.kind}"><h2>${escapeHtml(part.title)}</h2>${partHtml(part)}</section>`
}

function partHtml(part: ReportPart): string {
  switch (part.kind) {
    case 'table':
      return tableHtml(part)
    case 'chart':
      return chartHtml(part) + tableHtml(chartTable(part))
    case 'code':
      return `<pre><code>${escapeHtml(part.text)}</code></pre>`
    case 'note':
      return `<div class="note">${renderMarkdown(part.markdown)}</div>`
    case 'text':
      return part.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')
  }
}

function tableHtml({ title, columns, rows, note }: ReportTable): string {
  const isNumeric = columns.map((_, at) => rows.some((row) => isNumber(row[at])))
  const numberClass = (at: number) => (isNumeric[at] ? ' class="number"' : '')
  const head = columns.map((column, at) => `<th scope="col"${numberClass(at)}>${escapeHtml(column)}</th>`).join('')
  const body = rows.map((row) => {
    const cells = row.map((cell, at) =>
      at === 0 && typeof cell === 'string'
        ? `<th scope="row">${escapeHtml(cell)}</th>`
        : `<td${numberClass(at) || timeClass(cell)}>${cellHtml(cell)}</td>`,
    )
    return `<tr>${cells.join('')}</tr>`
  })
  const below = note ? `<p class="below">${escapeHtml(note)}</p>` : ''
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(title)}"><table${widthClass(columns.length)}><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>${below}`
}

/** A table of many columns is printed smaller, and the widest on pages turned on their side. */
const widthClass = (columns: number) => (columns > 16 ? ' class="wide widest"' : columns > 9 ? ' class="wide"' : '')

/** Times stay in one line. */
const timeClass = (cell: ReportCell) =>
  typeof cell === 'string' && /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(cell) ? ' class="time"' : ''

const isNumber = (cell: ReportCell | undefined) => typeof cell === 'object' && cell !== null

function cellHtml(cell: ReportCell): string {
  if (cell === null) return '–'
  if (typeof cell === 'string') return escapeHtml(cell)
  return `<data value="${escapeHtml(exactNumber(cell.value))}">${escapeHtml(cell.text)}</data>`
}

function sourceSection(sources: readonly ReportSource[], version: string, connection: string): string {
  const rows = sources.map(
    ({ path, sha256, service, fetchedAt }) =>
      `<tr><th scope="row">${escapeHtml(path)}</th><td class="hash">${escapeHtml(sha256)}</td><td>${escapeHtml(service)}</td><td>${fetchedAt === null ? '–' : escapeHtml(new Date(fetchedAt).toISOString())}</td></tr>`,
  )
  const table = `<div class="scroll" tabindex="0" role="region" aria-label="Sources"><table id="sources"><thead><tr><th scope="col">File</th><th scope="col">SHA-256</th><th scope="col">Service</th><th scope="col">Fetched</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`
  const made = `Made by Perpscope ${version} from the connection “${connection}”. “perpscope replay FILE.html” computes this report again from the same files and compares every number.`
  return `<section aria-label="Sources" data-kind="sources"><h2>Sources</h2>${sources.length === 0 ? '<p>No file was read.</p>' : table}<p class="below">${escapeHtml(made)}</p></section>`
}
