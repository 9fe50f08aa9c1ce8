import { exactNumber } from '#shared/units/numbers.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { chartHtml, chartTable } from './chartHtml.ts'
import { escapeHtml, scriptJson } from './escapeHtml.ts'
import { hoverScript } from './hoverScript.ts'
import { renderMarkdown } from './markdown.ts'
import type {
  FileListReference,
  ReportCell,
  ReportContent,
  ReportPart,
  ReportQuery,
  ReportSource,
  ReportTable,
} from './reportContent.ts'

/** Format name in the data block that a report contains for `replay`. */
export const REPORT_FORMAT = 'perpscope-report'
export const REPORT_VERSION = 2
/** Version of reports that list all their files, which earlier versions of Perpscope read too. */
const VERSION_WITH_SOURCES = 1
/** Last characters of every complete report; a truncated file lacks them. */
export const REPORT_END = '</body></html>\n'
export const REPORT_BLOCK = '<script type="application/json" id="perpscope-report">'

/** Styles of a report: light, dense, with page breaks that split neither charts nor rows. */
export const reportStyle = `
:root { color-scheme: light; --ink: #1a1d21; --soft: #59626d; --line: #d9dee4; --warn: #8a4b00; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1040px; padding: 24px 20px 64px; color: var(--ink); background: #fff;
  font: 14px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 16px; margin: 28px 0 8px; padding-top: 8px; border-top: 1px solid var(--line); }
.note :is(h3, h4, h5, h6) { font-size: 14px; margin: 16px 0 6px; }
.note h3 { font-size: 15px; }
.subtitle, figcaption, .below { color: var(--soft); margin: 0 0 8px; }
.warning { color: var(--warn); margin: 4px 0; }
.warning::before { content: '\\26a0  '; }
.synthetic { display: inline-block; border: 1px solid var(--warn); color: var(--warn); padding: 1px 8px; border-radius: 3px; }
figure { margin: 0; break-inside: avoid; }
svg { display: block; width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg:focus-visible { outline: 2px solid #0b66c3; }
.cursor { stroke: #59626d; stroke-dasharray: 3 3; fill: none; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0; margin: 4px 0; }
.legend svg { display: inline-block; width: 26px; height: 8px; margin-right: 6px; }
.scroll { overflow-x: auto; max-width: 100%; }
.scroll:focus-visible { outline: 2px solid #0b66c3; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 4px 0; overflow-wrap: normal; }
th, td { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; }
.number { text-align: right; white-space: nowrap; }
.time { white-space: nowrap; }
.hash { font: 11px ui-monospace, Menlo, Consolas, monospace; }
pre, code { font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { white-space: pre-wrap; background: #f5f7f9; padding: 10px 12px; margin: 4px 0; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--line); color: var(--soft); }
#tip { position: absolute; white-space: pre; pointer-events: none; background: #1a1d21; color: #fff; padding: 6px 8px;
  border-radius: 4px; font: 12px/1.4 ui-monospace, Menlo, Consolas, monospace; z-index: 1; }
#tip[hidden] { display: none; }
@page { margin: 14mm 12mm; }
@page across { size: landscape; }
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  h2 { break-after: avoid; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  table { font-size: 8pt; width: 100%; overflow-wrap: anywhere; }
  thead :is(th, .number) { white-space: normal; overflow-wrap: normal; }
  .wide { font-size: 6.5pt; }
  .wide :is(th, td) { padding-right: 4px; }
  .wide .time { white-space: normal; }
  .broken :is(th, .number) { white-space: normal; overflow-wrap: anywhere; }
  section:has(.widest) { page: across; }
  #tip { display: none; }
}
`

/** Style and script of a page, which its policy allows by their hashes. */
export interface ReportLook {
  style: string
  script: string
}

export const reportLook: ReportLook = { style: reportStyle, script: hoverScript }

/**
 * Hashes of the styles and scripts that reports have or had; a replay renders a report with its own. When you change one
 * of them, add the new hash and keep the old.
 */
