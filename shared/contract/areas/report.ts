import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import { boardDocument } from './boards.ts'
import { connectionId } from './discovery.ts'
import { calibration, plan, reportName as name, sqlResult, study, tearSheetQuery, workbench } from './reportQueries.ts'
import type { SavedFile } from './requests.ts'

export const partQuery = z.discriminatedUnion('kind', [tearSheetQuery, workbench, study, sqlResult, plan, calibration])

const boardText = z.strictObject({ kind: z.literal('text'), markdown: z.string().max(100_000) })
const absentPart = z.strictObject({ kind: z.literal('absent'), name: z.string().max(300), why: z.string().max(10_000) })

/** Schema of a report's query, which may come from an untrusted file. */
export const reportQuery = z.discriminatedUnion('kind', [
  tearSheetQuery,
  workbench,
  study,
  sqlResult,
  plan,
  calibration,
  z.strictObject({
    kind: z.literal('board'),
    name,
    parts: z.array(z.union([partQuery, boardText, absentPart])).max(60),
  }),
])

/** A window's study may name paths of this machine, because its user chose the files. */
const windowStudy = study.extend({
  panel: z.string().min(1).max(4000).nullable(),
  against: z.string().min(1).max(4000).nullable(),
})

/** A window names the user's file of returns or weights by document id. */
const windowTearSheet = tearSheetQuery.extend({ returns: z.string().min(1).max(100).nullable() })

/** Report that a window requests; the range of a workspace is the visible one. */
const windowQuery = z.discriminatedUnion('kind', [
  windowTearSheet,
  workbench,
  windowStudy,
  sqlResult,
  plan,
  calibration,
  z.strictObject({ kind: z.literal('board'), name, document: boardDocument }),
])

/** A saved report. */
export interface SavedReport extends SavedFile {
  /** Number of files that the numbers come from. */
  sources: number
}

export const reportCalls = {
  /** Recomputes a result and saves it as one HTML file with its sources; null if the user cancelled. */
  'report.save': call(z.strictObject({ connectionId, query: windowQuery }))<SavedReport | null>(),
}
