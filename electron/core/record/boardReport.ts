import type { BoardContent, BoardDocument } from '#shared/contract/areas/boards.ts'
import { AppError } from '#shared/contract/errors.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import type {
  AbsentPart,
  BoardPartQuery,
  BoardQuery,
  PartQuery,
  ReportContent,
  ReportPart,
} from '#shared/report/reportContent.ts'
import { partContentName } from '#shared/report/partName.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'

/** Finds the range of all cached rows of a workspace; null if there are none. */
type FindRowsRange = (document: WorkspaceDocument) => TimeRange | null

type ComputedContent = Exclude<BoardContent, { kind: 'text' }>

/**
 * Returns the query of a part. A chart ends at the last cached row, so that it follows the data; its range is as long
 * as that of its workspace, or includes all rows if the workspace has no range.
 */
export function queryOfPart(content: ComputedContent, rowsRange: FindRowsRange): PartQuery {
  if (content.kind !== 'workbench') return content as PartQuery
  const { name, document } = content
  const rows = rowsRange(document)
  if (rows === null)
    throw new AppError('not-here', `No rows of “${name}” are cached. Open the workspace and download its data.`)
  const { range } = document
  const startMs = range === null ? rows.startMs : Math.max(rows.startMs, rows.endMs - (range.endMs - range.startMs))
  return { kind: 'workbench', name, document, startMs, endMs: rows.endMs }
}

/**
 * Returns the query for a report of a board; with it, the report can be recomputed without the board. A part for which
 * no query can be built, such as a chart without cached rows, is marked as absent.
 */
export function boardReportQuery(name: string, { parts }: BoardDocument, rowsRange: FindRowsRange): BoardQuery {
  const queries = parts.map(({ content }): BoardPartQuery => {
    if (content.kind === 'text') return content
    try {
      return queryOfPart(content, rowsRange)
    } catch (thrown) {
      return absentPart(partName(content), thrown)
    }
  })
  return { kind: 'board', name, parts: queries }
}

/** Time limit for computing a part of an open board, because the other parts wait for it. */
const MOST_PART_MS = 300_000

/** Runs the work of a part, and stops it with an error after the time limit. */
export async function withPartTimeout<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
  mostMs = MOST_PART_MS,
): Promise<Result> {
  const deadline = AbortSignal.timeout(mostMs)
  try {
    return await work(AbortSignal.any([signal, deadline]))
  } catch (thrown) {
    if (signal.aborted || !deadline.aborted) throw thrown
    throw new AppError(
      'too-large',
      'Computing this part of the board took too long. Open it on its own screen and run it there.',
      {
        cause: thrown,
      },
    )
  }
}

/** Computes the content of one part. */
type ComputePart = (query: PartQuery) => Promise<ReportContent>

/**
 * Computes the parts of a board one after the other. A part that cannot be computed is marked as absent, also in the
 * query, so that a replay does not expect its numbers.
 */
export async function makeBoard(
  query: BoardQuery,
  computePart: ComputePart,
  signal: AbortSignal,
): Promise<{ query: BoardQuery; content: ReportContent }> {
  const parts: BoardPartQuery[] = []
  const contents: ReportContent[] = []
  for (const part of query.parts) {
    const computed = await tryPart(part, computePart, signal)
    parts.push(computed.part)
    contents.push(computed.content)
  }
  return { query: { ...query, parts }, content: boardContent(query.name, contents) }
}

/** Returns the query of a computed part with what a replay needs beside it: the funding periods of a study. */
export const recordedQuery = <Query extends PartQuery>(query: Query, { funding }: ReportContent): Query =>
  funding ? { ...query, funding } : query

async function tryPart(part: BoardPartQuery, computePart: ComputePart, signal: AbortSignal) {
  if (part.kind === 'text') return { part, content: noteContent(part.markdown) }
  if (part.kind === 'absent') return { part, content: absentContent(part) }
  try {
    const content = await computePart(part)
    return { part: recordedQuery(part, content), content }
  } catch (thrown) {
    signal.throwIfAborted()
    const absent = absentPart(partName(part), thrown)
    return { part: absent, content: absentContent(absent) }
  }
}

/** Recomputes a board; throws if a part can no longer be computed. */
export async function computeBoard({ name, parts }: BoardQuery, computePart: ComputePart): Promise<ReportContent> {
  const contents: ReportContent[] = []
  for (const part of parts) contents.push(await partContent(part, computePart))
  return boardContent(name, contents)
}

function partContent(part: BoardPartQuery, computePart: ComputePart): ReportContent | Promise<ReportContent> {
  if (part.kind === 'text') return noteContent(part.markdown)
  return part.kind === 'absent' ? absentContent(part) : computePart(part)
}

function absentContent({ name, why }: AbsentPart): ReportContent {
  const absent = { kind: 'text', title: 'Not in this report', lines: [why] } as const
  return { ...emptyContent, title: name, parts: [absent], warnings: [`“${name}” is not in this report. ${why}`] }
}

function boardContent(name: string, contents: readonly ReportContent[]): ReportContent {
  const sources = new Map(contents.flatMap((each) => each.sources).map((source) => [source.path, source]))
  return {
    title: name,
    subtitle: contents.flatMap(({ title }) => title || []).join('; '),
    isSynthetic: contents.some((each) => each.isSynthetic),
    parts: contents.flatMap(({ title, parts }) =>
      parts.map((part): ReportPart => ({ ...part, title: title ? `${title}: ${part.title}` : part.title })),
    ),
    definitions: Object.assign({}, ...contents.map(({ definitions }) => definitions)) as Record<string, number>,
    sources: [...sources.values()],
    warnings: contents.flatMap((each) => each.warnings),
    resultRows: contents.reduce((sum, each) => sum + (each.resultRows ?? tableRows(each)), 0),
  }
}

const tableRows = ({ parts }: ReportContent): number =>
  parts.reduce((sum, part) => sum + (part.kind === 'table' ? part.rows.length : 0), 0)

const emptyContent: ReportContent = {
  title: '',
  subtitle: '',
  isSynthetic: false,
  parts: [],
  definitions: {},
  sources: [],
  warnings: [],
}

export const noteContent = (markdown: string): ReportContent => ({
  ...emptyContent,
  parts: [{ kind: 'note', title: 'Text', markdown }],
})

/** Creates the placeholder that says why a part is missing; an internal error is thrown instead. */
function absentPart(name: string, thrown: unknown): AbsentPart {
  if (thrown instanceof StudyError || thrown instanceof PanelError) return { kind: 'absent', name, why: thrown.message }
  if (!(thrown instanceof AppError) || thrown.code === 'internal') throw thrown
  return { kind: 'absent', name, why: (thrown.detail ?? thrown.message).slice(0, MOST_REASON_CHARACTERS) }
}

const MOST_REASON_CHARACTERS = 2000

const defaultNames = {
  workbench: 'Chart',
  sql: 'SQL result',
  tearsheet: 'Tear sheet',
  study: 'Study',
  plan: 'Plan',
  calibration: 'How good are my tests',
} as const
const partName = (part: PartQuery | ComputedContent): string =>
  partContentName(part).slice(0, 300) || defaultNames[part.kind]