export const lookHashes = {
  styles: ['3EY0KLJWZ2VpO159GIKPcy+bwIFsrBhyuwkKzPgfeqk=', 'cxi5rkrhSid1v/pF4YEazAJijztwx7BEDoLfP4qxBRY='],
  scripts: ['sLPXab2pCQO3+FqVpu2UKvITlUGzhOXyFuO1NLHBdYI=', '6fbugI75e18Y89hURspHC1OvV1IdqRmJPyZyU8lApqk='],
}

export interface ReportPage {
  kind: ReportQuery['kind']
  content: ReportContent
  query: ReportQuery
  /** User's note in Markdown; empty for none. */
  note: string
  /** Version of Perpscope. */
  version: string
  /** Connection of the sources, so that a replay finds them again. */
  connection: { id: string; name: string }
  /** Returns a base64 hash for the Content-Security-Policy of the script and the styles. */
  hashOf(text: string): string
  /** Where the sources are listed, if not in the report. */
  fileList?: FileListReference | undefined
  /** Style and script of a report that is computed again; left out for a new one. */
  look?: ReportLook
}

/**
 * Writes a report as one HTML page. Equal inputs give equal bytes, because the page contains neither the current time
 * nor a path on this machine. Its policy allows only its own script and style, and no requests.
 */
export function reportHtml(page: ReportPage): string {
  const { kind, content, query, note, version, connection, fileList, hashOf, look = reportLook } = page
  const { title, subtitle, isSynthetic, parts, warnings, sources, definitions } = content
  const policy = `default-src 'none'; script-src 'sha256-${hashOf(look.script)}'; style-src 'sha256-${hashOf(look.style)}'; base-uri 'none'; form-action 'none'`
  const block = {
    format: REPORT_FORMAT,
    version: fileList ? REPORT_VERSION : VERSION_WITH_SOURCES,
    app: version,
    kind,
    connection,
    definitions,
    sources: fileList ? [] : sources.map(({ path, sha256 }) => ({ path, sha256 })),
    ...(fileList && { fileList }),
    note,
    query,
  }
  return [
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">`,
    `<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta name="generator" content="${escapeHtml(`Perpscope ${version}`)}"><title>${escapeHtml(title)}</title>`,
    `<style>${look.style}</style></head><body>`,
    `<header><h1>${escapeHtml(title)}</h1><p class="subtitle">${escapeHtml(subtitle)}</p>${isSynthetic ? '<p class="synthetic">Sandbox: synthetic data</p>' : ''}${warnings.map((each) => `<p class="warning">${escapeHtml(each)}</p>`).join('')}</header><main>`,
    note.trim() === '' ? '' : sectionHtml({ kind: 'note', title: 'Note', markdown: note }),
    ...parts.map((part, at) => sectionHtml(part, parts.findIndex(({ title: other }) => other === part.title) < at)),
    sourcesHtml(fileList ? listedElsewhere(fileList) : sourceTable(sources), version, connection.name),
    `</main>`,
    `${REPORT_BLOCK}${scriptJson(block)}</script>`,
    `<script>${look.script}</script>${REPORT_END}`,
  ].join('\n')
}

/**
 * Renders a part. A part that repeats the title of an earlier one is a group and not a landmark, because landmarks need
 * unique names.
 */
function sectionHtml(part: ReportPart, repeatsTitle = false): string {
  return `<section${repeatsTitle ? ' role="group"' : ''} aria-label="${escapeHtml(part.title)}" data-kind="${part.kind}"><h2>${escapeHtml(part.title)}</h2>${partHtml(part)}</section>`
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
  const layout = printLayout(columns.map((title, at) => ({ title, cells: rows.map((row) => row[at]) })))
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
  const noteHtml = note ? `<p class="below">${escapeHtml(note)}</p>` : ''
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escapeHtml(title)}"><table${layout && ` class="${layout}"`}><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>${noteHtml}`
}

