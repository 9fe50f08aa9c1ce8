import * as z from '../../schemas/lazySchemas.ts'
import type { ReportContent } from '../../report/reportContent.ts'
import { openableWorkspace } from '../../workspace/workspaceSchema.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import { sqlResult, study, tearSheetQuery } from './reportQueries.ts'

const id = z.string().min(1).max(100)

/** Number of columns in the grid of a board. */
export const BOARD_COLUMNS = 12
/** Minimum width of a part in grid columns, and maximum height in rows. */
export const LEAST_PART_COLUMNS = 3
export const MOST_PART_ROWS = 12
export const MOST_BOARD_PARTS = 60

/**
 * Content of a part, by value, so that a board is self-contained; its numbers are computed whenever it is shown. A part
 * with a source is replaced by what its source is now.
 */
const content = z.discriminatedUnion('kind', [
  tearSheetQuery.extend({ returns: z.null() }),
  z.strictObject({ kind: z.literal('workbench'), name: z.string().max(300), document: openableWorkspace }),
  study.extend({ panel: z.null(), against: z.null() }),
  sqlResult,
  z.strictObject({ kind: z.literal('text'), markdown: z.string().max(100_000) }),
])
export type BoardContent = z.output<typeof content>

/** A saved document that a part shows. */
const partSource = z.strictObject({ kind: z.enum(['workspace', 'query', 'study']), id })
export type PartSource = z.output<typeof partSource>

const part = z.strictObject({
  id,
  /** Width of the part in grid columns. */
  columns: z.int().min(LEAST_PART_COLUMNS).max(BOARD_COLUMNS),
  /** Height of the part in grid rows. */
  rows: z.int().min(1).max(MOST_PART_ROWS),
  content,
  /** Document that the part follows; without one, the part stays as it is. */
  source: partSource.optional(),
})
export type BoardPart = z.output<typeof part>

/** What a board is about, for which it can be made anew: its parts have these values under the keys that name them. */
const parameters = z.strictObject({
  venue: z.string().min(1).max(300).optional(),
  symbol: z.string().min(1).max(300).optional(),
  interval: z.string().min(1).max(20).optional(),
  /** Whole days up to yesterday. */
  days: z.int().min(1).max(7320).optional(),
  portfolio: z.string().min(1).max(300).optional(),
})
export type BoardParameters = z.output<typeof parameters>

export const boardDocument = z.strictObject({
  version: z.literal(1),
  parts: z.array(part).max(MOST_BOARD_PARTS),
  parameters: parameters.optional(),
})
export type BoardDocument = z.output<typeof boardDocument>

/** Computed content of a part, with the number of files it was computed from. */
export type BoardAnswer = Omit<ReportContent, 'definitions' | 'sources'> & { sources: number }

export const boardCalls = {
  /** Computes one part from the cache. */
  'boards.answer': call(z.strictObject({ connectionId, content }))<BoardAnswer>(),
  /** Returns the content of a part that shows a saved document. */
  'boards.content': call(z.strictObject({ source: partSource }))<BoardContent>(),
  /** Returns a board whose parts show their sources as they are now. */
  'boards.followed': call(z.strictObject({ document: boardDocument }))<BoardDocument>(),
}
