import type { BoardContent, BoardDocument } from '#shared/contract/areas/boards.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { PartQuery, ReportQuery } from '#shared/report/reportContent.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspace.ts'

/** Finds the range of all rows of a workspace; null where none are here. */
export type RowsRange = (document: WorkspaceDocument) => TimeRange | null

export type ComputedContent = Exclude<BoardContent, { kind: 'text' }>

/**
 * Returns the query of a part. A chart shows a range as long as its workspace did, up to the last row that is here, so
 * that it moves on with the data.
 */
export function queryOfPart(content: ComputedContent, rowsRange: RowsRange): PartQuery {
  if (content.kind !== 'workbench') return content as PartQuery
  const { name, document } = content
  const rows = rowsRange(document)
  if (rows === null)
    throw new AppError('not-here', `No rows of “${name}” are here. Open the workspace and download what it shows.`)
  const { range } = document
  const startMs = range === null ? rows.startMs : Math.max(rows.startMs, rows.endMs - (range.endMs - range.startMs))
  return { kind: 'workbench', name, document, startMs, endMs: rows.endMs }
}

/** Returns the query of a report of a board, which computes again without the board. */
export function boardReportQuery(name: string, { parts }: BoardDocument, rowsRange: RowsRange): ReportQuery {
  const queries = parts.map(({ content }, at) => {
    if (content.kind === 'text') return content
    try {
      return queryOfPart(content, rowsRange)
    } catch (thrown) {
      const { code, detail } = toAppError(thrown)
      throw new AppError(code, `Part ${at + 1} cannot be reported. ${detail}`)
    }
  })
  return { kind: 'board', name, parts: queries }
}
