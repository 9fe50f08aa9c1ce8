import { isRecord } from '#shared/schemas/isRecord.ts'
import { unescapeHtml } from './escapeHtml.ts'
import {
  lookHashes,
  REPORT_BLOCK,
  REPORT_END,
  REPORT_FORMAT,
  REPORT_VERSION,
  type ReportLook,
  reportLook,
} from './reportHtml.ts'
import type { FileListReference } from './reportContent.ts'

/** The data block of a report. Its query is validated only when the report is computed again. */
export interface ParsedReport {
  app: string
  kind: string
  connection: { id: string; name: string }
  definitions: Record<string, number>
  sources: { path: string; sha256: string }[]
  /** Where the sources are listed, if not in the report. */
  fileList?: FileListReference
  note: string
  query: unknown
}

/** Reason why a file cannot be replayed, as the end of a sentence that begins with the name of the file. */
interface ReportProblem {
  problem: string
}

const CUT_OFF = 'was cut off: the end of the report is missing.'

/** Reads the data block of a report, which a replay needs. */
export function readReport(html: string): ParsedReport | ReportProblem {
  const start = html.lastIndexOf(REPORT_BLOCK)
  if (start < 0) return { problem: html.includes('content="Perpscope ') ? CUT_OFF : 'is not a report of Perpscope.' }
  if (!html.endsWith(REPORT_END)) return { problem: CUT_OFF }
  const from = start + REPORT_BLOCK.length
  const end = html.indexOf('</script>', from)
  // Markup inside the block would make a browser end the block somewhere else.
  if (html.slice(from, end).includes('<')) return { problem: 'is damaged: its query cannot be read.' }
  let block: unknown
  try {
    block = JSON.parse(html.slice(from, end))
  } catch {
    return { problem: 'is damaged: its query cannot be read.' }
  }
  return checkedBlock(block)
}

const isSource = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && typeof value.path === 'string' && typeof value.sha256 === 'string'

function checkedBlock(block: unknown): ParsedReport | ReportProblem {
  if (!isRecord(block) || block.format !== REPORT_FORMAT) return { problem: 'is not a report of Perpscope.' }
  if (typeof block.version !== 'number' || block.version > REPORT_VERSION)
    return { problem: 'was written by a newer version of Perpscope; update Perpscope to replay it.' }
  const { app, kind, connection, definitions, sources, fileList, note, query } = block
  const isValid =
    typeof app === 'string' &&
    typeof kind === 'string' &&
    typeof note === 'string' &&
    isRecord(connection) &&
    typeof connection.id === 'string' &&
    typeof connection.name === 'string' &&
    isRecord(definitions) &&
    Object.values(definitions).every((version) => typeof version === 'number') &&
    Array.isArray(sources) &&
    sources.every(isSource) &&
    (fileList === undefined || (isSource(fileList) && typeof fileList.files === 'number'))
  if (!isValid) return { problem: 'is damaged: its sources or definitions cannot be read.' }
  return {
    app,
    kind,
    connection: { id: String(connection.id), name: String(connection.name) },
    definitions: definitions as Record<string, number>,
    sources: sources as ParsedReport['sources'],
    ...(fileList !== undefined && { fileList: fileList as unknown as FileListReference }),
    note,
    query,
  }
}

/** Text of a source in the table of a report that no file on this machine confirms. */
interface ShownSource {
  service: string
  fetchedAt: number | null
}

const SOURCE_ROW =
  /<tr><th scope="row">([^<>]*)<\/th><td class="hash">[^<>]*<\/td><td>([^<>]*)<\/td><td>([^<>]*)<\/td><\/tr>/g

/** Reads who delivered the sources and when, as the table of a report shows it, by path. */
export function shownSources(html: string): Map<string, ShownSource> {
  const section = html.slice(html.lastIndexOf('data-kind="sources"'), html.lastIndexOf(REPORT_BLOCK))
  return new Map(
    [...section.matchAll(SOURCE_ROW)].map(([, path, service, fetched]) => {
      const fetchedAt = Date.parse(fetched)
      return [
        unescapeHtml(path),
        { service: unescapeHtml(service), fetchedAt: Number.isNaN(fetchedAt) ? null : fetchedAt },
      ]
    }),
  )
}

/** Reads the style and the script of a report, as far as they are those of this or an earlier version. */
export function lookOfReport(html: string, hashOf: (text: string) => string): ReportLook {
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? []
  const from = html.lastIndexOf('<script>')
  const script = from < 0 ? '' : html.slice(from + '<script>'.length, html.lastIndexOf('</script>'))
  return {
    style: lookHashes.styles.includes(hashOf(style)) ? style : reportLook.style,
    script: lookHashes.scripts.includes(hashOf(script)) ? script : reportLook.script,
  }
}