/** Layouts of tables in print, from the largest to the smallest, by their classes. */
const printLayouts = [
  { classes: '', letterPx: 6.8, paddingPx: 10, timeLetters: 24, widthPx: 700, mostColumns: 9 },
  { classes: 'wide', letterPx: 5.6, paddingPx: 4, timeLetters: 10, widthPx: 700, mostColumns: 16 },
  { classes: 'wide widest', letterPx: 5.6, paddingPx: 4, timeLetters: 10, widthPx: 960, mostColumns: Infinity },
] as const
/** Letters of a text that are not broken in print, if there is room. */
const TEXT_LETTERS = 8
/** Width of a bold letter beside one that is not. */
const BOLD = 1.1

/**
 * Chooses the layout in which a table fits on A4 and Letter pages: in small print, and on landscape pages, if it has many
 * columns or long numbers, which are broken only where even that is too wide.
 */
function printLayout(columns: readonly { title: string; cells: readonly (ReportCell | undefined)[] }[]): string {
  const lettersOf = (cell: ReportCell | undefined, timeLetters: number): number => {
    if (cell === null || cell === undefined) return 1
    if (typeof cell !== 'string') return cell.text.length
    return Math.min(cell.length, timeClass(cell) ? timeLetters : TEXT_LETTERS)
  }
  const fitting = printLayouts.find(({ letterPx, paddingPx, timeLetters, widthPx, mostColumns }) => {
    const widths = columns.map(({ title, cells }) => {
      const longestWord = Math.max(...title.split(/\s+/).map((word) => word.length)) * BOLD
      const letters = cells.reduce((most, cell) => Math.max(most, lettersOf(cell, timeLetters)), longestWord)
      return letters * letterPx + paddingPx
    })
    return columns.length <= mostColumns && widths.reduce((sum, width) => sum + width, 0) <= widthPx
  })
  return fitting ? fitting.classes : 'wide widest broken'
}

/** Keeps times on one line. */
const timeClass = (cell: ReportCell) =>
  typeof cell === 'string' && /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(cell) ? ' class="time"' : ''

const isNumber = (cell: ReportCell | undefined) => typeof cell === 'object' && cell !== null

function cellHtml(cell: ReportCell): string {
  if (cell === null) return '–'
  if (typeof cell === 'string') return escapeHtml(cell)
  return `<data value="${escapeHtml(exactNumber(cell.value))}">${escapeHtml(cell.text)}</data>`
}

const listedElsewhere = ({ files, path }: FileListReference): string =>
  `<p>${escapeHtml(plainPlural(files, 'file'))}. Their list is kept in the data folder where this report was made, as <span class="hash">${escapeHtml(path)}</span>, whose name is its SHA-256.</p>`

function sourceTable(sources: readonly ReportSource[]): string {
  if (sources.length === 0) return '<p>No file was read.</p>'
  const rows = sources.map(
    ({ path, sha256, service, fetchedAt }) =>
      `<tr><th scope="row">${escapeHtml(path)}</th><td class="hash">${escapeHtml(sha256)}</td><td>${escapeHtml(service)}</td><td>${fetchedAt === null ? '–' : escapeHtml(new Date(fetchedAt).toISOString())}</td></tr>`,
  )
  return `<div class="scroll" tabindex="0" role="group" aria-label="Sources"><table id="sources"><thead><tr><th scope="col">File</th><th scope="col">SHA-256</th><th scope="col">Service</th><th scope="col">Fetched</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`
}

function sourcesHtml(sources: string, version: string, connection: string): string {
  const madeBy = `Made by Perpscope ${version} from the connection “${connection}”. “perpscope replay FILE.html” computes this report again from the same files and compares everything that it shows.`
  return `<section aria-label="Sources" data-kind="sources"><h2>Sources</h2>${sources}<p class="below">${escapeHtml(madeBy)}</p></section>`
}
