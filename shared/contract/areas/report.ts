import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import { boardDocument } from './boards.ts'
import { connectionId } from './discovery.ts'
import { reportName as name, sqlResult, study, tearSheet, workbench } from './reportQueries.ts'
import type { Saved } from './requests.ts'

export const partQuery = z.discriminatedUnion('kind', [tearSheet, workbench, study, sqlResult])

const boardText = z.strictObject({ kind: z.literal('text'), markdown: z.string().max(100_000) })
const absentPart = z.strictObject({ kind: z.literal('absent'), name: z.string().max(300), why: z.string().max(10_000) })

/** Checks the query of a report, which may come from a stranger's file. */
export const reportQuery = z.discriminatedUnion('kind', [
  tearSheet,
  workbench,
  study,
  sqlResult,
  z.strictObject({
    kind: z.literal('board'),
    name,
    parts: z.array(z.union([partQuery, boardText, absentPart])).max(60),
  }),
])

/** Paths of a window's study are those of this machine, because its files were chosen here. */
const windowStudy = study.extend({
  panel: z.string().min(1).max(4000).nullable(),
  against: z.string().min(1).max(4000).nullable(),
})

/** A window names a file of returns or weights by the document that it is kept as. */
const windowTearSheet = tearSheet.extend({ returns: z.string().min(1).max(100).nullable() })

/** A report that a window asks for; the range of a workspace is what it shows. */
const windowQuery = z.discriminatedUnion('kind', [
  windowTearSheet,
  workbench,
  windowStudy,
  sqlResult,
  z.strictObject({ kind: z.literal('board'), name, document: boardDocument }),
])

/** A saved report. */
export interface SavedReport extends Saved {
  /** Number of files that its numbers come from. */
  sources: number
}

export const reportCalls = {
  /** Computes a result again and saves it as one HTML file with its sources; null if the user closed the dialog. */
  'report.save': call(z.strictObject({ connectionId, query: windowQuery }))<SavedReport | null>(),
}
